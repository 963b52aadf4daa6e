import Replay
import TestSupport
import Testing

@Suite("How the command reaches servers")
struct ConnectionOptionsTests {
    private let folder = TemporaryFolder()

    @Test("--resolve gives a name its address; the last rule for a name counts, - takes it back")
    func resolve() async throws {
        let server = try serve(answer())
        let port = server.port
        for host in ["fixture.test", "*"] {
            let run = await rawget(
                [
                    "--resolve", "fixture.test:\(port):192.0.2.1", "--resolve", "\(host):\(port):127.0.0.1",
                    "-o", "f",
                    "--resolve", host == "*" ? "-fixture.test:\(port)" : "other.test:1:192.0.2.1",
                    "http://fixture.test:\(port)/",
                ], in: folder)
            #expect(run.exit == 0, "\(run.errors)")
        }
        #expect(
            server.requests.map { $0.value(of: "Host") } == ["fixture.test:\(port)", "fixture.test:\(port)"])
    }

    @Test("of several addresses the next is tried when one refuses")
    func severalAddresses() async throws {
        let server = try serve(answer())
        let run = await rawget(
            [
                "-v", "--resolve", "fixture.test:\(server.port):127.0.0.9,127.0.0.1", "-o", "f",
                "http://fixture.test:\(server.port)/",
            ], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(run.errors.contains("failed: 127.0.0.9"))
    }

    @Test("--connect-to leads elsewhere, and the request names the URL's host all the same")
    func connectTo() async throws {
        let server = try serve(answer())
        for rule in ["fixture.test:80:127.0.0.1:\(server.port)", "::127.0.0.1:\(server.port)"] {
            let run = await rawget(["--connect-to", rule, "-o", "f", "http://fixture.test/"], in: folder)
            #expect(run.exit == 0, "\(run.errors)")
        }
        #expect(server.requests.allSatisfy { $0.value(of: "Host") == "fixture.test" })
    }

    @Test("--unix-socket")
    func unixSocket() async throws {
        let path = folder.path(of: "socket")
        let server = try serve(address: .unix(path)) { answer("200 OK", [], $0.target) }
        let run = await rawget(["--unix-socket", path, "-o", "-", "http://fixture.test/x"], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(run.text == "/x")
        #expect(server.requests.first?.value(of: "Host") == "fixture.test")
        let long = String(repeating: "x", count: 200)
        #expect(await rawget(["--unix-socket", long, "http://fixture.test/"], in: folder).exit == 2)
    }

    @Test("-4 and -6 choose the family", arguments: [("-4", "127.0.0.1"), ("-6", "::1")])
    func family(_ option: String, _ address: String) async throws {
        let server = try serve(address: option == "-4" ? .ipv4Loopback : .ipv6Loopback) { _ in answer() }
        let run = await rawget(
            [
                option, "--resolve", "fixture.test:\(server.port):127.0.0.1,[::1]", "-o", "f", "-w",
                "%{remote_ip}",
                "http://fixture.test:\(server.port)/",
            ], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(run.text == address)
    }

    @Test("an address of the other family is exit 6 when only one is allowed")
    func otherFamily() async throws {
        #expect(await rawget(["-6", "http://127.0.0.1:9/"], in: folder).exit == 6)
    }

    @Test("-v shows what is sent and received, and no secret")
    func verbose() async throws {
        let server = try serve(answer("200 OK", ["X-A: \u{1B}[2J"]))
        let run = await rawget(
            [
                "-v", "-H", "Authorization: Basic c2VjcmV0", "-H", "Cookie: secret", "-o", "f",
                "http://\(server.authority)/x",
            ],
            in: folder)
        #expect(run.exit == 0)
        #expect(run.errors.contains("> GET /x HTTP/1.1\n"))
        #expect(run.errors.contains("< HTTP/1.1 200 OK\n"))
        #expect(run.errors.contains("Authorization: (not shown)"))
        #expect(!run.errors.contains("c2VjcmV0") && !run.errors.contains("secret"))
        #expect(!run.errors.contains("\u{1B}"))
    }
}
