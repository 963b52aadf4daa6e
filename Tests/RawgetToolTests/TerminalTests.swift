import Testing

@testable import RawgetTool

@Suite("Text for a terminal")
struct TerminalTextTests {
    @Test(
        "controls and format characters become visible",
        arguments: [
            ("plain \\ text", "plain \\ text"), ("\u{1B}[2J", "\\x1B[2J"),
            ("a\r\nb\tc\u{0}", "a\\x0D\\x0Ab\\x09c\\x00"),
            ("\u{7F}\u{85}\u{9B}", "\\x7F\\x85\\x9B"), ("txt\u{202E}fdp", "txt\\u{202E}fdp"),
            ("\u{2066}\u{200B}\u{FEFF}\u{AD}", "\\u{2066}\\u{200B}\\u{FEFF}\\xAD"),
            ("a\u{2028}b\u{E0041}", "a\\u{2028}b\\u{E0041}"), ("使用 é e\u{301}", "使用 é e\u{301}"),
            ("👩\u{200D}👧 ❤\u{FE0F}\u{200D}🔥", "👩\u{200D}👧 ❤\u{FE0F}\u{200D}🔥"), ("a\u{200D}b", "a\\u{200D}b"),
            ("1\u{200D}2", "1\\u{200D}2"),
        ])
    func escapes(text: String, expected: String) {
        #expect(text.escapedForTerminal == expected)
        #expect(TerminalText.escaped(Array(text.utf8)) == expected)
    }

    @Test(
        "octets that are no UTF-8 become visible one by one",
        arguments: [
            ([0x61, 0xFF, 0x62], "a\\xFFb"), ([0xE4, 0xBD], "\\xE4\\xBD"), ([0xC0, 0xAF], "\\xC0\\xAF"),
            ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"), ([0xE4, 0xE4, 0xBD, 0xBF, 0x1B], "\\xE4使\\x1B"),
            ([], ""),
        ] as [([UInt8], String)])
    func escapesInvalid(octets: [UInt8], expected: String) {
        #expect(TerminalText.escaped(octets) == expected)
    }

    @Test func keepsLinesWhenAsked() {
        #expect(TerminalText.escaped("a\n\tb\r\u{1B}", keepingLines: true) == "a\n\tb\\x0D\\x1B")
    }
}

@Suite("Width on a terminal (UAX 11)")
struct TerminalWidthTests {
    @Test(
        "counts columns",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("使用", 4), ("ｱ", 1), ("Ａ", 2), ("한국", 4),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("🙂", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("…", 1), ("ก็", 1),
            ("𠀀", 2), ("⌚", 2),
        ])
    func counts(text: String, expected: Int) {
        #expect(TerminalWidth.columns(of: text) == expected)
    }

    @Test(
        "cuts at characters",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("使用用", 5, "使用…"), ("使用用", 4, "使…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("abc", 1, "…"), ("abc", 0, ""), ("a", -1, ""),
        ])
    func cuts(text: String, limit: Int, expected: String) {
        #expect(TerminalWidth.fitting(text, into: limit) == expected)
    }

    @Test func cutsTheMiddleOfNames() {
        #expect(TerminalWidth.fittingMiddle("a-very-long-name.tar.gz", into: 15) == "a-very-lo…ar.gz")
        #expect(TerminalWidth.fittingMiddle("使用使用使用使用使用.zip", into: 15).hasSuffix(".zip"))
    }

    @Test("no cut is wider than its limit", arguments: 0..<40)
    func neverTooWide(limit: Int) {
        for text in ["metro_demo使用Highcharts实现图表展示.zip", "👩\u{200D}👩\u{200D}👧🇩🇪❤\u{FE0F}❤\u{FE0F}abcdef"] {
            #expect(TerminalWidth.columns(of: TerminalWidth.fitting(text, into: limit)) <= limit)
            #expect(TerminalWidth.columns(of: TerminalWidth.fittingMiddle(text, into: limit)) <= limit)
        }
    }
}
