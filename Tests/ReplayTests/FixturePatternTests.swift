@testable import Replay
import Testing

@Suite("Patterns of fixtures")
struct FixturePatternTests {
    @Test(
        "match all of the octets or nothing",
        arguments: [
            ("", "", true), ("", "a", false), ("a", "a", true), ("a", "ab", false), ("*", "", true),
            ("*", "a\nb", true),
            ("a*", "a", true), ("a*", "ba", false), ("*a", "ba", true), ("*a", "ab", false),
            ("a*a", "a", false),
            ("a*a", "aa", true), ("a*b*c", "a-b-c", true), ("a*b*c", "a-c-b", false), ("a*b*c", "abc", true),
            ("ab*bc", "abc", false), ("*a*a*", "a", false), ("*a*a*", "xaxax", true), ("**", "", true),
            ("a**b", "ab", true), ("*aab*", "aaab", true), ("*abab*x", "abaababx", true),
            ("*abcabd*", "abcabcabd", true),
            (#"\*"#, "*", true), (#"\*"#, "a", false), (#"a\*b*"#, "a*bc", true), (#"\\*"#, #"\x"#, true),
            (#"\\\*"#, #"\*"#, true), (#"a\n*"#, "a\nb", true), (#"\x41\t"#, "A\t", true),
            (#"\"#, #"\"#, true),
            (#"\q*"#, #"\qr"#, true), (#"\x4"#, #"\x4"#, true), ("é*", "éa", true),
        ])
    func match(pattern: String, text: String, matches: Bool) {
        #expect(FixturePattern(pattern).matches(Array(text.utf8)) == matches)
    }

    @Test("find what a search by trying every way finds")
    func allWays() {
        /// Whether a pattern of the letters a, b and * matches: by definition.
        func matches(_ pattern: Substring, _ text: Substring) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" {
                return matches(pattern.dropFirst(), text)
                    || !text.isEmpty && matches(pattern, text.dropFirst())
            }
            return text.first == first && matches(pattern.dropFirst(), text.dropFirst())
        }
        func words(_ letters: [String], _ length: Int) -> [String] {
            length == 0
                ? [""] : words(letters, length - 1).flatMap { word in [word] + letters.map { word + $0 } }
        }
        let texts = Set(words(["a", "b"], 6))
        for pattern in Set(words(["a", "b", "*"], 5)) {
            for text in texts {
                let found = FixturePattern(pattern).matches(Array(text.utf8))
                if found != matches(pattern[...], text[...]) {
                    Issue.record("\(pattern) with \(text): \(found)")
                }
            }
        }
    }

    @Test("octets can be matched exactly")
    func exactly() {
        for octets in [Array("a*\\b \r\n\"".utf8), [0, 0xFF, 0x80], [0x20], []] {
            let pattern = FixturePattern(exactly: octets)
            #expect(pattern.matches(octets))
            #expect(!pattern.matches(octets + [0x61]))
        }
        #expect(FixturePattern(exactly: [0x20, 0x2A, 0xFF, 0x22, 0x20]).source == #"\x20\*\xFF"\x20"#)
        #expect(FixturePattern(" a\u{1}* ").canonical.source == #"\x20a\x01*\x20"#)
    }

    @Test("take time that grows with the lengths")
    func linear() {
        let pattern = FixturePattern("*" + String(repeating: "a", count: 100_000) + "b*")
        let text = [UInt8](repeating: 0x61, count: 1_000_000)
        // By trying every place it would be 10^11 comparisons.
        #expect(!pattern.matches(text))
    }
}
