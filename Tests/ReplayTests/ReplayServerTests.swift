import Glibc
import Replay
import Testing

private let get = "GET /file HTTP/1.1\r\nHost: x\r\n\r\n"
private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

private func started(
    _ script: Script, address: ReplayServer.Address = .ipv4Loopback, patience: Duration = .seconds(5)
) throws -> ReplayServer {
    let server = try ReplayServer(script, address: address, patience: patience)
    try server.start()
    return server
}

@Suite("The replay server")
struct ReplayServerTests {
    @Test("answers and records on every kind of address", arguments: ["4", "6", "unix"])
    func answersAndRecords(kind: String) throws {
        let address: ReplayServer.Address =
            switch kind {
            case "4": .ipv4Loopback
            case "6": .ipv6Loopback
            default: .unix("/tmp/replay-test-\(getpid()).sock")
            }
        let server = try started(
            Script([.init([.expectHead, .send(answer), .close])]), address: address)
        let client = try #require(PlainClient(server))
        client.send(get)
        #expect(client.receiveText(1000) == answer)
        #expect(server.requests.map(\.headText) == [get])
        #expect(server.requests.first?.connection == 0)
        server.stop()
        if case .unix(let path) = address { #expect(access(path, F_OK) != 0) }
    }

    @Test("plays connections in order of acceptance, then the script for others")
    func playsConnectionsInOrder() throws {
        let server = try started(
            Script([.init([.send("first")]), .init([.send("second")])], others: .init([.send("other")])))
        for expected in ["first", "second", "other", "other"] {
            let client = try #require(PlainClient(server))
            #expect(client.receiveText(100) == expected)
        }
        #expect(server.connectionCount == 4)
    }

    @Test("serves request after request on a repeating connection")
    func repeats() throws {
        let server = try started(Script(everyConnection: .answering(Array(answer.utf8))))
        let client = try #require(PlainClient(server))
        for _ in 0..<3 {
            client.send(get)
            #expect(client.receiveText(answer.utf8.count) == answer)
        }
        client.send(get + get)  // the second head waits in the input while the first is answered
        #expect(client.receiveText(answer.utf8.count * 2) == answer + answer)
        #expect(server.connectionCount == 1)
        #expect(server.requests.count == 5)
    }

    @Test("records content by length, by chunks and by count")
    func recordsContent() throws {
        let steps: [Script.Step] = [
            .expectHead, .expectContent(.declared), .expectHead, .expectContent(.declared), .expectHead,
            .expectContent(.octets(3)), .send("done"),
        ]
        let server = try started(Script([.init(steps)]))
        let client = try #require(PlainClient(server))
        client.send("PUT /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello")
        let chunks = "4;x=y\r\nabcd\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
        client.send("PUT /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)")
        client.send("PUT /c HTTP/1.1\r\n\r\nxyz")
        #expect(client.receiveText(4) == "done")
        #expect(
            server.requests.map { String(decoding: $0.content, as: UTF8.self) } == [
                "hello", "abcd0123456789", "xyz",
            ])
        #expect(server.requests[1].body == Array(chunks.utf8))
        #expect(server.complaints.isEmpty)
    }

    @Test("sends repeated and generated octets whole", arguments: [Int.max, 1000])
    func sendsMuch(piece: Int) throws {
        let server = try started(
            Script([
                .init([
                    .pieces(of: piece), .sendRepeated(Array("abc".utf8), times: 100_000),
                    .sendGenerated(seed: 5, range: 3..<700_000),
                ])
            ]))
        let client = try #require(PlainClient(server))
        let repeated = client.receive(300_000)
        #expect(repeated == Array(String(repeating: "abc", count: 100_000).utf8))
        let generated = client.receive(1_000_000)
        #expect(generated.count == 699_997)
        #expect(GeneratedContent(seed: 5).matches(generated, at: 3))
    }

    @Test("ends a connection in order, by reset or by half") func ends() throws {
        let server = try started(
            Script([
                .init([.expectHead, .send("a"), .close]), .init([.expectHead, .reset]),
                .init([.expectHead, .halfClose, .expectContent(.octets(3))]),
            ]))
        let inOrder = try #require(PlainClient(server))
        inOrder.send(get)
        #expect(inOrder.receiveEnd() == 0)
        let byReset = try #require(PlainClient(server))
        byReset.send(get)
        #expect(byReset.receiveEnd() == ECONNRESET)
        let byHalf = try #require(PlainClient(server))
        byHalf.send(get)
        #expect(byHalf.receiveEnd() == 0)
        byHalf.send("xyz")
        byHalf.close()
        #expect(server.waitForConnectionsToEnd(3))
        #expect(server.requests.last?.content == Array("xyz".utf8))
    }

    @Test("closing behind octets nobody expected is no reset") func closesBehindUnreadOctets() throws {
        let server = try started(
            Script([.init([.expectHead, .pause(.milliseconds(20)), .send("a"), .close])]))
        let client = try #require(PlainClient(server))
        client.send(get + "unasked")
        #expect(client.receiveText(10) == "a")
        #expect(client.receiveEnd() == 0)
    }

    @Test("keeps complaints of checks and of heads cut short") func complains() throws {
        let server = try started(
            Script([
                .init([.expectHead, .check { $0.target == "/other" ? nil : "target is \($0.target)" }]),
                .init([.expectHead]),
            ]))
        let first = try #require(PlainClient(server))
        first.send(get)
        #expect(first.receiveEnd() == 0)
        let second = try #require(PlainClient(server))
        second.send("GET /")
        second.close()
        #expect(server.waitForConnectionsToEnd(2))
        #expect(
            server.complaints == [
                "connection 0: target is /file", "connection 1: a head ended after 5 octets",
            ])
    }

    @Test("a handler answers by what was asked") func handlerAnswers() throws {
        let content = GeneratedContent(seed: 1)
        let server = try ReplayServer { request in
            let range = request.range(of: 1000) ?? 0..<1000
            return [
                .send("HTTP/1.1 206 X\r\nContent-Length: \(range.count)\r\n\r\n"),
                .sendGenerated(seed: 1, range: range),
            ]
        }
        try server.start()
        let client = try #require(PlainClient(server))
        for range in [0..<10, 500..<1000] as [Range<UInt64>] {
            client.send("GET / HTTP/1.1\r\nRange: bytes=\(range.lowerBound)-\(range.upperBound - 1)\r\n\r\n")
            let head = "HTTP/1.1 206 X\r\nContent-Length: \(range.count)\r\n\r\n"
            #expect(client.receiveText(head.utf8.count) == head)
            #expect(client.receive(range.count) == content.octets(in: range))
        }
        client.send("PUT / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(client.receiveText(25) == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("ok")
        #expect(client.receive(1).count == 1)
        #expect(server.requests.last?.content == Array("ok".utf8))
    }
}

@Suite("Stopping a replay server")
struct ReplayServerStopTests {
    @Test("ends whatever is under way at once")
    func stopsAtOnce() throws {
        let steps: [[Script.Step]] = [
            [.stall], [.pause(.seconds(100))], [.expectHead], [.sendRepeated([0], times: 1 << 32)],
        ]
        let server = try started(Script(steps.map { .init($0) }), patience: .seconds(100))
        let clients = try steps.map { _ in try #require(PlainClient(server)) }
        #expect(server.waitForConnections(4))
        let clock = ContinuousClock()
        let took = clock.measure { server.stop() }
        #expect(took < .seconds(2))
        server.stop()
        #expect(clients.count == 4)
        #expect(server.openConnectionCount == 0)
    }

    @Test("closes every descriptor, started or not") func leaksNothing() throws {
        let before = descriptorCount()
        for isStarted in (0..<60).map({ $0 % 3 != 0 }) {
            let server = try ReplayServer(Script([.init([.stall])]))
            if isStarted { try server.start() }
            let client = try #require(PlainClient(server))
            if isStarted { #expect(server.waitForConnections(1)) }
            client.close()
        }
        // Other tests of this process open and close sockets meanwhile; a leak of one each would be 60.
        #expect(descriptorCount() < before + 60)
    }

    @Test("a stall ends when the peer closes, even behind octets not read") func stallEnds() throws {
        let server = try started(Script([.init([.stall])]))
        let client = try #require(PlainClient(server))
        client.send(get)
        client.close()
        #expect(server.waitForConnectionsToEnd(1))
    }

    @Test("is idle once all who connected have been served and have gone") func becomesIdle() throws {
        let server = try started(Script(everyConnection: .init([.expectHead, .stall])))
        let first = try #require(PlainClient(server))
        #expect(!server.waitUntilIdle(within: .milliseconds(20)))
        first.send(get)
        first.close()
        let second = try #require(PlainClient(server))
        second.send(get)
        second.close()
        #expect(server.waitUntilIdle())
        #expect(server.requests.count == 2)
    }

    @Test("a silent peer is given up after the patience") func patienceEnds() throws {
        let server = try started(Script([.init([.expectHead])]), patience: .milliseconds(20))
        let client = try #require(PlainClient(server))
        #expect(client.receiveEnd() == 0)
    }

    @Test("a path too long for a Unix socket is refused") func longPathIsRefused() {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        #expect(throws: ReplayError(call: "bind", errno: ENAMETOOLONG)) {
            try ReplayServer(Script(), address: .unix(path))
        }
    }

    @Test("waiting for requests ends at its limit") func waitEnds() throws {
        let server = try started(Script(everyConnection: .answering([])))
        #expect(!server.waitForRequests(1, within: .milliseconds(10)))
        let client = try #require(PlainClient(server))
        client.send(get)
        #expect(server.waitForRequests(1))
    }

    private func descriptorCount() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    @Test("an error is told in words")
    func errorText() {
        #expect("\(ReplayError(call: "bind", errno: EADDRINUSE))" == "bind: Address already in use")
        #expect("\(ReplayError(call: "SSL_new", errno: 0, detail: "no memory"))" == "SSL_new: no memory")
        #expect(
            "\(ReplayError(call: "inet_pton", errno: EINVAL, detail: "::z"))"
                == "inet_pton: Invalid argument (::z)")
        #expect("\(ReplayError(call: "d2i_X509", errno: 0))" == "d2i_X509 failed")
    }
}
