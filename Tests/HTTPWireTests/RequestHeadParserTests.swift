import HTTPMessage
import Testing

@testable import HTTPWire

@Suite("Heads of requests (RFC 9112, section 3)")
struct RequestHeadParserTests {
    private func read(_ text: String, at start: Int = 0) throws(WireError) -> (RequestHead?, Int) {
        var offset = start
        let head = try RequestHeadParser.read(in: Array(text.utf8).span, at: &offset)
        return (head, offset)
    }

    @Test(
        "are a method, a target, a version and fields",
        arguments: [
            ("GET / HTTP/1.1", "GET", "/", "1.1"),
            ("get /a?b=%20#c HTTP/1.0", "get", "/a?b=%20#c", "1.0"),
            ("OPTIONS * HTTP/1.1", "OPTIONS", "*", "1.1"),
            ("CONNECT h:443 HTTP/1.1", "CONNECT", "h:443", "1.1"),
            ("GET http://h/ HTTP/1.1", "GET", "http://h/", "1.1"),
            ("!x \t /\u{E9}  HTTP/1.9", "!x", "/\u{C3}\u{A9}", "1.9"),
        ])
    func takes(line: String, method: String, target: String, version: String) throws {
        for end in ["\r\n", "\n"] {
            let text = line + end + "Host: h" + end + "A:b" + end + end
            let (head, offset) = try read(text + "HTTP/1.1 200")
            #expect(head?.method.name == method)
            #expect(head?.target == target)
            #expect(head?.version.description == "HTTP/\(version)")
            #expect(head?.fields == ["Host": "h", "A": "b"])
            #expect(offset == text.utf8.count)
        }
    }

    @Test(
        "are not there before their empty line",
        arguments: ["", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nA: b\r\n"])
    func needsAll(text: String) throws {
        #expect(try read(text).0 == nil)
    }

    @Test(
        "are refused with the octet at fault, counted from the input's first",
        arguments: [
            ("/ HTTP/1.1\n", .invalidRequestLine(0x2F), 0),
            (" GET / HTTP/1.1\n", .invalidRequestLine(0x20), 0),
            ("\n", .invalidRequestLine(nil), 0),
            ("GET\n", .invalidRequestLine(nil), 3),
            ("G(T / HTTP/1.1\n", .invalidRequestLine(0x28), 1),
            ("GET \n", .invalidRequestLine(nil), 4),
            ("GET /\n", .invalidRequestLine(nil), 5),
            ("GET /\u{7F} HTTP/1.1\n", .invalidRequestLine(0x7F), 5),
            ("GET / HTTQ/1.1\n", .invalidRequestLine(0x51), 9),
            ("GET / http/1.1\n", .invalidRequestLine(0x68), 6),
            ("GET / HTTP/1\n", .invalidRequestLine(nil), 12),
            ("GET / HTTP/1.1 x\n", .invalidRequestLine(0x20), 14),
            ("GET / HTTP/1.10\n", .invalidRequestLine(0x30), 14),
            ("GET / HTTP/2.0\n", .invalidRequestLine(0x32), 11),
            ("GET / HTTP/1.1\nA b\n\n", .invalidNameOctet(0x20), 16),
            ("GET / HTTP/1.1\n A: b\n\n", .foldWithoutField, 15),
        ] as [(String, WireError.Reason, UInt64)])
    func refuses(text: String, reason: WireError.Reason, offset: UInt64) {
        #expect(throws: WireError(reason, at: offset)) { try read(text) }
        #expect(throws: WireError(reason, at: offset + 4)) { try read("\r\n\r\n" + text, at: 4) }
    }

    @Test func haveTheLimitsOfHeads() {
        let line = "GET /\(String(repeating: "a", count: 65_536)) HTTP/1.1\r\n\r\n"
        #expect(throws: WireError(.lineTooLong(limit: 65_536), at: 65_536)) { try read(line) }
        let fields = String(repeating: "A: b\r\n", count: 1001)
        #expect(throws: WireError(.tooManyFieldLines(limit: 1000), at: 6_016)) {
            try read("GET / HTTP/1.1\r\n\(fields)\r\n")
        }
    }
}
