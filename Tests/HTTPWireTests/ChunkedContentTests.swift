import HTTPMessage
import HTTPWire
import Testing

@Suite("Chunked transfer coding (RFC 9112, section 7.1)")
struct ChunkedContentTests {
    static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    static let start = UInt64(head.utf8.count)

    @Test(
        "decodes chunks, skips extensions and reads the trailer section",
        arguments: [
            ("0\r\n\r\n", "", []),
            ("5\r\nhello\r\n0\r\n\r\n", "hello", []),
            ("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc", []),
            ("00005;a=b\r\nhello\r\n0\r\n\r\n", "hello", []),  // chunk-size-split
            ("a\r\n0123456789\r\nA\r\n0123456789\r\n000\r\n\r\n", "01234567890123456789", []),
            ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n", []),
            ("1 \t\r\na\r\n0  \r\n\r\n", "a", []),
            ("1 ; a = b ;c\r\na\r\n0;d\r\n\r\n", "a", []),
            ("1;a=\"b;\\\"c\"\r\na\r\n0\r\n\r\n", "a", []),
            ("1;\r\na\r\n0\r\n\r\n", "a", []),
            ("1\r\na\r\n0\r\nX-Sum: 1\r\nX-Two:  2 \r\n 3\r\n\r\n", "a", ["X-Sum", "1", "X-Two", "2 3"]),
            ("1\r\na\r\n0\r\nContent-Length: 7\r\n\r\n", "a", ["Content-Length", "7"]),
            ("1\r\na\r\n0\r\nA: b\n\n", "a", ["A", "b"]),
        ])
    func decodes(body: String, content: String, trailers: [String]) {
        let outcome = outcome(of: Self.head + body)
        #expect(outcome.error == nil)
        #expect(outcome.text == content)
        #expect(outcome.trailers?.flatMap { [$0.name.spelling, $0.value] } == trailers)
        #expect(outcome.used == Self.head.utf8.count + body.utf8.count)
        #expect(outcome.verdict == .reusable)
    }

    @Test(
        "refuses the rest and names the octet",
        arguments: [
            ("<html>plain</html>", "", .invalidChunkSize(0x3C), 0),  // te-but-plain-body
            ("5\r\nhello\r\nzz\r\nmore!", "hello", .invalidChunkSize(0x7A), 10),  // chunk-size-not-hex
            ("-FFFFFD00\r\nAA", "", .invalidChunkSize(0x2D), 0),  // chunk-negative
            ("5\r\nhello\r\nHTTP/1.1 502", "hello", .invalidChunkSize(0x48), 10),  // chunk-proxy-error-inside
            ("\r\n", "", .invalidChunkSize(0x0D), 0),
            ("\n", "", .invalidChunkSize(0x0A), 0),
            (" 1\r\na", "", .invalidChunkSize(0x20), 0),
            (";a\r\n", "", .invalidChunkSize(0x3B), 0),
            ("+1\r\na", "", .invalidChunkSize(0x2B), 0),
            ("0x1\r\na", "", .invalidChunkSize(0x78), 1),
            ("1 2\r\na", "", .invalidChunkSize(0x32), 2),
            ("1_0\r\na", "", .invalidChunkSize(0x5F), 1),
            ("1\na\r\n", "", .bareLF, 1),
            ("1 \na\r\n", "", .bareLF, 2),
            ("1;a\na\r\n", "", .bareLF, 3),
            ("1\ra", "", .bareCR, 2),
            ("1\r\r\na", "", .bareCR, 2),
            ("1;a\rb\r\n", "", .bareCR, 4),
            ("1;a\u{0}\r\n", "", .invalidChunkExtension(0), 3),
            ("1;a=\"b\r\n", "", .invalidChunkExtension(0x0D), 6),
            ("1;a=\"b\nc\"\r\n", "", .bareLF, 6),
            ("1;a=\"b\\\r\n", "", .invalidChunkExtension(0x0D), 7),
            ("1\r\nab\r\n", "a", .chunkDataNotEnded(0x62), 4),
            ("1\r\na\n", "a", .chunkDataNotEnded(0x0A), 4),
            ("1\r\na\r0", "a", .chunkDataNotEnded(0x30), 5),
            ("10000000000000000\r\n", "", .chunkSizeTooLarge, 16),
            ("fffffffffffffffff\r\n", "", .chunkSizeTooLarge, 16),
            ("0\r\nA : b\r\n\r\n", "", .blankBeforeColon, 4),
            ("0\r\n A: b\r\n\r\n", "", .foldWithoutField, 3),
            ("0\r\nA: \u{0}\r\n\r\n", "", .invalidValueOctet(0), 6),
        ] as [(String, String, WireError.Reason, UInt64)])
    func refuses(body: String, content: String, reason: WireError.Reason, offset: UInt64) {
        let outcome = outcome(of: Self.head + body)
        #expect(outcome.error == WireError(reason, at: Self.start + offset))
        #expect(outcome.text == content)
    }

    @Test("the largest size is taken, with leading zeros")
    func largestSize() {
        let outcome = outcome(of: Self.head + "0000ffffffffffffffff\r\na")
        #expect(outcome.text == "a")
        #expect(outcome.reason == .contentCut(missing: nil))
    }

    @Test(
        "ending before the last chunk's line is an error",
        arguments: ["", "5", "5\r", "5\r\n", "5\r\nhel", "5\r\nhello", "5\r\nhello\r\n", "5\r\nhello\r\n0\r"])
    func cutContent(body: String) {  // chunk-cut-short
        let error = WireError(.contentCut(missing: nil), at: Self.start + UInt64(body.utf8.count))
        #expect(outcome(of: Self.head + body).error == error)
    }

    @Test(
        "ending inside the trailer section is another", arguments: ["", "\r", "A", "A: b\r\n", "A: b\r\n\r"])
    func cutTrailers(lines: String) {
        let outcome = outcome(of: "\(Self.head)1\r\na\r\n0\r\n\(lines)")
        #expect(outcome.reason == .trailerSectionCut)
        #expect(outcome.text == "a")
    }

    @Test("a bare LF in the trailer section is the same option as in heads")
    func bareLF() {
        let strict = Exchange(method: .get, leniency: .with(\.allowsBareLF, false))
        #expect(
            outcome(of: "\(Self.head)0\r\n\n", in: strict).error == WireError(.bareLF, at: Self.start + 3))
        #expect(outcome(of: "\(Self.head)0\r\n\n").error == nil)
    }

    @Test("a chunk's line is limited, leading zeros too", arguments: ["00005", "5;abc", "5    "])
    func lineLimit(line: String) {
        let body = "\(Self.head)\(line)\r\nhello\r\n0\r\n\r\n"
        let passes = Exchange(method: .get, limits: .with(\.maximumChunkLineOctets, 7))
        #expect(outcome(of: body, in: passes).text == "hello")
        let fails = Exchange(method: .get, limits: .with(\.maximumChunkLineOctets, 6))
        #expect(
            outcome(of: body, in: fails).error == WireError(.chunkLineTooLong(limit: 6), at: Self.start + 6))
    }

    @Test("the extensions of all chunks together are limited")
    func extensionLimit() {
        let body = "\(Self.head)1;ab\r\na\r\n1 ;a\r\nb\r\n0;\r\n\r\n"
        let passes = Exchange(method: .get, limits: .with(\.maximumChunkExtensionOctets, 7))
        #expect(outcome(of: body, in: passes).text == "ab")
        let fails = Exchange(method: .get, limits: .with(\.maximumChunkExtensionOctets, 6))
        let error = WireError(.chunkExtensionsTooLong(limit: 6), at: Self.start + 19)
        #expect(outcome(of: body, in: fails).error == error)
    }

    @Test("the trailer section's octets are limited")
    func trailerLimit() {
        let body = "\(Self.head)0\r\nA: b\r\n\r\n"
        let passes = Exchange(method: .get, limits: .with(\.maximumTrailerOctets, 8))
        #expect(outcome(of: body, in: passes).error == nil)
        let fails = Exchange(method: .get, limits: .with(\.maximumTrailerOctets, 7))
        let error = WireError(.trailerSectionTooLong(limit: 7), at: Self.start + 10)
        #expect(outcome(of: body, in: fails).error == error)
    }

    @Test("the trailer section's lines are limited")
    func trailerLineLimit() {
        let body = "\(Self.head)0\r\nA: b\r\nC: d\r\n\r\n"
        let passes = Exchange(method: .get, limits: .with(\.maximumTrailerLines, 2))
        #expect(outcome(of: body, in: passes).error == nil)
        let fails = Exchange(method: .get, limits: .with(\.maximumTrailerLines, 1))
        #expect(
            outcome(of: body, in: fails).error == WireError(.tooManyFieldLines(limit: 1), at: Self.start + 9))
    }

    @Test("the machine alone ends behind the trailer section")
    func alone() throws {
        var content = ChunkedContent()
        let input = Array("3\r\nabc\r\n0\r\n\r\nHTTP".utf8)
        var offset = 0
        guard case .content(3..<6) = try content.nextEvent(in: input.span, at: &offset),
            case .end(let trailers) = try content.nextEvent(in: input.span, at: &offset)
        else { return #expect(Bool(false), "content, then the end") }
        #expect(trailers.isEmpty && offset == 13)
        try content.receiveEndOfStream()
    }
}
