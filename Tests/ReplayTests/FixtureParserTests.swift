import Replay
import Testing

@Suite("What texts of fixtures mean (Fixtures/README.md)")
struct FixtureParserTests {
    @Test("every kind of line of a command means what it should")
    func command() throws {
        let text = #"""

            # Why it exists.
            #
            #   RFC 9110
            blob a.b-c_1 = "x\r\n\t\0\e\\\"\x4aé"
            + hex 00 0102 FFfe
            + repeat 3 "x"

            server Fixture.Test:8080 tls chain version 1.3 client required any-order
            # Not the reason any more.
            server b.test handshake alert 40 tls good ipv6 behind silent
            server c.test silent behind refused
            server d.test refused
            file "a folder/file" = generated 64K seed 42 8..<16
            folder x/y
            link x/z -> ../etc
            mode x = 0755
            time "a folder/file" = Sun, 06 Nov 1994 08:49:37 GMT
            env HTTP_PROXY = "http://fixture.test"
            input = blob a.b-c_1 1..<3
            clock Thu, 01 Jan 1970 00:00:01 GMT
            clock +3600
            $ rawget 'a "\b'   "c\"\\\$\n"d e\ f $'g\n\''
            > GET / HTTP/1.1
            > Host: fixture.test
            >~ User-Agent: rawget/*
            >! Accept
            >> "a"
            + gzip zlib "b"
            >> deflate "c"
            ! pieces of 2K
            <   blanks
            <
            <| a\x20\r\n
            <| "
            << "d"
            # A comment does not part them.
            << "e"
            + blob a.b-c_1
            ! whole
            ! pause 1.5s
            ! pause 250.000001ms
            ! unprotected hex 00
            ! update-keys
            >= GET /b HTTP/1.1
            >=
            >| GET /c HTTP/1.1\r\n\r\n
            >>> "f"
            >>> hex 00
            """#
        var server = Fixture.Server(host: "fixture.test", port: 8080)
        server.line = 9
        server.tls = Fixture.TLS(.chain)
        server.tls?.version = .tls13
        server.tls?.client = .required
        server.takesAnyOrder = true
        var second = Fixture.Server(host: "b.test")
        second.line = 11
        second.tls = Fixture.TLS(.good)
        second.tls?.fault = .alert(40)
        second.usesIPv6 = true
        second.earlierAddress = .silent
        var third = Fixture.Server(host: "c.test")
        third.line = 12
        third.reception = .silent
        third.earlierAddress = .refused
        var fourth = Fixture.Server(host: "d.test")
        fourth.line = 13
        fourth.reception = .refused
        let blob = FixtureContent.joined([
            .octets(Array("x\r\n\t\0\u{1B}\\\"Jé".utf8) + [0, 1, 2, 0xFF, 0xFE]),
            .repeated(.text("x"), times: 3),
        ])
        let named = FixtureContent.blob("a.b-c_1", blob)
        let rest = """

            ! meet m
            ! half-close
            ! unread
            ! await close
            connection to b.test
            ! stall
            connection to fixture.test:8080
            ! interrupt
            ! meet m
            ! tls self-signed version 1.2 client optional handshake http
            ! cut
            = exit 255
            """
        let fixture = try FixtureParser.parse(Array((text + rest).utf8))
        #expect(fixture.reason == ["Why it exists.", "", "  RFC 9110"])
        #expect(fixture.blobs == [Fixture.Blob(name: "a.b-c_1", content: blob)])
        #expect(fixture.servers == [server, second, third, fourth])
        let run = try #require(fixture.runs.first)
        #expect(run.line == 23)
        #expect(
            run.preparations == [
                .init(.file("a folder/file", .slice(.generated(count: 65536, seed: 42), 8..<16)), line: 14),
                .init(.folder("x/y"), line: 15), .init(.link("x/z", target: "../etc"), line: 16),
                .init(.mode("x", 0o755), line: 17), .init(.time("a folder/file", 784_111_777), line: 18),
                .init(.environment("HTTP_PROXY", .text("http://fixture.test")), line: 19),
                .init(.input(.slice(named, 1..<3), isFile: false), line: 20), .init(.clock(1), line: 21),
                .init(.clockAdvance(3600), line: 22),
            ])
        #expect(run.action == .command(["rawget", #"a "\b"#, #"c"\$\nd"#, "e f", "g\n'"]))
        var tls = Fixture.TLS(.selfSigned)
        tls.version = .tls12
        tls.client = .optional
        tls.fault = .http
        let steps: [Fixture.Located<Fixture.Step>] = [
            .init(
                .request(
                    .matching([
                        .init(.line(Array("GET / HTTP/1.1".utf8)), line: 24),
                        .init(.line(Array("Host: fixture.test".utf8)), line: 25),
                        .init(.pattern(FixturePattern("User-Agent: rawget/*")), line: 26),
                        .init(.absent("Accept"), line: 27),
                    ])), line: 24),
            .init(
                .requestContent(
                    .joined([
                        .text("a"), .coded(.coded(.text("b"), .zlib), .gzip), .coded(.text("c"), .deflate),
                    ])), line: 28),
            .init(.pieces(2048), line: 31), .init(.sendLine(Array("  blanks".utf8)), line: 32),
            .init(.sendLine([]), line: 33), .init(.sendText(Array("a \r\n".utf8)), line: 34),
            .init(.sendText(Array("\"".utf8)), line: 35),
            .init(.send(.joined([.text("de"), named])), line: 36), .init(.pieces(nil), line: 40),
            .init(.pause(.milliseconds(1500)), line: 41), .init(.pause(.nanoseconds(250_000_001)), line: 42),
            .init(.unprotected(.octets([0])), line: 43), .init(.updateKeys, line: 44),
            .init(
                .request(
                    .exactly([
                        .init(Array("GET /b HTTP/1.1\r\n".utf8), line: 45), .init([13, 10], line: 46),
                    ])),
                line: 45),
            .init(.request(.exactly([.init(Array("GET /c HTTP/1.1\r\n\r\n".utf8), line: 47)])), line: 47),
            .init(.requestBody(.octets([0x66, 0])), line: 48), .init(.meet("m"), line: 50),
            .init(.halfClose, line: 51), .init(.unread, line: 52), .init(.awaitClose, line: 53),
        ]
        #expect(run.connections.count == 3)
        for (step, expected) in zip(run.connections[0].steps, steps) { #expect(step == expected) }
        #expect(run.connections[0] == Fixture.Connection(to: 0, line: 24, steps))
        #expect(run.connections[1] == Fixture.Connection(to: 1, line: 54, [.init(.stall, line: 55)]))
        #expect(
            run.connections[2]
                == Fixture.Connection(
                    to: 0, line: 56,
                    [
                        .init(.interrupt, line: 57), .init(.meet("m"), line: 58), .init(.tls(tls), line: 59),
                        .init(.cut, line: 60),
                    ]))
        #expect(run.outcomes == [.init(.exit(255), line: 61)])
    }

    @Test("every outcome of a command means what it should")
    func outcomes() throws {
        let text = #"""
            # Why.
            server a.test
            server b.test:81
            $ rawget x
            = exit 0
            = output is "a"
            + "b"
            = output matches *a\*\x20*
            = error matches "*
            = file a/b is generated 1G seed 18446744073709551615
            = file a/b time Sat, 29 Feb 2020 23:59:59 GMT
            = file a/b mode 7
            = link l -> "to here"
            = folder f
            = no file n
            = connections 3
            = connections 1 to A.TEST
            = requests 2 to b.test:81
            = time over 0s
            = time under 3600s
            """#
        let fixture = try FixtureParser.parse(Array(text.utf8))
        #expect(
            fixture.runs.first?.outcomes.map(\.value) == [
                .exit(0), .output(.equals(.text("ab"))), .output(.matches(FixturePattern(#"*a\*\x20*"#))),
                .error(.matches(FixturePattern("\"*"))),
                .file("a/b", .equals(.generated(count: 1 << 30, seed: .max))),
                .fileTime("a/b", 1_583_020_799),
                .fileMode("a/b", 7), .link("l", target: "to here"), .folder("f"), .noFile("n"),
                .connections(3, server: nil), .connections(1, server: 0), .requests(2, server: 1),
                .timeOver(.zero), .timeUnder(.seconds(3600)),
            ])
        #expect(fixture.runs.first?.outcomes.map(\.line) == [5, 6] + Array(8...20))
    }

    @Test("every line about a load means what it should, and several runs follow one another")
    func loads() throws {
        let text = """
            # Why.
            load POST http://fixture.test/
            with field Accept: text/html
            with content "x"
            with policy reloadIgnoringLocalCacheData
            with field A:b
            connection
            connection to fixture.test
            = status 200
            = field ETag: "x"
            = no field Age
            = trailer X: y
            = content is ""
            = content matches *
            = url http://fixture.test/
            = redirects 2
            = failure timedOut during content
            = source revalidated
            = resumed at 5
            = retries 1
            file a = "b"
            load GET http://fixture.test/
            = failure timedOut
            = file a is "b"
            mode a = 600
            $ rawget --version
            = exit 0
            """
        let fixture = try FixtureParser.parse(Array(text.utf8))
        #expect(fixture.servers == [Fixture.Server()])
        var load = Fixture.Load(method: "POST", uri: "http://fixture.test/")
        load.fields = ["Accept: text/html", "A:b"]
        load.content = .text("x")
        load.cachePolicy = "reloadIgnoringLocalCacheData"
        let runs = fixture.runs
        #expect(runs.map(\.line) == [2, 22, 26])
        #expect(runs[0].action == .load(load))
        #expect(runs[0].connections == [Fixture.Connection(line: 7), Fixture.Connection(line: 8)])
        #expect(
            runs[0].outcomes.map(\.value) == [
                .status(200), .field("ETag: \"x\""), .noField("Age"), .trailer("X: y"),
                .content(.equals(.octets([]))), .content(.matches(FixturePattern("*"))),
                .url("http://fixture.test/"), .redirects(2), .failure(code: "timedOut", phase: "content"),
                .source(.revalidated), .resumed(at: 5), .retries(1),
            ])
        #expect(runs[1].preparations == [.init(.file("a", .text("b")), line: 21)])
        #expect(runs[1].action == .load(Fixture.Load(method: "GET", uri: "http://fixture.test/")))
        #expect(runs[1].outcomes.first == .init(.failure(code: "timedOut", phase: nil), line: 23))
        #expect(runs[2].preparations == [.init(.mode("a", 0o600), line: 25)])
    }

    @Test("a request line behind a head begins the next request; a second exact head, too")
    func pipelined() throws {
        let text = "# r\n$ rawget x\n> GET /a HTTP/1.1\n> A: b\n>~ GET /* HTTP/*\n= exit 0\n"
        let steps = try FixtureParser.parse(Array(text.utf8)).runs[0].connections[0].steps
        #expect(steps.map(\.line) == [3, 5])
    }

    @Test("a file may end without LF, and begin with empty lines")
    func edges() {
        #expect(complaints(about: "\n\n# r\n\n$ rawget x\n= exit 0") == [])
        #expect(complaints(about: "# r\n$ rawget x\n= exit 0\n\n\n") == [])
    }

    @Test("the examples of Fixtures/README.md are fixtures")
    func examples() throws {
        let readme = try octets(ofFile: "Fixtures/README.md")
        let blocks = String(decoding: readme, as: UTF8.self).split(separator: "```wire\n").dropFirst()
        #expect(!blocks.isEmpty)
        for block in blocks {
            let example = try #require(block.split(separator: "\n```").first)
            #expect(complaints(about: String(example)) == [])
        }
    }

    @Test("each seed of the fuzzer is a fixture", arguments: ["readme", "command", "load"])
    func seeds(name: String) throws {
        #expect(complaints(about: try octets(ofFile: "Tests/Fuzz/FuzzFixture.seeds/\(name)")) == [])
    }
}
