import Glibc
import Replay
import Testing

/// The first lines of the problems of a stage whose one client sends octets and closes behind the answer.
private func faults(_ client: String, _ steps: Fixture.Located<Fixture.Step>...) throws -> [String] {
    let stage = try staged([Fixture.Connection(line: 1, steps)])
    let socket = try stage.connect()
    socket.send(client)
    socket.endSending()
    _ = socket.receive(1 << 20)
    socket.close()
    return stage.ended().texts.map { String($0.prefix { $0 != "\n" }) }
}

@Suite("What a stage forbids clients to send (RFC 9112, sections 5, 6.3 and 7.1)")
struct FixtureStrictnessTests {
    @Test(
        "chunks that are as they should be are no problem",
        arguments: [
            "2\r\nab\r\n0\r\n\r\n", "02\r\nab\r\n00\r\n\r\n",
            "1\r\na\r\n1;x;y=z;q=\"a \\\" b\"\r\nb\r\n0;e\r\n\r\n",
            "2\r\nab\r\n0\r\nA: b\r\nC:\td \u{E9}\r\nE:\r\n\r\n",
        ])
    func goodChunks(body: String) throws {
        #expect(try chunked(body) == [])
    }

    @Test(
        "chunks that are not as they should be are told, though they can be read",
        arguments: [
            ("2 zz\r\nab\r\n0\r\n\r\n", "a chunk's size stands before no chunk extension: \"2 zz\""),
            ("2\r\nab\r\n0xyz\r\n\r\n", "a chunk's size stands before no chunk extension: \"0xyz\""),
            ("2 \r\nab\r\n0\r\n\r\n", "a chunk's size stands before no chunk extension: \"2 \""),
            ("2;\r\nab\r\n0\r\n\r\n", "a chunk's size stands before no chunk extension: \"2;\""),
            ("2;a=\r\nab\r\n0\r\n\r\n", "a chunk's size stands before no chunk extension: \"2;a=\""),
            ("2;a=\"b\r\nab\r\n0\r\n\r\n", "a chunk's size stands before no chunk extension: \"2;a=\\\"b\""),
            ("2\nab\r\n0\r\n\r\n", "a line does not end with CR LF: \"2\""),
            ("2\r\nab\n0\r\n\r\n", "a line does not end with CR LF: \"\""),
            ("2\r\nab\r\n0\r\nA: b\n\r\n", "a line does not end with CR LF: \"A: b\""),
            ("2\r\nab\r\n0\r\n\n", "a line does not end with CR LF: \"\""),
            ("2\r\nab\r\n0\r\ngarbage line\r\n\r\n", "a trailer line is no field line: \"garbage line\""),
            ("2\r\nab\r\n0\r\nA : b\r\n\r\n", "a trailer line is no field line: \"A : b\""),
            ("2\r\nab\r\n0\r\nA: b\r\n c\r\n\r\n", "a trailer line is no field line: \" c\""),
        ])
    func badChunks(body: String, fault: String) throws {
        #expect(try chunked(body) == ["3: the chunked coding is not as it must be: \(fault)"])
    }

    private func chunked(_ body: String) throws -> [String] {
        try faults(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + body, asks(2, "POST / HTTP/1.1"),
            at(3, .requestContent(.text("ab"))), says(4, "x"), at(5, .close))
    }

    @Test(
        "a length that is told twice or beside a transfer coding is told, though it can be read",
        arguments: [
            (
                "Content-Length: 3\r\nTransfer-Encoding: chunked", "2\r\nab\r\n0\r\n\r\n",
                "2: the head has Content-Length beside Transfer-Encoding"
            ),
            ("Content-Length: 2\r\nContent-Length: 2", "ab", "2: the head has Content-Length 2 times"),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "2\r\nab\r\n0\r\n\r\n",
                "2: the head has the transfer coding chunked 2 times"
            ),
        ])
    func framing(fields: String, body: String, fault: String) throws {
        let texts = try faults(
            "POST / HTTP/1.1\r\n\(fields)\r\n\r\n\(body)", asks(2, "POST / HTTP/1.1"),
            at(3, .requestContent(.text("ab"))), says(4, "x"), at(5, .close))
        #expect(texts == [fault])
    }

    @Test("a transfer coding in HTTP/1.0 is told (RFC 9112, section 6.1)")
    func oldVersion() throws {
        let texts = try faults(
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
            asks(2, "POST / HTTP/1.0"), at(3, .requestContent(.text("ab"))), says(4, "x"), at(5, .close))
        #expect(texts == ["2: the head has Transfer-Encoding, which HTTP/1.0 does not know"])
    }

    @Test(
        "a head judged by conditions has field lines alone, so that none hides from them",
        arguments: [
            ("Host : x", "line 2 of the head is no field line: \"Host : x\""),
            ("Host\0: x", "line 2 of the head is no field line: \"Host\\0: x\""),
            ("A: b\r\n Host: x", "line 3 of the head is no field line: \" Host: x\""),
            ("A: b\r\n\tc", "line 3 of the head is no field line: \"\\tc\""),
            ("A: b\u{1}", "line 2 of the head is no field line: \"A: b\\x01\""),
            ("A: b\rHost: x", "line 2 of the head is no field line: \"A: b\\rHost: x\""),
            ("A: b\u{7F}", "line 2 of the head is no field line: \"A: b\\x7F\""),
            ("Host", "line 2 of the head is no field line: \"Host\""),
            (": x", "line 2 of the head is no field line: \": x\""),
        ])
    func heads(lines: String, fault: String) throws {
        let texts = try faults(
            "GET / HTTP/1.1\r\n\(lines)\r\n\r\n", asks(2, "~GET *", "!Host"), says(4, "x"), at(5, .close))
        #expect(texts == ["2: \(fault)"])
    }

    @Test("a request line that a pattern fits holds no control octet either")
    func requestLines() throws {
        let texts = try faults(
            "GET /\0 HTTP/1.1\r\n\r\n", asks(2, "~GET *"), says(4, "x"), at(5, .close))
        #expect(texts == ["2: the request line holds a control octet: \"GET /\\0 HTTP/1.1\""])
    }

    @Test("field lines with tabs, empty values and octets above ASCII are field lines")
    func goodHeads() throws {
        let client =
            Array("GET / HTTP/1.1\r\nA:\tb\u{E9}\r\nB:\r\nc!#:x:y\r\n".utf8) + [
                0x44, 0x3A, 0xFF, 13, 10, 13, 10,
            ]
        let stage = try staged([connection(asks(2, "~GET *", "!Host"), says(4, "x"), at(5, .close))])
        let socket = try stage.connect()
        socket.send(client)
        #expect(socket.receiveText(10) == "x")
        socket.close()
        #expect(stage.ended().texts == [])
    }
}
