import Glibc
import TestSupport
import Testing

/// Whether what these tests are about can be made here.
let canMakeNetworks = NetworkNamespace.isAllowed

extension TestNetwork {
    /// A monitor that works on the host, of the way out or to `addresses`; it says each status as its number.
    func monitor(kinds: String = "", _ addresses: String...) -> LineProcess {
        host.start(Executable.scenes, ["monitor", kinds] + addresses)
    }
}

extension LineProcess {
    /// Whether its last line comes to be `status`, and it has said so many lines in all.
    func tells(_ status: Int, line count: Int) async -> Bool {
        await said { $0.count >= count && $0.last == "\(status)" } && lines.count == count
    }
}

@Suite("Networks that come and go, in namespaces (D23)", .serialized, .enabled(if: canMakeNetworks))
struct NamespaceTests {
    // MARK: Ways

    @Test(
        "D23: no way out is 0, by cable it is 3, for IPv4 alone and for IPv6 alone", arguments: [false, true])
    func routes(ipv6: Bool) async {
        let network = TestNetwork()
        let monitor = network.monitor()
        #expect(await monitor.tells(0, line: 1))
        network.host.ip(TestNetwork.route(ipv6: ipv6))
        #expect(await monitor.tells(3, line: 2))
        network.host.ip(TestNetwork.route(0, "del", ipv6: ipv6))
        #expect(await monitor.tells(0, line: 3))
    }

    @Test(
        "an interface that goes down takes its ways with it, though the kernel does not say so",
        arguments: [false, true])
    func downAndUp(ipv6: Bool) async {
        let network = TestNetwork()
        network.host.ip(TestNetwork.route(ipv6: ipv6))
        let monitor = network.monitor()
        #expect(await monitor.tells(3, line: 1))
        network.host.ip("link set net0 down")
        #expect(await monitor.tells(0, line: 2))
        // IPv6 addresses go with the link; both families lose their routes.
        network.host.ip(
            "link set net0 up", "addr replace fd77:0::2/64 dev net0 nodad", TestNetwork.route(ipv6: ipv6))
        #expect(await monitor.tells(3, line: 3))
    }

    @Test("without a carrier there is no way, whatever the routes say")
    func carrier() async {
        let network = TestNetwork()
        network.host.ip(TestNetwork.route(), TestNetwork.route(ipv6: true))
        let monitor = network.monitor()
        #expect(await monitor.tells(3, line: 1))
        network.origin.ip("link set far0 down")
        #expect(await monitor.tells(0, line: 2))
        network.origin.ip("link set far0 up")
        #expect(await monitor.tells(3, line: 3))
    }

    @Test(
        "an address that is lost is the way lost, and it is there again with the address",
        arguments: [false, true])
    func addresses(ipv6: Bool) async {
        let network = TestNetwork()
        network.host.ip(TestNetwork.route(ipv6: ipv6))
        let monitor = network.monitor()
        #expect(await monitor.tells(3, line: 1))
        let address = ipv6 ? "fd77:0::2/64 dev net0" : "10.77.0.2/24 dev net0"
        network.host.ip("addr del \(address)")
        #expect(await monitor.tells(0, line: 2))
        network.host.ip(
            "addr add \(address)\(ipv6 ? " nodad" : "")", TestNetwork.route(0, "replace", ipv6: ipv6))
        #expect(await monitor.tells(3, line: 3))
    }

    @Test(
        "of two ways the one counts that the kernel takes: metrics, rules, tables, and ways that lead nowhere"
    )
    func kernelDecides() async {
        let network = TestNetwork(links: 2)
        network.setKind("wlan", of: "net0")
        network.setKind("wwan", of: "net1")
        network.host.ip(TestNetwork.route(0, more: "metric 600"))
        let monitor = network.monitor(kinds: network.kinds.path)
        #expect(await monitor.tells(2, line: 1))
        network.host.ip(TestNetwork.route(1, more: "metric 100"))
        #expect(await monitor.tells(1, line: 2))
        network.host.ip(TestNetwork.route(1, "del", more: "metric 100"))
        #expect(await monitor.tells(2, line: 3))
        network.host.ip("rule add priority 100 lookup 77", TestNetwork.route(1, more: "table 77"))
        #expect(await monitor.tells(1, line: 4))
        network.host.ip("rule del priority 100")
        #expect(await monitor.tells(2, line: 5))
        network.host.ip("route add unreachable default metric 1")
        #expect(await monitor.tells(0, line: 6))
        network.host.ip("route replace blackhole default metric 1")
        network.host.ip("route del blackhole default metric 1")
        #expect(await monitor.tells(2, line: 7))
    }

    @Test("another way out in one step is one change; and of two families the one counts that costs more")
    func replaced() async {
        let network = TestNetwork(links: 2)
        network.setKind("wlan", of: "net0")
        network.setKind("wwan", of: "net1")
        network.host.ip(TestNetwork.route(0))
        let monitor = network.monitor(kinds: network.kinds.path)
        #expect(await monitor.tells(2, line: 1))
        network.host.ip(TestNetwork.route(1, "replace"))
        #expect(await monitor.tells(1, line: 2))
        network.host.ip(TestNetwork.route(0, "replace"))
        #expect(await monitor.tells(2, line: 3))
        network.host.ip(TestNetwork.route(1, ipv6: true))
        #expect(await monitor.tells(1, line: 4))
    }

    @Test("the way to an address is looked for by itself")
    func toAddress() async {
        let network = TestNetwork()
        let near = network.monitor("", "10.77.0.9")
        let far = network.monitor("", "192.0.2.1", "2001:db8::1")
        #expect(await near.tells(3, line: 1))
        #expect(await far.tells(0, line: 1))
        network.host.ip("route add 2001:db8::/32 via fd77:0::1")
        #expect(await far.tells(3, line: 2))
        network.host.ip("route del 2001:db8::/32 via fd77:0::1", "route add 192.0.2.0/24 dev net0")
        network.host.ip("route del 192.0.2.0/24 dev net0", "addr del 10.77.0.2/24 dev net0")
        #expect(await far.tells(0, line: 3))
        #expect(await near.tells(0, line: 2))
    }

    @Test("a machine without any network, its loopback off, has no way; not even to itself")
    func nothing() async {
        let host = NetworkNamespace()
        host.ip("link set lo down")
        let out = host.start(Executable.scenes, ["monitor", ""])
        let own = host.start(Executable.scenes, ["monitor", "", "127.0.0.1"])
        #expect(await out.tells(0, line: 1))
        #expect(await own.said { $0.count == 1 })
        host.ip("link set lo up")
        #expect(await own.said { $0.last == "3" })
        #expect(out.lines == ["0"])
    }

    // MARK: Kinds

    @Test("D23: Wi-Fi is 2, a cellular network is 1", arguments: [("wlan", 2), ("wwan", 1)])
    func kinds(_ type: String, _ status: Int) async {
        let network = TestNetwork()
        network.setKind(type, of: "net0")
        network.host.ip(TestNetwork.route())
        let monitor = network.monitor(kinds: network.kinds.path)
        #expect(await monitor.tells(status, line: 1))
    }

    @Test("a tunnel is of the kind of what carries it", arguments: [("", 3), ("wlan", 2), ("wwan", 1)])
    func tunnels(_ type: String, _ status: Int) async {
        let network = TestNetwork()
        if !type.isEmpty { network.setKind(type, of: "net0") }
        // A tunnel is there as long as somebody holds it.
        let holder = network.host.start("python3", ["-c", NamespaceTests.tunnelHolder])
        #expect(await holder.said("ready"), "\(holder.complaints)")
        network.host.ip(
            TestNetwork.route(more: "metric 100"), "addr add 10.99.0.2/24 dev tun0", "link set tun0 up",
            "route add default dev tun0 metric 10")
        let monitor = network.monitor(kinds: network.kinds.path)
        #expect(await monitor.tells(status, line: 1))
        // Without anything below it, it is what it is.
        holder.signal(SIGKILL)
        #expect(await monitor.said { _ in !network.host.ip("link show tun0") })
        #expect(monitor.lines == ["\(status)"])
    }

    /// TUNSETIFF of IFF_TUN and IFF_NO_PI.
    private static let tunnelHolder = """
        import fcntl, struct, sys, time
        device = open('/dev/net/tun', 'r+b', buffering=0)
        fcntl.ioctl(device, 0x400454ca, struct.pack('16sH22x', b'tun0', 0x1001))
        print('ready', flush=True)
        time.sleep(600)
        """

    @Test("a bridge is of the kind of its part", arguments: [("", 3), ("wlan", 2), ("wwan", 1)])
    func bridges(_ type: String, _ status: Int) async {
        let network = TestNetwork()
        if !type.isEmpty { network.setKind(type, of: "net0") }
        network.host.ip(
            "addr flush dev net0", "link add br0 type bridge", "link set net0 master br0",
            "addr add 10.77.0.2/24 dev br0", "link set br0 up", TestNetwork.route(more: "dev br0"))
        let monitor = network.monitor(kinds: network.kinds.path)
        #expect(await monitor.said { $0.last == "\(status)" }, "\(monitor.lines)")
    }

    @Test("an interface upon another is of its kind")
    func stacked() async {
        let network = TestNetwork()
        network.setKind("wwan", of: "net0")
        network.host.ip(
            "addr flush dev net0", "link add link net0 name mac0 type macvlan",
            "addr add 10.77.0.2/24 dev mac0",
            "link set mac0 up", TestNetwork.route(more: "dev mac0"))
        let monitor = network.monitor(kinds: network.kinds.path)
        #expect(await monitor.said { $0.last == "1" }, "\(monitor.lines)")
    }

    // MARK: Many changes

    @Test("of 1,000 changes in a row the last state is told, once", arguments: [false, true])
    func burst(endsWithout: Bool) async throws {
        let network = TestNetwork()
        network.host.ip(TestNetwork.route())
        let monitor = network.monitor()
        #expect(await monitor.tells(3, line: 1))
        let pair = [TestNetwork.route(0, "del"), TestNetwork.route()]
        var changes = Array(repeating: pair, count: 500).flatMap { $0 }
        if endsWithout { changes.removeLast() }
        #expect(network.host.ip(changes))
        // What is told then is told behind all of them.
        network.host.ip(endsWithout ? TestNetwork.route() : TestNetwork.route(0, "del"))
        if endsWithout {
            // The way was there again before it was quiet.
            try await Task.sleep(for: .milliseconds(300))
            #expect(monitor.lines == ["3"])
        } else {
            #expect(await monitor.tells(0, line: 2))
        }
    }

    @Test("who hears nothing for a while, and loses news, has the right state all the same")
    func overrun() async {
        let network = TestNetwork()
        network.host.ip(TestNetwork.route())
        let monitor = network.monitor()
        #expect(await monitor.tells(3, line: 1))
        monitor.signal(SIGSTOP)
        // More than its buffer holds.
        let pair = ["addr add 10.88.0.1/32 dev net0", "addr del 10.88.0.1/32 dev net0"]
        #expect(
            network.host.ip(
                Array(repeating: pair, count: 1500).flatMap { $0 } + [TestNetwork.route(0, "del")]))
        monitor.signal(SIGCONT)
        #expect(await monitor.tells(0, line: 2))
        // It hears on.
        network.host.ip(TestNetwork.route())
        #expect(await monitor.tells(3, line: 3))
    }
}
