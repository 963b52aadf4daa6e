import HTTPMessage
import HTTPWire
import Testing

@Suite("Status line (RFC 9112, section 4)")
struct StatusLineTests {
    @Test(
        "takes what the grammar and its permitted leniencies allow",
        arguments: [
            ("HTTP/1.1 200 OK", "1.1", 200, "OK"),
            ("HTTP/1.0 404 Not Found", "1.0", 404, "Not Found"),
            ("HTTP/1.1 200 ", "1.1", 200, ""),
            ("HTTP/1.1 200", "1.1", 200, ""),  // no-reason-phrase
            ("HTTP/1.2 999 x", "1.2", 999, "x"),
            ("HTTP/1.1 200 a  b\tc ", "1.1", 200, "a  b\tc "),
            ("HTTP/1.1 \t 200  OK", "1.1", 200, "OK"),
        ])
    func takes(line: String, version: String, code: Int, reason: String) throws {
        let response = try #require(outcome(of: "\(line)\r\nContent-Length: 0\r\n\r\n").response)
        #expect(response.version.description == "HTTP/\(version)")
        #expect(response.status.code == code)
        #expect(response.reason == reason)
    }

    @Test(
        "refuses the rest and names the octet",
        arguments: [
            ("hello, I am no HTTP reply\n", .notHTTP(0x68), 0),  // http09-refused
            ("http/1.1 200 OK\r\n\r\n", .notHTTP(0x68), 0),
            ("\r\nHTTP/1.1 200 OK\r\n\r\n", .notHTTP(0x0D), 0),
            ("HTTQ", .notHTTP(0x51), 3),
            ("ICY 200 OK\r\n\r\n", .notHTTP(0x49), 0),
            ("HTTP/2.0 200 OK\r\n\r\n", .unsupportedVersion(major: 2, minor: 0), 5),
            ("HTTP/0.9 200 OK\r\n\r\n", .unsupportedVersion(major: 0, minor: 9), 5),
            ("HTTP/1 200 OK\r\n\r\n", .invalidStatusLine(0x20), 6),
            ("HTTP/1.10 200 OK\r\n\r\n", .invalidStatusLine(0x30), 8),
            ("HTTP/x.1 200 OK\r\n\r\n", .invalidStatusLine(0x78), 5),
            ("HTTP/1.1200 OK\r\n\r\n", .invalidStatusLine(0x32), 8),
            ("HTTP/1.1 20 OK\r\n\r\n", .invalidStatusLine(0x20), 11),
            ("HTTP/1.1 2000 OK\r\n\r\n", .invalidStatusLine(0x30), 12),
            ("HTTP/1.1 200OK\r\n\r\n", .invalidStatusLine(0x4F), 12),
            ("HTTP/1.1 -20 OK\r\n\r\n", .invalidStatusLine(0x2D), 9),
            ("HTTP/1.1 020 OK\r\n\r\n", .invalidStatusCode(20), 9),
            ("HTTP/1.1 20\r\n\r\n", .invalidStatusLine(nil), 11),
            ("HTTP/1.1\r\n\r\n", .invalidStatusLine(nil), 8),
            ("HTTP/\r\n\r\n", .invalidStatusLine(nil), 5),
            ("HTTP/1.1 200 O\rK\r\n\r\n", .bareCR, 14),
            ("HTTP/1.1 200\r OK\r\n\r\n", .bareCR, 12),
            ("HTTP/1.1 200 OK\r\r\n\r\n", .bareCR, 15),
            ("HTTP/1.1 200 O\u{0}K\r\n\r\n", .invalidValueOctet(0), 14),
        ] as [(String, WireError.Reason, UInt64)])
    func refuses(text: String, reason: WireError.Reason, offset: UInt64) {
        let outcome = outcome(of: text)
        #expect(outcome.error == WireError(reason, at: offset))
        #expect(outcome.verdict == .exchangeFailed)
    }

    @Test("keeps the octets of all heads where that is wanted, however they come; they tell no heads apart")
    func keepsOctets() throws {
        let interim = "HTTP/1.1 103\nA:b\r\n\r\n"
        let final = "HTTP/1.1 200  \t fine \r\nX-Fold: \tone \r\n  two \r\nContent-Length:  1\r\n\r\n"
        var octets: [[UInt8]] = []
        for keepsHeads in [true, false] {
            let exchange = Exchange(method: .get, keepsHeads: keepsHeads)
            let outcome = outcome(of: interim + final + "x", in: exchange)
            octets += (outcome.interim + [try #require(outcome.response)]).map(\.receivedOctets)
            #expect(octets.count == (keepsHeads ? 2 : 4))
        }
        #expect(octets == [Array(interim.utf8), Array(final.utf8), [], []])
        // Pieces of every size must come to the same octets, which equality leaves out.
        for size in 1...final.utf8.count {
            var parser = ResponseHeadParser(keepsOctets: true)
            var head: HTTPResponse?
            let whole = Array(final.utf8)
            for start in stride(from: 0, to: whole.count, by: size) {
                let piece = Array(whole[start..<min(start + size, whole.count)])
                var offset = 0
                if case .head(let response) = try parser.nextEvent(in: piece.span, at: &offset) {
                    head = response
                }
            }
            #expect(head?.receivedOctets == whole, "pieces of \(size)")
            #expect(
                head.map { $0 == HTTPResponse(status: .ok, reason: $0.reason, fields: $0.fields) } == true)
        }
    }

    @Test("keeps octets past 0x7F in the reason, one scalar each")
    func keepsObsText() {
        let octets =
            Array("HTTP/1.1 200 ".utf8) + [0xC3, 0xA4, 0xFF] + Array("\r\nContent-Length: 0\r\n\r\n".utf8)
        #expect(outcome(of: octets).response?.reason == "\u{C3}\u{A4}\u{FF}")
    }

    @Test(
        "several blanks are an option",
        arguments: ["HTTP/1.1  200 OK", "HTTP/1.1\t200 OK", "HTTP/1.1 200\tOK"])
    func extraBlanks(line: String) {
        let strict = Exchange(method: .get, leniency: .with(\.allowsExtraBlanks, false))
        let text = "\(line)\r\nContent-Length: 0\r\n\r\n"
        #expect(outcome(of: text).response?.reason == "OK")
        #expect(outcome(of: text, in: strict).response == nil)
        #expect(outcome(of: "HTTP/1.1 200  OK\r\n\r\n", in: strict).response?.reason == " OK")
    }
}

@Suite("Header section (RFC 9112, section 5)")
struct HeaderSectionTests {
    static let start = "HTTP/1.1 204 No Content\r\n"

    @Test(
        "takes field lines without the blanks around their values, and unfolds",
        arguments: [
            ("A: b\r\n", ["A", "b"]),
            ("A:b\r\n", ["A", "b"]),
            ("A: \t b c\t \r\n", ["A", "b c"]),
            ("A:\r\n", ["A", ""]),
            ("A:  \r\n", ["A", ""]),
            ("A: :b: \r\n", ["A", ":b:"]),
            ("A: b\r\na: c\r\n", ["A", "b", "a", "c"]),
            ("!#$%&'*+-.^_`|~09aZ: b\r\n", ["!#$%&'*+-.^_`|~09aZ", "b"]),
            ("A: b\r\n c\r\n", ["A", "b c"]),
            ("A: b \r\n\t c \r\n  d\r\nE: f\r\n", ["A", "b c d", "E", "f"]),
            ("Location:\r\n\t /next\r\n", ["Location", "/next"]),  // fold-location
            ("A: b\r\n \r\nC: d\r\n", ["A", "b", "C", "d"]),
            ("A: b\u{1}c\u{7F}\r\n", ["A", "b\u{1}c\u{7F}"]),
        ])
    func takes(lines: String, fields: [String]) {
        let outcome = outcome(of: "\(Self.start)\(lines)\r\n")
        #expect(outcome.error == nil)
        #expect(outcome.response?.fields.flatMap { [$0.name.spelling, $0.value] } == fields)
    }

    @Test(
        "refuses the rest and names the octet, counted from the section's first",
        arguments: [
            ("A : b\r\n", .blankBeforeColon, 1),
            ("A\t : b\r\n", .blankBeforeColon, 1),
            ("A B: c\r\n", .invalidNameOctet(0x20), 1),
            ("garbage\r\n", .missingColon, 7),
            (": b\r\n", .emptyFieldName, 0),
            ("A(: b\r\n", .invalidNameOctet(0x28), 1),
            ("A\u{0}: b\r\n", .invalidNameOctet(0), 1),
            (" A: b\r\n", .foldWithoutField, 0),
            ("\tA: b\r\n", .foldWithoutField, 0),
            (" \r\n", .foldWithoutField, 0),
            ("A: b\u{0}c\r\n", .invalidValueOctet(0), 4),  // nul-in-header
            ("A: b\rc\r\n", .bareCR, 4),
            ("A\rB: c\r\n", .bareCR, 1),
            ("A: b\r\r\n", .bareCR, 4),
            ("A: b\r\n c\u{0}\r\n", .invalidValueOctet(0), 8),
            ("A: b\r\n\r\r\n", .bareCR, 6),
        ] as [(String, WireError.Reason, UInt64)])
    func refuses(lines: String, reason: WireError.Reason, offset: UInt64) {
        let outcome = outcome(of: "\(Self.start)\(lines)\r\n")
        #expect(outcome.error == WireError(reason, at: offset + UInt64(Self.start.utf8.count)))
    }

    @Test("a name with an octet past 0x7F is no token")
    func obsTextInName() {
        let outcome = outcome(of: Array(Self.start.utf8) + [0x41, 0xC4, 0x3A, 0x0D, 0x0A])
        #expect(outcome.reason == .invalidNameOctet(0xC4))
    }

    @Test("keeps octets past 0x7F in values, one scalar each")
    func obsTextInValue() {
        let outcome = outcome(of: Array(Self.start.utf8) + [0x41, 0x3A, 0xC3, 0xA4, 0x0D, 0x0A, 0x0D, 0x0A])
        #expect(outcome.response?.fields["A"] == "\u{C3}\u{A4}")
    }

    @Test("a bare LF ends a line where that is allowed (RFC 9112, section 2.2)")
    func bareLF() {
        let text = "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"  // bare-lf
        #expect(outcome(of: text).text == "hello")
        let strict = Exchange(method: .get, leniency: .with(\.allowsBareLF, false))
        #expect(outcome(of: text, in: strict).error == WireError(.bareLF, at: 15))
        let mixed = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\nhello"
        #expect(outcome(of: mixed).text == "hello")
        #expect(outcome(of: mixed, in: strict).error == WireError(.bareLF, at: 36))
    }

    @Test("control characters in values are kept where that is allowed (RFC 9110, section 5.5)")
    func controlOctets() {
        let strict = Exchange(method: .get, leniency: .with(\.retainsControlOctets, false))
        #expect(outcome(of: "\(Self.start)A: b\u{1}\r\n\r\n").response?.fields["A"] == "b\u{1}")
        #expect(outcome(of: "\(Self.start)A: b\u{1}\r\n\r\n", in: strict).reason == .invalidValueOctet(1))
        #expect(outcome(of: "\(Self.start)A: b\u{7F}\r\n\r\n", in: strict).reason == .invalidValueOctet(0x7F))
        #expect(outcome(of: "HTTP/1.1 204 \u{1B}[1m\r\n\r\n", in: strict).reason == .invalidValueOctet(0x1B))
        #expect(outcome(of: "\(Self.start)A: b\tc\r\n\r\n", in: strict).response?.fields["A"] == "b\tc")
    }

    @Test("the head's octets are limited")
    func headLimit() {
        let head = "HTTP/1.1 204 No Content\r\nA: b\r\n\r\n"
        let count = head.utf8.count
        let passes = Exchange(method: .get, limits: .with(\.maximumHeadOctets, count))
        #expect(outcome(of: head, in: passes).error == nil)
        let fails = Exchange(method: .get, limits: .with(\.maximumHeadOctets, count - 1))
        let error = WireError(.headTooLong(limit: count - 1), at: UInt64(count - 1))
        #expect(outcome(of: head, in: fails).error == error)
    }

    @Test("a line's octets are limited, whether it ends or not", arguments: ["\r\n\r\n", ""])
    func lineLimit(end: String) {
        // huge-header-line
        let line = "Long: 0123456789012345678901234567890123456789"
        let count = line.utf8.count + 2
        let passes = Exchange(method: .get, limits: .with(\.maximumLineOctets, count))
        #expect(
            outcome(of: "\(Self.start)\(line)\(end)", in: passes).reason == (end.isEmpty ? .headCut : nil))
        let fails = Exchange(method: .get, limits: .with(\.maximumLineOctets, count - 1))
        let tooLong = outcome(of: "\(Self.start)\(line)\r\n\r\n", in: fails)
        #expect(tooLong.error == WireError(.lineTooLong(limit: count - 1), at: 25 + UInt64(count) - 1))
        let endless = Exchange(method: .get, limits: .with(\.maximumLineOctets, 30))
        #expect(outcome(of: "\(Self.start)\(line)\(end)", in: endless).reason == .lineTooLong(limit: 30))
    }

    @Test("the number of field lines is limited; a folded line is one")
    func fieldLimit() {
        let passes = Exchange(method: .get, limits: .with(\.maximumFieldLines, 2))
        #expect(outcome(of: "\(Self.start)A: b\r\n c\r\nD: e\r\n f\r\n\r\n", in: passes).error == nil)
        let tooMany = outcome(of: "\(Self.start)A: b\r\nC: d\r\nE: f\r\n\r\n", in: passes)
        #expect(tooMany.error == WireError(.tooManyFieldLines(limit: 2), at: 37))
    }

    @Test("a parser alone ends behind the head")
    func endsBehindHead() throws {
        var parser = ResponseHeadParser()
        let input = Array("HTTP/1.1 200 OK\r\n\r\ncontent".utf8)
        var offset = 0
        let event = try parser.nextEvent(in: input.span, at: &offset)
        guard case .head(let response) = event else { return #expect(Bool(false), "\(event)") }
        #expect(response == HTTPResponse(status: .ok, reason: "OK"))
        #expect(offset == 19 && parser.position == 19)
    }

    @Test("the benchmark reads its nine fields each time")
    func benchmark() { #expect(HeadBenchmark.run(iterations: 3) == 27) }
}
