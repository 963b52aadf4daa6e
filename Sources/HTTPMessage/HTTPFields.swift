/// A header or trailer section: fields in their order, repeats kept, spelling kept (RFC 9110, section 5).
///
/// A value is a `String` of which each scalar stands for one octet (ISO 8859-1), so nothing that came from
/// the network is lost and octets past 0x7F can be decoded by those who know how (`latin1Octets`).
public struct HTTPFields: Sendable {
    /// One field line's name and value.
    public struct Field: Hashable, Sendable {
        /// The name as it was spelled.
        public var name: FieldName
        /// Without the blanks around it.
        public var value: String

        /// A field line of that name and value.
        public init(name: FieldName, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Where one field line's name and value stand in `octets`: the value follows its name at once.
    struct Line: Sendable {
        var start: Int
        var value: Int
        var end: Int
    }

    // The names and values of all lines, one behind the other: two allocations a section, not two a field.
    private(set) var octets: [UInt8] = []
    private(set) var lines: [Line] = []

    /// No fields.
    public init() {}

    /// The value of `name`: of several lines, all values in order with ", " between them (RFC 9110, section
    /// 5.3). `nil` when there is none. Assigning replaces all lines of that name by one, in the place of the
    /// first; assigning `nil` removes them.
    public subscript(name: FieldName) -> String? {
        get {
            guard let first = index(of: name, from: 0) else { return nil }
            var value = self[first].value
            var next = first + 1
            while let index = index(of: name, from: next) {
                value += ", "
                value += self[index].value
                next = index + 1
            }
            return value
        }
        set {
            var changed = HTTPFields()
            var isPlaced = false
            for (index, line) in lines.enumerated() {
                if !nameMatches(name, at: index) {
                    changed.append(octets[line.start..<line.value], octets[line.value..<line.end])
                } else if let value = newValue, !isPlaced {
                    changed.append(name, value)
                    isPlaced = true
                }
            }
            if let value = newValue, !isPlaced { changed.append(name, value) }
            self = changed
        }
    }

    /// The values of all lines of `name`, in order.
    public func values(of name: FieldName) -> [String] {
        indices.compactMap { nameMatches(name, at: $0) ? self[$0].value : nil }
    }

    /// Whether there is a line of that name.
    public func contains(_ name: FieldName) -> Bool { index(of: name, from: 0) != nil }

    /// Adds a line at the end. Scalars past U+00FF, which no octet stands for, become "?". A value with CR, LF or NUL
    /// is kept as it is and refused when it is to be sent (RFC 9110, section 5.5).
    public mutating func append(_ name: FieldName, _ value: String) {
        let start = octets.count
        octets.append(contentsOf: name.spelling.utf8)
        let middle = octets.count
        for scalar in value.unicodeScalars {
            octets.append(UInt8(exactly: scalar.value) ?? UInt8(ascii: "?"))
        }
        lines.append(Line(start: start, value: middle, end: octets.count))
    }

    /// Adds all lines of `other` at the end.
    public mutating func append(contentsOf other: HTTPFields) {
        let shift = octets.count
        octets += other.octets
        lines.reserveCapacity(lines.count + other.lines.count)
        for line in other.lines {
            lines.append(Line(start: line.start + shift, value: line.value + shift, end: line.end + shift))
        }
    }

    /// Removes all lines of that name.
    public mutating func remove(_ name: FieldName) { self[name] = nil }

    /// Adds a line whose name is known to be a token and whose value has no blanks around it.
    package mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        let start = octets.count
        octets.append(copying: name)
        let middle = octets.count
        octets.append(copying: value)
        lines.append(Line(start: start, value: middle, end: octets.count))
    }

    /// Makes room, so that a section of usual size grows without moving.
    package mutating func reserve(octets count: Int, lines lineCount: Int) {
        octets.reserveCapacity(count)
        lines.reserveCapacity(lineCount)
    }

    /// Adds a blank and `value` to the last line's value: a folded line (RFC 9112, section 5.2).
    package mutating func extendLast(_ value: Span<UInt8>) {
        guard var last = lines.popLast() else { return }
        if last.end > last.value && !value.isEmpty { octets.append(0x20) }
        octets.append(copying: value)
        last.end = octets.count
        lines.append(last)
    }

    /// The octets of the value at `index`.
    package func valueOctets(at index: Int) -> ArraySlice<UInt8> {
        octets[lines[index].value..<lines[index].end]
    }

    /// The octets of the name at `index`.
    package func nameOctets(at index: Int) -> ArraySlice<UInt8> {
        octets[lines[index].start..<lines[index].value]
    }

    /// The first index at or behind `start` whose name is `name`.
    package func index(of name: FieldName, from start: Int) -> Int? {
        var index = start
        while index < lines.count {
            if nameMatches(name, at: index) { return index }
            index += 1
        }
        return nil
    }

    private mutating func append(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        append(name: name.span, value: value.span)
    }

    private func nameMatches(_ name: FieldName, at index: Int) -> Bool {
        let line = lines[index]
        let wanted = name.spelling.utf8
        guard wanted.count == line.value - line.start else { return false }
        var position = line.start
        for octet in wanted {
            guard octet.lowercasedASCII == octets[position].lowercasedASCII else { return false }
            position += 1
        }
        return true
    }
}

extension HTTPFields: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of field lines.
    public var endIndex: Int { lines.count }

    /// The field line at `index`.
    public subscript(index: Int) -> Field {
        let line = lines[index]
        return Field(
            name: FieldName(known: String(decoding: octets[line.start..<line.value], as: UTF8.self)),
            value: String(latin1: octets[line.value..<line.end]))
    }
}

extension HTTPFields: Hashable {
    /// Whether both have the same lines in the same order, names in whatever case.
    public static func == (left: HTTPFields, right: HTTPFields) -> Bool { left.elementsEqual(right) }

    /// As the equality has it.
    public func hash(into hasher: inout Hasher) {
        for field in self { hasher.combine(field) }
    }
}

extension HTTPFields: CustomStringConvertible {
    /// A line for each field, as in `Content-Length: 5`.
    public var description: String { map { "\($0.name): \($0.value)" }.joined(separator: "\n") }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// One line for each pair, in that order.
    public init(dictionaryLiteral elements: (FieldName, String)...) {
        for (name, value) in elements { append(name, value) }
    }
}

extension String {
    /// One scalar for each octet (ISO 8859-1).
    package init(latin1 octets: some Collection<UInt8>) {
        guard !octets.allSatisfy({ $0 < 0x80 }) else {
            self.init(decoding: octets, as: UTF8.self)
            return
        }
        self.init(String.UnicodeScalarView(octets.lazy.map { Unicode.Scalar($0) }))
    }

    /// The octets that the scalars stand for (ISO 8859-1); `nil` when a scalar is past U+00FF.
    package var latin1Octets: [UInt8]? {
        var octets: [UInt8] = []
        octets.reserveCapacity(unicodeScalars.count)
        for scalar in unicodeScalars {
            guard let octet = UInt8(exactly: scalar.value) else { return nil }
            octets.append(octet)
        }
        return octets
    }
}

extension Array where Element == UInt8 {
    /// Appends the octets of a span.
    package mutating func append(copying span: Span<UInt8>) {
        // Safety: the buffer is only read, inside the closure.
        unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
