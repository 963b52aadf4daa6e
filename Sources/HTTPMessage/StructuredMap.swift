/// Values by keys that are unique, in order (RFC 9651, sections 3.1.2 and 3.2). Finding one takes the same time however
/// many there are.
public struct StructuredMap<Value: Hashable & Sendable>: Sendable {
    /// A key and its value.
    public struct Entry: Hashable, Sendable {
        /// Lower-case letters, digits and `_-.*`.
        public let key: String
        /// The last one that was given for the key.
        public fileprivate(set) var value: Value
    }

    private var entries: [Entry] = []
    private var places: [String: Int] = [:]

    /// No entries.
    public init() {}

    /// The value of `key`; keys are compared octet for octet.
    public subscript(key: String) -> Value? { places[key].map { entries[$0].value } }

    /// Puts `value` in the place of the one that `key` has, or else at the end.
    mutating func set(_ key: String, _ value: Value) {
        if let place = places[key] {
            entries[place].value = value
        } else {
            places[key] = entries.count
            entries.append(Entry(key: key, value: value))
        }
    }
}

extension StructuredMap: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of entries.
    public var endIndex: Int { entries.count }
    /// The entry at `index`.
    public subscript(index: Int) -> Entry { entries[index] }
}

extension StructuredMap: Hashable {
    /// Whether both have the same entries in the same order.
    public static func == (left: StructuredMap, right: StructuredMap) -> Bool {
        left.entries == right.entries
    }

    /// As the equality has it.
    public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}
