/// Which part of the representation a response carries (RFC 9110, section 14.4).
public enum ContentRange: Hashable, Sendable {
    /// The octets of these positions, both ends included, of a representation of `completeLength` octets or,
    /// with "*", of unknown length.
    case part(ClosedRange<UInt64>, completeLength: UInt64?)
    /// With status 416: the range asked for is none of a representation of that length.
    case unsatisfied(completeLength: UInt64)

    /// Parses a field value; `nil` when the unit is not bytes, a number is past 64 bits, or the value is
    /// invalid: the last position before the first, or not inside the complete length.
    ///
    ///     Content-Range     = range-unit SP ( range-resp / unsatisfied-range )
    ///     range-resp        = first-pos "-" last-pos "/" ( complete-length / "*" )
    ///     unsatisfied-range = "*/" complete-length
    public init?(parsing value: String) {
        var scanner = FieldScanner(value)
        guard scanner.readToken()?.isEqualIgnoringCase(to: "bytes") ?? false, scanner.read(0x20) else {
            return nil
        }
        if scanner.read(UInt8(ascii: "*")) {
            guard scanner.read(UInt8(ascii: "/")), let length = scanner.readNumber(), scanner.isAtEnd else {
                return nil
            }
            self = .unsatisfied(completeLength: length)
            return
        }
        guard let first = scanner.readNumber(), scanner.read(UInt8(ascii: "-")),
            let last = scanner.readNumber(), first <= last, last < .max, scanner.read(UInt8(ascii: "/"))
        else { return nil }
        var length: UInt64?
        if !scanner.read(UInt8(ascii: "*")) {
            guard let number = scanner.readNumber(), last < number else { return nil }
            length = number
        }
        guard scanner.isAtEnd else { return nil }
        self = .part(first...last, completeLength: length)
    }

    /// The length of the whole representation, where it is told.
    public var completeLength: UInt64? {
        switch self {
        case .part(_, let length): length
        case .unsatisfied(let length): length
        }
    }

    /// The offsets of the part, the end not included; `nil` when there is none.
    public var offsets: Range<UInt64>? {
        // Nothing parsed ends at the last position of 64 bits; a value made by hand could.
        guard case .part(let range, _) = self, range.upperBound < .max else { return nil }
        return range.lowerBound..<range.upperBound + 1
    }
}

extension ContentRange: CustomStringConvertible {
    /// As in a field.
    public var description: String {
        switch self {
        case .part(let range, let length):
            "bytes \(range.lowerBound)-\(range.upperBound)/\(length.map(String.init) ?? "*")"
        case .unsatisfied(let length): "bytes */\(length)"
        }
    }
}
