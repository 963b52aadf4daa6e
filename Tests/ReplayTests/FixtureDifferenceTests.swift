import Replay
import Testing

@Suite("Octets made visible")
struct VisibleOctetsTests {
    @Test(
        "are text where they can be seen, escapes elsewhere",
        arguments: [
            ("", ""), ("plain", "plain"), ("a\r\nb\t\0\u{1B}[1m\\", #"a\r\nb\t\0\e[1m\\"#),
            ("käse €", "käse €"),
            ("blank ", #"blank\x20"#), (" a b", " a b"), ("\u{7F}\u{01}", #"\x7F\x01"#),
            ("say \"x\"", #"say "x""#),
            // No-break space, right-to-left override, C1 control, zero-width space, line separator.
            ("\u{A0}", #"\xC2\xA0"#), ("\u{202E}", #"\xE2\x80\xAE"#), ("\u{9B}", #"\xC2\x9B"#),
            ("\u{200B}", #"\xE2\x80\x8B"#), ("\u{2028}", #"\xE2\x80\xA8"#),
        ])
    func texts(octets: String, shown: String) {
        #expect(VisibleOctets(octets.utf8).description == shown)
    }

    @Test(
        "show what is no UTF-8",
        arguments: [
            ([0xFF, 0x41], #"\xFFA"#), ([0xC3], #"\xC3"#), ([0xE2, 0x82, 0x41], #"\xE2\x82A"#),
            ([0xC0, 0x80], #"\xC0\x80"#), ([0xED, 0xA0, 0x80], #"\xED\xA0\x80"#),
            ([0xC3, 0xA4, 0xA4], #"ä\xA4"#),
        ] as [([UInt8], String)])
    func brokenText(octets: [UInt8], shown: String) {
        #expect(VisibleOctets(octets).description == shown)
    }

    @Test("are quoted as fixtures write a text, blanks at the end left as they are")
    func quoted() {
        #expect(VisibleOctets.quoted("say \"x\" \n".utf8) == #""say \"x\" \n""#)
        #expect(VisibleOctets.quoted("abcdef".utf8, limit: 3) == #""abc"…"#)
        #expect(VisibleOctets("ab cd".utf8, limit: 3).description == "ab …")
        #expect(VisibleOctets("abc".utf8, limit: 3).description == "abc")
    }

    @Test("stand in lines with their line ends")
    func lines() {
        #expect(
            VisibleOctets.lines("GET / HTTP/1.1\r\nA: b \nend".utf8)
                == "  GET / HTTP/1.1\\r\\n\n  A: b \\n\n  end")
        #expect(VisibleOctets.lines("a\n\n".utf8, indent: "") == "a\\n\n\\n")
        #expect(VisibleOctets.lines("a\nb\nc\n".utf8, indent: "", limit: 2) == "a\\n\nb\\n\n…")
        #expect(VisibleOctets.lines([]) == "  nothing")
    }

    @Test("that are no text are shown in short lines, 256 of them and their count at most")
    func binary() {
        let binary = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 128) | 0x80 }
        let lines = VisibleOctets.lines(binary).split(separator: "\n").map(String.init)
        #expect(lines.count == 9)
        #expect(lines.first?.hasPrefix("  \\x80\\xA5\\xCA\\xEF") == true)
        #expect(lines.allSatisfy { $0.utf8.count <= 2 + 32 * 4 })
        #expect(lines.last == "  … (no text, 1000 octets)")
        #expect(VisibleOctets.lines(binary.prefix(300), of: 5000).hasSuffix("\n  … (no text, 5000 octets)"))
        #expect(VisibleOctets.lines(binary.prefix(256)).split(separator: "\n").count == 8)
        // A head with one such octet is a text all the same.
        let head = Array("GET / HTTP/1.1\r\nA: \u{0}\r\n".utf8) + Array(repeating: 0x61, count: 500)
        #expect(VisibleOctets.lines(head).hasPrefix("  GET / HTTP/1.1\\r\\n\n  A: \\0\\r\\n\n  aaa"))
    }
}

@Suite("The difference between octets and those a fixture expects")
struct FixtureDifferenceTests {
    @Test(
        "is none where they are equal, however they come in parts",
        arguments: [1, 2, 3, 7, 100],
        [FixtureContent.text(""), .text("hello, world"), .joined([.text("hello"), .text(", world")])])
    func equal(part: Int, content: FixtureContent) {
        let octets = Array((content == .text("") ? "" : "hello, world").utf8)
        var offset = 0
        let difference = FixtureDifference.between(content) { wanted in
            let end = min(octets.count, offset + min(part, wanted))
            defer { offset = end }
            return Array(octets[offset..<end])
        }
        #expect(difference == nil)
    }

    @Test(
        "shows short texts whole",
        arguments: [
            (
                "hello, world", "hello, wrld",
                """
                expected 12 octets, got 11; they differ from octet 8 on
                expected: "hello, world"
                got:      "hello, wrld"
                """
            ),
            (
                "one\r\ntwo\r\n", "one\r\ntwo \r\n",
                """
                expected 10 octets, got 11; they differ from octet 8 on (line 2)
                expected: "one\\r\\ntwo\\r\\n"
                got:      "one\\r\\ntwo \\r\\n"
                """
            ),
            (
                "abc", "ab",
                """
                expected 3 octets, got 2; octets are missing from octet 2 on
                expected: "abc"
                got:      "ab"
                """
            ),
            (
                "", "\u{1B}",
                """
                expected 0 octets, got 1; octets are too many from octet 0 on
                expected: ""
                got:      "\\e"
                """
            ),
        ])
    func short(expected: String, got: String, text: String) throws {
        let difference = try #require(FixtureDifference.between(.text(expected), Array(got.utf8)))
        #expect(difference.description == text)
    }

    @Test("of long content shows the place and some octets around it")
    func long() throws {
        var octets = GeneratedContent(seed: 3).octets(300_000)
        octets[200_000] ^= 0xFF
        octets.removeLast(5)
        let difference = try #require(
            FixtureDifference.between(.generated(count: 300_000, seed: 3), octets))
        #expect(difference.offset == 200_000)
        #expect(difference.expectedCount == 300_000)
        #expect(difference.count == 299_995)
        let text = difference.description
        #expect(text.hasPrefix("expected 300000 octets, got 299995; they differ from octet 200000 on"))
        #expect(text.utf8.count < 1500)
    }

    @Test("of a terabyte is found without making it")
    func huge() throws {
        let expected = FixtureContent.repeated(
            .octets([UInt8](repeating: 0x61, count: 1 << 16)), times: 1 << 24)
        let difference = try #require(FixtureDifference.between(expected, Array("aaab".utf8)))
        #expect(difference.offset == 3)
        #expect(difference.expectedCount == 1 << 40)
        #expect(difference.count == 4)
    }

    @Test("passes on why octets cannot be read")
    func failures() {
        struct Unreadable: Error {}
        #expect(throws: Unreadable.self) {
            try FixtureDifference.between(.text("abc")) { (_) throws(Unreadable) in throw Unreadable() }
        }
        #expect(throws: Unreadable.self) {
            try FixtureDifference.between(.text("")) { (_) throws(Unreadable) in throw Unreadable() }
        }
    }

    @Test("cuts what both sides have in common, and what follows")
    func cuts() throws {
        let start = String(repeating: "a", count: 1000)
        let end = String(repeating: "z", count: 1000)
        let difference = try #require(
            FixtureDifference.between(.text(start + "X" + end), Array((start + "Y" + end).utf8)))
        let (before, after) = (String(repeating: "a", count: 40), String(repeating: "z", count: 79))
        #expect(
            difference.description == """
                expected 2001 octets, got 2001; they differ from octet 1000 on
                expected: …"\(before)X\(after)"…
                got:      …"\(before)Y\(after)"…
                """)
    }
}
