@testable import Reachability

/// Messages of netlink as the kernel lays them out (linux/netlink.h, linux/rtnetlink.h), put together by hand.
enum Octets {
    static func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    /// A struct rtattr or nlattr with its content, and what fills it up to four octets.
    static func attribute(_ type: UInt16, _ content: [UInt8]) -> [UInt8] {
        let filling = [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
        return number(UInt16(4 + content.count)) + number(type) + content + filling
    }

    /// A struct nlmsghdr with what follows it.
    static func message(_ type: UInt16, _ content: [UInt8], flags: UInt16 = 2, sequence: UInt32 = 1)
        -> [UInt8]
    {
        number(UInt32(16 + content.count)) + number(type) + number(flags) + number(sequence)
            + number(UInt32(0))
            + content
    }

    /// What follows the header of RTM_NEWLINK: struct ifinfomsg with IFLA_IFNAME, _LINK, _MASTER and _LINKINFO.
    static func link(
        _ index: Int32, _ name: String, hardware: UInt16 = 1, flags: UInt32 = 0x1_1043, kind: String = "",
        lower: UInt32? = nil, master: UInt32? = nil, data: [UInt8] = [], isElsewhere: Bool = false
    ) -> [UInt8] {
        var octets: [UInt8] = [0, 0] + number(hardware) + number(index) + number(flags) + number(UInt32(0))
        octets += attribute(3, Array(name.utf8) + [0])
        if let lower { octets += attribute(5, number(lower)) }
        if let master { octets += attribute(10, number(master)) }
        if !kind.isEmpty {
            // Nested attributes have their highest bit set by newer kernels.
            octets += attribute(
                18 | 0x8000, attribute(1, Array(kind.utf8) + [0]) + attribute(2 | 0x8000, data))
        }
        if isElsewhere { octets += attribute(37, number(UInt32(0))) }
        return octets
    }

    /// The same, read.
    static func linkRecord(
        _ index: Int32, _ name: String, hardware: UInt16 = 1, flags: UInt32 = 0x1_1043, kind: String = "",
        lower: UInt32? = nil, master: UInt32? = nil, data: [UInt8] = [], isElsewhere: Bool = false
    ) -> LinkRecord? {
        let octets = link(
            index, name, hardware: hardware, flags: flags, kind: kind, lower: lower, master: master,
            data: data,
            isElsewhere: isElsewhere)
        return LinkRecord(NetlinkOctets(octets[...]))
    }

    /// What follows the header of RTM_NEWADDR: struct ifaddrmsg.
    static func address(family: UInt8, prefix: UInt8, flags: UInt8 = 0x80, index: UInt32, _ rest: [UInt8])
        -> [UInt8]
    {
        [family, prefix, flags, 0] + number(index) + rest
    }

    /// What follows the header of RTM_NEWROUTE: struct rtmsg.
    static func route(family: UInt8, prefix: UInt8 = 0, table: UInt8 = 254, type: UInt8 = 1, _ rest: [UInt8])
        -> [UInt8]
    {
        [family, prefix, 0, 0, table, 3, 0, type, 0, 0, 0, 0] + rest
    }

    /// IFF_UP, IFF_RUNNING, IFF_LOWER_UP and the rest of an interface at work.
    static let running: UInt32 = 0x1_1043
    /// Up, without a carrier.
    static let withoutCarrier: UInt32 = 0x1003
}
