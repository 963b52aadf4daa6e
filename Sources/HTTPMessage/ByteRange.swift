/// One part of a representation that a Range field asks for (RFC 9110, section 14.1.2). Both ends are
/// included.
public enum ByteRange: Hashable, Sendable {
    /// `first-last`.
    case bounded(ClosedRange<UInt64>)
    /// `first-`: from there to the end.
    case from(UInt64)
    /// `-count`: the last octets.
    case suffix(UInt64)

    /// Parses one range without its unit; `nil` when it is none, the last position is before the first, or a
    /// number is past 64 bits.
    ///
    ///     range-spec   = int-range / suffix-range
    ///     int-range    = first-pos "-" [ last-pos ]
    ///     suffix-range = "-" suffix-length
    public init?(parsing text: String) {
        var scanner = FieldScanner(text)
        guard let range = ByteRange(reading: &scanner), scanner.isAtEnd else { return nil }
        self = range
    }

    fileprivate init?(reading scanner: inout FieldScanner) {
        let first = scanner.readNumber()
        guard scanner.read(UInt8(ascii: "-")) else { return nil }
        let hasMore = scanner.next?.isDigit ?? false
        let last = scanner.readNumber()
        switch (first, last) {
        case (let first?, let last?):
            guard first <= last else { return nil }
            self = .bounded(first...last)
        case (let first?, nil):
            guard !hasMore else { return nil }
            self = .from(first)
        case (nil, let count?): self = .suffix(count)
        case (nil, nil): return nil
        }
    }

    /// The offsets in a representation of `length` octets; `nil` when the range cannot be satisfied there
    /// (RFC 9110, section 14.1.2). Only a suffix of an empty representation gives an empty range.
    public func offsets(inLength length: UInt64) -> Range<UInt64>? {
        switch self {
        case .bounded(let range):
            guard range.lowerBound < length else { return nil }
            return range.lowerBound..<(min(range.upperBound, length - 1) + 1)
        case .from(let first):
            return first < length ? first..<length : nil
        case .suffix(let count):
            return count > 0 ? (length - min(count, length))..<length : nil
        }
    }
}

extension ByteRange: CustomStringConvertible {
    /// Without the unit.
    public var description: String {
        switch self {
        case .bounded(let range): "\(range.lowerBound)-\(range.upperBound)"
        case .from(let first): "\(first)-"
        case .suffix(let count): "-\(count)"
        }
    }
}

/// The value of a Range field in octets (RFC 9110, section 14.2).
public struct ByteRangeSet: Hashable, Sendable {
    /// In the order they were asked for; they may overlap. A server should limit how many it answers.
    public var ranges: [ByteRange]

    /// These ranges; a field needs one at least.
    public init(_ ranges: [ByteRange]) { self.ranges = ranges }

    /// Parses a field value; `nil` when the unit is another or one range is none, so that the field is to be
    /// ignored.
    ///
    ///     Range = "bytes" "=" 1#range-spec
    public init?(parsing value: String) {
        var scanner = FieldScanner(value)
        guard scanner.readToken()?.isEqualIgnoringCase(to: "bytes") ?? false, scanner.read(UInt8(ascii: "="))
        else { return nil }
        ranges = []
        repeat {
            scanner.skipBlanks()
            if scanner.isAtEnd { break }
            if scanner.next == UInt8(ascii: ",") { continue }
            guard let range = ByteRange(reading: &scanner) else { return nil }
            ranges.append(range)
            scanner.skipBlanks()
        } while scanner.read(UInt8(ascii: ","))
        guard scanner.isAtEnd, !ranges.isEmpty else { return nil }
    }
}

extension ByteRangeSet: CustomStringConvertible {
    /// As in a field.
    public var description: String { "bytes=" + ranges.map(\.description).joined(separator: ",") }
}
