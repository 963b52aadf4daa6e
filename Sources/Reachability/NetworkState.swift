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
        let folder = InterfaceFolder(path: interfaceFolder)
        var fits = true
        for _ in 1..<mostReadings {
            let state = try NetworkState(addresses, from: &socket, folder, fits: &fits)
            if fits { return state }
        }
        // Where nothing stands still: who watches looks again.
        return try NetworkState(addresses, from: &socket, folder, fits: &fits)
    }

    /// Reads all. `fits` tells whether nothing has changed meanwhile: else a way is missing whose interface is not there.
    private init(
        _ asked: [SocketAddress], from socket: inout NetlinkSocket, _ folder: InterfaceFolder,
        fits: inout Bool
    ) throws(SystemError) {
        let links = try socket.links().sorted { $0.index < $1.index }
        let addresses = try socket.addresses()
        interfaces = try NetworkState.interfaces(links, addresses, from: &socket, folder)
        let byIndex = Dictionary(interfaces.map { ($0.index, $0) }) { $1 }
        var found: [NetworkRoute?] = []
        fits = true
        for address in NetworkState.outside + asked {
            guard let address, let way = try socket.route(to: address), way.purpose != .other else {
                found.append(nil)
                continue
            }
            let interface = way.index.flatMap { byIndex[$0] }
            fits = fits && interface != nil
            found.append(interface.map { NetworkRoute(way, to: address, by: $0) })
        }
        (ipv4, ipv6) = (found[0], found[1])
        routes = [:]
        for (address, way) in zip(asked, found.dropFirst(2)) { routes[address] = way }
    }

    private static func interfaces(
        _ links: [LinkRecord], _ addresses: [AddressRecord], from socket: inout NetlinkSocket,
        _ folder: InterfaceFolder
    ) throws(SystemError) -> [NetworkInterface] {
        var carrying: [RouteRecord] = []
        if links.contains(where: { $0.isTunnel && $0.isRunning }) {
            carrying = try socket.routes(where: InterfaceMedia.couldCarry)
        }
        let media = InterfaceMedia(links, routes: carrying) { folder.medium(of: $0) }
        let own = Dictionary(grouping: addresses.lazy.filter { !$0.isTentative }, by: \.index)
        return links.map { link in
            let answer = media.answer(for: link.index)
            return NetworkInterface(
                index: link.index, name: link.name, isUp: link.isUp, isRunning: link.isRunning,
                medium: answer.medium, carriers: answer.carriers,
                addresses: own[link.index]?.map(\.address) ?? [])
        }
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
