import Replay
import Testing

@Suite("Fixtures that want a client to be quiet")
struct FixtureQuietTests {
    @Test(
        "tell of a request that comes before its turn, and answer it all the same",
        arguments: [Duration.zero, .seconds(10)])
    func request(duration: Duration) throws {
        let stage = try staged([
            connection(
                asks(1, "GET /1 HTTP/1.1"), at(2, .quiet(duration)), says(3, "1"), asks(4, "GET /2 HTTP/1.1"),
                says(5, "2"), at(6, .close))
        ])
        let client = try stage.connect()
        client.send(requestText("/1") + "GET /2 HTTP/1.1\r\n\r\n")
        #expect(client.receiveText(10) == "12")
        #expect(
            stage.ended().texts == [
                """
                2: the client sent octets before its turn, 19 at least:
                  GET /2 HTTP/1.1\\r\\n
                  \\r\\n
                """
            ])
    }

    @Test("tell of octets that come while they wait")
    func late() throws {
        let stage = try staged([
            connection(
                asks(1, "GET /1 HTTP/1.1"), says(2, "1"), at(3, .quiet(.seconds(10))), says(4, "2"),
                at(5, .awaitClose))
        ])
        let client = try stage.connect()
        client.send(requestText("/1"))
        #expect(client.receiveText(1) == "1")
        client.send("x")
        #expect(client.receiveText(1) == "2")
        client.close()
        #expect(
            stage.ended().texts == [
                "3: the client sent octets before its turn, 1 at least:\n  x",
                "5: the client sent octets that no line expects, 1:\n  x",
            ])
    }

    @Test("tell of content that comes before its turn, and take it where it stands")
    func content() throws {
        let stage = try staged([
            connection(
                asks(1, "PUT / HTTP/1.1"), at(2, .quiet(.seconds(10))), says(3, "go"),
                at(4, .requestContent(.text("early"))), says(5, "ok"), at(6, .close))
        ])
        let client = try stage.connect()
        client.send("PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\nearly")
        #expect(client.receiveText(10) == "gook")
        #expect(
            stage.ended().texts == ["2: the client sent octets before its turn, 5 at least:\n  early"])
    }

    @Test("let the time pass where it is")
    func silence() throws {
        let stage = try staged([
            connection(says(1, "a"), at(2, .quiet(.milliseconds(50))), says(3, "b"), at(4, .close))
        ])
        let client = try stage.connect()
        #expect(client.receiveText(1) == "a")
        let start = ContinuousClock.now
        #expect(client.receiveText(1) == "b")
        // The time begins before its beginning is noticed here.
        #expect(ContinuousClock.now - start > .milliseconds(20))
        #expect(stage.ended().texts == [])
    }

    @Test("take a client that closes for one that is quiet")
    func closing() throws {
        let stage = try staged([connection(says(1, "a"), at(2, .quiet(.seconds(60))), says(3, "b"))])
        let client = try stage.connect()
        #expect(client.receiveText(1) == "a")
        let start = ContinuousClock.now
        client.close()
        #expect(stage.ended().texts == [])
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("also where any connection will do, between an exchange and the next")
    func exchanges() throws {
        var server = Fixture.Server()
        server.takesAnyConnection = true
        let stage = try staged(
            servers: [server],
            [
                connection(
                    asks(2, "GET /1 HTTP/1.1"), at(3, .quiet(.seconds(10))), says(4, "1"),
                    asks(5, "GET /2 HTTP/1.1"), says(6, "2"))
            ])
        let client = try stage.connect()
        client.send(requestText("/1") + "GET /2 HTTP/1.1\r\n\r\n")
        #expect(client.receiveText(2) == "12")
        client.close()
        #expect(
            stage.ended().texts.map { String($0.prefix { $0 != "\n" }) }
                == ["3: the client sent octets before its turn, 19 at least:"])
    }
}
