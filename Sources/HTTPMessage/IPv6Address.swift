/// An address of IPv6, without a zone.
public struct IPv6Address: Hashable, Sendable {
    /// The first eight octets, as one number in network order.
    public var high: UInt64
    /// The last eight octets, as one number in network order.
    public var low: UInt64

    /// An address of its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The sixteen octets in network order, as a socket address has them.
    public var octets: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * $0)) } }
    }

    /// Parses an address without brackets, in any of its text forms (RFC 4291, section 2.2); `nil` when it is
    /// none. A zone (`%eth0`) is not accepted, as in the WHATWG URL standard.
    public init?(parsing text: String) { self.init(parsing: Array(text.utf8).span) }

    // WHATWG URL, section 3.5, "IPv6 parser"; the RFC's form:
    //
    //     IPv6address = up to 7 ( h16 ":" ), "::" at most once for one or more groups of zeros, then ls32
    //     h16         = 1*4HEXDIG
    //     ls32        = ( h16 ":" h16 ) / IPv4address
    init?(parsing text: Span<UInt8>) {
        var pieces = Pieces()
        var compression: Int?
        var position = 0
        let colon = UInt8(ascii: ":")
        if text.count > 0, text[0] == colon {
            guard text.count > 1, text[1] == colon else { return nil }
            position = 2
            pieces.append(0)
            compression = pieces.count
        }
        while position < text.count {
            guard pieces.count < 8 else { return nil }
            if text[position] == colon {
                guard compression == nil else { return nil }
                position += 1
                // "::" is one group of zeros at least.
                pieces.append(0)
                compression = pieces.count
                continue
            }
            let start = position
            var value: UInt16 = 0
            while position < text.count, position - start < 4, let digit = text[position].hexadecimalDigit {
                value = value << 4 | UInt16(digit)
                position += 1
            }
            if position < text.count, text[position] == UInt8(ascii: ".") {
                guard position > start, pieces.count <= 6 else { return nil }
                guard let address = Self.dottedAddress(text.extracting(start..<text.count)) else {
                    return nil
                }
                pieces.append(UInt16(truncatingIfNeeded: address >> 16))
                pieces.append(UInt16(truncatingIfNeeded: address))
                position = text.count
                break
            }
            if position < text.count {
                guard text[position] == colon, position + 1 < text.count else { return nil }
                position += 1
            }
            pieces.append(value)
        }
        if let compression {
            pieces.insertZeros(at: compression)
        } else if pieces.count != 8 {
            return nil
        }
        self = pieces.address
    }

    /// Four decimal parts without leading zeros, each below 256: stricter than a host's IPv4 forms.
    private static func dottedAddress(_ text: Span<UInt8>) -> UInt32? {
        var address: UInt32 = 0
        var position = 0
        for part in 0..<4 {
            if part > 0 {
                guard position < text.count, text[position] == UInt8(ascii: ".") else { return nil }
                position += 1
            }
            let start = position
            var value: UInt32 = 0
            while position < text.count, text[position].isDigit {
                // A leading zero would be read as octal by some.
                if position > start, value == 0 { return nil }
                value = value * 10 + UInt32(text[position] - 0x30)
                guard value < 256 else { return nil }
                position += 1
            }
            guard position > start else { return nil }
            address = address << 8 | value
        }
        return position == text.count ? address : nil
    }

    /// The eight groups of sixteen bits while they are being read.
    private struct Pieces {
        var values: InlineArray<8, UInt16> = InlineArray(repeating: 0)
        var count = 0

        mutating func append(_ value: UInt16) {
            values[count] = value
            count += 1
        }

        /// Moves what stands at and behind `start` to the end.
        mutating func insertZeros(at start: Int) {
            let gap = 8 - count
            for index in (start..<count).reversed() where gap > 0 {
                values[index + gap] = values[index]
                values[index] = 0
            }
            count = 8
        }

        var address: IPv6Address {
            var (high, low): (UInt64, UInt64) = (0, 0)
            for index in 0..<4 {
                high = high << 16 | UInt64(values[index])
                low = low << 16 | UInt64(values[index + 4])
            }
            return IPv6Address(high: high, low: low)
        }
    }
}

extension IPv6Address: CustomStringConvertible {
    /// Without brackets, in lower case, the first longest run of zeros as "::" (RFC 5952, section 4).
    public var description: String {
        let pieces = [high, low].flatMap { half in
            (0..<4).map { UInt16(truncatingIfNeeded: half >> UInt64(48 - 16 * $0)) }
        }
        // One zero alone is not shortened (RFC 5952, section 4.2.2).
        var longest = 0..<1
        var start: Int?
        for (index, piece) in pieces.enumerated() {
            guard piece == 0 else {
                start = nil
                continue
            }
            let run = (start ?? index)..<(index + 1)
            start = run.lowerBound
            if run.count > longest.count { longest = run }
        }
        let words = pieces.map { String($0, radix: 16) }
        guard longest.count > 1 else { return words.joined(separator: ":") }
        return words[..<longest.lowerBound].joined(separator: ":") + "::"
            + words[longest.upperBound...].joined(separator: ":")
    }
}
