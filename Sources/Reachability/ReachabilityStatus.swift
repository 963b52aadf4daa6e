/// Whether there is a way to somewhere, and over what (D23). Unknown until somebody has looked.
public enum ReachabilityStatus: Int, Hashable, Sendable, CaseIterable {
    /// Nobody has looked yet, or the system does not say.
    case unknown = -1
    /// There is no way.
    case notReachable = 0
    /// Over a cellular network.
    case reachableViaWWAN = 1
    /// Over Wi-Fi.
    case reachableViaWiFi = 2
    /// Over a cable, or over what cannot be told from one: a virtual machine's network, the machine itself.
    case reachableViaWired = 3

    /// Whether there is a way.
    public var isReachable: Bool { rawValue > 0 }
}

extension ReachabilityStatus: CustomStringConvertible {
    /// `reachable via Wi-Fi` and the like.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .notReachable: "not reachable"
        case .reachableViaWWAN: "reachable via WWAN"
        case .reachableViaWiFi: "reachable via Wi-Fi"
        case .reachableViaWired: "reachable via a wired network"
        }
    }
}

/// What carries the octets of an interface in the end.
public enum NetworkMedium: String, Hashable, Sendable, CaseIterable {
    /// The machine itself.
    case loopback
    /// A cable, or what cannot be told from one.
    case wired
    /// Wi-Fi.
    case wifi
    /// A cellular network.
    case wwan

    /// What is reached over it.
    public var status: ReachabilityStatus {
        switch self {
        case .loopback, .wired: .reachableViaWired
        case .wifi: .reachableViaWiFi
        case .wwan: .reachableViaWWAN
        }
    }
}
