import Glibc
import TestSupport
import Testing

/// Whether what these tests are about can be made here.
let canMakeNetworks = NetworkNamespace.isAllowed

@Suite("rawget reach, in namespaces", .serialized, .enabled(if: canMakeNetworks))
struct ReachSceneTests {
    /// A set-up that is broken in one place, and what must be said of it.
    private struct BrokenSetup {
        var name: String
        var url = "http://site.test/"
        var options: [String] = []
        /// What breaks it, and mends it again.
        var breaking: [String] = []
        var mending: [String] = []
        var step: String
        var exit: Int
    }

    private static let setups = [
        BrokenSetup(
            name: "no interface", breaking: ["link set net0 down"],
            mending: ["link set net0 up", TestNetwork.route()], step: "interface", exit: 124),
        BrokenSetup(
            name: "no address", breaking: ["addr flush dev net0"],
            mending: ["addr add 10.77.0.2/24 dev net0", TestNetwork.route()], step: "address", exit: 124),
        BrokenSetup(
            name: "no route", breaking: [TestNetwork.route(0, "del")], mending: [TestNetwork.route()],
            step: "route", exit: 124),
        BrokenSetup(
            name: "DNS silent", url: "http://silent.test/", options: ["--connect-timeout", "0.3"],
            step: "dns",
            exit: 28),
        BrokenSetup(name: "DNS wrong: no such name", url: "http://unknown.test/", step: "dns", exit: 6),
        BrokenSetup(
            name: "DNS wrong: an address of nobody", url: "http://blocked.test/", step: "dns", exit: 6),
        BrokenSetup(name: "port closed", url: "http://site.test:9/", step: "tcp", exit: 7),
        BrokenSetup(
            name: "port silent", url: "http://198.51.100.1/", options: ["--connect-timeout", "0.3"],
            step: "tcp",
            exit: 28),
        BrokenSetup(name: "TLS refused", url: "https://site.test:444/", step: "tls", exit: 35),
        BrokenSetup(name: "TLS refused: plain HTTP", url: "https://site.test:80/", step: "tls", exit: 35),
        BrokenSetup(
            name: "wrong certificate", url: "https://site.test/", options: ["--cacert", "other.pem"],
            step: "tls",
            exit: 60),
        BrokenSetup(name: "HTTP 503", url: "http://site.test:81/", step: "meaning", exit: 22),
        BrokenSetup(name: "portal by redirect", url: "http://site.test:82/", step: "meaning", exit: 22),
        BrokenSetup(
            name: "portal by content", url: "http://site.test/ok", options: ["--expect", "204"],
            step: "meaning",
            exit: 22),
    ]

    @Test("the right step is named, with its exit, for each of these set-ups")
    func brokenSetups() async throws {
        let network = TestNetwork()
        network.host.ip(TestNetwork.route())
        let server = try await NamespaceServer(
            in: network.origin,
            """
            server { listen 80; root www; }
            server { listen 81; return 503; }
            server { listen 82; return 302 http://login.portal.test/; }
            server { listen 443 ssl; return 200 fine; ssl_certificate other.pem; ssl_certificate_key other.key; }
            server { listen 444 ssl; ssl_reject_handshake on; }
            """, files: ["ok": Array("fine".utf8), "index.html": Array("fine".utf8)])
        let resolver = await NamespaceResolver.start(in: network.origin, for: network.host)
        defer { resolver.signal(SIGKILL) }

        func reach(_ options: [String], _ url: String) async -> (LineProcess, Int32) {
            let process = network.host.start(
                Executable.path, ["reach", "--as-json"] + options + [url], in: server.folder.path)
            guard case .exit(let code) = await process.ending() else { return (process, -1) }
            return (process, code)
        }
        for setup in Self.setups {
            network.host.ip(setup.breaking)
            let (process, code) = await reach(setup.options, setup.url)
            let line = process.lines.first ?? ""
            #expect(
                line.contains("\"failedStep\":\"\(setup.step)\"") && line.contains("\"exit\":\(setup.exit),")
                    && code == setup.exit, "\(setup.name): \(line)")
            network.host.ip(setup.mending)
        }
        // What is not broken is not said to be.
        for (options, url) in [
            ([], "http://site.test/ok"), (["--expect-content", "fi"], "http://site.test/ok"),
            (["--expect", "503"], "http://site.test:81/"),
            (
                ["--cacert", "other.pem", "--connect-to", "other.test:443:site.test:443"],
                "https://other.test/"
            ),
            ([], "http://10.77.0.1/ok"),
        ] {
            let (process, code) = await reach(options, url)
            #expect(
                process.lines.first?.contains("\"failedStep\":null") == true && code == 0,
                "\(url): \(process.lines)")
        }
        // A host of an attached network needs no way out.
        network.host.ip(TestNetwork.route(0, "del"))
        #expect(await reach([], "http://10.77.0.1/ok").1 == 0)
    }

    @Test(
        "without a URL it tells whether there is a way out; --watch tells of each change, once, until interrupted"
    )
    func watching() async throws {
        let network = TestNetwork()
        let without = network.host.start(Executable.path, ["reach"])
        #expect(await without.ending() == .exit(124))
        #expect(
            without.complaints.contains(
                "(124) there is no way out of this machine: none for IPv4; none for IPv6"))
        let watch = network.host.start(Executable.path, ["reach", "--watch", "--as-json"])
        #expect(await watch.said { $0.count == 1 && $0[0].contains("\"reachability\":0,") }, "\(watch.lines)")
        network.host.ip(TestNetwork.route())
        #expect(await watch.said { $0.count == 2 && $0[1].contains("\"reachability\":3,") }, "\(watch.lines)")
        // Something that it does not show.
        network.host.ip("route add 203.0.113.0/24 via 10.77.0.1", "route del 203.0.113.0/24 via 10.77.0.1")
        network.host.ip(TestNetwork.route(0, "del"))
        #expect(await watch.said { $0.count == 3 && $0[2].contains("\"reachability\":0,") }, "\(watch.lines)")
        watch.signal(SIGINT)
        #expect(await watch.ending() == .exit(130))
    }

    @Test("while nothing changes nothing runs: the whole process stands in one wait, without an end")
    func quiet() async throws {
        let network = TestNetwork()
        let folder = TemporaryFolder()
        let watch = network.host.start(
            "strace",
            ["-f", "-o", folder.path(of: "calls"), Executable.path, "reach", "--watch", "--as-json"])
        #expect(await watch.said { $0.count == 1 })
        func calls() -> [Substring] { (folder.text(of: "calls") ?? "").split(separator: "\n") }
        // Each line begins with the number of a thread: there is one.
        #expect(await watch.said { _ in calls().last?.contains(" epoll_pwait2(") ?? false })
        // The kernel tells of its own affairs for a while after an interface is new.
        var before = calls()
        for _ in 0..<8 {
            before = calls()
            try await Task.sleep(for: .seconds(1))
            if calls() == before { break }
        }
        #expect(calls() == before)
        #expect(Set(before.map { $0.prefix { $0 != " " } }).count == 1)
        network.host.ip(TestNetwork.route())
        #expect(await watch.said { $0.count == 2 })
        // The wait that stood there had no limit: where one has, it is a structure.
        let waits = calls().filter { $0.contains(" epoll_pwait2(") }
        #expect(waits.contains { $0.contains("events=EPOLLIN") && $0.contains("NULL, NULL") }, "\(waits)")
    }
}
