import Glibc
import Replay
import Testing

/// What a client does, and what the stage then says.
private struct Case: Sendable {
    var steps: [Fixture.Located<Fixture.Step>]
    var client: String
    var texts: [String]

    init(_ steps: [Fixture.Located<Fixture.Step>], _ client: String, _ texts: String...) {
        (self.steps, self.client, self.texts) = (steps, client, texts)
    }
}

/// The problems of a stage whose one client sends octets and closes behind the answer.
private func texts(_ steps: [Fixture.Located<Fixture.Step>], _ client: String) throws -> [String] {
    let stage = try staged([Fixture.Connection(line: 1, steps)])
    let socket = try stage.connect()
    socket.send(client)
    socket.endSending()
    _ = socket.receive(1 << 26)
    socket.close()
    return stage.ended().texts
}

@Suite("Problems that a stage finds")
struct FixtureProblemTests {
    @Test(
        "with the heads of requests are told with what was expected, what came, and the whole head",
        arguments: [
            Case(
                [asks(2, "GET /a HTTP/1.1"), says(3, "x"), at(4, .close)], requestText("/b "),
                """
                2: the request line is wrong
                expected: "GET /a HTTP/1.1"
                got:      "GET /b  HTTP/1.1"
                the head that came:
                  GET /b  HTTP/1.1\\r\\n
                  Host: x\\r\\n
                  \\r\\n
                """),
            Case(
                [
                    asks(2, "~GET /a* HTTP/1.1", "Range: bytes=0-4", "!Host", "~User-Agent: *", "Host: x"),
                    at(9, .close),
                ],
                "GET /a HTTP/1.1\r\nHost: x\r\nrange: bytes=0-5\r\n\r\n",
                """
                3: a field line is missing
                expected: "Range: bytes=0-4"
                got:      "range: bytes=0-5"
                """,
                """
                4: a field that must not be there: "Host: x"
                """,
                """
                5: a field line is missing
                expected: that matches User-Agent: *
                the head that came:
                  GET /a HTTP/1.1\\r\\n
                  Host: x\\r\\n
                  range: bytes=0-5\\r\\n
                  \\r\\n
                """),
            Case(
                [asks(2, "~PUT *", "A: b", "A: b"), at(5, .close)], "GET / HTTP/1.1\r\nA: b\r\n\r\n",
                """
                2: the request line is wrong
                expected: what matches PUT *
                got:      "GET / HTTP/1.1"
                """,
                """
                4: a field line is missing
                expected: "A: b"
                got:      "A: b"
                the head that came:
                  GET / HTTP/1.1\\r\\n
                  A: b\\r\\n
                  \\r\\n
                """),
            Case(
                [asks(2, "GET / HTTP/1.1", "A: b"), at(4, .close)], "GET / HTTP/1.1\r\nA: b\n\r\n",
                """
                2: line 2 of the head does not end with CR LF
                the head that came:
                  GET / HTTP/1.1\\r\\n
                  A: b\\n
                  \\r\\n
                """),
            Case(
                [asksExactly(2, "GET / HTTP/1.1", "Host: x", "A: b"), at(6, .close)],
                "GET / HTTP/1.1\r\nHost: x\r\nA:  b\u{FF}\r\nC: d\r\n\r\n",
                """
                4: line 3 of the head is wrong from its octet 3 on
                expected: "A: b\\r\\n"
                got:      "A:  bÿ\\r\\n"
                the head that came:
                  GET / HTTP/1.1\\r\\n
                  Host: x\\r\\n
                  A:  bÿ\\r\\n
                  C: d\\r\\n
                  \\r\\n
                """),
            Case(
                [asksExactly(2, "GET / HTTP/1.1", "Host: x"), at(6, .close)], "GET / HTTP/1.1\r\n\r\n",
                """
                3: line 2 of the head is wrong from its octet 0 on
                expected: "Host: x\\r\\n"
                got:      "\\r\\n"
                the head that came:
                  GET / HTTP/1.1\\r\\n
                  \\r\\n
                """),
        ] as [Case])
    private func heads(_ case: Case) throws {
        #expect(try texts(`case`.steps, `case`.client) == `case`.texts)
    }

    @Test(
        "with content and bodies are told with the difference",
        arguments: [
            Case(
                [
                    asks(2, "~PUT *"), at(3, .requestContent(.text("hello"))), asks(4, "GET / HTTP/1.1"),
                    at(5, .close),
                ],
                "PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhallo" + requestText(),
                """
                3: the content of the request is wrong
                expected 5 octets, got 5; they differ from octet 1 on
                expected: "hello"
                got:      "hallo"
                """),
            Case(
                [asks(2, "~PUT *"), at(3, .requestContent(.text("hello"))), at(5, .close)],
                "PUT / HTTP/1.1\r\nContent-Length: 10\r\n\r\nhello",
                """
                3: the client closed the connection behind 5 octets of the content
                """),
            Case(
                [asks(2, "~PUT *"), at(3, .requestContent(.text("hello"))), at(5, .close)],
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\nq\r\n",
                """
                3: the chunked coding is broken (a chunk's size is no number: "q") behind 3 octets of the content
                expected 5 octets, got 3; octets are missing from octet 3 on
                expected: "hello"
                got:      "hel"
                """),
            Case(
                [asks(2, "~PUT *"), at(3, .requestContent(.text("hello"))), at(5, .close)],
                "PUT / HTTP/1.1\r\n\r\n",
                """
                3: the content of the request is wrong
                expected 5 octets, got 0; octets are missing from octet 0 on
                expected: "hello"
                got:      ""
                """),
            Case(
                [asks(2, "~PUT *"), at(3, .requestContent(.text(""))), at(5, .close)],
                "PUT / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
                "2: the length of the content is not clear: Content-Length: 5, 6"),
            Case(
                [
                    asks(2, "~PUT *"), at(3, .requestBody(.text("5\r\nhello\r\n"))), says(4, "x"),
                    asks(5, "GET / HTTP/1.1"), at(6, .close),
                ],
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n",
                """
                3: the body of the request is wrong
                expected 10 octets, got 15; they differ from octet 0 on
                expected: "5\\r\\nhello\\r\\n"
                got:      "3\\r\\nhel\\r\\n2\\r\\nlo\\r\\n"
                """),
            Case(
                [asks(2, "~PUT *"), at(3, .requestBody(.text("5\r\nhello\r\n"))), says(4, "x")],
                "PUT / HTTP/1.1\r\n\r\n5\r\nhe",
                """
                3: the client closed the connection before all of the body came
                expected 10 octets, got 5; octets are missing from octet 5 on
                expected: "5\\r\\nhello\\r\\n"
                got:      "5\\r\\nhe"
                """),
            Case(
                [asks(2, "~PUT *"), says(3, "x"), asks(4, "GET / HTTP/1.1"), at(5, .close)],
                "PUT / HTTP/1.1\r\nContent-Length: 6\r\n\r\nhello\n" + requestText(),
                """
                2: the request has content that no line expects, 6 octets:
                  hello\\n
                """),
        ] as [Case])
    private func contents(_ case: Case) throws {
        #expect(try texts(`case`.steps, `case`.client) == `case`.texts)
    }

    @Test(
        "with octets that nobody expects are told wherever the script ends",
        arguments: [
            [at(4, .close)], [at(4, .reset)], [at(4, .stall)], [at(4, .cut)], [at(4, .halfClose)],
            [at(4, .awaitClose)], [at(4, .pause(.zero))], [says(4, "bye"), at(5, .close)], [],
        ] as [[Fixture.Located<Fixture.Step>]])
    func surplus(end: [Fixture.Located<Fixture.Step>]) throws {
        let stage = try staged([Fixture.Connection(line: 1, [asks(3, "GET / HTTP/1.1")] + end)])
        let client = try stage.connect()
        client.send(requestText() + "GET /2 HTTP/1.1\r\n\r\n")
        if end.contains(where: { $0.value == .stall || $0.value == .awaitClose }) {
            client.endSending()
        } else {
            _ = client.receiveEnd()
        }
        client.close()
        #expect(
            stage.ended().texts == [
                """
                \(end.isEmpty ? 3 : 4): the client sent octets that no line expects, 19:
                  GET /2 HTTP/1.1\\r\\n
                  \\r\\n
                """
            ])
    }

    @Test(
        "content that comes behind the answer and that no line expects is found before the connection closes")
    func lateContent() throws {
        let stage = try staged([connection(asks(2, "~PUT *"), says(3, "answer"), at(4, .close))])
        let client = try stage.connect()
        client.send("PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\n")
        #expect(client.receiveText(100) == "answer")
        client.send("hello")
        client.close()
        #expect(
            stage.ended().texts == ["4: the client sent content that no line expects, 5:\n  hello"])
    }

    @Test(
        "with clients that close too early are told once for a connection, at the first thing missing",
        arguments: [
            Case(
                [asks(2, "GET / HTTP/1.1"), asks(3, "GET / HTTP/1.1")], "",
                "2: the client closed the connection; this request was still expected"),
            Case(
                [asks(2, "GET / HTTP/1.1"), says(3, "x"), asks(4, "GET / HTTP/1.1")], requestText(),
                "4: the client closed the connection; this request was still expected"),
            Case(
                [asks(2, "GET / HTTP/1.1"), says(3, "x")], "GET / HT",
                "2: the client closed the connection behind a head that is not whole, \"GET / HT\"; this request was still expected"
            ),
            Case(
                [asksExactly(2, "GET / HTTP/1.1"), says(4, "x")], "GET / HTTP/1.1\r\n",
                "2: the client closed the connection behind a head that is not whole, \"GET / HTTP/1.1\\r\\n\"; this request was still expected"
            ),
            Case([says(2, "x"), at(3, .pause(.seconds(60))), says(4, "x"), at(5, .stall)], ""),
            Case([at(2, .send(.generated(count: 12_000_000, seed: 1))), at(3, .awaitClose)], ""),
        ] as [Case])
    private func early(_ case: Case) throws {
        #expect(try texts(`case`.steps, `case`.client) == `case`.texts)
    }

    @Test("steps of TLS without TLS are told")
    func withoutTLS() throws {
        #expect(
            try texts([at(2, .updateKeys), at(3, .close)], "") == [
                "2: keys cannot be updated: this is no TLS"
            ])
    }
}
