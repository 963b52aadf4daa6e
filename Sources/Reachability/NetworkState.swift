import Glibc
public import System
public import Transport

/// How the network of this machine stands: a value, read from the kernel when it is asked for. No packet is sent.
public struct NetworkState: Hashable, Sendable {
    /// All interfaces, in the order of their numbers.
    public var interfaces: [NetworkInterface]
    /// The way out for IPv4; `nil` where there is none.
    public var ipv4: NetworkRoute?
    /// The way out for IPv6.
    public var ipv6: NetworkRoute?
    /// The ways to the addresses that were asked for; those without a way are missing.
    public var routes: [SocketAddress: NetworkRoute]

    /// Where the kernel shows what kind of device an interface is.
    public static let interfaceFolder = InterfaceFolder.system
    /// Addresses to which the way out leads: those of a root name server, since no network has a route of its own for one.
    static let outside = [
        SocketAddress(ipv4: 0xC629_0004, port: 0),  // 198.41.0.4
        SocketAddress(literal: "2001:503:ba3e::2:30", port: 0),
    ]
    /// How often all is read again because it did not fit together.
    private static let mostReadings = 4

    /// Asks how things stand now, and for the ways to `addresses`, whose ports do not matter. It takes less than a
    /// millisecond, and does not wait for any network.
    ///
    /// It is the namespace of the calling thread that is looked at. Throws what the system says where it does not let anybody
    /// ask.
    public static func current(
        waysTo addresses: [SocketAddress] = [], interfaceFolder: String = interfaceFolder
    ) throws(SystemError) -> NetworkState {
        var socket = try NetlinkSocket()
        for _ in 0..<mostReadings {
            if let state = try NetworkState(addresses, from: &socket, InterfaceFolder(path: interfaceFolder))
            {
                return state
            }
        }
        throw SystemError(call: "netlink", errno: EAGAIN)
    }

    /// `nil` where something has changed while it was read.
    private init?(
        _ asked: [SocketAddress], from socket: inout NetlinkSocket, _ folder: InterfaceFolder
    ) throws(SystemError) {
        let links = try socket.links().sorted { $0.index < $1.index }
        let addresses = try socket.addresses()
        let ways = try (NetworkState.outside + asked.map { $0.with(port: 0) }).map {
            address throws(SystemError) in
            guard let address else { return RouteRecord?.none }
            return try socket.route(to: address)
        }
        var carrying: [RouteRecord] = []
        if links.contains(where: { $0.isTunnel && $0.isRunning }) {
            carrying = try socket.routes(where: InterfaceMedia.couldCarry)
        }
        let media = InterfaceMedia(links, routes: carrying) { folder.medium(of: $0) }
        let own = Dictionary(grouping: addresses.lazy.filter { !$0.isTentative }, by: \.index)
        interfaces = links.map { link in
            let answer = media.answer(for: link.index)
            return NetworkInterface(
                index: link.index, name: link.name, isUp: link.isUp, isRunning: link.isRunning,
                medium: answer.medium, carriers: answer.carriers,
                addresses: own[link.index]?.map(\.address) ?? [])
        }
        let byIndex = Dictionary(interfaces.map { ($0.index, $0) }) { $1 }
        var found: [NetworkRoute?] = []
        for (address, way) in zip(NetworkState.outside + asked, ways) {
            guard let way, let address, way.purpose != .other else {
                found.append(nil)
                continue
            }
            guard let interface = byIndex[way.index ?? 0] else { return nil }
            found.append(NetworkRoute(way, to: address, by: interface))
        }
        (ipv4, ipv6) = (found[0], found[1])
        routes = [:]
        for (address, way) in zip(asked, found.dropFirst(2)) { routes[address] = way }
    }

    /// Whether there is a way out. Where it differs for IPv4 and IPv6, the one counts that costs more: a connection may go
    /// either way.
    public var status: ReachabilityStatus { NetworkState.status(of: [ipv4, ipv6]) }

    /// Whether there is a way to one of `addresses` at least, all of which must have been asked for. Where they are reached over
    /// different media, the one counts that costs more. A Unix socket is on this machine.
    public func status(of addresses: [SocketAddress]) -> ReachabilityStatus {
        let hasSocket = addresses.contains { !$0.isIPv4 && !$0.isIPv6 }
        return hasSocket ? .reachableViaWired : NetworkState.status(of: addresses.map { routes[$0] })
    }

    private static func status(of routes: [NetworkRoute?]) -> ReachabilityStatus {
        routes.lazy.compactMap { $0?.status }.filter(\.isReachable).min { $0.rawValue < $1.rawValue }
            ?? .notReachable
    }
}

extension NetworkRoute {
    fileprivate init(_ record: RouteRecord, to address: SocketAddress, by interface: NetworkInterface) {
        self.interface = interface
        gateway = record.gateway
        source = record.source
        table = record.table
        isLocal = record.purpose == .local
        let isFar = address.isIPv6 && !address.isLinkLocal
        if isLocal {
            obstacle = nil
        } else if !interface.isUp {
            obstacle = .interfaceDown
        } else if !interface.isRunning {
            obstacle = .noCarrier
        } else if source.map({ isFar && $0.isLinkLocal }) ?? true {
            // A link-local address is unknown behind the first router (RFC 4291, section 2.5.6).
            obstacle = .noAddress
        }
    }
}

extension SocketAddress {
    /// Whether it is an IPv6 address of one link only: fe80::/10.
    package var isLinkLocal: Bool {
        let octets = octets
        return octets.count == 16 && octets[0] == 0xFE && octets[1] & 0xC0 == 0x80
    }
}
