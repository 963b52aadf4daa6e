import Glibc
import NetworkProbes
import Replay
import System
import TestSupport
import Testing

/// What the kernel says of the sockets whose other end is `port`: the timer's kind and its hundredths of a second
/// (proc(5), `tr:tm->when`), once no acknowledgement is awaited any more.
private func timers(to port: UInt16) -> [String] {
    var found: [String] = []
    for _ in 0..<1000 {
        guard let file = try? File.open("/proc/self/net/tcp", in: File.workingDirectory, flags: O_RDONLY),
            let octets = try? File.contents(of: file.rawValue, limit: 16 << 20)
        else { return [] }
        let digits = String(port, radix: 16, uppercase: true)
        let wanted = ":" + String(repeating: "0", count: 4 - digits.count) + digits
        found = []
        for line in String(decoding: octets, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 9, words[2].hasSuffix(wanted), words[3] == "01" else { continue }
            found.append(String(words[5]))
        }
        if !found.isEmpty, !found.contains(where: { $0.hasPrefix("01") }) { break }
        usleep(2000)
    }
    return found
}

@Suite("Sockets of the command")
struct SocketOptionsTests {
    private let folder = TemporaryFolder()

    @Test(
        "--interface takes an address, an interface or a host, as curl",
        arguments: [
            ("127.0.0.2", "127.0.0.2"), ("host!127.0.0.3", "127.0.0.3"), ("lo", "127.0.0.1"),
            ("if!lo", "127.0.0.1"), ("localhost", "127.0.0.1"),
        ])
    func interface(name: String, address: String) async throws {
        let server = try serve(answer())
        let url = "http://\(server.authority)/"
        let run = await rawget(["--interface", name, "-o", "f", "-w", "%{local_ip}", url], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(run.text == address)
        let output = NamelessFile()
        let curl = ChildProcess(
            "curl", ["-s", "--interface", name, "-o", "/dev/null", "-w", "%{local_ip}", url],
            output: output.descriptor)
        #expect(await curl.ending() == .exit(0))
        #expect(output.text == address)
    }

    @Test(
        "what is no interface and no address of this machine is exit 45, as with curl",
        arguments: [
            "if!nosuch0", "192.0.2.1", "no..such", "host!lo..",
        ])
    func noInterface(name: String) async throws {
        let server = try serve(answer())
        let url = "http://\(server.authority)/"
        let run = await rawget(["--interface", name, "-o", "f", url], in: folder)
        #expect(run.exit == 45, "\(run.errors)")
        let bare = name.split(separator: "!").last.map(String.init) ?? name
        #expect(run.errors.contains(" \(bare)"), "\(run.errors)")
        let curl = ChildProcess("curl", ["-s", "--interface", name, url])
        #expect(await curl.ending() == .exit(45))
        #expect(folder.octets(of: "f") == nil)
        #expect(server.connectionCount == 0)
    }

    @Test("an address of one family uses that family alone")
    func interfaceChoosesFamily() async throws {
        let server = try serve(answer())
        let run = await rawget(
            [
                "-v", "--interface", "127.0.0.2", "--resolve", "dual.test:\(server.port):[::1],127.0.0.1",
                "-o", "f",
                "http://dual.test:\(server.port)/",
            ], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(!run.errors.contains("[::1]"))
    }

    @Test("an address of a family that the server lacks is exit 7, as with curl")
    func interfaceOfOtherFamily() async throws {
        let server = try serve(answer())
        let arguments = ["-s", "--interface", "::1", "http://\(server.authority)/"]
        #expect(await rawget(arguments, in: folder).exit == 7)
        #expect(await ChildProcess("curl", arguments).ending() == .exit(7))
    }

    @Test("a Unix socket has no interface")
    func unixSocket() async throws {
        let path = folder.path(of: "socket")
        let server = try serve(address: .unix(path)) { _ in answer() }
        let run = await rawget(
            ["--interface", "if!nosuch0", "--unix-socket", path, "-o", "f", "http://x.test/"], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(server.requests.count == 1)
    }

    @Test("two groups with one interface share a connection, with two they do not")
    func sharing() async throws {
        let server = try serve(answer())
        func group(_ name: String) -> [String] {
            ["--interface", name, "-o", "f", "http://\(server.authority)/"]
        }
        #expect(await rawget(group("127.0.0.2") + ["--next"] + group("127.0.0.2"), in: folder).exit == 0)
        #expect(server.connectionCount == 1)
        #expect(await rawget(group("127.0.0.2") + ["--next"] + group("127.0.0.3"), in: folder).exit == 0)
        #expect(server.connectionCount == 3)
    }

    @Test(
        "--keepalive-time sets the time of the probes, --no-keepalive leaves them out",
        arguments: [
            ([], "02", 60), (["--keepalive-time", "700"], "02", 700), (["--no-keepalive"], "00", 0),
            (["--no-keepalive", "--keepalive", "--keepalive-cnt", "3", "--tcp-nodelay"], "02", 60),
        ])
    func keepAlive(options: [String], kind: String, seconds: Int) async throws {
        let seen = Lock<[String]>([])
        let port = Lock<UInt16>(0)
        let server = try serve { _ in
            seen.withLock { $0 = timers(to: port.withLock { $0 }) }
            return answer()
        }
        port.withLock { $0 = server.port }
        let run = await rawget(options + ["-o", "f", "http://\(server.authority)/"], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        let parts = try #require(seen.withLock { $0 }.first).split(separator: ":")
        #expect(parts[0] == kind)
        let left = try #require(Int(parts[1], radix: 16))
        #expect(seconds * 100 - 500...seconds * 100 ~= left)
    }

    @Test(
        "a name with two families is raced: a silent first one costs the delay",
        arguments: [
            ([], 250), (["--happy-eyeballs-timeout-ms", "40"], 40),
        ])
    func races(options: [String], delay: Int) async throws {
        let server = try serve(address: .ipv6Loopback) { _ in answer() }
        let listener = try FullListener(on: 0x7F00_0007, port: server.port)
        var times: [Double] = []
        for _ in 0..<3 {
            let run = await rawget(
                options + [
                    "-v", "--resolve", "dual.test:\(server.port):127.0.0.7,[::1]", "-o", "f", "-w",
                    "%{time_connect} %{remote_ip}", "http://dual.test:\(server.port)/",
                ], in: folder)
            #expect(run.exit == 0, "\(run.errors)")
            let words = run.text.split(separator: " ")
            #expect(words.last == "::1")
            times.append(Double(words[0]) ?? 0)
            #expect(
                run.errors.contains("* trying 127.0.0.7:\(server.port)\n* trying [::1]:\(server.port)\n"),
                "\(run.errors)")
        }
        let median = times.sorted()[1] * 1000
        #expect(median >= Double(delay) - 1)
        #expect(median < Double(delay + 150) * Double(patience), "\(times)")
        withExtendedLifetime(listener) {}
    }

    @Test("the refused family of a name costs nothing, and its failure is told")
    func refusedFamily() async throws {
        let server = try serve(answer())
        let run = await rawget(
            [
                "-v", "--happy-eyeballs-timeout-ms", "100000", "--resolve",
                "dual.test:\(server.port):[::1],127.0.0.1", "-o", "f", "http://dual.test:\(server.port)/",
            ], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(run.errors.contains("failed: [::1]:\(server.port)"))
    }

    @Test("when no address takes the connection, exit 7 names all of them")
    func allFail() async throws {
        let server = try ReplayServer(Script())
        server.stop()
        let run = await rawget(
            [
                "--resolve", "dual.test:\(server.port):127.0.0.1,127.0.0.2,[::1]", "-o", "f",
                "http://dual.test:\(server.port)/",
            ], in: folder)
        #expect(run.exit == 7)
        for address in ["127.0.0.1", "127.0.0.2", "[::1]"] {
            #expect(run.errors.contains("\(address):\(server.port): "), "\(run.errors)")
        }
    }
}
