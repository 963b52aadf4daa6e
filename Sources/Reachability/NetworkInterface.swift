public import Transport

/// A network interface of this machine, as far as the namespace of the network goes.
public struct NetworkInterface: Hashable, Sendable {
    /// Its number.
    public var index: UInt32
    /// Its name: `eth0`.
    public var name: String
    /// Somebody has turned it on.
    public var isUp: Bool
    /// It is on, and has a carrier: a cable with somebody at the other end, an access point.
    public var isRunning: Bool
    /// What carries it in the end.
    public var medium: NetworkMedium
    /// Through which others it is carried, the nearest first: those below a tunnel, a bridge, a bond, a VLAN.
    public var carriers: [String]
    /// Its addresses, without ports; none that is not proved to be its own (RFC 4862, section 5.4).
    public var addresses: [SocketAddress]
}

/// The way to an address.
public struct NetworkRoute: Hashable, Sendable {
    /// What makes a way useless.
    public enum Obstacle: Hashable, Sendable {
        /// The interface is off.
        case interfaceDown
        /// The interface has no carrier.
        case noCarrier
        /// Nothing there could answer to: this side has no address that reaches so far.
        case noAddress
    }

    /// The interface by which connections leave.
    public var interface: NetworkInterface
    /// The next hop; `nil` where the address is on the interface's own network.
    public var gateway: SocketAddress?
    /// This side's address.
    public var source: SocketAddress?
    /// The number of the kernel's table in which the route stands; 254 is the main one.
    public var table: UInt32
    /// The address is this machine's own.
    public var isLocal: Bool
    /// Why it leads nowhere; `nil` where it is good as far as this machine knows.
    public var obstacle: Obstacle?

    /// What is reached that way.
    public var status: ReachabilityStatus {
        if obstacle != nil {
            .notReachable
        } else if isLocal {
            .reachableViaWired
        } else {
            interface.medium.status
        }
    }
}
