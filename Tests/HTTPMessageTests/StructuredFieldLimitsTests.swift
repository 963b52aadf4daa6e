import HTTPMessage
import Testing

@Suite("Limits of structured fields (RFC 9651, section 3)")
struct StructuredFieldLimitsTests {
    private func list(_ count: Int, of text: String, by separator: String) -> String {
        [String](repeating: text, count: count).joined(separator: separator)
    }

    @Test("takes what every parser must take")
    func minimums() {
        #expect(StructuredList(parsing: list(1024, of: "a", by: ","))?.members.count == 1024)
        let keys = (0..<1024).map { "k\($0)" + String(repeating: "x", count: 53) }
        #expect(StructuredDictionary(parsing: keys.joined(separator: ","))?.members.count == 1024)
        #expect(StructuredList(parsing: "(" + list(256, of: "a", by: " ") + ")") != nil)
        let parameters = (0..<256).map { ";p\($0)" + String(repeating: "y", count: 60) }.joined()
        #expect(StructuredItem(parsing: "a" + parameters)?.parameters.count == 256)
        #expect(StructuredItem(parsing: "\"" + String(repeating: "s", count: 1024) + "\"") != nil)
        #expect(StructuredItem(parsing: String(repeating: "t", count: 512)) != nil)
        // 16384 octets.
        let octets = ":" + String(repeating: "AAAA", count: 5461) + "AA==:"
        #expect(StructuredItem(parsing: octets)?.value == .octets([UInt8](repeating: 0, count: 16384)))
    }

    @Test("takes one more of nothing")
    func oneMore() {
        #expect(StructuredList(parsing: list(1025, of: "a", by: ",")) == nil)
        #expect(StructuredDictionary(parsing: list(1024, of: "a", by: ",")) != nil)
        #expect(StructuredDictionary(parsing: list(1025, of: "a", by: ",")) == nil)
        #expect(StructuredList(parsing: "(" + list(257, of: "a", by: " ") + ")") == nil)
        #expect(StructuredItem(parsing: "a" + list(256, of: ";b", by: "")) != nil)
        #expect(StructuredItem(parsing: "a" + list(257, of: ";b", by: "")) == nil)
        let longest = String(repeating: "t", count: 65_536)
        #expect(StructuredItem(parsing: longest) != nil)
        #expect(StructuredItem(parsing: longest + "t") == nil)
    }

    /// Beginnings that a backtracking or copying parser would go through over and over.
    static let hostile: [(start: String, part: String, end: String)] = [
        ("", "a,", "a"), ("", "a;b,", "a"), ("(", "a ", "a)"), ("(", "a ", "a"), ("", "(),", "()"),
        ("a", ";b", ""),
        ("", "a=(1 2);c,", "a"), ("\"", "\\\\", "\""), ("\"", "\\\\", ""), (":", "AAAA", ":"),
        (":", "AAAA", ""),
        ("%\"", "%c3%bc", "\""), ("%\"", "%c3", "\""), ("", "t", ""), ("", " ", "a"), ("a", " ", ""),
        ("", "((", ""), ("", ":,", ""), ("a", "\t", ",a"), ("", "9", ""), ("a;", " ", "b"),
    ]

    @Test("takes time in proportion to the octets", .timeLimit(.minutes(1)), arguments: hostile)
    func linear(start: String, part: String, end: String) {
        var limits = StructuredFieldLimits()
        limits.octets = .max
        limits.members = .max
        limits.innerItems = .max
        limits.parameters = .max
        // In quadratic time this would take many minutes.
        let text = start + String(repeating: part, count: 200_000 / part.utf8.count) + end
        _ = StructuredItem(parsing: text, limits: limits)
        _ = StructuredList(parsing: text, limits: limits)
        _ = StructuredDictionary(parsing: text, limits: limits)
    }

    @Test("traps nowhere, whatever comes", arguments: 1...4 as ClosedRange<UInt64>)
    func hostilePieces(seed: UInt64) {
        var generator = HostileInputTests.Generator(state: seed)
        let pieces = [
            "a", "A", "*", "1", "-", ".", "999999999999999", "\"", "\\", "(", ")", ";", "=", ",", " ", "\t",
            ":", "Zg",
            "==", "?1", "?", "@", "%", "%\"", "%c3", "ü", "\u{0}", "\u{7F}", "\u{100}", "a=1", ";b=?0",
            "(1 2)",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...10, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let item = StructuredItem(parsing: text)
            let list = StructuredList(parsing: text)
            // An item that stands alone is a list of one.
            if let item { #expect(list?.members == [.item(item)], "\(text)") }
            guard text.utf8.first != 0x20, let item else { continue }
            #expect(StructuredDictionary(parsing: "k=" + text)?["k"] == .item(item), "\(text)")
        }
    }
}
