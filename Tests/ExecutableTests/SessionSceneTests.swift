import Glibc
import TestSupport
import Testing

/// A machine with two ways to a server that sends slowly.
private struct SlowScene {
    let network = TestNetwork(links: 2)
    let server: NamespaceServer
    let content: [UInt8]

    /// `way` is the link of the way out at first; `nil`: none.
    init(way: Int? = 0) async throws {
        var generator = SystemRandomNumberGenerator()
        let content = (0..<700_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        self.content = content
        network.setKind("wlan", of: "net0")
        network.setKind("wwan", of: "net1")
        if let way { network.host.ip(TestNetwork.route(way)) }
        server = try await NamespaceServer(
            in: network.origin,
            """
            server { listen 80; root www; limit_rate 1m;
                location /unproved { alias www/file; etag off; if_modified_since off; add_header Last-Modified ""; }
                location /posted { return 204; } }
            """, files: ["file": content])
    }

    /// A task of a session, whose file is `out` in the server's folder.
    func task(_ words: String..., host: String = "192.0.2.1", target: String = "file") -> LineProcess {
        network.host.start(
            Executable.scenes,
            ["session", "http://\(host)/\(target)", server.folder.path(of: "out")] + words + [
                "folder=\(network.kinds.path)"
            ], in: server.folder.path)
    }

    /// Whether the file is what the server has.
    var isWhole: Bool { server.folder.octets(of: "out") == content }
}

extension LineProcess {
    /// Octets received so far.
    fileprivate var received: Int {
        lines.last { $0.hasPrefix("received ") }.flatMap { Int($0.dropFirst(9)) } ?? 0
    }
}

@Suite("Sessions while networks come and go, in namespaces", .serialized, .enabled(if: canMakeNetworks))
struct SessionSceneTests {
    @Test(
        "a download pauses when its way goes, and goes on when it is back, octets intact",
        arguments: ["file", "unproved"])
    func pausing(_ target: String) async throws {
        let scene = try await SlowScene()
        let task = scene.task("waits", target: target)
        #expect(await task.said { _ in task.received > 100_000 })
        scene.network.host.ip(TestNetwork.route(0, "del"))
        #expect(await task.said("waiting"), "\(task.lines)")
        // What was on its way has come.
        try await Task.sleep(for: .milliseconds(100))
        let before = task.received
        try await Task.sleep(for: .milliseconds(200))
        #expect(task.received == before && before < scene.content.count)
        scene.network.host.ip(TestNetwork.route())
        #expect(await task.ending() == .exit(0), "\(task.lines.suffix(3))")
        #expect(task.lines.last == "done" && scene.isWhole)
    }

    @Test("a data task's content is whole, too, and comes once")
    func dataTask() async throws {
        let scene = try await SlowScene()
        let task = scene.task("waits", "data")
        #expect(await task.said { _ in task.received > 100_000 })
        scene.network.host.ip(TestNetwork.route(0, "del"))
        #expect(await task.said("waiting"))
        scene.network.host.ip(TestNetwork.route())
        #expect(await task.ending() == .exit(0), "\(task.lines.suffix(3))")
        #expect(task.received == scene.content.count && scene.isWhole)
    }

    @Test("when the address of a connection is lost, the download goes on from another one")
    func addressLost() async throws {
        let scene = try await SlowScene()
        let task = scene.task("waits")
        #expect(await task.said { _ in task.received > 100_000 })
        scene.network.host.ip(
            "addr add 10.77.0.3/24 dev net0", "addr del 10.77.0.2/24 dev net0",
            "addr replace 10.77.0.3/24 dev net0",
            TestNetwork.route(0, "replace"))
        scene.network.origin.ip("route replace default via 10.77.0.3")
        #expect(await task.ending() == .exit(0), "\(task.lines.suffix(3))")
        #expect(scene.isWhole)
    }

    @Test("without a way a task waits before it begins, with content of its own as well")
    func before() async throws {
        let scene = try await SlowScene(way: nil)
        let task = scene.task("waits")
        let post = scene.task("waits", "post", "data", target: "posted")
        #expect(await task.said("waiting"))
        #expect(await post.said("waiting"))
        scene.network.host.ip(TestNetwork.route())
        #expect(await task.ending() == .exit(0) && scene.isWhole)
        #expect(await post.ending() == .exit(0) && post.lines.contains("answer 204"), "\(post.lines)")
    }

    @Test(
        "a name that cannot be found without a network is found when there is one, though the resolver comes late"
    )
    func name() async throws {
        let scene = try await SlowScene(way: nil)
        scene.network.host.setFile("resolv.conf", "nameserver 192.0.2.1\noptions timeout:1 attempts:1\n")
        let task = scene.task("waits", host: "site.test")
        #expect(await task.said("waiting"))
        scene.network.host.ip(TestNetwork.route())
        // There is a way, and nobody who knows the name yet: the task does not give up.
        try await Task.sleep(for: .milliseconds(500))
        let resolver = await NamespaceResolver.start(in: scene.network.origin, for: scene.network.host)
        defer { resolver.signal(SIGKILL) }
        #expect(await task.ending() == .exit(0), "\(task.lines.suffix(3))")
        #expect(scene.isWhole)
    }

    @Test("a task that does not wait fails at once, and one that waits in vain when its time is over")
    func inVain() async throws {
        let scene = try await SlowScene(way: nil)
        let task = scene.task()
        let patient = scene.task("waits", "limit=1")
        #expect(await task.ending() == .exit(1))
        #expect(task.lines.last?.hasPrefix("failed couldNotConnect: ") == true, "\(task.lines)")
        #expect(await patient.ending() == .exit(1))
        #expect(patient.lines.first == "waiting")
        #expect(
            patient.lines.last?.hasPrefix("failed timedOut: there was no network by which 192.0.2.1") == true,
            "\(patient.lines)")
    }

    @Test("what may not use cellular networks does not begin on one, or fails when it comes to lead over one")
    func noCellular() async throws {
        let scene = try await SlowScene(way: 1)
        let refused = scene.task("no-cellular")
        #expect(await refused.ending() == .exit(1))
        #expect(
            refused.lines.last?.hasPrefix("failed offline: every way to 192.0.2.1") == true,
            "\(refused.lines)")
        scene.network.host.ip(TestNetwork.route(0, "replace"))
        let task = scene.task("no-cellular")
        #expect(await task.said { _ in task.received > 100_000 })
        scene.network.host.ip(TestNetwork.route(1, "replace"))
        #expect(await task.ending() == .exit(1))
        #expect(task.lines.last?.hasPrefix("failed offline: the way to 192.0.2.1") == true, "\(task.lines)")
    }

    @Test("what may not use cellular networks waits for another, before and while it loads")
    func waitsOnCellular() async throws {
        let scene = try await SlowScene(way: 1)
        let task = scene.task("no-cellular", "waits")
        #expect(await task.said("waiting") && task.received == 0)
        scene.network.host.ip(TestNetwork.route(0, "replace"))
        #expect(await task.said { _ in task.received > 100_000 })
        scene.network.host.ip(TestNetwork.route(1, "replace"))
        #expect(await task.said { $0.filter { $0 == "waiting" }.count == 2 })
        scene.network.host.ip(TestNetwork.route(0, "replace"))
        #expect(await task.ending() == .exit(0), "\(task.lines.suffix(3))")
        #expect(scene.isWhole)
    }

    @Test("D23: a queue is suspended on a cellular network and without any, and runs on Wi-Fi")
    func queue() async throws {
        let network = TestNetwork(links: 2)
        network.setKind("wlan", of: "net0")
        network.setKind("wwan", of: "net1")
        network.host.ip(TestNetwork.route(1))
        let input = Pipe()
        let queue = network.host.start(
            Executable.scenes, ["queue", network.kinds.path], input: input.output)
        func add(_ word: String) { _ = write(input.input, word + "\n", word.utf8.count + 1) }
        #expect(await queue.said("status 1"), "\(queue.lines)")
        #expect(queue.lines.prefix(2) == ["running", "suspended"])
        add("first")
        #expect(
            await queue.said { $0.filter { $0 == "suspended" }.count == 2 } && !queue.lines.contains("first"))
        network.host.ip(TestNetwork.route(0, "replace"))
        #expect(await queue.said("first"))
        network.host.ip(TestNetwork.route(0, "del"))
        #expect(await queue.said("status 0"))
        add("second")
        #expect(
            await queue.said { $0.filter { $0 == "suspended" }.count == 3 } && !queue.lines.contains("second")
        )
        network.host.ip(TestNetwork.route(0))
        #expect(await queue.said("second"))
    }

    @Test("rawget waits for the network in place of using up its retries")
    func command() async throws {
        let scene = try await SlowScene()
        let load = scene.network.host.start(
            Executable.path, ["-y", "1", "--retry", "1", "-o", "out", "http://192.0.2.1/file"],
            in: scene.server.folder.path)
        try await Task.sleep(for: .milliseconds(300))
        scene.network.host.ip(TestNetwork.route(0, "del"))
        #expect(await load.said { _ in load.complaints.contains("there is no network: waiting for it") })
        scene.network.host.ip(TestNetwork.route())
        #expect(await load.ending() == .exit(0), "\(load.complaints)")
        #expect(scene.isWhole)
    }
}
