import Testing
import Transport

@testable import Reachability

@Suite("What the kernel tells by netlink (rtnetlink(7))")
struct NetlinkTests {
    private func read<Record>(_ octets: [UInt8], _ record: (NetlinkOctets) -> Record?) -> Record? {
        record(NetlinkOctets(octets[...]))
    }

    // MARK: Messages

    @Test("several messages in one read, each at its place, with what fills them up")
    func messages() {
        let octets =
            Octets.message(16, [1, 2, 3, 4, 5], sequence: 7) + [0, 0, 0] + Octets.message(3, [0, 0, 0, 0])
        let messages = NetlinkMessage.all(in: octets[...])
        #expect(messages.map(\.type) == [16, 3] && messages.map(\.sequence) == [7, 1])
        #expect(messages[0].content.all == [1, 2, 3, 4, 5])
        #expect(!messages[0].isInterrupted && messages[1].errorNumber == 0)
    }

    @Test("a message that was cut off is none, wherever that was")
    func cutMessages() {
        let octets = Octets.message(16, [1, 2, 3, 4]) + Octets.message(16, [5, 6, 7, 8])
        for count in 0..<octets.count {
            #expect(NetlinkMessage.all(in: octets[..<count]).count == (count >= 20 ? 1 : 0))
        }
    }

    @Test(
        "a length that cannot be ends the messages",
        arguments: [0, 1, 15, 21, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func hostileLengths(_ length: UInt32) {
        let octets = Octets.number(length) + Octets.message(16, [1, 2, 3, 4]).dropFirst(4)
        #expect(NetlinkMessage.all(in: octets[...]).isEmpty)
    }

    @Test("a message tells that the answer does not fit together, and which error there was")
    func flags() {
        let octets =
            Octets.message(3, Octets.number(Int32(0)), flags: 0x12)
            + Octets.message(2, Octets.number(Int32(-101)))
        let messages = NetlinkMessage.all(in: octets[...])
        #expect(messages.map(\.isInterrupted) == [true, false])
        #expect(messages.map(\.errorNumber) == [0, 101])
    }

    @Test("the strangest error numbers are numbers", arguments: [Int32.min, .max, -1])
    func errorNumbers(_ number: Int32) {
        let messages = NetlinkMessage.all(in: Octets.message(2, Octets.number(number))[...])
        #expect(messages.map(\.errorNumber) == [0 &- number])
    }

    // MARK: Links

    @Test("an interface: its number, name, flags, and what it stands on")
    func link() {
        let plain = Octets.linkRecord(4, "eth0")
        #expect(plain?.index == 4 && plain?.name == "eth0" && plain?.isRunning == true && plain?.isUp == true)
        #expect(plain?.kind == "" && plain?.lower == nil && plain?.master == nil && plain?.isTunnel == false)
        let vlan = Octets.linkRecord(5, "eth0.7", kind: "vlan", lower: 4, master: 9)
        #expect(vlan?.kind == "vlan" && vlan?.lower == 4 && vlan?.master == 9)
        let down = Octets.linkRecord(6, "eth1", flags: Octets.withoutCarrier)
        #expect(down?.isUp == true && down?.isRunning == false)
    }

    @Test("a bond tells which of its parts is active")
    func bond() {
        let data = Octets.attribute(1, [1]) + Octets.attribute(2, Octets.number(UInt32(3)))
        #expect(Octets.linkRecord(8, "bond0", kind: "bond", data: data)?.activePart == 3)
        // The same numbers mean other things elsewhere.
        #expect(Octets.linkRecord(8, "br0", kind: "bridge", data: data)?.activePart == nil)
    }

    @Test("what is at the other end of a pair, or in another namespace, is not below")
    func pairs() {
        #expect(Octets.linkRecord(5, "v", kind: "veth", lower: 4)?.lower == nil)
        #expect(Octets.linkRecord(5, "m", kind: "macvlan", lower: 4, isElsewhere: true)?.lower == nil)
        #expect(Octets.linkRecord(5, "x", lower: 5)?.lower == nil)
    }

    @Test("a link that was cut off has at most less in it")
    func cutLink() {
        let octets = Octets.link(5, "eth0.7", kind: "vlan", lower: 4, master: 9)
        for count in 0..<octets.count {
            guard let link = LinkRecord(NetlinkOctets(octets[..<count])) else {
                #expect(count < 12)
                continue
            }
            #expect(["", "eth0.7"].contains(link.name) && ["", "vlan"].contains(link.kind))
            #expect(link.lower ?? 4 == 4 && link.master ?? 9 == 9)
        }
    }

    @Test("an attribute of an impossible length ends the attributes", arguments: [0, 1, 3, 200, 0xFFFF])
    func hostileAttributes(_ length: UInt16) {
        let octets =
            Array(Octets.link(5, "")[..<16]) + Octets.number(length) + Octets.number(UInt16(3)) + [
                65, 0, 0, 0,
            ]
            + Octets.attribute(10, Octets.number(UInt32(9)))
        let link = LinkRecord(NetlinkOctets(octets[...]))
        #expect(link?.index == 5 && link?.name == "" && link?.master == nil)
    }

    // MARK: Addresses

    @Test("an address is the interface's own, not its peer's")
    func addresses() {
        let own = Octets.attribute(2, [10, 0, 0, 2])
        let peer = Octets.attribute(1, [10, 0, 0, 9])
        let record = read(Octets.address(family: 2, prefix: 32, index: 3, peer + own)) { AddressRecord($0) }
        #expect(record?.address.host == "10.0.0.2" && record?.prefixLength == 32 && record?.index == 3)
        let ipv6 = Octets.attribute(1, [0xFD] + [UInt8](repeating: 0, count: 14) + [2])
        let other = read(Octets.address(family: 10, prefix: 64, index: 3, ipv6)) { AddressRecord($0) }
        #expect(other?.address.host == "fd00::2" && other?.isTentative == false)
    }

    @Test(
        "an address that is not proved to be its own is told",
        arguments: [(0x40, true), (0x08, true), (0x20, false)])
    func tentative(_ flags: UInt8, _ isTentative: Bool) {
        let address = Octets.attribute(1, [10, 0, 0, 2])
        let short = read(Octets.address(family: 2, prefix: 8, flags: flags, index: 1, address)) {
            AddressRecord($0)
        }
        #expect(short?.isTentative == isTentative)
        // The long flags go before the short ones.
        let long = address + Octets.attribute(8, Octets.number(UInt32(flags)))
        let record = read(Octets.address(family: 2, prefix: 8, flags: 0, index: 1, long)) {
            AddressRecord($0)
        }
        #expect(record?.isTentative == isTentative)
    }

    @Test(
        "addresses of other families, and of other lengths, are none",
        arguments: [(2, 16), (10, 4), (7, 4), (2, 3)])
    func strangeAddresses(_ family: UInt8, _ count: Int) {
        let address = Octets.attribute(1, [UInt8](repeating: 1, count: count))
        #expect(
            read(Octets.address(family: family, prefix: 8, index: 1, address)) { AddressRecord($0) } == nil)
    }

    // MARK: Routes

    @Test("a route: interface, gateway, source, table, metric")
    func route() {
        let rest =
            Octets.attribute(4, Octets.number(UInt32(7))) + Octets.attribute(5, [10, 0, 0, 1])
            + Octets.attribute(6, Octets.number(UInt32(600))) + Octets.attribute(7, [10, 0, 0, 2])
            + Octets.attribute(15, Octets.number(UInt32(51820)))
        let record = read(Octets.route(family: 2, table: 252, rest)) { RouteRecord($0) }
        #expect(
            record?.index == 7 && record?.gateway?.host == "10.0.0.1" && record?.source?.host == "10.0.0.2")
        #expect(record?.table == 51820 && record?.metric == 600 && record?.purpose == .unicast)
        for count in 0..<rest.count {
            let cut = read(Octets.route(family: 2, Array(rest.prefix(count)))) { RouteRecord($0) }
            #expect(cut?.index ?? 7 == 7 && cut?.gateway?.host ?? "10.0.0.1" == "10.0.0.1")
        }
    }

    @Test("of several next hops the first, and a gateway of the other family")
    func hops() {
        // struct rtnexthop: length, flags, hops, interface; then its attributes.
        let hop =
            Octets.number(UInt16(16)) + [0, 0] + Octets.number(UInt32(7))
            + Octets.attribute(5, [10, 0, 0, 1])
        let several = Octets.attribute(9, hop + Octets.number(UInt16(8)) + [0, 0] + Octets.number(UInt32(8)))
        #expect(read(Octets.route(family: 2, several)) { RouteRecord($0) }?.index == 7)
        let via = Octets.attribute(
            18, Octets.number(UInt16(10)) + [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1])
        #expect(read(Octets.route(family: 2, via)) { RouteRecord($0) }?.gateway?.host == "fe80::1")
        for type: UInt16 in [9, 18] {
            for count in 0..<8 {
                let short = Octets.attribute(type, [UInt8](repeating: 1, count: count))
                #expect(read(Octets.route(family: 2, short)) { RouteRecord($0) }?.gateway == nil)
            }
        }
    }

    @Test(
        "what becomes of what goes that way",
        arguments: [
            (1, .unicast), (2, .local), (3, .other), (6, .other), (7, .other), (8, .other), (255, .other),
        ]
            as [(UInt8, RouteRecord.Purpose)])
    func purposes(_ type: UInt8, _ purpose: RouteRecord.Purpose) {
        #expect(read(Octets.route(family: 2, type: type, [])) { RouteRecord($0) }?.purpose == purpose)
    }

    @Test("a source of nothing but zeros is none")
    func noSource() {
        let rest = Octets.attribute(7, [0, 0, 0, 0])
        #expect(read(Octets.route(family: 2, rest)) { RouteRecord($0) }?.source == nil)
    }
}
