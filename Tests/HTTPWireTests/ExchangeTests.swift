import HTTPMessage
import HTTPWire
import Testing

@Suite("Interim responses (RFC 9110, section 15.2)")
struct InterimResponseTests {
    static let final = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test("come before the final response and are told apart")  // early-hints, unasked-100
    func several() {
        let outcome = outcome(
            of: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n\(Self.final)"
        )
        #expect(outcome.interim.map(\.status.code) == [100, 103])
        #expect(outcome.interim.last?.fields == ["Link": "</a.css>"])
        #expect(outcome.response?.status == .ok)
        #expect(outcome.text == "hello")
        #expect(outcome.verdict == .reusable)
    }

    @Test("their fields say nothing about the final response")
    func fieldsAreTheirOwn() {
        let outcome = outcome(
            of: "HTTP/1.1 103 x\r\nContent-Length: 99\r\nConnection: close\r\n\r\n\(Self.final)")
        #expect(outcome.text == "hello")
        #expect(outcome.verdict == .reusable)
    }

    @Test("are limited in number")
    func limit() {
        let hint = "HTTP/1.1 103 Early Hints\r\n\r\n"
        let exchange = Exchange(method: .get, limits: .with(\.maximumInterimResponses, 2))
        #expect(outcome(of: hint + hint + Self.final, in: exchange).text == "hello")
        let tooMany = outcome(of: hint + hint + hint + Self.final, in: exchange)
        #expect(tooMany.error == WireError(.tooManyInterimResponses(limit: 2), at: 84))
        #expect(tooMany.interim.count == 2)
    }

    @Test("each has a head of its own for the limit")
    func headLimit() {
        let hint = "HTTP/1.1 103 Early Hints\r\n\r\n"
        let exchange = Exchange(method: .get, limits: .with(\.maximumHeadOctets, 40))
        #expect(outcome(of: hint + hint + hint + Self.final, in: exchange).text == "hello")
    }

    @Test("no final response behind them is an error")
    func cut() {
        let outcome = outcome(of: "HTTP/1.1 100 Continue\r\n\r\n")
        #expect(outcome.error == WireError(.headCut, at: 25))
        #expect(outcome.interim.count == 1 && outcome.hasReceivedOctets)
    }

    @Test("offsets of errors count the interim responses")
    func offsets() {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx"
        #expect(outcome(of: text).error == WireError(.invalidChunkSize(0x78), at: 72))
        #expect(outcome(of: "HTTP/1.1 100 Continue\r\n\r\n\r\n").error == WireError(.notHTTP(0x0D), at: 25))
    }
}

@Suite("Switching protocols and tunnels (RFC 9110, sections 7.8 and 9.3.6)")
struct TunnelTests {
    @Test("101 is refused unless it was offered")
    func upgrade() {
        let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
        #expect(outcome(of: head).error == WireError(.unexpectedUpgrade, at: UInt64(head.utf8.count)))
        let offered = outcome(of: head, in: Exchange(method: .get, offersUpgrade: true))
        #expect(offered.response?.status == .switchingProtocols)
        #expect(offered.trailers != nil && offered.verdict == .upgraded)
    }

    @Test("a successful CONNECT ends with its head", arguments: [200, 204, 299])
    func connect(code: Int) {
        let head = "HTTP/1.1 \(code) x\r\nTransfer-Encoding: chunked\r\nContent-Length: x\r\n\r\n"
        let outcome = outcome(of: head, in: Exchange(method: .connect))
        #expect(outcome.error == nil)
        #expect(outcome.framing == ContentFraming.none && outcome.verdict == .tunnel)
    }
}

@Suite("HTTP/0.9 responses (RFC 9112, appendix C.1)")
struct HTTP09Tests {
    let exchange = Exchange(method: .get, leniency: .with(\.allowsHTTP09, true))

    @Test(
        "all octets are content, however they are cut",
        arguments: [
            "hello\n", "H", "HT", "HTTP", "HTTPS is not HTTP", "HTT\r\n\r\n", "\r\nHTTP/1.1 200 OK\r\n\r\n",
        ])
    func content(text: String) {
        guard !"HTTP/".hasPrefix(text) else {
            #expect(outcome(of: text, in: exchange).error == WireError(.headCut, at: UInt64(text.utf8.count)))
            return
        }
        let outcome = outcome(of: text, in: exchange)
        #expect(outcome.response?.version == .http09)
        #expect(outcome.text == text)
        #expect(outcome.framing == .untilClose && outcome.verdict == .contentEndsWithConnection)
    }

    @Test("what begins as a status line has to be one")
    func statusLine() {
        #expect(outcome(of: "HTTP/x", in: exchange).reason == .headCut)
        #expect(outcome(of: "HTTP/x\n", in: exchange).reason == .invalidStatusLine(0x78))
        #expect(outcome(of: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", in: exchange).text == "a")
    }

    @Test("not behind an interim response, and not for HEAD")
    func notEverywhere() {
        #expect(outcome(of: "HTTP/1.1 100 x\r\n\r\nhello", in: exchange).reason == .notHTTP(0x68))
        let head = Exchange(method: .head, leniency: .with(\.allowsHTTP09, true))
        #expect(outcome(of: "hello", in: head).reason == .notHTTP(0x68))
    }

    @Test("nothing at all is no response either")
    func empty() { #expect(outcome(of: "", in: exchange).reason == .emptyReply) }
}

@Suite("Incomplete messages (RFC 9112, section 8)")
struct IncompleteMessageTests {
    @Test("nothing at all is told from a head cut")
    func emptyReply() {
        let empty = outcome(of: "")
        #expect(empty.error == WireError(.emptyReply, at: 0))
        #expect(!empty.hasReceivedOctets)
    }

    @Test(
        "a head that is cut is an error",
        arguments: ["H", "HTTP/", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n\r"])
    func headCut(text: String) {
        let outcome = outcome(of: text)
        #expect(outcome.error == WireError(.headCut, at: UInt64(text.utf8.count)))
        #expect(outcome.hasReceivedOctets)
    }

    @Test("content short of its length is an error that counts what is missing")
    func contentCut() {  // cl-short-read
        let outcome = outcome(of: "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhello")
        #expect(outcome.error == WireError(.contentCut(missing: 15), at: 44))
        #expect(outcome.text == "hello")
    }

    @Test("a complete response stays complete")
    func complete() throws {
        let input = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)
        var exchange = Exchange(method: .get)
        var offset = 0
        while offset < input.count { _ = try exchange.nextEvent(in: input.span, at: &offset) }
        guard case .end = try exchange.receiveEndOfStream() else { return #expect(Bool(false), "no end") }
        #expect(exchange.reuseVerdict(unreadOctets: 0) == .connectionEnded)
    }
}

@Suite("Exchange")
struct ExchangeTests {
    @Test("behind the end, every call returns the end and uses nothing")
    func staysEnded() throws {
        let input = Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n\r\n".utf8)
        var exchange = Exchange(method: .get)
        var offset = 0
        for _ in 0..<5 { _ = try exchange.nextEvent(in: input.span, at: &offset) }
        guard case .end = try exchange.nextEvent(in: input.span, at: &offset) else {
            return #expect(Bool(false), "no end")
        }
        #expect(offset == 39)
        #expect(exchange.reuseVerdict(unreadOctets: input.count - offset) == .unexpectedOctets(19))
    }

    @Test("content moved outside counts towards a declared length")
    func skipsDeclared() throws {
        let input = Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello".utf8)
        var exchange = Exchange(method: .get)
        var offset = 0
        #expect(exchange.skippableContent == 0 && exchange.framing == nil)
        while offset < input.count { _ = try exchange.nextEvent(in: input.span, at: &offset) }
        #expect(exchange.skippableContent == 95)
        exchange.skipContent(90)
        #expect(exchange.skippableContent == 5 && exchange.contentReceived == 95)
        #expect(throws: WireError(.contentCut(missing: 5), at: 135)) { try exchange.receiveEndOfStream() }
    }

    @Test("skipping all of it leaves the end")
    func skipsAll() throws {
        let input = Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n".utf8)
        var exchange = Exchange(method: .get)
        var offset = 0
        _ = try exchange.nextEvent(in: input.span, at: &offset)
        exchange.skipContent(100)
        guard case .end = try exchange.nextEvent(in: input.span, at: &offset) else {
            return #expect(Bool(false), "no end")
        }
        #expect(exchange.skippableContent == 0 && exchange.reuseVerdict(unreadOctets: 0) == .reusable)
    }

    @Test("content until close can be moved outside without limit, and never traps")
    func skipsUntilClose() throws {
        let input = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
        var exchange = Exchange(method: .get)
        var offset = 0
        _ = try exchange.nextEvent(in: input.span, at: &offset)
        #expect(exchange.skippableContent == .max)
        exchange.skipContent(.max)
        exchange.skipContent(.max)
        #expect(exchange.contentReceived == .max)
        guard case .end = try exchange.receiveEndOfStream() else { return #expect(Bool(false), "no end") }
    }

    @Test("skipping more than there is traps")
    func skipsTooMuch() async {
        await #expect(processExitsWith: .failure) {
            var exchange = Exchange(method: .get)
            exchange.skipContent(1)
        }
    }

    @Test("chunked content cannot be moved outside")
    func chunkedStays() throws {
        let input = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel".utf8)
        var exchange = Exchange(method: .get)
        var offset = 0
        while offset < input.count { _ = try exchange.nextEvent(in: input.span, at: &offset) }
        #expect(exchange.skippableContent == 0 && exchange.contentReceived == 3)
    }
}

@Suite("The body as it stands on the wire (RFC 9112, section 6)")
struct BodyTests {
    private let raw = Exchange(method: .get, deliversBody: true)

    @Test(
        "keeps the transfer coding",
        arguments: ["0\r\n\r\n", "5;a=b\r\nhello\r\n0\r\nT: v\r\n\r\n", "1\r\nx\r\n00\r\n\r\n"])
    func chunked(body: String) {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let result = outcome(of: Array((head + body).utf8), in: raw)
        #expect(result.text == body && result.error == nil)
        #expect(result.verdict == .reusable)
    }

    @Test("is still checked for its framing")
    func broken() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(
            outcome(of: Array((head + "5\r\nhello0\r\n\r\n").utf8), in: raw).reason
                == .chunkDataNotEnded(0x30))
    }

    @Test("is the content where nothing is coded")
    func plain() {
        let result = outcome(of: Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8), in: raw)
        #expect(result.text == "hello")
    }

    @Test(
        "a length that is ignored, valid or not, leaves the end to the connection",
        arguments: ["3", "x", "3, 4"])
    func ignoredLength(value: String) {
        var leniency = Leniency()
        leniency.ignoresContentLength = true
        let octets = Array("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello".utf8)
        let result = outcome(of: octets, in: Exchange(method: .get, leniency: leniency))
        #expect(result.text == "hello" && result.framing == .untilClose)
        #expect(result.verdict == .contentEndsWithConnection)
        #expect(outcome(of: octets).text != "hello")
    }
}
