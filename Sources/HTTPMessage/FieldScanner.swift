/// Reads the common parts of field values from left to right (RFC 9110, section 5.6).
///
/// Each reading function that answers `nil` or `false` has read nothing.
package struct FieldScanner: Sendable {
    /// The whole value.
    package let octets: [UInt8]
    /// Where the next octet stands.
    package private(set) var position = 0

    /// At the start of `octets`.
    package init(_ octets: [UInt8]) { self.octets = octets }

    /// At the start of a field value, of which each scalar is an octet; anything past U+00FF becomes "?".
    package init(_ value: String) {
        self.init(value.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") })
    }

    /// Whether all octets are read.
    package var isAtEnd: Bool { position >= octets.count }

    /// The next octet; `nil` at the end.
    package var next: UInt8? { isAtEnd ? nil : octets[position] }

    /// Goes on to `position`, which is not before the present one.
    package mutating func skip(to position: Int) {
        self.position = min(max(position, self.position), octets.count)
    }

    /// Reads `octet` if it is next.
    package mutating func read(_ octet: UInt8) -> Bool {
        guard next == octet else { return false }
        position += 1
        return true
    }

    /// OWS = *( SP / HTAB )
    package mutating func skipBlanks() {
        while let octet = next, octet == 0x20 || octet == 0x09 { position += 1 }
    }

    /// token = 1*tchar
    package mutating func readToken() -> String? {
        let start = position
        while let octet = next, FieldName.isTokenOctet(octet) { position += 1 }
        return position == start ? nil : String(decoding: octets[start..<position], as: UTF8.self)
    }

    /// The octets that a quoted string stands for. Controls in it are kept, which RFC 9110, section 5.5
    /// permits where they do no harm.
    ///
    ///     quoted-string = DQUOTE *( qdtext / quoted-pair ) DQUOTE
    ///     quoted-pair   = "\" ( HTAB / SP / VCHAR / obs-text )
    package mutating func readQuotedString() -> [UInt8]? {
        guard next == UInt8(ascii: "\"") else { return nil }
        var text: [UInt8] = []
        var index = position + 1
        while index < octets.count {
            switch octets[index] {
            case UInt8(ascii: "\""):
                position = index + 1
                return text
            case UInt8(ascii: "\\") where index + 1 < octets.count:
                text.append(octets[index + 1])
                index += 2
            case let octet:
                text.append(octet)
                index += 1
            }
        }
        return nil
    }

    /// The octets up to the next `delimiter` outside quoted strings, or up to the end, without the blanks
    /// around them; the delimiter is not read. A quoted string that is not closed goes to the end.
    package mutating func readMember(endingAt delimiter: UInt8) -> Range<Int> {
        skipBlanks()
        let start = position
        var isQuoted = false
        while let octet = next, isQuoted || octet != delimiter {
            if octet == UInt8(ascii: "\"") { isQuoted.toggle() }
            position = min(position + (isQuoted && octet == UInt8(ascii: "\\") ? 2 : 1), octets.count)
        }
        return FieldScanner.trimmed(octets.span, start..<position)
    }

    /// 1*DIGIT, up to 64 bits; a greater number is not read.
    package mutating func readNumber() -> UInt64? {
        var index = position
        var number: UInt64 = 0
        while index < octets.count, octets[index].isDigit {
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, carries) = product.addingReportingOverflow(UInt64(octets[index] - 0x30))
            guard !overflows, !carries else { return nil }
            number = sum
            index += 1
        }
        guard index > position else { return nil }
        position = index
        return number
    }

    /// `range` without spaces and tabs at its ends.
    package static func trimmed(_ octets: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, octets[start] == 0x20 || octets[start] == 0x09 { start += 1 }
        while start < end, octets[end - 1] == 0x20 || octets[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }
}
