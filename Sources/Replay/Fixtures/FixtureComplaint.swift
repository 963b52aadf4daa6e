/// What is wrong with a line of a fixture, in words.
struct FixtureComplaint: Error {
    /// One clause: what is wrong, what stands there, what could stand there.
    var message: String

    init(_ message: String) { self.message = message }

    /// Something stands where one of a few words could.
    static func unknown(_ word: [UInt8], what: String = "word", known: [String]) -> FixtureComplaint {
        if word.isEmpty { return FixtureComplaint("a word is missing; there could stand \(list(known))") }
        if let near = nearest(to: word, among: known) {
            return FixtureComplaint("unknown \(what) \(quoted(word)); did you mean \"\(near)\"?")
        }
        return FixtureComplaint("unknown \(what) \(quoted(word)); there could stand \(list(known))")
    }

    /// Octets in quotes, visible; cut where they are long.
    static func quoted(_ octets: [UInt8]) -> String {
        let most = 60
        let visible = FixtureText.escaped(Array(octets.prefix(most)), quote: UInt8(ascii: "\""))
        // Cutting may leave a part of a character, which is escaped: the text is UTF-8 in any case.
        return "\"\(String(decoding: visible, as: UTF8.self))\(octets.count > most ? "…" : "")\""
    }

    /// `"a", "b" or "c"`.
    static func list(_ words: [String]) -> String {
        let quoted = words.map { "\"\($0)\"" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "nothing" }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }

    /// The word that is close enough to be what was meant.
    static func nearest(to word: [UInt8], among known: [String]) -> String? {
        guard word.count <= 48 else { return nil }
        let lower = word.map(lowercased)
        var best: (word: String, distance: Int)?
        for candidate in known.prefix(1000) {
            let length = candidate.utf8.count
            let most = max(1, min(length, lower.count) / 3)
            guard abs(length - lower.count) <= most else { continue }
            let distance = distance(lower, candidate.utf8.map(lowercased))
            // Of two that are as near, people mean the one that begins alike.
            let penalty = lower.first == candidate.utf8.first.map(lowercased) ? 0 : 1
            if distance <= most, distance * 2 + penalty < best?.distance ?? .max {
                best = (candidate, distance * 2 + penalty)
            }
        }
        return best?.word
    }

    private static func lowercased(_ octet: UInt8) -> UInt8 {
        octet >= 0x41 && octet <= 0x5A ? octet | 0x20 : octet
    }

    /// How many octets must be put in, left out, changed or swapped with their neighbour to make one of the other.
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        // The rows of the table: the one that is filled, and the two above it.
        let width = second.count + 1
        var rows = [Int](repeating: 0, count: 3 * width)
        for column in 0..<width { rows[column] = column }
        for row in 0..<first.count {
            let (current, above, before) = ((row + 1) % 3 * width, row % 3 * width, (row + 2) % 3 * width)
            rows[current] = row + 1
            for column in 0..<second.count {
                var least = min(
                    rows[above + column + 1] + 1, rows[current + column] + 1,
                    rows[above + column] + (first[row] == second[column] ? 0 : 1))
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    least = min(least, rows[before + column - 1] + 1)
                }
                rows[current + column + 1] = least
            }
        }
        return rows[first.count % 3 * width + second.count]
    }
}
