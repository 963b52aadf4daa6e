import Replay
import TestSupport
import Testing

@Suite("Fixtures as text, played to another client")
struct FixtureTextTests {
    private let text = """
        # A half of the content is asked for (RFC 9110, section 14.2), then a file is sent.
        blob whole = "hello, world"
        server fixture.test tls good version 1.3
        server other.test:8080
        $ rawget https://fixture.test/whole
        > GET /whole HTTP/1.1
        > Range: bytes=0-4
        >! Authorization
        < HTTP/1.1 206 Partial Content
        < Content-Range: bytes 0-4/12
        < Content-Length: 5
        <
        << blob whole 0..<5
        connection to other.test:8080
        >= PUT /up HTTP/1.1
        >= Host: other.test:8080
        >= Accept: */*
        >| Transfer-Encoding: chunked\\r\\n
        >=
        >> repeat 3 blob whole
        + "!"
        ! pieces of 3
        < HTTP/1.1 201 Created
        < Content-Length: 0
        <
        ! close
        = exit 0

        """

    @Test("curl is served, and what it sends is as expected")
    func plays() async throws {
        let fixture = try FixtureParser.parse(Array(text.utf8))
        let stage = try FixtureStage(fixture)
        try stage.start()
        stage.begin(run: 0)
        let folder = TemporaryFolder()
        folder.write(stage.authorityPEM, to: "ca.pem")
        folder.write(String(repeating: "hello, world", count: 3) + "!", to: "up")
        var arguments = ["-sS", "--noproxy", "*", "--cacert", folder.path(of: "ca.pem")]
        for place in stage.places {
            let address = place.addresses[0]
            arguments += [
                "--connect-to",
                "\(place.host):\(place.port.map(String.init) ?? ""):\(address.host):\(address.port)",
            ]
        }
        let whole = await run("curl", arguments + ["-r", "0-4", "https://fixture.test/whole"])
        #expect(whole.text == "hello")
        let up = await run(
            "curl",
            arguments + [
                "-H", "Transfer-Encoding: chunked", "-H", "User-Agent:", "-H", "Expect:", "-T",
                folder.path(of: "up"),
                "http://other.test:8080/up",
            ])
        #expect(up.text == "")
        #expect(stage.ended() == .init(problems: [], connections: [1, 1], requests: [1, 1]))
    }
}
