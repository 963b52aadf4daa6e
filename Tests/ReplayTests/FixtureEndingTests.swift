import Glibc
import Replay
import Testing

@Suite("Connections of a fixture that do not come, do not fit or end otherwise")
struct FixtureEndingTests {
    @Test(
        "a client that resets while much is sent owes only what it was still to send",
        arguments: [true, false])
    func resets(isOwing: Bool) throws {
        let end = isOwing ? [asks(4, "GET /2 HTTP/1.1")] : []
        let stage = try staged([
            Fixture.Connection(
                line: 1,
                [asks(2, "GET / HTTP/1.1"), at(3, .send(.generated(count: 12_000_000, seed: 1)))] + end)
        ])
        let client = try stage.connect()
        client.send(requestText())
        _ = client.receive(1000)
        client.reset()
        let texts = stage.ended().texts
        #expect(texts.count == (isOwing ? 1 : 0))
        #expect(
            texts.allSatisfy {
                $0.hasPrefix("4: the client ") && $0.hasSuffix("; this request was still expected")
            })
    }

    @Test("what a client sent before it closed counts, though it was not there for the answer")
    func closesBeforeTheAnswer() throws {
        let stage = try staged([
            connection(
                asks(2, "GET /1 HTTP/1.1"), at(3, .send(.generated(count: 12_000_000, seed: 1))),
                asks(4, "GET /2 HTTP/1.1"))
        ])
        let client = try stage.connect()
        client.send(requestText("/1") + requestText("/2"))
        _ = client.receive(1000)
        client.reset()
        let record = stage.ended()
        #expect(record.texts == [])
        #expect(record.requests == [2])
    }

    @Test("a client that stays, says nothing or takes nothing is told after the patience")
    func impatient() throws {
        let hasGoneOn = Counter()
        let stage = try staged(
            patience: .milliseconds(50), onInterrupt: { hasGoneOn.increment() },
            [connection(asks(2, "GET / HTTP/1.1"), at(3, .interrupt))],
            [connection(at(3, .awaitClose), at(4, .interrupt))],
            [connection(at(4, .send(.generated(count: 12_000_000, seed: 1))), at(5, .interrupt))])
        let messages = [
            "2: the client sent nothing for 50 ms; this request was still expected",
            "3: the client did not close the connection within 50 ms",
            "4: the client took no octet for 50 ms",
        ]
        for (run, message) in messages.enumerated() {
            stage.begin(run: run)
            let client = try stage.connect()
            if run == 0 {
                #expect(client.receiveEnd() == 0)
            } else {
                #expect(hasGoneOn.wait(for: run))
            }
            client.close()
            #expect(stage.ended(run: run).texts == [message])
        }
    }

    @Test("connections never opened, too many, or outside of any run are told")
    func connections() throws {
        let stage = try staged(
            servers: [Fixture.Server(), Fixture.Server(host: "other.test", port: 81)],
            [connection(line: 7, says(8, "x"), at(9, .close)), connection(to: 1, line: 10, says(11, "x"))])
        #expect(try stage.connect().receiveText(10) == "x")
        let client = try stage.connect()
        client.send(requestText("/\u{1B}"))
        #expect(client.receiveEnd() == 0)
        let silent = try stage.connect()
        silent.endSending()
        #expect(silent.receiveEnd() == 0)
        let record = stage.ended()
        #expect(
            record.texts == [
                "10: the connection to other.test:81 was never opened",
                """
                100: a connection too many to fixture.test, on which came:
                  GET /\\e HTTP/1.1\\r\\n
                  Host: x\\r\\n
                  \\r\\n
                """, "100: a connection too many to fixture.test, on which nothing came",
            ])
        #expect(record.connections == [3, 0])
        #expect(record.requests == [1, 0])
        #expect(try stage.connect().receiveEnd() == 0)
        stage.begin(run: 0)
        #expect(stage.end(run: 0).texts.first == "0: a connection to fixture.test came outside of any run")
    }

    @Test("a request that no script fits takes the one with its request line, the last one left, or none")
    func unfitting() throws {
        var server = Fixture.Server()
        server.takesAnyOrder = true
        let stage = try staged(
            servers: [server],
            [
                connection(asks(2, "GET /1 HTTP/1.1"), at(3, .close)),
                connection(line: 4, asks(5, "GET /2 HTTP/1.1", "A: b"), at(7, .close)),
            ])
        let silent = try stage.connect()
        silent.endSending()
        #expect(silent.receiveEnd() == 0)
        for target in ["/3", "/2", "/4"] {
            let client = try stage.connect()
            client.send(requestText(target))
            #expect(client.receiveEnd() == 0)
        }
        let texts = stage.ended().texts.map { $0.split(separator: "\n").prefix(2).joined(separator: "\n") }
        #expect(
            texts == [
                "2: the request line is wrong\nexpected: \"GET /1 HTTP/1.1\"",
                "6: a field line is missing\nexpected: \"A: b\"",
                "100: a connection to fixture.test that fits none of those left, on which nothing came",
                "100: a connection to fixture.test that fits none of those left, on which came:\n  GET /3 HTTP/1.1\\r\\n",
            ])
    }

    @Test("who does not come to a meeting is named")
    func meetings() throws {
        let stage = try staged([
            connection(line: 2, asks(3, "GET / HTTP/1.1"), at(4, .meet("m")), says(5, "x")),
            connection(line: 6, asks(7, "GET / HTTP/1.1"), at(8, .meet("m")), says(9, "x")),
            connection(line: 10, at(11, .meet("m"))),
        ])
        let first = try stage.connect()
        first.send(requestText())
        let second = try stage.connect()
        second.close()
        first.close()
        #expect(
            stage.ended().texts == [
                "4: nobody else came to meet m: the connection of line 6, the connection of line 10 is missing",
                "7: the client closed the connection; this request was still expected",
                "10: the connection to fixture.test was never opened",
            ])
    }

    @Test("the end of a run ends what waits at once, and says what was still expected")
    func endOfRun() throws {
        let stage = try staged([
            connection(line: 1, asks(2, "GET / HTTP/1.1")), connection(line: 3, at(4, .awaitClose)),
            connection(line: 5, at(6, .stall)), connection(line: 7, at(8, .meet("m"))),
            connection(line: 9, at(10, .meet("m")), at(11, .send(.generated(count: 12_000_000, seed: 1)))),
        ])
        var clients = [PlainClient]()
        for _ in 0..<4 { clients.append(try stage.connect()) }
        let start = ContinuousClock.now
        let record = stage.end(run: 0)
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(stage.isIdle)
        #expect(
            record.texts == [
                "2: the run ended; this request was still expected",
                "4: the run ended before the client closed the connection",
                "8: nobody else came to meet m: the connection of line 9 is missing",
                "9: the connection to fixture.test was never opened",
            ])
        #expect(record.connections == [4])
    }

    @Test(
        "what comes on a connection that stalls is told, a request also counted, whenever it comes",
        arguments: [
            (
                "GET /2 HTTP/1.1\r\n\r\n", 2,
                "the client sent octets that no line expects, 19:\n  GET /2 HTTP/1.1\\r\\n\n  \\r\\n"
            ),
            ("JUNK", 1, "the client sent octets that no line expects, 4:\n  JUNK"),
        ])
    func stalled(octets: String, count: Int, text: String) throws {
        let stage = try staged([connection(asks(2, "GET /1 HTTP/1.1"), says(3, "x"), at(4, .stall))])
        let client = try stage.connect()
        client.send(requestText("/1"))
        #expect(client.receiveText(1) == "x")
        client.send(octets)
        client.endSending()
        let record = stage.ended()
        #expect(record.texts == ["4: \(text)"])
        #expect(record.requests == [count])
    }

    @Test(
        "what comes on a connection that stalls is told at the end of the run, unless it is not to be looked at"
    )
    func stalledToTheEnd() throws {
        for isUnread in [false, true] {
            let unread = isUnread ? [at(3, .unread)] : []
            let stage = try staged([
                Fixture.Connection(
                    line: 1, [asks(2, "GET /1 HTTP/1.1")] + unread + [says(4, "x"), at(5, .stall)])
            ])
            let client = try stage.connect()
            client.send(requestText("/1"))
            #expect(client.receiveText(1) == "x")
            client.send(requestText("/2"))
            let record = stage.end(run: 0)
            #expect(record.problems.map(\.line) == (isUnread ? [] : [5]))
            #expect(record.requests == [isUnread ? 1 : 2])
        }
    }

    @Test("a request that nobody expects is counted wherever it comes")
    func countsSurplus() throws {
        for end in [[], [at(4, .awaitClose)], [at(4, .close)]] {
            let stage = try staged([
                Fixture.Connection(line: 1, [asks(2, "GET /1 HTTP/1.1"), says(3, "x")] + end)
            ])
            let client = try stage.connect()
            client.send(requestText("/1") + requestText("/2"))
            client.endSending()
            #expect(client.receiveEnd() == 0)
            client.close()
            let record = stage.ended()
            #expect(record.problems.count == 1)
            #expect(record.requests == [2])
        }
    }

    @Test(
        "content that a head announces and no line expects is waited for before a reset",
        arguments: ["Content-Length: 5", "Transfer-Encoding: chunked"])
    func resetBehindContent(field: String) throws {
        let stage = try staged([connection(asks(2, "~PUT *"), says(3, "x"), at(4, .reset))])
        let client = try stage.connect()
        client.send("PUT / HTTP/1.1\r\n\(field)\r\n\r\n")
        #expect(client.receiveText(1) == "x")
        client.send(field.hasSuffix("5") ? "hello" : "5\r\nhello\r\n0\r\n\r\n")
        #expect(client.receiveEnd() == ECONNRESET)
        #expect(
            stage.ended().texts == ["2: the request has content that no line expects, 5 octets:\n  hello"])
    }

    @Test("a reset does not wait for content of which the client sends nothing any more")
    func resetWithoutContent() throws {
        let stage = try staged([
            connection(asks(2, "~PUT *"), says(3, "x"), at(4, .reset)),
            connection(line: 5, asks(6, "~PUT *", "Expect: 100-continue"), says(8, "x"), at(9, .reset)),
        ])
        let client = try stage.connect()
        client.send("PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\n")
        #expect(client.receiveText(1) == "x")
        client.close()
        let other = try stage.connect()
        other.send("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        #expect(other.receiveEnd() == ECONNRESET)
        #expect(stage.ended().texts == [])
    }

    @Test("an interruption that nobody is there for is told, and is none")
    func interruptionTooLate() throws {
        let interruptions = Counter()
        let stage = try staged(
            onInterrupt: { interruptions.increment() },
            [
                connection(
                    asks(2, "GET / HTTP/1.1"), says(3, "x"), at(4, .pause(.seconds(60))), at(5, .interrupt))
            ],
            [
                connection(
                    asks(2, "GET / HTTP/1.1"), says(3, "x"), at(4, .pause(.seconds(60))), at(5, .interrupt))
            ],
            [connection(asks(2, "GET / HTTP/1.1"), at(3, .interrupt))],
            [connection(asks(2, "GET / HTTP/1.1"), at(3, .interrupt))])
        let client = try stage.connect()
        client.send(requestText())
        #expect(client.receiveText(1) == "x")
        client.close()
        #expect(
            stage.ended().texts == [
                "5: the client closed the connection; this interruption was still expected"
            ])
        stage.begin(run: 1)
        let second = try stage.connect()
        second.send(requestText())
        #expect(second.receiveText(1) == "x")
        #expect(stage.end(run: 1).texts == ["5: the run ended; this interruption was still expected"])
        stage.begin(run: 2)
        let third = try stage.connect()
        third.close()
        #expect(
            stage.ended(run: 2).texts == [
                "2: the client closed the connection; this request was still expected"
            ])
        #expect(interruptions.value == 0)
        stage.begin(run: 3)
        let fourth = try stage.connect()
        fourth.send(requestText())
        #expect(interruptions.wait(for: 1))
        fourth.close()
        #expect(stage.ended(run: 3).texts == [])
    }
}
