import Glibc
import Replay
import TestSupport
import Testing

/// A service, started, and what it said.
private final class Serving {
    let service: FixtureService
    private let log = Log()

    init(_ fixtures: [(name: String, fixture: Fixture)], usesTLS: Bool? = nil, repeats: Bool = false) throws {
        let log = log
        service = try FixtureService(fixtures, usesTLS: usesTLS, repeats: repeats) { log.append($0) }
        try service.start()
    }

    convenience init(repeats: Bool = false, _ connections: Fixture.Connection...) throws {
        try self.init([("one.wire", fixture([connections]))], repeats: repeats)
    }

    var lines: [String] { log.lines }
    var url: String { "http://127.0.0.1:\(service.port)" }

    func connect() throws -> PlainClient { try #require(PlainClient(port: service.port)) }

    /// What one connection with one request brings.
    func answer(to request: String) throws -> String {
        let client = try connect()
        client.send(request)
        return client.receiveText(1000)
    }
}

/// Keeps lines that threads say.
private final class Log: @unchecked Sendable {
    // Safety: `kept` is touched under the lock alone.
    private var kept: [String] = []
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit { mutex.deallocate() }

    func append(_ line: String) {
        pthread_mutex_lock(mutex)
        kept.append(line)
        pthread_mutex_unlock(mutex)
    }

    var lines: [String] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return kept
    }
}

@Suite("Fixtures served to any client")
struct FixtureServiceTests {
    @Test("are played and told, until they are used up")
    func plays() throws {
        let serving = try Serving(
            connection(line: 3, asks(4, "GET /a HTTP/1.1"), says(5, "first"), at(6, .close)),
            connection(line: 7, asks(8, "GET /b HTTP/1.1"), says(9, "second"), at(10, .close)))
        #expect(!serving.service.isUsedUp)
        #expect(try serving.answer(to: requestText("/b")) == "second")
        #expect(!serving.service.waitUntilUsedUp(within: .zero))
        #expect(try serving.answer(to: requestText("/a")) == "first")
        #expect(serving.service.waitUntilUsedUp(within: .seconds(10)))
        #expect(serving.service.unmet == [])
        #expect(serving.service.unansweredCount == 0)
        // The end of one connection may be told behind the beginning of the next.
        for (number, lines) in [
            ["GET /b HTTP/1.1", "one.wire:7 answers", "28 octets came, 6 went; closed"],
            ["GET /a HTTP/1.1", "one.wire:3 answers", "28 octets came, 5 went; closed"],
        ].enumerated() {
            let start = "connection \(number + 1): "
            #expect(serving.lines.filter { $0.hasPrefix(start) } == lines.map { start + $0 })
        }
    }

    @Test("prefer what fits wholly, then the request line, and tell what is not met")
    func prefers() throws {
        let serving = try Serving(
            connection(line: 2, asks(2, "GET / HTTP/1.1", "A: b"), says(4, "with"), at(5, .close)),
            connection(line: 6, asks(6, "GET / HTTP/1.1"), says(7, "without"), at(8, .close)))
        #expect(try serving.answer(to: requestText()) == "without")
        #expect(try serving.answer(to: requestText()) == "with")
        #expect(serving.service.waitUntilUsedUp(within: .seconds(10)))
        #expect(serving.service.unmet.map(\.name) == ["one.wire"])
        #expect(serving.service.unmet.map(\.problem.line) == [3])
        #expect(
            serving.lines.contains {
                $0.hasPrefix(
                    "connection 2: one.wire:3: a field line is missing\nexpected: \"A: b\"\nthe head that came:"
                )
            })
    }

    @Test("take files in their order, one that has begun first")
    func ordersFiles() throws {
        func two(_ name: String) -> Fixture {
            fixture([
                [connection(asks(1, "GET /\(name) HTTP/1.1"), says(2, name), at(3, .close))],
                [connection(asks(4, "GET /same HTTP/1.1"), says(5, "\(name) same"), at(6, .close))],
            ])
        }
        let serving = try Serving([("a.wire", two("a")), ("b.wire", two("b"))])
        #expect(try serving.answer(to: requestText("/b")) == "b")
        #expect(try serving.answer(to: requestText("/same")) == "b same")
        #expect(try serving.answer(to: requestText("/same")) == "a same")
        #expect(try serving.answer(to: requestText("/a")) == "a")
        #expect(serving.service.waitUntilUsedUp(within: .seconds(10)))
    }

    @Test("answer with 404 and a reason where none fits, with octets that harm no terminal")
    func refuses() async throws {
        let serving = try Serving(connection(asks(1, "GET /a HTTP/1.1"), says(2, "x"), at(3, .close)))
        let answer = try serving.answer(to: "POST /\u{1B}[2J HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello")
        let text =
            "no fixture has a connection left that begins with this request: POST /\\e[2J HTTP/1.1; GET /a is expected"
        #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nrawget serve: \(text)\n"))
        #expect(answer.contains("Content-Length: \("rawget serve: \(text)\n".utf8.count)\r\n"))
        #expect(try serving.answer(to: "HEAD / HTTP/1.1\r\n\r\n").hasSuffix("\r\n\r\n"))
        #expect(try serving.answer(to: requestText("/a")) == "x")
        let said = await run("curl", ["-sS", "\(serving.url)/a"])
        #expect(said.text.hasPrefix("rawget serve: no fixture"))
        let silent = try serving.connect()
        silent.send("GET")
        silent.endSending()
        #expect(silent.receiveEnd() == 0)
        #expect(serving.service.waitUntilUsedUp(within: .seconds(10)))
        #expect(serving.service.unansweredCount == 4)
        #expect(serving.lines.contains("connection 1: POST /\\e[2J HTTP/1.1"))
        #expect(
            serving.lines.contains(
                "connection 1: no fixture has a connection left that begins so; GET /a is expected"))
        #expect(
            serving.lines.contains(
                "connection 4: no fixture has a connection left that begins so; none is left"))
        #expect(serving.lines.contains("connection 5: no request came, but \"GET\""))
        #expect(!serving.lines.contains { $0.contains("\u{1B}") })
    }

    @Test("come in turn where they begin without a request, but only of one file")
    func withoutRequests() throws {
        let connections = [
            connection(line: 1, says(2, "hello"), at(3, .close)),
            connection(line: 4, asks(5, "GET / HTTP/1.1"), says(6, "x"), at(7, .close)),
            connection(line: 8, at(9, .reset)),
        ]
        let alone = try Serving([("one.wire", fixture([connections]))])
        #expect(try alone.connect().receiveText(100) == "hello")
        #expect(try alone.answer(to: requestText()) == "x")
        #expect(try alone.connect().receiveEnd() == ECONNRESET)
        #expect(alone.service.waitUntilUsedUp(within: .seconds(10)))
        let together = try Serving([("one.wire", fixture([connections])), ("two.wire", fixture([[]]))])
        #expect(try together.answer(to: requestText()) == "x")
        #expect(together.service.waitUntilUsedUp(within: .seconds(10)))
    }

    @Test("begin anew when they are used up, where they repeat")
    func repeats() throws {
        let serving = try Serving(
            repeats: true, connection(line: 1, asks(1, "GET / HTTP/1.1"), says(2, "one"), at(3, .close)),
            connection(line: 4, asks(4, "GET / HTTP/1.1"), says(5, "two"), at(6, .close)))
        for text in ["one", "two", "one", "two", "one"] {
            #expect(try serving.answer(to: requestText()) == text)
        }
        #expect(!serving.service.isUsedUp)
        #expect(serving.service.unansweredCount == 0)
    }

    @Test("meet within a file, and again when it repeats")
    func meets() throws {
        let serving = try Serving(
            repeats: true,
            connection(asks(1, "GET /1 HTTP/1.1"), at(2, .meet("m")), says(3, "1"), at(4, .close)),
            connection(asks(5, "GET /2 HTTP/1.1"), at(6, .meet("m")), says(7, "2"), at(8, .close)))
        for _ in 0..<2 {
            let (one, two) = (try serving.connect(), try serving.connect())
            one.send(requestText("/1"))
            var entry = pollfd(fd: one.socket, events: Int16(POLLIN), revents: 0)
            #expect(poll(&entry, 1, 20) == 0)
            two.send(requestText("/2"))
            #expect(one.receiveText(10) == "1")
            #expect(two.receiveText(10) == "2")
        }
    }

    @Test("tell of clients that do not finish")
    func unfinished() throws {
        let serving = try Serving(
            connection(line: 1, asks(2, "GET / HTTP/1.1"), says(3, "x"), asks(4, "GET /2 HTTP/1.1")))
        let client = try serving.connect()
        client.send(requestText())
        #expect(client.receiveText(1) == "x")
        client.close()
        #expect(serving.service.waitUntilUsedUp(within: .seconds(10)))
        let message = "the client closed the connection; this request was still expected"
        #expect(serving.service.unmet.map(\.problem) == [FixtureProblem(line: 4, message)])
        #expect(
            serving.lines.last == "connection 1: 27 octets came, 1 went; the client closed the connection")
    }

    @Test("stop at once, with what is open")
    func stops() throws {
        let serving = try Serving(connection(asks(1, "GET / HTTP/1.1")))
        let client = try serving.connect()
        let start = ContinuousClock.now
        serving.service.stop()
        #expect(client.receiveEnd() != EAGAIN)
        #expect(ContinuousClock.now - start < .seconds(4))
    }

    @Test("listen at the port that was asked for, again and again")
    func ports() throws {
        let served = [
            ("one.wire", fixture([[connection(asks(1, "GET / HTTP/1.1"), says(2, "x"), at(3, .close))]]))
        ]
        let port = try FixtureService(served) { _ in }.port
        for _ in 0..<2 {
            let service = try FixtureService(served, port: port) { _ in }
            #expect(service.port == port)
            #expect(throws: ReplayError(call: "bind", errno: EADDRINUSE)) {
                try FixtureService(served, port: port) { _ in }
            }
            try service.start()
            let client = try #require(PlainClient(port: port))
            client.send(requestText())
            #expect(client.receiveText(10) == "x")
            // The server closed first: its connection stays behind for a minute (RFC 9293, section 3.6.1).
            service.stop()
        }
    }
}

@Suite("Fixtures served over TLS")
struct SecureFixtureServiceTests {
    private func curl(_ serving: Serving, _ url: String, _ arguments: [String] = []) async -> Said {
        let folder = TemporaryFolder()
        folder.write(serving.service.authorityPEM, to: "ca.pem")
        let said = await run(
            "curl",
            [
                "-sS", "--noproxy", "*", "--cacert", folder.path(of: "ca.pem"), "--resolve",
                "fixture.test:\(serving.service.port):127.0.0.1",
            ]
                + arguments + [url])
        return said
    }

    private func served(_ servers: [Fixture.Server]) -> [(name: String, fixture: Fixture)] {
        [
            (
                "one.wire",
                fixture(
                    servers: servers,
                    [
                        (1...3).map {
                            connection(
                                line: $0, asks($0, "GET /\($0) HTTP/1.1"), says($0, answerText("n\($0)")),
                                at($0, .close))
                        }
                    ])
            )
        ]
    }

    @Test("have a good certificate for every name that leads here, when TLS is asked for")
    func good() async throws {
        var server = Fixture.Server()
        server.tls = Fixture.TLS(.expired)
        let serving = try Serving(served([server]), usesTLS: true)
        #expect(serving.service.usesTLS == true)
        let port = serving.service.port
        for (number, host) in ["localhost", "127.0.0.1", "fixture.test"].enumerated() {
            #expect(
                await curl(serving, "https://\(host):\(port)/\(number + 1)", ["-4"]).text == "n\(number + 1)")
        }
        #expect(serving.service.waitUntilUsedUp(within: .seconds(10)))
    }

    @Test("speak TLS as they say themselves, when nothing is asked for")
    func own() async throws {
        var server = Fixture.Server()
        server.tls = Fixture.TLS(.expired)
        let expired = try Serving([("one.wire", fixture(servers: [server], [[connection(line: 7)]]))])
        let said = await curl(expired, "https://fixture.test:\(expired.service.port)/1")
        #expect(said.text.contains("certificate has expired"), "\(said.text)")
        #expect(expired.service.waitUntilUsedUp(within: .seconds(10)))
        #expect(expired.lines.contains("connection 1: that was one.wire:7"))
        #expect(expired.service.unansweredCount == 0)
        let plain = try Serving(served([Fixture.Server()]))
        #expect(plain.service.usesTLS == false)
        #expect(await curl(plain, "\(plain.url)/1").text == "n1")
    }

    @Test("tell by the first octet where both kinds of server are declared")
    func mixed() async throws {
        var server = Fixture.Server(host: "fixture.test", port: 443)
        server.tls = Fixture.TLS()
        let serving = try Serving(served([Fixture.Server(), server]))
        #expect(serving.service.usesTLS == nil)
        #expect(await curl(serving, "\(serving.url)/1").text == "n1")
        #expect(await curl(serving, "https://fixture.test:\(serving.service.port)/2").text == "n2")
        let plain = try Serving(served([Fixture.Server(), server]), usesTLS: false)
        #expect(await curl(plain, "\(plain.url)/1").text == "n1")
    }

    @Test("count a failed handshake that no fixture is about")
    func failed() async throws {
        let serving = try Serving(served([Fixture.Server()]), usesTLS: true)
        #expect(await curl(serving, "\(serving.url)/1").text.contains("curl: ("))
        #expect(holdsSoon { serving.service.unansweredCount == 1 })
        #expect(serving.lines.contains { $0.hasPrefix("connection 1: TLS did not begin: ") })
    }
}
