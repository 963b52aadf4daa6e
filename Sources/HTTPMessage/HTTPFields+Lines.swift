extension HTTPFields {
    /// What keeps a section from being sent: it would end a line, or be no line.
    package enum LineFault: Hashable, Sendable {
        case emptyName
        case nameOctet(UInt8)
        /// The octet and its offset in the value.
        case valueOctet(UInt8, Int)
    }

    /// The first thing that cannot be sent: a name that is no token, or a control character other than HTAB in a value
    /// (RFC 9110, sections 5.1 and 5.5).
    package var lineFault: LineFault? {
        for line in lines {
            guard line.value > line.start else { return .emptyName }
            for index in line.start..<line.value where !FieldName.isTokenOctet(octets[index]) {
                return .nameOctet(octets[index])
            }
            for index in line.value..<line.end {
                let octet = octets[index]
                if octet < 0x20 && octet != 0x09 || octet == 0x7F {
                    return .valueOctet(octet, index - line.value)
                }
            }
        }
        return nil
    }

    /// Appends all lines as they are sent, without the empty line behind them.
    ///
    ///     field-line = field-name ":" OWS field-value OWS CRLF
    ///
    /// Blanks around a value are not sent: they are no part of it (RFC 9110, section 5.5).
    package func appendLines(to output: inout [UInt8]) {
        for line in lines {
            output += octets[line.start..<line.value]
            output.append(0x3A)
            var (start, end) = (line.value, line.end)
            while start < end, HTTPFields.isBlank(octets[start]) { start += 1 }
            while start < end, HTTPFields.isBlank(octets[end - 1]) { end -= 1 }
            if start < end {
                output.append(0x20)
                output += octets[start..<end]
            }
            output.append(0x0D)
            output.append(0x0A)
        }
    }

    /// Octets that `appendLines` would append.
    package var lineOctetCount: Int {
        var count = 0
        for line in lines {
            var (start, end) = (line.value, line.end)
            while start < end, HTTPFields.isBlank(octets[start]) { start += 1 }
            while start < end, HTTPFields.isBlank(octets[end - 1]) { end -= 1 }
            count += line.value - line.start + 3 + (start < end ? end - start + 1 : 0)
        }
        return count
    }

    private static func isBlank(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x09 }
}
