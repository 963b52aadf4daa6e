import TestSupport
import Testing

@testable import Reachability

@Suite("What carries an interface")
struct InterfaceMediaTests {
    /// Kinds of devices by their names: `wlan…`, `wwan…`.
    private static func read(_ link: LinkRecord) -> NetworkMedium? {
        link.name.hasPrefix("wlan") ? .wifi : link.name.hasPrefix("wwan") ? .wwan : nil
    }

    private func answer(
        for index: UInt32, _ links: [LinkRecord?], routes: [(index: UInt32, metric: UInt32)] = []
    ) -> InterfaceMedia.Answer {
        let records = routes.compactMap { route in
            let rest =
                Octets.attribute(4, Octets.number(route.index))
                + Octets.attribute(6, Octets.number(route.metric))
            return RouteRecord(NetlinkOctets(Octets.route(family: 2, rest)[...]))
        }
        return InterfaceMedia(links.compactMap { $0 }, routes: records, reading: Self.read).answer(for: index)
    }

    private static let devices = [
        Octets.linkRecord(1, "lo", hardware: 772, flags: 0x49), Octets.linkRecord(2, "eth0"),
        Octets.linkRecord(3, "wlan0"), Octets.linkRecord(4, "wwan0", hardware: 519),
    ]

    @Test(
        "devices by themselves",
        arguments: [(1, .loopback), (2, .wired), (3, .wifi), (4, .wwan)] as [(UInt32, NetworkMedium)])
    func devices(_ index: UInt32, _ medium: NetworkMedium) {
        #expect(answer(for: index, Self.devices) == .init(medium: medium))
    }

    @Test(
        "a tunnel is carried by the way out that is none",
        arguments: [(2, .wired), (3, .wifi), (4, .wwan)] as [(UInt32, NetworkMedium)])
    func tunnels(_ below: UInt32, _ medium: NetworkMedium) {
        let tunnels = [
            Octets.linkRecord(9, "tun0", hardware: 0xFFFE, kind: "tun"),
            Octets.linkRecord(9, "wg0", hardware: 0xFFFE, kind: "wireguard"),
            Octets.linkRecord(9, "gre1", hardware: 778, kind: "gre"),
            Octets.linkRecord(9, "tap0", kind: "tun"), Octets.linkRecord(9, "ppp0", hardware: 512),
        ]
        let name = ["eth0", "wlan0", "wwan0"][Int(below) - 2]
        for tunnel in tunnels {
            // The way through the tunnel itself is the first choice of all others.
            let found = answer(for: 9, Self.devices + [tunnel], routes: [(9, 0), (below, 100), (2, 200)])
            #expect(found == .init(medium: medium, carriers: [name]), "\(tunnel?.name ?? "")")
        }
    }

    @Test("a tunnel in a tunnel, over a bridge over Wi-Fi; one that names what is below; one over nothing")
    func stacks() {
        let links =
            Self.devices + [
                Octets.linkRecord(5, "br0", kind: "bridge"), Octets.linkRecord(6, "wlan1", master: 5),
                Octets.linkRecord(7, "tun1", hardware: 0xFFFE, kind: "tun"),
                Octets.linkRecord(9, "tun0", hardware: 0xFFFE, kind: "tun"),
                Octets.linkRecord(10, "gre1", hardware: 778, kind: "gre", lower: 4),
            ]
        #expect(
            answer(for: 9, links, routes: [(9, 0), (7, 1), (5, 2)])
                == .init(medium: .wifi, carriers: ["br0", "wlan1"]))
        #expect(answer(for: 10, links, routes: [(2, 0)]) == .init(medium: .wwan, carriers: ["wwan0"]))
        #expect(answer(for: 9, links) == .init(medium: .wired))
    }

    @Test("a VLAN on a bond goes by the bond's active part, or by what costs most")
    func bonds() {
        func links(active: UInt32?) -> [LinkRecord?] {
            let data = active.map { Octets.attribute(2, Octets.number($0)) } ?? []
            return [
                Octets.linkRecord(2, "eth0", master: 5), Octets.linkRecord(3, "wlan0", master: 5),
                Octets.linkRecord(5, "bond0", kind: "bond", data: data),
                Octets.linkRecord(6, "bond0.7", kind: "vlan", lower: 5),
            ]
        }
        #expect(answer(for: 6, links(active: 2)) == .init(medium: .wired, carriers: ["bond0", "eth0"]))
        #expect(answer(for: 6, links(active: 3)) == .init(medium: .wifi, carriers: ["bond0", "wlan0"]))
        #expect(answer(for: 6, links(active: nil)) == .init(medium: .wifi, carriers: ["bond0", "wlan0"]))
        // One that is not there.
        #expect(answer(for: 6, links(active: 77)) == .init(medium: .wifi, carriers: ["bond0", "wlan0"]))
    }

    @Test("a bridge goes by those of its parts that run")
    func bridges() {
        let links = [
            Octets.linkRecord(2, "eth0", master: 5),
            Octets.linkRecord(4, "wwan0", flags: Octets.withoutCarrier, master: 5),
            Octets.linkRecord(5, "br0", kind: "bridge"),
        ]
        #expect(answer(for: 5, links) == .init(medium: .wired, carriers: ["eth0"]))
        #expect(answer(for: 5, [links[1], links[2]]) == .init(medium: .wwan, carriers: ["wwan0"]))
        #expect(answer(for: 5, [links[2]]) == .init(medium: .wired))
    }

    @Test("a VRF is not carried by what belongs to it")
    func vrf() {
        let links = [Octets.linkRecord(4, "wwan0", master: 5), Octets.linkRecord(5, "vrf0", kind: "vrf")]
        #expect(answer(for: 5, links) == .init(medium: .wired))
    }

    @Test("what stands upon itself, or on what is not there, has an answer")
    func circles() {
        let links = [
            Octets.linkRecord(2, "a", kind: "vlan", lower: 3),
            Octets.linkRecord(3, "b", kind: "vlan", lower: 2),
            Octets.linkRecord(5, "c", kind: "bridge", master: 5),
            Octets.linkRecord(6, "d", kind: "vlan", lower: 99),
        ]
        for index: UInt32 in [2, 3, 5, 6, 99] { #expect(answer(for: index, links).medium == .wired) }
    }

    @Test("thousands of interfaces one upon another have an answer, too")
    func tower() {
        var links = [Octets.linkRecord(1, "wlan0")]
        for index in 2...3000 as ClosedRange<Int32> {
            links.append(Octets.linkRecord(index, "v\(index)", kind: "vlan", lower: UInt32(index - 1)))
        }
        #expect(answer(for: 3000, links).medium == .wifi)
    }
}

@Suite("What the folder of an interface tells")
struct InterfaceFolderTests {
    private let folder = TemporaryFolder()

    private func medium(_ name: String, index: Int32 = 4) -> NetworkMedium? {
        Octets.linkRecord(index, name).flatMap { InterfaceFolder(path: folder.path).medium(of: $0) }
    }

    private func write(_ text: String, to file: String, of name: String) {
        folder.makeFolder(name)
        folder.write(text, to: "\(name)/\(file)")
    }

    @Test("Wi-Fi by either folder, or by the type of the device; a modem by that")
    func kinds() {
        folder.makeFolder("a")
        folder.makeFolder("a/wireless")
        folder.makeFolder("b")
        folder.makeFolder("b/phy80211")
        write("DEVTYPE=wlan\nINTERFACE=c\nIFINDEX=4\n", to: "uevent", of: "c")
        write("INTERFACE=d\nDEVTYPE=wwan\n", to: "uevent", of: "d")
        write("INTERFACE=e\nDEVTYPE=bridge\n", to: "uevent", of: "e")
        write("NOT_DEVTYPE=wwan\n", to: "uevent", of: "f")
        #expect(
            ["a", "b", "c", "d", "e", "f", "g"].map { medium($0) } == [
                .wifi, .wifi, .wifi, .wwan, nil, nil, nil,
            ])
    }

    @Test("the folder of another interface of the same name tells nothing")
    func otherNamespace() {
        write("DEVTYPE=wwan\n", to: "uevent", of: "a")
        folder.write("4\n", to: "a/ifindex")
        #expect(medium("a") == .wwan && medium("a", index: 5) == nil)
    }

    @Test("a file that is large, a folder, or no text tells nothing")
    func strangeFiles() {
        write(String(repeating: "A=B\n", count: 5000) + "DEVTYPE=wwan\n", to: "uevent", of: "a")
        folder.makeFolder("b")
        folder.makeFolder("b/uevent")
        folder.makeFolder("c")
        folder.write([0xFF, 0xFE, 0, 10], to: "c/uevent")
        #expect(["a", "b", "c"].map { medium($0) } == [nil, nil, nil])
    }

    @Test("no name leads out of the folder", arguments: ["..", ".", "", "a/../b", "/etc"])
    func names(_ name: String) {
        folder.write("DEVTYPE=wwan\n", to: "uevent")
        write("DEVTYPE=wwan\n", to: "uevent", of: "b")
        #expect(medium(name) == nil)
    }
}
