import Transport

/// What the kernel says of an interface (RTM_NEWLINK).
struct LinkRecord: Hashable, Sendable {
    var index: UInt32
    var name = ""
    /// ARPHRD_…, which says what its frames look like.
    var hardware: UInt16
    /// IFF_…
    var flags: UInt32
    /// Which driver of the kernel made it: `bridge`, `vlan`; empty for devices.
    var kind = ""
    /// The interface below, in this namespace.
    var lower: UInt32?
    /// The bridge or bond that it is a part of.
    var master: UInt32?
    /// The part of a bond that carries it now.
    var activePart: UInt32?

    var isUp: Bool { flags & 1 != 0 }
    var isLoopback: Bool { flags & 8 != 0 }
    /// It is up, and the carrier is there.
    var isRunning: Bool { flags & 0x41 == 0x41 }

    init?(_ octets: NetlinkOctets) {
        guard let hardware: UInt16 = octets.number(at: 2), let index: UInt32 = octets.number(at: 4),
            let flags: UInt32 = octets.number(at: 8)
        else { return nil }
        (self.index, self.hardware, self.flags) = (index, hardware, flags)
        var isElsewhere = false
        for (type, value) in octets.attributes(from: 16) {
            switch type {
            case 3: name = value.text  // IFLA_IFNAME
            case 5: lower = value.number()  // IFLA_LINK
            case 10: master = value.number()  // IFLA_MASTER
            case 18: read(information: value)  // IFLA_LINKINFO
            case 37: isElsewhere = true  // IFLA_LINK_NETNSID: the one below is in another namespace
            default: break
            }
        }
        // The other end of a pair is beside it, not below.
        if isElsewhere || lower == index || lower == 0 || kind == "veth" || kind == "netkit" { lower = nil }
    }

    private mutating func read(information: NetlinkOctets) {
        var data = NetlinkOctets([])
        for (type, value) in information.attributes(from: 0) {
            switch type {
            case 1: kind = value.text  // IFLA_INFO_KIND
            case 2: data = value  // IFLA_INFO_DATA
            default: break
            }
        }
        guard kind == "bond" else { return }
        for (type, value) in data.attributes(from: 0) where type == 2 {  // IFLA_BOND_ACTIVE_SLAVE
            activePart = value.number()
        }
    }
}

/// An address of an interface (RTM_NEWADDR).
struct AddressRecord: Hashable, Sendable {
    var index: UInt32
    var address: SocketAddress
    var prefixLength: UInt8
    /// Nobody else may have it, but that is not proved yet, or has been disproved.
    var isTentative: Bool

    init?(_ octets: NetlinkOctets) {
        guard let family: UInt8 = octets.number(at: 0), let prefixLength: UInt8 = octets.number(at: 1),
            let shortFlags: UInt8 = octets.number(at: 2), let index: UInt32 = octets.number(at: 4)
        else { return nil }
        var flags = UInt32(shortFlags)
        var (own, other): (NetlinkOctets?, NetlinkOctets?)
        for (type, value) in octets.attributes(from: 8) {
            switch type {
            case 1: other = value  // IFA_ADDRESS: the peer's where there is one, else the own
            case 2: own = value  // IFA_LOCAL
            case 8: flags = value.number() ?? flags  // IFA_FLAGS
            default: break
            }
        }
        guard let octets = own ?? other, let address = SocketAddress(octets, family: family) else {
            return nil
        }
        (self.index, self.prefixLength, self.address) = (index, prefixLength, address)
        isTentative = flags & 0x48 != 0  // IFA_F_TENTATIVE, IFA_F_DADFAILED
    }
}

/// A route (RTM_NEWROUTE): an entry of a table, or the way to an address that was asked for.
struct RouteRecord: Hashable, Sendable {
    /// What becomes of what goes that way.
    enum Purpose: Hashable, Sendable {
        /// It leaves by an interface.
        case unicast
        /// It is for this machine.
        case local
        /// It goes nowhere, or to many.
        case other
    }

    var purpose: Purpose
    /// How many leading bits of an address it looks at; 0 for a default route.
    var prefixLength: UInt8
    var table: UInt32
    /// The interface, the first of several.
    var index: UInt32?
    var gateway: SocketAddress?
    /// The address from which connections come that go this way.
    var source: SocketAddress?
    /// The smallest of a table goes first.
    var metric: UInt32 = 0

    init?(_ octets: NetlinkOctets) {
        guard let family: UInt8 = octets.number(at: 0), let prefixLength: UInt8 = octets.number(at: 1),
            let shortTable: UInt8 = octets.number(at: 4), let type: UInt8 = octets.number(at: 7)
        else { return nil }
        purpose =
            switch type {
            case 1: .unicast
            case 2: .local
            default: .other
            }
        self.prefixLength = prefixLength
        table = UInt32(shortTable)
        for (type, value) in octets.attributes(from: 12) {
            switch type {
            case 4: index = value.number()  // RTA_OIF
            case 5: gateway = SocketAddress(value, family: family)  // RTA_GATEWAY
            case 6: metric = value.number() ?? 0  // RTA_PRIORITY
            case 7: source = SocketAddress(value, family: family)  // RTA_PREFSRC
            case 9: if index == nil { index = value.number(at: 4) }  // RTA_MULTIPATH: the first rtnexthop's
            case 15: table = value.number() ?? table  // RTA_TABLE
            case 18:  // RTA_VIA: a gateway of the other family
                guard let family: UInt16 = value.number() else { break }
                gateway = SocketAddress(value.part(2, to: value.count), family: UInt8(clamping: family))
            default: break
            }
        }
        if let source, source.octets.allSatisfy({ $0 == 0 }) { self.source = nil }
    }
}

extension SocketAddress {
    /// The address that octets of netlink are, without a port; `nil` for anything but IPv4 (2) and IPv6 (10).
    fileprivate init?(_ octets: NetlinkOctets, family: UInt8) {
        let octets = octets.all
        switch (family, octets.count) {
        case (2, 4): self.init(ipv4: octets.reduce(0) { $0 << 8 | UInt32($1) }, port: 0)
        case (10, 16): self.init(ipv6: octets, port: 0)
        default: return nil
        }
    }
}
