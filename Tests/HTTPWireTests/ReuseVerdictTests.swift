import HTTPMessage
import HTTPWire
import Testing

@Suite("Persistence (RFC 9112, section 9.3)")
struct ReuseVerdictTests {
    @Test(
        "follows options, version and framing",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 0", .reusable),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive", .reusable),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close", .closeAnnounced),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: CLOSE", .closeAnnounced),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive, close", .closeAnnounced),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x\r\nConnection: ,Close", .closeAnnounced),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: closed", .reusable),
            ("HTTP/1.2 200 OK\r\nContent-Length: 0", .reusable),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0", .versionWithoutPersistence),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive", .reusable),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive, close", .closeAnnounced),
            (
                "HTTP/1.0 200 OK\r\nContent-Length: 0\r\nProxy-Connection: keep-alive",
                .versionWithoutPersistence
            ),
            ("HTTP/1.1 200 OK", .contentEndsWithConnection),
            ("HTTP/1.0 200 OK\r\nConnection: keep-alive", .contentEndsWithConnection),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: x", .contentEndsWithConnection),
            ("HTTP/1.1 204 x", .reusable),
            ("HTTP/1.1 204 x\r\nContent-Length: 0", .reusable),
            ("HTTP/1.1 204 x\r\nContent-Length: 5", .contentNotAllowed),  // 204-with-body
            ("HTTP/1.1 204 x\r\nTransfer-Encoding: chunked", .contentNotAllowed),
            ("HTTP/1.1 304 x\r\nContent-Length: 5", .reusable),
        ] as [(String, ReuseVerdict)])
    func follows(head: String, verdict: ReuseVerdict) {
        let outcome = outcome(of: "\(head)\r\n\r\n")
        #expect(outcome.error == nil)
        #expect(outcome.verdict == verdict)
    }

    @Test("Content-Length beside Transfer-Encoding ends the connection (RFC 9112, section 6.3)")
    func lengthAndCoding() {  // te-and-cl
        let outcome = outcome(
            of:
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
        )
        #expect(outcome.text == "a" && outcome.verdict == .lengthAndCoding)
    }

    @Test("so does Transfer-Encoding in HTTP/1.0 (RFC 9112, section 6.1)")
    func codingInOldVersion() {
        let head = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
        let outcome = outcome(of: head + "1\r\na\r\n0\r\n\r\n")
        #expect(outcome.text == "a" && outcome.verdict == .codingInOldVersion)
    }

    @Test("an unread response, and octets behind it, are reasons of their own")
    func unread() throws {  // excess-bytes
        var exchange = Exchange(method: .get)
        #expect(exchange.reuseVerdict(unreadOctets: 0) == .responseIncomplete)
        let input = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)
        var offset = 0
        _ = try exchange.nextEvent(in: input.span, at: &offset)
        _ = try exchange.nextEvent(in: input.span, at: &offset)
        #expect(exchange.reuseVerdict(unreadOctets: 0) == .responseIncomplete)
        _ = try exchange.nextEvent(in: input.span, at: &offset)
        #expect(exchange.reuseVerdict(unreadOctets: 0) == .reusable)
        #expect(exchange.reuseVerdict(unreadOctets: 4) == .unexpectedOctets(4))
    }
}
