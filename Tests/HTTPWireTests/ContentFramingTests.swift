import HTTPMessage
import HTTPWire
import Testing

@Suite("Message body length (RFC 9112, section 6.3)")
struct ContentFramingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var rule: String
        var method = HTTPMethod.get
        var head: String
        var framing: ContentFraming
        var content = ""
        var body = ""
        var codings: [String] = []

        var testDescription: String { "\(rule) \(method) \(head.debugDescription)" }
    }

    @Test(
        "follows the rules in their order",
        arguments: [
            Case(rule: "1", method: .head, head: "200 OK\r\nContent-Length: 5368709120", framing: .none),
            Case(rule: "1", method: .head, head: "200 OK\r\nTransfer-Encoding: chunked", framing: .none),
            Case(rule: "1", method: .head, head: "200 OK\r\nContent-Length: x", framing: .none),
            Case(rule: "1", head: "204 No Content", framing: .none),
            Case(rule: "1", head: "204 No Content\r\nContent-Length: 5", framing: .none),
            Case(rule: "1", head: "304 Not Modified\r\nContent-Length: 99", framing: .none),
            Case(rule: "2", method: .connect, head: "200 OK\r\nContent-Length: 5", framing: .none),
            Case(
                rule: "2", method: .connect, head: "407 No\r\nContent-Length: 5", framing: .length(5),
                content: "hello", body: "hello"),
            Case(
                rule: "3", head: "200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3",
                framing: .chunked,
                content: "hello", body: "5\r\nhello\r\n0\r\n\r\n"),
            Case(
                rule: "3", head: "200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 3",
                framing: .untilClose,
                content: "hello", body: "hello", codings: ["gzip"]),
            Case(
                rule: "4", head: "200 OK\r\ntransfer-encoding: CHUNKED", framing: .chunked, content: "a",
                body: "1\r\na\r\n0\r\n\r\n"),
            Case(
                rule: "4", head: "200 OK\r\nTransfer-Encoding: , chunked ,", framing: .chunked, content: "a",
                body: "1\r\na\r\n0\r\n\r\n"),
            Case(
                rule: "4", head: "200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
                framing: .chunked, content: "a", body: "1\r\na\r\n0\r\n\r\n", codings: ["gzip"]),
            Case(
                rule: "4", head: "200 OK\r\nTransfer-Encoding: chunked, gzip", framing: .untilClose,
                content: "1\r\na", body: "1\r\na", codings: ["chunked", "gzip"]),
            Case(
                rule: "4", head: "200 OK\r\nTransfer-Encoding: x;a=\"b, chunked\"", framing: .untilClose,
                content: "a", body: "a", codings: ["x;a=\"b, chunked\""]),
            Case(
                rule: "4", head: "200 OK\r\nTransfer-Encoding: \u{B}chunked", framing: .untilClose,
                content: "a", body: "a", codings: ["\u{B}chunked"]),
            Case(
                rule: "4", head: "200 OK\r\nTransfer-Encoding: identity", framing: .untilClose,
                content: "a", body: "a"),
            Case(
                rule: "4", head: "200 OK\r\nTransfer-Encoding:", framing: .untilClose, content: "a", body: "a"
            ),
            Case(
                rule: "5", head: "200 OK\r\nContent-Length: 5\r\nContent-Length: 5", framing: .length(5),
                content: "hello", body: "hello"),  // cl-dup-same
            Case(
                rule: "5", head: "200 OK\r\nContent-Length: 5 , 5", framing: .length(5), content: "hello",
                body: "hello"),  // cl-list-same
            Case(
                rule: "5", head: "200 OK\r\nContent-Length: 05,\r\n 5", framing: .length(5), content: "hello",
                body: "hello"),
            Case(
                rule: "6", head: "200 OK\r\nContent-Length: 5", framing: .length(5), content: "hello",
                body: "hello"),
            Case(rule: "6", head: "200 OK\r\nContent-Length: 0", framing: .length(0)),  // cl-zero-open
            Case(rule: "6", head: "205 Reset Content\r\nContent-Length: 0", framing: .length(0)),
            Case(rule: "8", head: "200 OK", framing: .untilClose, content: "hello", body: "hello"),
        ])
    func follows(_ given: Case) {
        let octets = Array("HTTP/1.1 \(given.head)\r\n\r\n\(given.body)".utf8)
        let outcome = outcome(of: octets, in: Exchange(method: given.method))
        #expect(outcome.error == nil)
        #expect(outcome.framing == given.framing)
        #expect(outcome.text == given.content)
        #expect(outcome.used == octets.count)

        var exchange = Exchange(method: given.method)
        var offset = 0
        _ = try? exchange.nextEvent(in: octets.span, at: &offset)
        #expect(exchange.unknownTransferCodings == given.codings)
    }

    @Test(
        "refuses a length that is none, and codings that cannot be undone",
        arguments: [
            ("Content-Length: 5\r\nContent-Length: 3", .differingContentLengths),  // cl-dup-differ
            ("Content-Length: 5, 3", .differingContentLengths),
            ("Content-Length: -5", .invalidContentLength(0x2D)),  // cl-negative
            ("Content-Length: +5", .invalidContentLength(0x2B)),
            ("Content-Length: 5 5", .invalidContentLength(0x20)),
            ("Content-Length: 5.0", .invalidContentLength(0x2E)),
            ("Content-Length: 0x5", .invalidContentLength(0x78)),
            ("Content-Length: \"5\"", .invalidContentLength(0x22)),
            ("Content-Length:", .invalidContentLength(nil)),
            ("Content-Length: ,", .invalidContentLength(0x2C)),
            ("Content-Length: 5\r\nContent-Length:", .invalidContentLength(nil)),
            ("Content-Length: 18446744073709551616", .contentLengthTooLarge),
            ("Content-Length: 99999999999999999999999", .contentLengthTooLarge),  // cl-overflow
            ("Transfer-Encoding: chunked, chunked", .repeatedChunked),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .repeatedChunked),
            ("Transfer-Encoding: chunked, gzip, chunked", .repeatedChunked),
            ("Transfer-Encoding: chunked;a=b", .chunkedWithParameter),
            ("Transfer-Encoding: chunked ; a=b", .chunkedWithParameter),
        ] as [(String, WireError.Reason)])
    func refuses(lines: String, reason: WireError.Reason) {
        let head = "HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n"
        let outcome = outcome(of: head + "hello")
        #expect(outcome.error == WireError(reason, at: UInt64(head.utf8.count)))
        #expect(outcome.response == nil)
    }

    @Test("the longest length is taken")
    func longest() {
        let outcome = outcome(of: "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nhello")
        #expect(outcome.framing == .length(.max))
        #expect(outcome.reason == .contentCut(missing: .max - 5))
    }

    @Test("repeated chunked is an option, but not with another coding between")
    func repeatedChunked() {
        let lenient = Exchange(method: .get, leniency: .with(\.allowsRepeatedChunked, true))
        let body = "1\r\na\r\n0\r\n\r\n"
        let twice =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
        #expect(outcome(of: twice, in: lenient).text == "a")
        let between = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip, chunked\r\n\r\n\(body)"
        #expect(outcome(of: between, in: lenient).reason == .repeatedChunked)
    }
}
