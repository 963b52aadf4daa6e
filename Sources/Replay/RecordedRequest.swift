/// A request as it arrived at a replay server.
public struct RecordedRequest: Hashable, Sendable {
    /// The number of the connection, in order of acceptance, from 0.
    public let connection: Int
    /// From the first octet to the blank line, both included.
    public let head: [UInt8]
    /// The octets on the wire behind the head as far as they were expected, transfer coding included.
    public internal(set) var body: [UInt8] = []
    /// The content after transfer decoding.
    public internal(set) var content: [UInt8] = []

    /// A request with this head and no content yet.
    public init(connection: Int, head: [UInt8]) {
        self.connection = connection
        self.head = head
    }

    /// The head as text, each octet that is no UTF-8 replaced.
    public var headText: String { String(decoding: head, as: UTF8.self) }

    /// The first word of the request line.
    public var method: String { word(0) }
    /// The second word of the request line.
    public var target: String { word(1) }
    /// The third word of the request line.
    public var version: String { word(2) }

    /// The field lines in their order, values without the blanks around them.
    public var fields: [(name: String, value: String)] {
        lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let value = line[(colon + 1)...].drop(while: Self.isBlank)
            let end = value.lastIndex(where: { !Self.isBlank($0) }).map { $0 + 1 } ?? value.startIndex
            return (
                String(decoding: line[..<colon], as: UTF8.self),
                String(decoding: value[value.startIndex..<end], as: UTF8.self)
            )
        }
    }

    /// The value of the first field line of that name, in any case of letters.
    public func value(of name: String) -> String? { values(of: name).first }

    /// The values of all field lines of that name.
    public func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// The one range of `Range: bytes=first-last` in a representation of `length` octets; `nil` when there is
    /// no such field, it has another form, or it lies past the end.
    public func range(of length: UInt64) -> Range<UInt64>? {
        guard let value = value(of: "Range"), value.hasPrefix("bytes=") else { return nil }
        let bounds = value.dropFirst(6).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return nil }
        if bounds[0].isEmpty {
            guard let count = UInt64(bounds[1]), count > 0 else { return nil }
            return length - min(count, length)..<length
        }
        guard let first = UInt64(bounds[0]), first < length else { return nil }
        if bounds[1].isEmpty { return first..<length }
        guard let last = UInt64(bounds[1]), last >= first else { return nil }
        return first..<min(last, length - 1) + 1
    }

    private var lines: [ArraySlice<UInt8>] {
        head.split(separator: UInt8(ascii: "\n")).map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
            .filter { !$0.isEmpty }
    }

    private func word(_ index: Int) -> String {
        guard let line = lines.first else { return "" }
        let words = line.split(separator: UInt8(ascii: " "))
        return index < words.count ? String(decoding: words[index], as: UTF8.self) : ""
    }

    private static func isBlank(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x09 }
}
