import CLinux
import Glibc
import System
import Transport

/// A socket by which the kernel tells of interfaces, addresses and routes (netlink(7), rtnetlink(7)).
struct NetlinkSocket: ~Copyable {
    /// What is told of without being asked for.
    struct Groups: OptionSet {
        let rawValue: UInt32

        static let links = Groups(rawValue: 1)
        static let addresses = Groups(rawValue: 0x110)  // RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR
        static let routes = Groups(rawValue: 0x440)  // RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_ROUTE
        static let rules = Groups(rawValue: 0x40080)  // RTMGRP_IPV4_RULE, RTNLGRP_IPV6_RULE
        static let all: Groups = [.links, .addresses, .routes, .rules]
    }

    /// What is asked for.
    private enum Question: UInt16 {
        case links = 18  // RTM_GETLINK
        case addresses = 22  // RTM_GETADDR
        case routes = 26  // RTM_GETROUTE
    }

    private let descriptor: FileDescriptor
    private var sequence: UInt32 = 0
    private var buffer: [UInt8]

    /// How often all is asked for again because something has changed meanwhile.
    private static let mostInterruptions = 8

    /// A socket in the namespace of the calling thread. One without groups is for questions. Throws what the system says.
    init(hearing groups: Groups = []) throws(SystemError) {
        descriptor = FileDescriptor(owning: try retrying("socket") { clinux_route_socket(groups.rawValue) })
        // The kernel puts no more into one read than this, or than a message needs.
        buffer = [UInt8](repeating: 0, count: groups.isEmpty ? 64 << 10 : 8 << 10)
    }

    /// The number, lent to wait for.
    var rawValue: Int32 { descriptor.rawValue }

    // MARK: What is told unasked

    /// Most messages that are read at once: who changes routes without end must not hold up everything else.
    private static let mostNews = 4096

    /// Reads what was told; whether there was anything. What was lost because nobody read (ENOBUFS) counts, too: either way
    /// somebody has to ask how things are.
    mutating func takeNews() -> Bool {
        for count in 0..<NetlinkSocket.mostNews {
            do throws(SystemError) { _ = try receive() } catch {
                guard error.errno == ENOBUFS else { return count > 0 }
            }
        }
        return true
    }

    // MARK: Questions

    /// All interfaces.
    mutating func links() throws(SystemError) -> [LinkRecord] {
        // struct ifinfomsg
        try records(.links, [UInt8](repeating: 0, count: 16)) { LinkRecord($0) }
    }

    /// All addresses.
    mutating func addresses() throws(SystemError) -> [AddressRecord] {
        // struct ifaddrmsg
        try records(.addresses, [UInt8](repeating: 0, count: 8)) { AddressRecord($0) }
    }

    /// The entries of all tables of both families that `isWanted`.
    mutating func routes(where isWanted: (RouteRecord) -> Bool) throws(SystemError) -> [RouteRecord] {
        // struct rtmsg
        try records(.routes, [UInt8](repeating: 0, count: 12)) { octets in
            RouteRecord(octets).flatMap { isWanted($0) ? $0 : nil }
        }
    }

    /// The way to `address` by all rules of the kernel; `nil` where there is none.
    mutating func route(to address: SocketAddress) throws(SystemError) -> RouteRecord? {
        let octets = address.octets
        let isIPv6 = address.isIPv6
        guard isIPv6 || address.isIPv4 else { return nil }
        // struct rtmsg; RTM_F_LOOKUP_TABLE has the table told that it is in.
        var content: [UInt8] = [isIPv6 ? 10 : 2, UInt8(octets.count * 8), 0, 0, 0, 0, 0, 0]
        content += NetlinkSocket.octets(of: UInt32(0x1000))
        content += NetlinkSocket.attribute(1, octets)  // RTA_DST
        if address.scope != 0 {
            content += NetlinkSocket.attribute(4, NetlinkSocket.octets(of: address.scope))  // RTA_OIF
        }
        var found: RouteRecord?
        do throws(SystemError) {
            try ask(.routes, content, isForAll: false) { found = RouteRecord($0.content) ?? found }
        } catch {
            // What connect(2) would say.
            switch error.errno {
            case ENETUNREACH, EHOSTUNREACH, EACCES, EINVAL, ENODEV, ENETDOWN: return nil
            // A kernel without IPv6.
            case EOPNOTSUPP, EAFNOSUPPORT: return nil
            default: throw error
            }
        }
        return found
    }

    /// Answers to a question for all there is.
    private mutating func records<Record>(
        _ question: Question, _ content: [UInt8], _ read: (NetlinkOctets) -> Record?
    ) throws(SystemError) -> [Record] {
        var list: [Record] = []
        for _ in 0..<NetlinkSocket.mostInterruptions {
            var isWhole = true
            list = []
            try ask(question, content, isForAll: true) { message in
                if message.isInterrupted { isWhole = false }
                if let record = read(message.content) { list.append(record) }
            }
            if isWhole { break }
        }
        // Where nothing stands still: who watches looks again.
        return list
    }

    /// Sends a question and hands over each message of the answer.
    private mutating func ask(
        _ question: Question, _ content: [UInt8], isForAll: Bool, _ take: (NetlinkMessage) -> Void
    ) throws(SystemError) {
        sequence &+= 1
        // struct nlmsghdr; NLM_F_REQUEST, NLM_F_DUMP.
        var message = NetlinkSocket.octets(of: UInt32(NetlinkMessage.headerLength + content.count))
        message += NetlinkSocket.octets(of: question.rawValue)
        message += NetlinkSocket.octets(of: UInt16(isForAll ? 0x301 : 1))
        message += NetlinkSocket.octets(of: sequence)
        message += [0, 0, 0, 0] + content
        _ = try retrying("send") { send(descriptor.rawValue, message, message.count, 0) }
        while true {
            let count = try receive()
            for message in NetlinkMessage.all(in: buffer[..<count]) where message.sequence == sequence {
                switch message.type {
                case NetlinkMessage.error, NetlinkMessage.done:
                    if message.isInterrupted { take(message) }
                    let number = message.errorNumber
                    guard number == 0 else { throw SystemError(call: "netlink", errno: number) }
                    return
                default:
                    take(message)
                    if !isForAll { return }
                }
            }
        }
    }

    /// Fills the buffer. Returns how many octets there are.
    private mutating func receive() throws(SystemError) -> Int {
        while true {
            let (socket, capacity, flags) = (descriptor.rawValue, buffer.count, Int32(MSG_TRUNC))
            let count = try retrying("recv") { recv(socket, &buffer, capacity, flags) }
            // What did not fit is lost: of news nothing is kept anyway, and an answer lacks a record.
            guard count > capacity else { return count }
            buffer = [UInt8](repeating: 0, count: count)
            throw SystemError(call: "recv", errno: ENOBUFS)
        }
    }

    private static func octets<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number.littleEndian >> Number($0 * 8)) }
    }

    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        octets(of: UInt16(4 + value.count)) + octets(of: type) + value
    }
}
