/// One octet of a fixture changed: a line that expects something, or a field that frames content.
struct Mutation: Hashable, Sendable {
    /// The number of the line, from 1.
    var line: Int
    /// The line as it was.
    var original: String
    /// The whole file with the change.
    var octets: [UInt8]
    /// The line as it is now.
    var changed: String
}

/// Makes the mutations of a fixture's text.
struct Mutator {
    private let lines: [[UInt8]]

    init(_ octets: [UInt8]) {
        lines = octets.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// For every line that expects or frames something, the first change of one octet that `isFixture` takes for a fixture
    /// still. Where it is made depends on nothing but the line.
    func mutations(_ isFixture: ([UInt8]) -> Bool) -> [Mutation] {
        var mutations: [Mutation] = []
        for (index, line) in lines.enumerated() {
            for changed in Mutator.changes(of: line) {
                var all = lines
                all[index] = changed
                let octets = Array(all.joined(separator: [UInt8(ascii: "\n")]))
                guard isFixture(octets) else { continue }
                mutations.append(
                    Mutation(
                        line: index + 1, original: String(decoding: line, as: UTF8.self), octets: octets,
                        changed: String(decoding: changed, as: UTF8.self)))
                break
            }
        }
        return mutations
    }

    /// All changes of one octet, or, where what is absent is expected, into its opposite; the ones that should matter most
    /// first. None for lines that neither expect nor frame.
    private static func changes(of line: [UInt8]) -> [[UInt8]] {
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix(">! ") {
            // A field that is absent is absent under a name that nobody knows, too: it must be wanted in place of that.
            return [replacing(1, UInt8(ascii: "~"), in: line)]
        }
        if text.hasPrefix("= no field ") {
            // Likewise; wanted with a value that it would not have.
            return [Array("= field \(text.dropFirst("= no field ".count)): wanted".utf8)]
        }
        if text.hasPrefix("= time under ") { return bounds(line, to: UInt8(ascii: "0")) }
        if text.hasPrefix("= time over ") { return bounds(line, to: UInt8(ascii: "9")) }
        if text.hasPrefix(">") || text.hasPrefix("= ") || text.hasPrefix("+ ") {
            return changes(of: line, from: 2)
        }
        guard text.hasPrefix("<") else { return [] }
        let lower = text.lowercased()
        for name in ["content-length", "transfer-encoding"] {
            guard let start = lower.range(of: name) else { continue }
            return changes(of: line, from: start + name.utf8.count, until: UInt8(ascii: "\\"))
        }
        return []
    }

    /// A bound of time moved so far that it cannot hold.
    private static func bounds(_ line: [UInt8], to digit: UInt8) -> [[UInt8]] {
        guard let index = line.firstIndex(where: isDigit), line[index] != digit else { return [] }
        return [replacing(index, digit, in: line)]
    }

    /// Each letter and digit from `start` on made the next one, from the last to the first: names stand before values.
    private static func changes(of line: [UInt8], from start: Int, until end: UInt8? = nil) -> [[UInt8]] {
        guard start < line.count else { return [] }
        let stop = end.flatMap { line[start...].firstIndex(of: $0) } ?? line.count
        return (start..<stop).reversed().compactMap { index in
            // An escape's own letter would become another escape, or none.
            if index > 0, line[index - 1] == UInt8(ascii: "\\") { return nil }
            return next(line[index]).map { replacing(index, $0, in: line) }
        }
    }

    private static func next(_ octet: UInt8) -> UInt8? {
        switch octet {
        case UInt8(ascii: "0")..<UInt8(ascii: "9"), UInt8(ascii: "a")..<UInt8(ascii: "z"),
            UInt8(ascii: "A")..<UInt8(ascii: "Z"):
            octet + 1
        case UInt8(ascii: "9"): UInt8(ascii: "0")
        case UInt8(ascii: "z"): UInt8(ascii: "a")
        case UInt8(ascii: "Z"): UInt8(ascii: "A")
        default: nil
        }
    }

    private static func isDigit(_ octet: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
    }

    private static func replacing(_ index: Int, _ octet: UInt8, in line: [UInt8]) -> [UInt8] {
        var line = line
        line[index] = octet
        return line
    }
}

extension String {
    /// Where `part` begins, in octets.
    fileprivate func range(of part: String) -> Int? {
        let (whole, part) = (Array(utf8), Array(part.utf8))
        guard part.count <= whole.count else { return nil }
        return (0...whole.count - part.count).first { whole[$0..<$0 + part.count].elementsEqual(part) }
    }
}
