import Reachability
import Transport

/// What the first three steps of a probe find: an interface, an address, a way.
struct NetworkFindings {
    /// Of each step what there is, or what is missing.
    typealias Verdict = (step: ProbeStep, isThere: Bool, words: String)

    let verdicts: [Verdict]

    /// Of the way to `addresses`, which `state` must know, or of the way out where there are none.
    init(_ state: NetworkState, to addresses: [SocketAddress]) {
        let ways = addresses.isEmpty ? [state.ipv4, state.ipv6] : addresses.map { state.routes[$0] }
        let found = ways.compactMap { $0 }
        let good = found.first { $0.obstacle == nil }
        let isSocket = addresses.contains { !$0.isIPv4 && !$0.isIPv6 }
        if good?.isLocal ?? isSocket {
            let words = "the host is this machine"
            verdicts = [(.interface, true, words), (.address, true, words), (.route, true, words)]
            return
        }
        let missing = good == nil ? NetworkFindings.missing(state, found) : nil
        verdicts = [
            NetworkFindings.interface(state, missing), NetworkFindings.address(state, missing),
            NetworkFindings.route(ways, to: addresses, missing),
        ]
    }

    /// Which step is the first that has nothing to show.
    private static func missing(_ state: NetworkState, _ ways: [NetworkRoute]) -> ProbeStep {
        // A way that is there says best what is wrong with it.
        switch ways.first?.obstacle {
        case .interfaceDown, .noCarrier: return .interface
        case .noAddress: return .address
        case nil: break
        }
        let running = state.attached
        if running.isEmpty { return .interface }
        return running.allSatisfy { $0.ownAddresses.isEmpty } ? .address : .route
    }

    private static func interface(_ state: NetworkState, _ missing: ProbeStep?) -> Verdict {
        let others = state.interfaces.filter { $0.medium != .loopback && !$0.isRunning }
        guard missing == .interface || state.attached.isEmpty else {
            let names = state.attached.map { interface in
                let below =
                    interface.carriers.isEmpty ? "" : " over \(interface.carriers.joined(separator: ", "))"
                return "\(interface.name) (\(interface.medium.rawValue)\(below))"
            }
            return (.interface, true, names.joined(separator: ", "))
        }
        let isMissing = missing == .interface
        if let loopback = state.interfaces.first(where: { $0.medium == .loopback }), !loopback.isUp {
            return (.interface, !isMissing, "\(loopback.name) is down, and there is no other")
        }
        guard !others.isEmpty else { return (.interface, !isMissing, "there is none but the loopback") }
        let names = others.map { "\($0.name) is \($0.isUp ? "up, but has no carrier" : "down")" }
        return (.interface, !isMissing, names.joined(separator: ", "))
    }

    private static func address(_ state: NetworkState, _ missing: ProbeStep?) -> Verdict {
        let addresses = state.attached.flatMap(\.ownAddresses).map(\.host)
        guard missing == .address || addresses.isEmpty else {
            return (.address, true, addresses.joined(separator: ", "))
        }
        guard addresses.isEmpty else {
            return (.address, false, "\(addresses.joined(separator: ", ")), and none for the way")
        }
        let links = state.attached.flatMap(\.addresses).map(\.host)
        let words =
            links.isEmpty
            ? "there is none" : "there are only link-local ones: \(links.joined(separator: ", "))"
        return (.address, missing == nil, words)
    }

    private static func route(_ ways: [NetworkRoute?], to addresses: [SocketAddress], _ missing: ProbeStep?)
        -> Verdict
    {
        let names = addresses.isEmpty ? ["IPv4", "IPv6"] : addresses.map(\.host)
        let words = zip(names, ways).map { name, way in
            guard let way else { return "none for \(name)" }
            let hop = way.gateway.map { "by \($0.host) " } ?? ""
            return "\(name) \(hop)over \(way.interface.name)\(way.obstacle.map { ": \($0.words)" } ?? "")"
        }
        return (.route, missing == nil, words.joined(separator: "; "))
    }
}

extension NetworkState {
    /// Interfaces that lead out of the machine, and run.
    fileprivate var attached: [NetworkInterface] {
        interfaces.filter { $0.isRunning && $0.medium != .loopback }
    }
}

extension NetworkInterface {
    /// Addresses that are known behind the next router, too.
    fileprivate var ownAddresses: [SocketAddress] { addresses.filter { !$0.isLinkLocal } }
}

extension NetworkRoute.Obstacle {
    fileprivate var words: String {
        switch self {
        case .interfaceDown: "it is down"
        case .noCarrier: "it has no carrier"
        case .noAddress: "it has no address for that"
        }
    }
}
