import HTTPMessage
import Testing

@Suite("File names from elsewhere (RFC 6266, section 4.3)")
struct FileNameTests {
    @Test("are reduced to a name in one folder", arguments: Self.reduced)
    func reduces(input: String, expected: String) {
        #expect(FileName(suggested: input)?.text == expected)
    }

    static let reduced: [(String, String)] = [
        ("a.txt", "a.txt"),
        ("a b.txt", "a b.txt"),
        // Paths of both kinds.
        ("../../evil.txt", "evil.txt"),
        ("..\\..\\evil.txt", "evil.txt"),
        ("/etc/passwd", "passwd"),
        ("C:\\Windows\\evil.exe", "evil.exe"),
        ("C:evil.exe", "evil.exe"),
        ("c:D:evil.exe", "evil.exe"),
        (".C:.x", "x"),
        ("\\\\server\\share\\x", "x"),
        ("a/b\\c/d", "d"),
        ("file:///a/b", "b"),
        // Controls and what changes the direction.
        ("a\u{0}b.txt", "ab.txt"),
        ("a\r\nb\tc", "abc"),
        ("a\u{1B}[31mb", "a[31mb"),
        ("a\u{7F}\u{85}b", "ab"),
        ("a\u{2028}\u{2029}b", "ab"),
        ("photo\u{202E}gpj.exe", "photogpj.exe"),
        ("\u{FEFF}a\u{200B}b\u{2066}c\u{AD}", "abc"),
        ("a.\u{200E}", "a"),
        // Starts and ends.
        (".bashrc", "bashrc"),
        ("...a", "a"),
        ("-rf", "rf"),
        ("--help", "help"),
        (" .-. a", "a"),
        ("\u{200B}.hidden", "hidden"),
        ("\u{3000}a\u{A0}", "a"),
        ("a.", "a"),
        ("a. . ", "a"),
        ("a-", "a-"),
        ("a..b", "a..b"),
        // What only other systems refuse.
        ("a*?\"<>|b", "a*?\"<>|b"),
        ("12:30.txt", "12:30.txt"),
        ("ab:c", "ab:c"),
        ("CON", "CON"),
        ("使用.zip", "使用.zip"),
        ("\u{1F600}.png", "\u{1F600}.png"),
        ("e\u{301}.txt", "e\u{301}.txt"),
    ]

    @Test(
        "are none when nothing is left",
        arguments: [
            "", ".", "..", "...", "/", "a/", "a\\", "../..", "-", "--", " ", "\u{0}", "C:", "C:..",
            "\u{202E}", ". .",
            "a/.", "a/..", "\u{2028}", "-.- ", "/.-/",
        ])
    func refuses(input: String) {
        #expect(FileName(suggested: input) == nil)
    }

    @Test("come from a field", arguments: Self.fields)
    func readsFields(input: String, expected: String?) throws {
        let disposition = try #require(ContentDisposition(parsing: input))
        #expect(FileName(disposition)?.text == expected)
    }

    static let fields: [(String, String?)] = [
        ("attachment; filename=\"../../evil.txt\"", "evil.txt"),
        ("attachment; filename=correct.jpg; somethingelse=/wrong.jpg", "correct.jpg"),
        ("attachment; filename*=UTF-8''..%2F..%2Fevil.txt", "evil.txt"),
        ("attachment; filename*=UTF-8''%00%2e%2e%5Cevil%0A.txt", "evil.txt"),
        ("attachment; filename=\"C:\\\\a\\\\b.txt\"", "b.txt"),
        ("attachment; filename=..", nil),
        ("attachment; filename=\"\"", nil),
        ("attachment", nil),
    ]

    @Test("come from the last segment of a URI", arguments: Self.uris)
    func readsURIs(input: String, expected: String?) throws {
        #expect(FileName(try URI(parsing: input))?.text == expected)
    }

    static let uris: [(String, String?)] = [
        ("http://h/a/metro_demo使用Highcharts实现图表展示.zip", "metro_demo使用Highcharts实现图表展示.zip"),
        ("http://h/metro_demo%E4%BD%BF%E7%94%A8.zip", "metro_demo使用.zip"),
        ("http://h/x/a.apk?r=1", "a.apk"),
        ("http://h/a.apk#b/c", "a.apk"),
        ("http://h/a%20b.txt", "a b.txt"),
        ("http://h/a%2520b", "a%20b"),
        ("http://h/..%2F..%2Fevil.txt", "evil.txt"),
        ("http://h/..%5c..%5cevil.txt", "evil.txt"),
        ("http://h/%2e%62ashrc", "bashrc"),
        ("http://h/a%00b%0A", "ab"),
        ("http://h/%FF%FE.txt", "%FF%FE.txt"),
        ("http://h/100%.txt", "100%.txt"),
        ("http://h/a%2F", nil),
        ("http://h/", nil),
        ("http://h/a/", nil),
        ("http://h", nil),
        ("http://h/-", nil),
    ]

    @Test("are cut before their extension", arguments: Self.cut)
    func cuts(input: String, limit: Int, expected: String?) {
        #expect(FileName(suggested: input, maximumOctets: limit)?.text == expected)
    }

    static let cut: [(String, Int, String?)] = [
        ("abcdefgh.txt", 12, "abcdefgh.txt"),
        ("abcdefgh.txt", 11, "abcdefg.txt"),
        ("abcdefgh.tar.gz", 14, "abcdefg.tar.gz"),
        ("abcdefgh.bar.gz", 14, "abcdefgh.ba.gz"),
        ("abcdef.xyz.gz", 12, "abcdef.xy.gz"),
        ("abcdefgh", 4, "abcd"),
        ("a.extension", 8, "a.extens"),
        ("使用使用.zip", 10, "使用.zip"),
        ("使用使用.zip", 12, "使用.zip"),
        ("abc . . d.txt", 10, "abc.txt"),
        ("e\u{301}e\u{301}e\u{301}", 7, "e\u{301}e\u{301}"),
        // One character longer than the room is cut all the same.
        ("e\u{301}\u{301}\u{301}\u{301}", 4, "e\u{301}"),
        ("\u{1F600}.t", 5, "\u{1F600}"),
        ("\u{1F600}x", 3, nil),
        ("使b.t", 4, "使b"),
        ("abc", 1, "a"),
        ("abc", 0, nil),
        ("abc", -1, nil),
    ]

    @Test("leave room for what is appended")
    func leavesRoom() throws {
        let name = try #require(FileName(suggested: String(repeating: "使", count: 1000) + ".tar.gz"))
        #expect(name.text.utf8.count <= FileName.defaultMaximumOctets)
        #expect(name.text.hasSuffix("使.tar.gz"))
    }

    @Test("come from the field before the URI, as in the module's article")
    func prefersField() throws {
        let uri = try URI(
            parsing: "../files/report.pdf?v=2", relativeTo: URI(parsing: "https://example.com/a/b/"))
        let named = HTTPResponse(status: .ok, fields: ["Content-Disposition": "attachment; filename=x.pdf"])
        for (response, expected) in [(HTTPResponse(status: .ok), "report.pdf"), (named, "x.pdf")] {
            let disposition = response.fields[.contentDisposition].flatMap { ContentDisposition(parsing: $0) }
            let name = disposition.flatMap { FileName($0) } ?? FileName(uri)
            #expect(name?.text == expected)
        }
    }

    @Test("are numbered")
    func isNumbered() throws {
        let name = try #require(FileName(suggested: "a.txt"))
        #expect(name.numbered(1).text == "a.txt.1")
        #expect(name.numbered(12).description == "a.txt.12")
    }

    @Test("are reduced in linear time", arguments: ["/", "C:", ".", "\u{301}", "\u{1F1E6}", "\u{200D}", "使"])
    func isLinear(unit: String) {
        _ = FileName(suggested: "x" + String(repeating: unit, count: 20_000))
        _ = FileName(suggested: String(repeating: unit, count: 20_000) + ".x")
    }
}
