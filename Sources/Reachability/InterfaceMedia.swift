import System

/// Finds out what carries each interface. Tunnels, bridges, bonds and VLANs are looked through to what they stand on.
struct InterfaceMedia {
    /// What the folder of an interface tells by itself; `nil` where it tells nothing.
    typealias Reading = (LinkRecord) -> NetworkMedium?

    /// What an interface is carried by.
    struct Answer: Hashable {
        var medium: NetworkMedium
        /// Names of those below, the nearest first.
        var carriers: [String] = []
    }

    private let links: [UInt32: LinkRecord]
    private let parts: [UInt32: [LinkRecord]]
    /// Routes that could carry tunnels, the best first.
    private let routes: [RouteRecord]
    private let reading: Reading

    /// `routes` may be any; they matter only where there is a tunnel.
    init(_ links: [LinkRecord], routes: [RouteRecord], reading: @escaping Reading) {
        var parts: [UInt32: [LinkRecord]] = [:]
        for link in links { if let master = link.master { parts[master, default: []].append(link) } }
        self.links = Dictionary(links.map { ($0.index, $0) }) { $1 }
        self.parts = parts
        self.routes = routes.sorted(by: InterfaceMedia.isBetter)
        self.reading = reading
    }

    /// What carries the interface of that number.
    func answer(for index: UInt32) -> Answer {
        var seen: Set<UInt32> = []
        return answer(for: index, &seen)
    }

    /// `seen` are the interfaces above: what stands upon itself ends there.
    private func answer(for index: UInt32, _ seen: inout Set<UInt32>) -> Answer {
        guard let link = links[index], seen.insert(index).inserted else { return Answer(medium: .wired) }
        if link.isLoopback { return Answer(medium: .loopback) }
        if let medium = reading(link) { return Answer(medium: medium) }
        var below: Answer?
        for lower in lowerLinks(of: link) {
            var answer = answer(for: lower.index, &seen)
            answer.carriers.insert(lower.name, at: 0)
            // Of several the one counts that costs most: nobody knows which of them it will be.
            if below.map({ answer.medium.cost > $0.medium.cost }) ?? true { below = answer }
        }
        return below ?? Answer(medium: .wired)
    }

    /// What an interface stands on directly.
    private func lowerLinks(of link: LinkRecord) -> [LinkRecord] {
        if let active = link.activePart.flatMap({ links[$0] }) { return [active] }
        // A VRF is a table of routes: what belongs to it does not carry it.
        if link.kind != "vrf", let parts = parts[link.index] {
            let running = parts.filter(\.isRunning)
            return running.isEmpty ? parts : running
        }
        if let lower = link.lower.flatMap({ links[$0] }) { return [lower] }
        return link.isTunnel ? carrier(ofTunnel: link).map { [$0] } ?? [] : []
    }

    /// By which interface the octets of a tunnel leave: the best way out that is no tunnel itself. The kernel does not tell
    /// where the far end of most of them is.
    private func carrier(ofTunnel tunnel: LinkRecord) -> LinkRecord? {
        routes.lazy.compactMap { $0.index.flatMap { links[$0] } }
            .first { !$0.isTunnel && !$0.isLoopback && $0.isRunning && $0.index != tunnel.index }
    }

    /// Whether a route could carry a tunnel at all.
    static func couldCarry(_ route: RouteRecord) -> Bool {
        route.purpose == .unicast && route.table != 255 && (route.prefixLength == 0 || route.gateway != nil)
    }

    /// A default route goes before one to the tunnel's far end alone; among its like the metric decides.
    private static func isBetter(_ left: RouteRecord, _ right: RouteRecord) -> Bool {
        if (left.prefixLength == 0) != (right.prefixLength == 0) { return left.prefixLength == 0 }
        if left.prefixLength != right.prefixLength { return left.prefixLength > right.prefixLength }
        return left.metric < right.metric
    }
}

extension LinkRecord {
    private static let tunnelKinds: Set<String> = [
        "erspan", "fou", "geneve", "gre", "gretap", "ip6erspan", "ip6gre", "ip6gretap", "ip6tnl", "ipip",
        "ppp", "sit",
        "tun", "vti", "vti6", "vxlan", "wireguard", "xfrm",
    ]
    /// ARPHRD_PPP, TUNNEL, TUNNEL6, SIT, IPGRE, IP6GRE, NONE.
    private static let tunnelHardware: Set<UInt16> = [512, 768, 769, 776, 778, 823, 0xFFFE]

    /// Whether its octets leave by another interface, which only routes tell.
    var isTunnel: Bool {
        LinkRecord.tunnelKinds.contains(kind) || LinkRecord.tunnelHardware.contains(hardware)
    }
}

extension NetworkMedium {
    fileprivate var cost: Int {
        switch self {
        case .loopback: 0
        case .wired: 1
        case .wifi: 2
        case .wwan: 3
        }
    }
}

/// The folder in which the kernel shows what kind of device each interface is.
struct InterfaceFolder {
    /// Where it is on every Linux.
    static let system = "/sys/class/net"

    let path: String

    /// What the folder of an interface says; `nil` where that is neither Wi-Fi nor a modem.
    func medium(of link: LinkRecord) -> NetworkMedium? {
        guard !["", ".", ".."].contains(link.name), !link.name.contains("/") else { return nil }
        let folder = "\(path)/\(link.name)"
        // It may show another namespace's interfaces, of which one has the same name.
        if let number = text("\(folder)/ifindex"), UInt32(number) != link.index { return nil }
        switch deviceType(text("\(folder)/uevent") ?? "") {
        case "wwan": return .wwan
        case "wlan": return .wifi
        default: return exists("\(folder)/phy80211") || exists("\(folder)/wireless") ? .wifi : nil
        }
    }

    private func deviceType(_ lines: String) -> String? {
        for line in lines.split(separator: "\n") where line.hasPrefix("DEVTYPE=") {
            return String(line.dropFirst("DEVTYPE=".count))
        }
        return nil
    }

    private func exists(_ path: String) -> Bool {
        (try? File.status(of: path, in: File.workingDirectory, followsLinks: false)) != nil
    }

    /// What a small file holds, without the end of its last line.
    private func text(_ path: String) -> String? {
        guard let file = try? File.open(path, in: File.workingDirectory, flags: 0),
            let octets = try? File.readSome(4096, from: file.rawValue)
        else { return nil }
        return String(decoding: octets.last == 10 ? octets.dropLast() : octets[...], as: UTF8.self)
    }
}
