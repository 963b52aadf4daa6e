import Glibc
import Replay
import Testing

/// Servers of which one takes requests on any connection.
private func server() -> Fixture.Server {
    var server = Fixture.Server()
    server.takesAnyConnection = true
    return server
}

/// A stage whose one server takes requests on any connection.
private func anyStage(
    onInterrupt: @escaping @Sendable () -> Void = {}, _ connections: Fixture.Connection...
) throws -> FixtureStage {
    try staged(servers: [server()], onInterrupt: onInterrupt, connections)
}

/// An exchange: a request for a target, and an answer with the target as its content.
private func exchange(_ line: Int, _ target: String) -> [Fixture.Located<Fixture.Step>] {
    [asks(line, "GET \(target) HTTP/1.1"), says(line + 1, answerText(target))]
}

@Suite("Requests that may come on any connection")
struct FixtureAnyConnectionTests {
    /// All orders of four targets.
    private static let orders: [[String]] = {
        var orders: [[String]] = [[]]
        for target in ["/1", "/2", "/3", "/4"] {
            orders = orders.flatMap { order in
                (0...order.count).map { Array(order[..<$0]) + [target] + Array(order[$0...]) }
            }
        }
        return orders
    }()

    @Test("neither the order of requests nor the number of connections matters", arguments: 1...4)
    func anyOrder(connections: Int) throws {
        #expect(Self.orders.count == 24)
        for order in Self.orders {
            let stage = try anyStage(
                Fixture.Connection(line: 1, exchange(2, "/1") + exchange(4, "/2") + exchange(6, "/3")),
                Fixture.Connection(line: 8, exchange(9, "/4")))
            var clients: [PlainClient] = []
            for _ in 0..<connections { clients.append(try stage.connect()) }
            for (index, target) in order.enumerated() {
                clients[index % connections].send(requestText(target))
                let answer = answerText(target)
                #expect(clients[index % connections].receiveText(answer.utf8.count) == answer)
            }
            for client in clients { client.close() }
            #expect(stage.ended() == .init(problems: [], connections: [connections], requests: [4]))
        }
    }

    @Test("a request gets the first exchange that it fits wholly, else by its request line")
    func choice() throws {
        let stage = try anyStage(
            connection(
                asks(2, "GET /a HTTP/1.1", "A: 1"), says(4, "1"), asks(5, "GET /a HTTP/1.1"), says(6, "2"),
                asks(7, "GET /a HTTP/1.1"), says(8, "3")))
        let client = try stage.connect()
        for (request, answer) in [
            (requestText("/a"), "2"), (requestText("/a"), "3"), (requestText("/a"), "1"),
        ] {
            client.send(request)
            #expect(client.receiveText(1) == answer)
        }
        client.close()
        let texts = stage.ended().texts.map { $0.split(separator: "\n").prefix(2).joined(separator: "\n") }
        #expect(texts == ["3: a field line is missing\nexpected: \"A: 1\""])
    }

    @Test("an exchange never asked for is told, and so is a request that fits none")
    func unfitting() throws {
        let stage = try anyStage(
            Fixture.Connection(line: 1, exchange(2, "/1") + exchange(4, "/2") + exchange(6, "/3")))
        let client = try stage.connect()
        client.send(requestText("/2"))
        #expect(client.receiveText(answerText("/2").utf8.count) == answerText("/2"))
        client.send(requestText("/2"))
        #expect(client.receiveEnd() == 0)
        let record = stage.ended()
        #expect(
            record.texts == [
                "2: this request to fixture.test never came", "6: this request to fixture.test never came",
                """
                100: a request to fixture.test that fits none of those left:
                  GET /2 HTTP/1.1\\r\\n
                  Host: x\\r\\n
                  \\r\\n
                """,
            ])
        #expect(record.requests == [2])
    }

    @Test("an exchange ends its connection as it says, and content is judged")
    func endings() throws {
        let stage = try anyStage(
            connection(
                asks(2, "PUT /1 HTTP/1.1"), at(3, .requestContent(.text("ab"))), says(4, "1"),
                asks(5, "PUT /2 HTTP/1.1"), says(6, "2"), asks(7, "GET /3 HTTP/1.1"), says(8, "3"),
                at(9, .close)),
            connection(line: 10, asks(11, "GET /4 HTTP/1.1"), says(12, "4"), at(13, .halfClose)))
        let client = try stage.connect()
        let put = { (target: String, content: String) in
            "PUT \(target) HTTP/1.1\r\nContent-Length: 2\r\n\r\n\(content)"
        }
        client.send(put("/2", "cd"))
        #expect(client.receiveText(1) == "2")
        client.send(put("/1", "ab"))
        #expect(client.receiveText(1) == "1")
        client.send(requestText("/3"))
        #expect(client.receiveText(2) == "3")
        let other = try stage.connect()
        other.send(requestText("/4"))
        #expect(other.receiveText(2) == "4")
        other.close()
        #expect(
            stage.ended().texts == ["5: the request has content that no line expects, 2 octets:\n  cd"])
    }

    @Test("requests that come together are answered one after the other, but not behind the end")
    func together() throws {
        let stage = try anyStage(
            Fixture.Connection(line: 1, exchange(2, "/1") + exchange(4, "/2") + [at(6, .close)]))
        let client = try stage.connect()
        client.send(requestText("/1") + requestText("/2") + requestText("/3"))
        let answers = answerText("/1") + answerText("/2")
        #expect(client.receiveText(1000) == answers)
        client.close()
        let record = stage.ended()
        #expect(
            record.texts.map { $0.prefix { $0 != "," } } == ["5: the client sent octets that no line expects"]
        )
        #expect(record.requests == [3])
    }

    @Test("what stands before a request is for it, and meetings are of requests")
    func beforeRequests() throws {
        let stage = try anyStage(
            Fixture.Connection(line: 1, [at(2, .pieces(1)), at(3, .meet("m"))] + exchange(4, "/1")),
            Fixture.Connection(
                line: 6, [at(7, .pause(.milliseconds(1))), at(8, .meet("m"))] + exchange(9, "/2")))
        let (first, second) = (try stage.connect(), try stage.connect())
        first.send(requestText("/2"))
        second.send(requestText("/1"))
        #expect(first.receiveText(answerText("/2").utf8.count) == answerText("/2"))
        #expect(second.receiveText(answerText("/1").utf8.count) == answerText("/1"))
        first.close()
        second.close()
        #expect(stage.ended().texts == [])
    }

    @Test("who does not come to a meeting is named as a request")
    func meetings() throws {
        let stage = try anyStage(
            Fixture.Connection(line: 1, [at(2, .meet("m"))] + exchange(3, "/1")),
            Fixture.Connection(line: 5, [at(6, .meet("m"))] + exchange(7, "/2")))
        let client = try stage.connect()
        client.send(requestText("/1"))
        client.close()
        #expect(
            stage.ended().texts == [
                "2: nobody else came to meet m: the request of line 7 is missing",
                "7: this request to fixture.test never came",
            ])
    }

    @Test("connections on which nothing comes are no problem, but a head that is not whole is")
    func idle() throws {
        let stage = try anyStage(Fixture.Connection(line: 1, exchange(2, "/1")))
        let idle = try stage.connect()
        let client = try stage.connect()
        client.send(requestText("/1"))
        #expect(client.receiveText(answerText("/1").utf8.count) == answerText("/1"))
        client.send("GET / HT")
        client.close()
        // The idle one is still there at the end of the run.
        let record = stage.end(run: 0)
        #expect(record.texts == ["100: the client sent octets that no line expects, 8:\n  GET / HT"])
        #expect(record.connections == [2])
        #expect(idle.receiveEnd() == 0)
    }

    @Test("why requests over TLS never came is told, if a handshake failed")
    func handshakes() throws {
        var secure = server()
        secure.tls = Fixture.TLS(.good)
        let stage = try staged(servers: [secure], [Fixture.Connection(line: 1, exchange(2, "/1"))])
        let client = try stage.connect()
        client.send("GET /1 HTTP/1.1\r\n\r\n")
        _ = client.receiveEnd()
        client.close()
        let texts = stage.ended().texts
        #expect(texts.count == 1)
        #expect(
            texts.first?.hasPrefix("2: this request to fixture.test never came (TLS did not begin: ") == true)
    }

    @Test("a service answers them on one connection and on many", arguments: [false, true])
    func served(isShared: Bool) throws {
        let service = try FixtureService(
            [
                (
                    "one.wire",
                    fixture(
                        servers: [server()],
                        [
                            [
                                Fixture.Connection(
                                    line: 1, exchange(2, "/1") + exchange(4, "/2") + exchange(6, "/3"))
                            ]
                        ])
                )
            ]) { _ in }
        try service.start()
        var client = try #require(PlainClient(port: service.port))
        for target in ["/3", "/1", "/2"] {
            client.send(requestText(target))
            #expect(client.receiveText(answerText(target).utf8.count) == answerText(target))
            if !isShared { client = try #require(PlainClient(port: service.port)) }
        }
        client.close()
        #expect(service.waitUntilUsedUp(within: .seconds(10)))
        #expect(service.unmet == [])
        service.stop()
    }

    @Test("a service refuses a further request that fits no exchange")
    func refused() throws {
        let service = try FixtureService(
            [("one.wire", fixture(servers: [server()], [[Fixture.Connection(line: 1, exchange(2, "/1"))]]))]
        ) { _ in }
        try service.start()
        let client = try #require(PlainClient(port: service.port))
        client.send(requestText("/1") + requestText("/2"))
        let text = client.receiveText(1000)
        #expect(text.hasPrefix(answerText("/1") + "HTTP/1.1 404 Not Found\r\n"), "\(text)")
        client.close()
        #expect(service.waitUntilUsedUp(within: .seconds(10)))
        #expect(service.unansweredCount == 1)
    }

    @Test(
        "scripts that cannot be cut into exchanges are no fixtures",
        arguments: [
            ("< x", ["4: with \"any-connection\" a request stands before anything else that happens"]),
            (
                "! pause 1s\n! close",
                ["5: with \"any-connection\" a request stands before anything else that happens"]
            ),
            (
                "! pieces of 1",
                ["4: with \"any-connection\" a request stands before anything else that happens"]
            ),
            (
                "> GET / HTTP/1.1\n< x\nconnection",
                ["6: with \"any-connection\" a request stands before anything else that happens"]
            ),
            (
                "> GET / HTTP/1.1\n> GET /2 HTTP/1.1\n< x",
                ["5: with \"any-connection\" an answer stands before each further request"]
            ),
            (
                "> GET / HTTP/1.1\n< x\n! half-close\n> GET /2 HTTP/1.1",
                ["7: with \"any-connection\" no request stands behind `! half-close` in line 6"]
            ),
            (
                "> CONNECT a:1 HTTP/1.1\n< x\n! tls good\n> GET / HTTP/1.1\n< x",
                [
                    "6: with \"any-connection\" TLS cannot begin in the middle of a connection"
                ]
            ),
            (
                "> GET / HTTP/1.1\n! meet a\n< x\n> GET / HTTP/1.1\n>> \"\"\n< y\n! close\nconnection\n! meet a\n> GET / HTTP/1.1",
                []
            ),
        ] as [(String, [String])])
    func scripts(text: String, expected: [String]) {
        #expect(
            complaints(about: "# r\nserver a any-connection\n$ rawget x\n\(text)\n= exit 0\n") == expected)
    }

    @Test("the word stands beside others, and texts keep it")
    func word() throws {
        let text =
            "# r\nserver a tls good any-order any-connection\nserver b any-connection\n$ rawget x\n= exit 0\n"
        let parsed = try FixtureParser.parse(Array(text.utf8))
        #expect(parsed.servers.map(\.takesAnyConnection) == [true, true])
        #expect(parsed.servers.map(\.takesAnyOrder) == [true, false])
        #expect(try FixtureParser.parse(FixturePrinter.text(of: parsed)).withoutLines == parsed.withoutLines)
        #expect(
            complaints(about: "# r\nserver a silent any-connection\n$ rawget x\n= exit 0\n")
                == ["2: \"any-connection\" is for servers that accept connections"])
        #expect(
            complaints(about: "# r\nserver a tls good handshake http any-connection\n$ rawget x\n= exit 0\n")
                == ["2: \"any-connection\" is about requests, and none comes when the handshake of TLS fails"]
        )
    }
}
