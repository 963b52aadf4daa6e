import Glibc
import NetworkProbes
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("The recorder", .timeLimit(.minutes(1)))
struct RecorderTests {
    private let rig: RecordingRig

    init() throws { rig = try RecordingRig() }

    /// The lines of the fixture, ports replaced by `A` and `B`.
    private func lines() throws -> [String] {
        var text = try rig.recorded()
        for (port, name) in [(rig.first.port, "A"), (rig.second.port, "B")] {
            while let range = text.firstRange(of: ":\(port)") {
                text.replaceSubrange(range, with: ":\(name)")
            }
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test("writes requests, answers and outcome as they were, secrets blanked")
    func whole() async throws {
        let run = await rig.run([
            "--as-curl", "-L", "-u", "me:s3cret", "-b", "k=s3cret", "-o", "x", "-A", "mine/1",
            "http://A/moved", "-o", "y", "http://A/cookies", "-i",
        ])
        #expect(run.exit == 0, "\(run.errors)")
        let expected = [
            "# Recorded from fixture.test:A, other.test:B by `rawget --record`.",
            "# Say here why it is worth keeping, and which section of which RFC it shows.",
            "server fixture.test:A", "server other.test:B",
            "$ rawget --as-curl -L -u blanked:blanked -b k=blanked -o x -A mine/1 http://fixture.test:A/moved "
                + "-o y http://fixture.test:A/cookies -i",
            "> GET /moved HTTP/1.1", "> Host: fixture.test:A", "> User-Agent: mine/1", "> Accept: */*",
            ">~ Authorization: *", ">~ Cookie: *", "< HTTP/1.1 302 Found", "< Content-Length: 5",
            "< Location: http://blanked:blanked@other.test:B/small", "<", "<< \"moved\"",
            "> GET /cookies HTTP/1.1", "> Host: fixture.test:A", "> User-Agent: mine/1", "> Accept: */*",
            ">~ Authorization: *", ">~ Cookie: *", "< HTTP/1.1 200 OK", "< Content-Length: 8",
            "< Set-Cookie: id=blanked; Path=/", "< Set-Cookie: blanked", "< X: y", "<",
            "<< \"cookies\\n\"",
            "connection to other.test:B", "> GET /small HTTP/1.1", "> Host: other.test:B",
            "> User-Agent: mine/1", "> Accept: */*", "< HTTP/1.1 200 OK", "< Content-Length: 14", "<",
            "<< \"GET /small: 0\\n\"", "= exit 0", "= file x is \"HTTP/1.1 302 Found\\r\\n\"",
            "+ \"Content-Length: 5\\r\\n\"",
            "+ \"Location: http://blanked:blanked@other.test:B/small\\r\\n\"",
            "+ \"\\r\\n\"", "+ \"HTTP/1.1 200 OK\\r\\n\"", "+ \"Content-Length: 14\\r\\n\"",
            "+ \"\\r\\n\"",
            "+ \"GET /small: 0\\n\"", "= file y is \"HTTP/1.1 200 OK\\r\\n\"",
            "+ \"Content-Length: 8\\r\\n\"", "+ \"Set-Cookie: id=blanked; Path=/\\r\\n\"",
            "+ \"Set-Cookie: blanked\\r\\n\"", "+ \"X: y\\r\\n\"", "+ \"\\r\\n\"", "+ \"cookies\\n\"",
            "= connections 2", "",
        ]
        let found = try lines()
        for (index, line) in found.enumerated() where index >= expected.count || expected[index] != line {
            Issue.record("line \(index + 1) is \(line)")
        }
        #expect(found.count == expected.count)
    }

    @Test("writes long content once, with a name, and octets that are no text in hex")
    func blobs() async throws {
        _ = await rig.run(["-o", "x", "http://A/chunked"])
        let text = try rig.recorded()
        let fixture = try FixtureParser.parse(Array(text.utf8))
        let blob = try #require(fixture.blobs.first)
        let content = Array(RecordingRig.long.utf8) + [1, 2, 255] + Array("end".utf8)
        #expect(fixture.blobs.count == 1 && octets(blob.content) == content)
        let lines = text.split(separator: "\n")
        #expect(lines.contains("= file x is blob \(blob.name)"))
        #expect(lines.contains("+ blob \(blob.name) 0..<\(RecordingRig.long.utf8.count)"))
        let step = fixture.runs[0].connections[0].steps.last?.value
        guard case .send(let body) = step else {
            Issue.record("\(String(describing: step))")
            return
        }
        let sizes = "\(String(RecordingRig.long.utf8.count, radix: 16))\r\n"
        #expect(
            octets(body) == Array(sizes.utf8) + Array(RecordingRig.long.utf8) + Array("\r\n3\r\n".utf8) + [
                1, 2, 255,
            ] + Array("\r\n3\r\nend\r\n0\r\n\r\n".utf8))
    }

    @Test("keeps odd octets of a head as they came, one at a time")
    func odd() async throws {
        _ = await rig.run(["http://A/odd"])
        let lines = try lines()
        let start = try #require(lines.firstIndex { $0.hasPrefix("<") }, "\(lines)")
        #expect(
            lines[start...].prefix(7) == [
                "<| HTTP/1.1 200 \\n", "<| X-Blank: a \\t\\r\\n", "<| X-Octets: \\xFF\\x80\\r\\n",
                "< X-Q: \"\\", "<| Content-Length: 3\\n", "<| \\n", "<< blob content",
            ])
        #expect(lines.contains("blob content = hex 000AFF") && lines.contains("= file odd is blob content"))
    }

    @Test("tells each end of a connection apart")
    func endings() async throws {
        let cases: [(String, [String], String)] = [
            ("close", [], "! close"), ("cut", [], "! close"), ("reset", [], "! reset"),
            ("empty", [], "! close"),
            ("stall", ["-m", "0.3"], "! stall"), ("silent", ["-m", "0.3"], "! stall"), ("small", [], ""),
        ]
        for (path, options, ending) in cases {
            _ = await rig.run(options + ["-o", "x-\(path)", "http://A/\(path)"])
            let ends = try lines().filter { $0.hasPrefix("! ") }
            #expect(ends == (ending.isEmpty ? [] : [ending]), "\(path)")
        }
    }

    @Test("tells of hosts that cannot be reached")
    func unreached() async throws {
        let port = try RecorderTests.deadPort()
        let run = await rawget(
            ["--record", "r.wire", "http://127.0.0.1:\(port)/", "http://nowhere.invalid/"], in: rig.folder)
        #expect(run.exit == 7)
        let lines = try lines()
        #expect(lines.filter { $0.hasPrefix("server ") } == ["server 127.0.0.1:\(port) refused"])
        #expect(lines.contains("= exit 7") && lines.contains("= connections 0"))
        #expect(try await problems(playing: Array(rig.recorded().utf8)) == [])
    }

    private static func deadPort() throws -> UInt16 {
        let server = try ReplayServer(Script())
        server.stop()
        return server.port
    }

    @Test("names a host that is an address of IPv6")
    func ipv6() async throws {
        let server = try serve(address: .ipv6Loopback) { _ in answer("200 OK", [], "six") }
        _ = await rawget(["--record", "r.wire", "-6", "http://\(server.authority)/x"], in: rig.folder)
        #expect(try lines().contains("server [::1]:\(server.port)"))
        let problems = try await problems(playing: Array(rig.recorded().utf8))
        #expect(problems == [], "\(problems)")
    }

    @Test("lets connections side by side come in any order")
    func parallel() async throws {
        let server = try serve { _ in answer("200 OK", [], "ok") }
        let urls = (1...4).map { "http://127.0.0.1:\(server.port)/\($0)" }
        _ = await rawget(["--record", "r.wire", "-Z"] + urls, in: rig.folder)
        #expect(try lines().contains("server 127.0.0.1:\(server.port) any-order"))
        for _ in 0..<10 { #expect(try await problems(playing: Array(rig.recorded().utf8)) == []) }
        _ = await rawget(["--record", "r.wire"] + urls, in: rig.folder)
        #expect(try lines().contains("server 127.0.0.1:\(server.port)"))
    }

    @Test("lets requests come on any connection where connections were shared")
    func shared() async throws {
        let server = try serve { answer("200 OK", [], "answer to \($0.target)") }
        let urls = (1...30).map { "http://127.0.0.1:\(server.port)/\($0)" }
        let run = await rawget(["--record", "r.wire", "-Z", "--parallel-max", "3"] + urls, in: rig.folder)
        #expect(run.exit == 0, "\(run.errors)")
        let lines = try lines()
        #expect(lines.contains("server 127.0.0.1:\(server.port) any-connection"))
        #expect(!lines.contains { $0.hasPrefix("= connections") })
        for _ in 0..<10 { #expect(try await problems(playing: Array(rig.recorded().utf8)) == []) }
    }

    @Test("records a connection that died while it was kept")
    func resent() async throws {
        let ok = Script.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let server = try ReplayServer(
            Script(
                [.init([.expectHead, ok, .expectHead, .close])], others: .init([.expectHead, ok, .stall])))
        try server.start()
        let urls = (1...2).map { "http://127.0.0.1:\(server.port)/\($0)" }
        let run = await rawget(["--record", "r.wire"] + urls, in: rig.folder)
        #expect(run.exit == 0, "\(run.errors)")
        let lines = try lines()
        #expect(lines.filter { $0 == "> GET /2 HTTP/1.1" }.count == 2 && lines.contains("= connections 2"))
        #expect(try await problems(playing: Array(rig.recorded().utf8)) == [])
    }

    @Test("records what nginx says, and how much of it is too much")
    func nginx() async throws {
        let nginx = try #require(Nginx.shared)
        for path in ["small.txt", "moved", "coded/small.txt", "included/page.html", "nothing-here"] {
            let run = await rawget(
                ["--record", "r.wire", "--compressed", nginx.url(path), "-o", "x"], in: rig.folder)
            #expect(run.exit == 0)
            let problems = try await problems(playing: Array(rig.recorded().utf8))
            #expect(problems == [], "\(path): \(problems)")
        }
        let run = await rawget(["--record", "large.wire", nginx.url("middle"), "-o", "x"], in: rig.folder)
        #expect(run.exit == 0 && rig.folder.octets(of: "large.wire") == nil)
        #expect(run.errors.firstRange(of: "more than 16 MiB") != nil, "\(run.errors)")
        #expect(holdTheSame(rig.folder.path(of: "x"), nginx.path(of: "middle")))
    }

    @Test("content that asks for a go-ahead is recorded behind it")
    func goAhead() async throws {
        let content = String(repeating: "0123456789abcdef", count: 80_000)
        rig.folder.write(content, to: "big")
        let run = await rig.run(["-T", "big", "-o", "-", "http://A/put"])
        #expect(run.exit == 0 && run.text == "PUT /put: \(content.utf8.count)\n")
        let lines = try lines()
        let blob = try #require(lines.first { $0.hasPrefix(">> blob ") })
        let place = try #require(lines.firstIndex(of: blob))
        #expect(lines[place - 2...place - 1] == ["< HTTP/1.1 100 Continue", "<"])
        #expect(lines.contains("file big = \(blob.dropFirst(3))"))
        #expect(try await problems(playing: Array(rig.recorded().utf8)) == [])
    }

    @Test("gives files from elsewhere names inside the fixture's folder")
    func paths() async throws {
        let other = TemporaryFolder()
        other.write("from afar", to: "data.txt")
        rig.folder.makeFolder("sub")
        let run = await rig.run([
            "-d", "@\(other.path)/data.txt", "-o", "\(other.path)/out", "-D", "sub/../heads", "http://A/post",
            "--output-dir", "", "http://A/small", "-o", "./sub//y",
        ])
        #expect(run.exit == 0, "\(run.errors)")
        let text = try rig.recorded()
        #expect(text.firstRange(of: other.path) == nil, "\(text)")
        #expect(try lines().contains("blob content = \"from afar\""), "\(text)")
        #expect(try await problems(playing: Array(text.utf8)) == [], "\(text)")
    }

    @Test("a name that was taken is taken again")
    func takenName() async throws {
        rig.folder.write("private", to: "named.txt")
        _ = await rig.run(["http://A/named"])
        let lines = try lines()
        #expect(
            lines.contains("file named.txt = \"\"") && lines.contains("= file named.txt.1 is blob content"),
            "\(lines)")
    }
}
