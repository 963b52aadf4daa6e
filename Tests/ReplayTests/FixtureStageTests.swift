import Glibc
import Replay
import Testing

@Suite("Steps of a fixture that is played")
struct FixtureStepTests {
    @Test("requests are counted and answered, by server and run")
    func answers() throws {
        let stage = try staged([
            connection(
                asks(1, "GET /a HTTP/1.1", "Host: x"), says(3, answerText()), asks(4, "GET /b HTTP/1.1"),
                says(5, answerText("ho")))
        ])
        let client = try stage.connect()
        for (target, content) in [("/a", "hi"), ("/b", "ho")] {
            client.send(requestText(target))
            #expect(client.receiveText(40) == answerText(content))
        }
        client.close()
        let record = stage.ended()
        #expect(record.texts == [])
        #expect(record.connections == [1])
        #expect(record.requests == [2])
    }

    @Test("exact heads are taken octet for octet, with octets of a next one behind")
    func exactHeads() throws {
        let stage = try staged([
            connection(
                asksExactly(1, "GET /a HTTP/1.1", "Host: x"), asksExactly(4, "GET /b HTTP/1.1"),
                says(6, "done"),
                at(7, .close))
        ])
        let client = try stage.connect()
        client.send(requestText("/a") + "GET /b HTTP/1.1\r\n\r\n")
        #expect(client.receiveText(100) == "done")
        #expect(stage.ended().texts == [])
    }

    @Test("every kind of sending brings its octets, adjacent ones in one piece")
    func sends() throws {
        let stage = try staged([
            connection(
                asks(1, "GET / HTTP/1.1"), at(2, .sendLine(Array("HTTP/1.1 200 OK".utf8))),
                at(3, .sendText(Array("A: b\n".utf8))), at(4, .sendLine([])),
                at(5, .send(.joined([.text("con"), .repeated(.text("te"), times: 2)]))), at(6, .close))
        ])
        let client = try stage.connect()
        client.send(requestText())
        var octets = [UInt8](repeating: 0, count: 1000)
        let whole = "HTTP/1.1 200 OK\r\nA: b\n\r\ncontete"
        #expect(recv(client.socket, &octets, octets.count, 0) == whole.utf8.count)
        #expect(client.receiveEnd() == 0)
        #expect(stage.ended().texts == [])
    }

    @Test("much content is streamed")
    func sendsMuch() throws {
        let stage = try staged([
            connection(
                asks(1, "GET / HTTP/1.1"), at(2, .send(.generated(count: 3_000_001, seed: 9))), at(3, .close))
        ])
        let client = try stage.connect()
        client.send(requestText())
        #expect(GeneratedContent(seed: 9).matches(client.receive(4_000_000)))
        #expect(stage.ended().texts == [])
    }

    @Test("pieces are handed over one by one until they are whole again")
    func pieces() throws {
        let stage = try staged([
            connection(
                at(1, .pieces(2)), says(2, "abcde"), at(3, .pieces(nil)), says(4, "fgh"), at(5, .close))
        ])
        #expect(try stage.connect().receiveText(10) == "abcdefgh")
        #expect(stage.ended().texts == [])
    }

    @Test("content is judged without its transfer coding", arguments: ["length", "chunked", "none"])
    func content(framing: String) throws {
        let stage = try staged([
            connection(
                asks(1, "~PUT / *"), at(2, .requestContent(.text(framing == "none" ? "" : "hello, world"))),
                says(3, "ok"),
                asks(4, "GET / HTTP/1.1"), at(5, .close))
        ])
        let client = try stage.connect()
        switch framing {
        case "length": client.send("PUT / HTTP/1.1\r\nContent-Length: 12\r\n\r\nhello, world")
        case "chunked":
            client.send(
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n007\r\n, world\r\n0\r\nT: 1\r\n\r\n"
            )
        default: client.send("PUT / HTTP/1.1\r\n\r\n")
        }
        #expect(client.receiveText(2) == "ok")
        client.send(requestText())
        #expect(client.receiveEnd() == 0)
        #expect(stage.ended().texts == [])
    }

    @Test("much content is judged as it comes, in one-octet chunks too")
    func muchContent() throws {
        let stage = try staged([
            connection(
                asks(1, "~PUT *"), at(2, .requestContent(.generated(count: 1_000_000, seed: 4))),
                asks(3, "~PUT *"),
                at(4, .requestContent(.generated(count: 20_000, seed: 5))), says(5, "ok"), at(6, .close))
        ])
        let client = try stage.connect()
        client.send("PUT / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n")
        client.send(GeneratedContent(seed: 4).octets(1_000_000))
        client.send("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        client.send(
            GeneratedContent(seed: 5).octets(20_000).flatMap { [0x31, 0x0D, 0x0A, $0, 0x0D, 0x0A] }
                + Array("0\r\n\r\n".utf8))
        #expect(client.receiveText(2) == "ok")
        #expect(stage.ended().texts == [])
    }

    @Test("the body is judged as it comes")
    func body() throws {
        let stage = try staged([
            connection(
                asks(1, "~PUT *"), at(2, .requestBody(.text("5\r\nhello\r\n"))), says(3, "more"),
                at(4, .requestBody(.text("0\r\n\r\n"))), says(5, "ok"), at(6, .close))
        ])
        let client = try stage.connect()
        client.send("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel")
        client.send("lo\r\n")
        #expect(client.receiveText(4) == "more")
        client.send("0\r\n\r\n")
        #expect(client.receiveText(2) == "ok")
        #expect(stage.ended().texts == [])
    }

    @Test("a half-closed connection still reads")
    func halfClose() throws {
        let stage = try staged([
            connection(
                asks(1, "GET /1 HTTP/1.1"), says(2, "ok"), at(3, .halfClose), asks(4, "GET /2 HTTP/1.1"))
        ])
        let client = try stage.connect()
        client.send(requestText("/1"))
        #expect(client.receiveText(100) == "ok")
        client.send(requestText("/2"))
        client.close()
        let record = stage.ended()
        #expect(record.texts == [])
        #expect(record.requests == [2])
    }

    @Test("a reset is one")
    func reset() throws {
        let stage = try staged([connection(asks(1, "GET / HTTP/1.1"), says(2, "ok"), at(3, .reset))])
        let client = try stage.connect()
        client.send(requestText())
        #expect(client.receiveEnd() == ECONNRESET)
        #expect(stage.ended().texts == [])
    }

    @Test("a stalled connection ends with the client, a waiting one when the client closes")
    func stallsAndWaits() throws {
        let stage = try staged(
            [connection(asks(1, "GET / HTTP/1.1"), says(2, "ok"), at(3, .stall))],
            [connection(asks(4, "GET / HTTP/1.1"), says(5, "ok"), at(6, .awaitClose))])
        for run in 0..<2 {
            stage.begin(run: run)
            let client = try stage.connect()
            client.send(requestText())
            #expect(client.receiveText(2) == "ok")
            #expect(!stage.isIdle)
            client.close()
            #expect(stage.ended(run: run).texts == [])
        }
    }

    @Test("what is not looked at may be anything, at any time", arguments: [true, false])
    func unread(closes: Bool) throws {
        let stage = try staged([
            connection(
                asks(1, "~PUT *"), at(2, .unread), says(3, "enough"), closes ? at(4, .close) : at(4, .unread))
        ])
        let client = try stage.connect()
        client.send("PUT / HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n")
        #expect(client.receiveText(6) == "enough")
        // No reset: the server takes it all.
        client.send([UInt8](repeating: 1, count: 3_000_000))
        client.endSending()
        #expect(client.receiveEnd() == 0)
        client.close()
        #expect(stage.ended().texts == [])
    }

    @Test("a pause ends early when the client has closed, and so does everything when the run ends")
    func pauses() throws {
        let stage = try staged(
            [connection(says(1, "a"), at(2, .pause(.seconds(60))), says(3, "b"))],
            [connection(says(4, "a"), at(5, .pause(.seconds(60))), says(6, "b"))])
        let start = ContinuousClock.now
        #expect(try stage.connect().receiveText(1) == "a")
        #expect(stage.ended().texts == [])
        stage.begin(run: 1)
        let client = try stage.connect()
        #expect(client.receiveText(1) == "a")
        #expect(stage.end(run: 1).texts == [])
        #expect(stage.isIdle)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("a pause lets its time pass")
    func pausesLong() throws {
        let stage = try staged([
            connection(says(1, "a"), at(2, .pause(.milliseconds(50))), says(3, "b"), at(4, .close))
        ])
        let client = try stage.connect()
        #expect(client.receiveText(1) == "a")
        let start = ContinuousClock.now
        #expect(client.receiveText(1) == "b")
        // The pause begins before its beginning is noticed here.
        #expect(ContinuousClock.now - start > .milliseconds(20))
        client.close()
        #expect(stage.ended().texts == [])
    }

    @Test("connections that meet wait for each other")
    func meets() throws {
        let stage = try staged([
            connection(asks(1, "GET /1 HTTP/1.1"), at(2, .meet("both")), says(3, "1"), at(4, .close)),
            connection(
                line: 5, asks(6, "GET /2 HTTP/1.1"), at(7, .meet("both")), says(8, "2"), at(9, .close)),
        ])
        let clients = [try stage.connect(), try stage.connect()]
        clients[0].send(requestText("/1"))
        // Nothing comes as long as the other is missing.
        var octet: UInt8 = 0
        var entry = pollfd(fd: clients[0].socket, events: Int16(POLLIN), revents: 0)
        #expect(poll(&entry, 1, 30) == 0)
        clients[1].send(requestText("/2"))
        #expect(clients.map { $0.receiveText(10) } == ["1", "2"])
        #expect(recv(clients[0].socket, &octet, 1, 0) == 0)
        #expect(stage.ended().texts == [])
    }

    @Test("an interruption is handed on when its step is reached")
    func interrupts() throws {
        let count = Counter()
        let stage = try staged(
            onInterrupt: { count.increment() },
            [
                connection(
                    asks(1, "GET / HTTP/1.1"), says(2, "part"), at(3, .interrupt), says(4, "end"),
                    at(5, .close))
            ])
        let client = try stage.connect()
        #expect(count.value == 0)
        client.send(requestText())
        #expect(client.receiveText(10) == "partend")
        #expect(count.value == 1)
        #expect(stage.ended().texts == [])
    }
}

@Suite("The servers of a fixture")
struct FixtureServersTests {
    @Test("runs follow each other on the same port, each with its scripts")
    func runsInTurn() throws {
        let stage = try staged(
            [connection(says(1, "one"), at(2, .close)), connection(says(3, "two"), at(4, .close))],
            [connection(line: 5, says(6, "three"), at(7, .close))])
        for text in ["one", "two"] { #expect(try stage.connect().receiveText(10) == text) }
        #expect(stage.ended() == .init(problems: [], connections: [2], requests: [0]))
        stage.begin(run: 1)
        #expect(try stage.connect().receiveText(10) == "three")
        #expect(stage.ended(run: 1) == .init(problems: [], connections: [1], requests: [0]))
        let port = stage.port
        stage.stop()
        #expect(PlainClient(port: port) == nil)
    }

    @Test("connections are told apart by their first request where the order does not matter")
    func anyOrder() throws {
        var server = Fixture.Server()
        server.takesAnyOrder = true
        let stage = try staged(
            servers: [server],
            [
                connection(asks(1, "GET /1 HTTP/1.1"), says(2, "1"), at(3, .close)),
                connection(line: 4, asks(4, "GET /2 HTTP/1.1", "A: x"), says(6, "2x"), at(7, .close)),
                connection(line: 8, asks(8, "GET /2 HTTP/1.1"), says(9, "2"), at(10, .close)),
            ])
        for (request, text) in [
            (requestText("/2"), "2"), (requestText("/1"), "1"), (requestText("/2", "A: x"), "2x"),
        ] {
            let client = try stage.connect()
            client.send(request)
            #expect(client.receiveText(10) == text)
        }
        #expect(stage.ended() == .init(problems: [], connections: [3], requests: [3]))
    }

    @Test("each server has its place, those with a port first")
    func places() throws {
        var second = Fixture.Server(host: "second.test")
        second.usesIPv6 = true
        var third = Fixture.Server(host: "fixture.test", port: 8080)
        third.earlierAddress = .refused
        var fourth = Fixture.Server(host: "fourth.test")
        fourth.reception = .refused
        var fifth = Fixture.Server(host: "fifth.test")
        (fifth.reception, fifth.earlierAddress) = (.silent, .silent)
        let stage = try staged(
            servers: [Fixture.Server(), second, third, fourth, fifth],
            [
                connection(to: 1, says(1, "six"), at(2, .close)),
                connection(to: 2, says(3, "three"), at(4, .close)),
            ])
        #expect(
            stage.places.map(\.host) == [
                "fixture.test", "fixture.test", "second.test", "fourth.test", "fifth.test",
            ])
        #expect(stage.places.map(\.port) == [8080, nil, nil, nil, nil])
        #expect(
            stage.places.map { $0.addresses.map(\.host) } == [
                ["127.0.0.1", "127.0.0.1"], ["127.0.0.1"], ["::1"], ["127.0.0.1"],
                ["127.0.0.1", "127.0.0.1"],
            ])
        #expect(stage.places[1].addresses[0].port == stage.port)
        let ports = stage.places.flatMap(\.addresses).map(\.port)
        #expect(Set(ports).count == 7)
        #expect(outcome(ports[0]) == ECONNREFUSED)
        #expect(PlainClient(port: ports[1])?.receiveText(10) == "three")
        #expect(PlainClient(port: ports[3], host: "::1")?.receiveText(10) == "six")
        #expect(outcome(ports[4]) == ECONNREFUSED)
        #expect(outcome(ports[5]) == EINPROGRESS)
        #expect(outcome(ports[6]) == EINPROGRESS)
        #expect(
            stage.ended() == .init(problems: [], connections: [0, 1, 1, 0, 0], requests: [0, 0, 0, 0, 0]))
    }

    /// What a connect that waits 50 ms comes to; EINPROGRESS: nothing.
    private func outcome(_ port: UInt16) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        name.sin_port = port.bigEndian
        let result = withUnsafeBytes(of: name) {
            connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard result != 0 else { return 0 }
        guard errno == EINPROGRESS else { return errno }
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 50) != 0 else { return EINPROGRESS }
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
        return error
    }
}
