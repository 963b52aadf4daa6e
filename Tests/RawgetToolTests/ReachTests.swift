import HTTPClient
import NetworkProbes
import Replay
import System
import TestSupport
import Testing
import Transport

@testable import RawgetTool

/// On the loopback, which every machine can reach; the rest is in the tests of namespaces.
@Suite("rawget reach")
struct ReachTests {
    private let folder = TemporaryFolder()

    private func reach(_ arguments: [String], names: [String] = []) async -> ToolRun {
        await rawget(["reach"] + arguments, in: folder) { invocation in
            for name in names {
                let own = SocketAddress(ipv4: 0, port: 0)
                invocation.addressMap.entries.append(.init(host: name, port: nil, addresses: [own]))
            }
        }
    }

    /// What a server that answers so is found to be: the members of the JSON.
    private func found(_ steps: [Script.Step], _ options: [String] = []) async throws -> [String: JSONValue] {
        let server = try serve(steps)
        let run = await reach(["--as-json"] + options + ["http://\(server.authority)/x"])
        return members(run)
    }

    private func members(_ run: ToolRun) -> [String: JSONValue] {
        guard run.text.filter({ $0 == "\n" }).count == 1,
            case .object(let members)? = try? JSONReader.value(of: Array(run.output.dropLast()))
        else { return [:] }
        return Dictionary(members.map { ($0.name, $0.value) }) { $1 }
    }

    // MARK: Steps

    @Test("what works is said of every step, and exits with 0")
    func allWell() async throws {
        let server = try serve(answer())
        let run = await reach(["http://\(server.authority)/"])
        #expect(run.exit == 0 && run.errors == "")
        let lines = run.text.split(separator: "\n").map {
            $0.split(separator: " ").prefix(2).map(String.init)
        }
        #expect(
            lines == [
                ["interface", "ok"], ["address", "ok"], ["route", "ok"], ["DNS", "-"], ["TCP", "ok"],
                ["TLS", "-"],
                ["HTTP", "ok"], ["meaning", "ok"],
            ])
        #expect(run.text.contains("  HTTP/1.1 200 OK\n"), "\(run.text)")
        // The request is a download's, of which nothing is kept.
        #expect(server.requests.count == 1)
        #expect(folder.names == [])
    }

    @Test("a port that is closed, and one that is silent")
    func connections() async throws {
        let closed = await reach(["--as-json", "http://127.0.0.1:1/"])
        #expect(closed.exit == 7 && members(closed)["failedStep"] == .string("tcp"))
        let silent = try FullListener()
        let run = await reach(["--as-json", "--connect-timeout", "0.1", "http://127.0.0.1:\(silent.port)/"])
        #expect(run.exit == 28 && members(run)["failedStep"] == .string("tcp"))
    }

    @Test("a Unix socket needs no network; one that is not there is no connection")
    func sockets() async {
        let run = await reach(["--as-json", "--unix-socket", "\(folder.path)/none", "http://host.test/"])
        #expect(run.exit == 7 && members(run)["failedStep"] == .string("tcp"), "\(run.text)")
    }

    @Test("a portal is called one, with where it sends to")
    func portalMembers() async throws {
        let members = try await found(answer("302 Found", ["Location: http://portal.test/login"]))
        #expect(members["meaning"] == .string("portal") && members["httpStatus"] == .number("302"))
        #expect(members["location"] == .string("http://portal.test/login"))
    }

    @Test("an address of nobody is how names are blocked")
    func blocked() async throws {
        let run = await reach(["--as-json", "http://blocked.test/"], names: ["blocked.test"])
        #expect(run.exit == 6 && members(run)["failedStep"] == .string("dns"))
    }

    @Test(
        "servers that do not answer",
        arguments: [
            ([.close], "http", 52), ([.reset], "http", 56), ([.send("nonsense\r\n\r\n")], "http", 1),
            ([.send("HTTP/1.1 200 OK\r\n"), .close], "http", 56),
        ] as [([Script.Step], String, Int32)])
    func noAnswer(_ steps: [Script.Step], _ step: String, _ exit: Int32) async throws {
        let members = try await found(steps)
        #expect(members["failedStep"] == .string(step) && members["exit"] == .number("\(exit)"), "\(members)")
    }

    @Test("a server that says nothing is waited for only so long")
    func silence() async throws {
        let members = try await found([.stall], ["-m", "0.2"])
        #expect(members["failedStep"] == .string("http") && members["exit"] == .number("28"))
    }

    // MARK: What the answer means

    @Test(
        "statuses, redirects and contents",
        arguments: [
            ("200 OK", [], "x", [], 0), ("204 No Content", [], "", [], 0), ("404 Not Found", [], "x", [], 22),
            ("503 Service Unavailable", [], "x", [], 22),
            ("511 Network Authentication Required", [], "x", [], 22),
            ("302 Found", ["Location: http://portal.test/login"], "", [], 22),
            ("302 Found", ["Location: /elsewhere"], "", [], 0),
            ("302 Found", ["Location: https://127.0.0.1/"], "", [], 0),
            ("302 Found", ["Location: ://::"], "", [], 0),
            ("304 Not Modified", [], "", [], 0),
            ("204 No Content", [], "", ["--expect", "204"], 0), ("200 OK", [], "x", ["--expect", "204"], 22),
            ("302 Found", ["Location: http://portal.test/"], "", ["--expect", "302"], 0),
            ("503 Service Unavailable", [], "x", ["--expect", "503"], 0),
            (
                "200 OK", [], "NetworkManager is online\n", ["--expect-content", "NetworkManager is online"],
                0
            ),
            ("200 OK", [], "<html>Welcome", ["--expect-content", "NetworkManager is online"], 22),
            ("200 OK", [], "Net", ["--expect-content", "NetworkManager is online"], 22),
            ("404 Not Found", [], "x", ["--expect-content", "x"], 22),
        ] as [(String, [String], String, [String], Int32)])
    func meanings(
        _ status: String, _ fields: [String], _ content: String, _ options: [String], _ exit: Int32
    ) async throws {
        let hasNone = ["204", "304"].contains(status.prefix(3))
        let steps: [Script.Step] =
            hasNone
            ? [.send((["HTTP/1.1 \(status)"] + fields).joined(separator: "\r\n") + "\r\n\r\n")]
            : answer(status, fields, content)
        let members = try await found(steps, options)
        #expect(members["exit"] == .number("\(exit)"), "\(members)")
        #expect(members["failedStep"] == (exit == 0 ? .null : .string("meaning")))
    }

    @Test("of content no more is read than is expected, however much comes")
    func endlessContent() async throws {
        let endless: [Script.Step] = [.send("HTTP/1.1 200 OK\r\n\r\nonline and more"), .stall]
        #expect(try await found(endless)["exit"] == .number("0"))
        #expect(try await found(endless, ["--expect-content", "online"])["exit"] == .number("0"))
        #expect(try await found(endless, ["--expect-content", "other."])["exit"] == .number("22"))
    }

    // MARK: Words

    @Test("nothing that a server says reaches the terminal as it came")
    func escaping() async throws {
        let server = try serve([.send("HTTP/1.1 404 \u{1B}[31mred\r\nContent-Length: 0\r\n\r\n")])
        let run = await reach(["http://\(server.authority)/"])
        #expect(run.exit == 22)
        #expect(!run.text.contains("\u{1B}") && !run.errors.contains("\u{1B}"))
        #expect(run.text.contains("red") && run.errors.contains("(22) "))
    }

    @Test(
        "what makes no sense is a mistake of use",
        arguments: [
            ["a", "b"], ["--expect", "204"], ["--expect-content", "x"], ["--expect", "1000", "a"], ["-6"],
            ["--interface", "lo"],
            ["--nonsense"],
        ])
    func mistakes(_ arguments: [String]) async {
        let run = await reach(arguments)
        #expect(run.exit == 2 && run.text == "" && run.errors.contains("(2) "))
    }

    @Test("a URL that is none exits as a download does", arguments: [("http://a b/", 3), ("ftp://host/", 1)])
    func badURLs(_ url: String, _ exit: Int32) async {
        #expect(await reach([url]).exit == exit)
    }

    @Test("its help names its options")
    func help() async {
        let run = await reach(["--help"])
        #expect(run.exit == 0)
        for option in [
            "--watch", "--as-json", "--expect STATUS", "--expect-content TEXT", "--resolve", "--cacert",
        ] {
            #expect(run.text.contains(option), "\(option)")
        }
    }
}
