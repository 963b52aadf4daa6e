package import HTTPMessage
public import HTTPWire
public import Transport

/// How a client connects, and how long and how much it puts up with.
public struct ClientConfiguration: Sendable {
    /// Longest time to find the addresses of a host; 60 s (curl and wget have no limit of their own).
    public var resolveTimeout = Duration.seconds(60)
    /// Longest time to open a connection, over all addresses; 60 s (curl 300 s, wget none).
    public var connectTimeout = Duration.seconds(60)
    /// Longest time without a single octet while one is awaited; 60 s, as the documents' time-out interval.
    public var idleTimeout = Duration.seconds(60)
    /// Longest time an idle connection is kept; 118 s, as curl (servers often wait 60 to 120 s).
    public var idleConnectionLifetime = Duration.seconds(118)
    /// Most idle connections kept over all hosts; 64. With none, every request asks for the end of its connection.
    public var maximumIdleConnections = 64
    /// Most connections to one host at once; `nil` sets no limit: requests beyond it wait in order.
    public var maximumConnectionsPerHost: Int?
    /// What a peer may send before the exchange is refused: head, lines, interim responses, chunk extensions, trailer
    /// section, each with its default in ``HTTPWire/WireLimits``.
    public var wireLimits = WireLimits()
    /// What is let pass that RFC 9112 permits but does not demand.
    public var leniency = Leniency()
    /// How far content is decoded, for transfers that have it decoded.
    public var decodingLimits = DecodingLimits()
    /// Which addresses are used.
    public var addressFamily = AddressFamily.any
    /// How sockets are set up.
    public var socketOptions = TCPStream.Options()
    /// How connections of https origins are secured.
    public var tls = TLSConfiguration()
    /// Where connections begin; `nil` leaves it to the system. One client has one: its connections are all alike.
    public var localBinding: LocalBinding?
    /// How long an address of a host may keep the next one waiting (RFC 8305); 250 ms (curl 200 ms).
    public var connectionAttemptDelay = Dialer.recommendedDelay
    /// How long the addresses of a host are remembered; 60 s, as curl. Zero asks each time.
    public var addressLifetime = Duration.seconds(60)
    /// Asks for the addresses of hosts.
    package var asking: Resolver.Asking = askSystem
    /// Where responses are kept and answers are looked for (RFC 9111); `nil`: nowhere.
    public var cache: ResponseCache?
    /// Gives a tap to each connection that is opened for an origin; `nil`: nobody listens. While there is one, an origin
    /// shares no connection with another that the address map leads to the same place, and nothing is spliced.
    package var tap: (@NetworkActor @Sendable (Origin) -> any ConnectionTap)?
    /// Where hosts are to be found, in place of the resolver's answer.
    public var addressMap = AddressMap()

    /// The defaults.
    public init() {}

    /// Whether a connection may serve more than one request.
    var keepsConnections: Bool { maximumIdleConnections > 0 && idleConnectionLifetime > .zero }
}

/// Where hosts are to be found: the caller's word goes before the resolver's.
public struct AddressMap: Hashable, Sendable {
    /// The addresses of one host and port.
    public struct Entry: Hashable, Sendable {
        /// The host in lower case; `nil` matches every host.
        public var host: String?
        /// The port; `nil` matches every port.
        public var port: UInt16?
        /// Addresses to use, their ports included.
        public var addresses: [SocketAddress]

        /// Addresses for one host and port.
        public init(host: String?, port: UInt16?, addresses: [SocketAddress]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }
    }

    /// Connect to another host or port than the URI names; Host and TLS keep the URI's.
    public struct Detour: Hashable, Sendable {
        /// The host that the URI names; `nil` matches every host.
        public var fromHost: String?
        /// The port that the URI names; `nil` matches every port.
        public var fromPort: UInt16?
        /// The host to connect to; `nil` keeps the URI's.
        public var toHost: String?
        /// The port to connect to; `nil` keeps the URI's.
        public var toPort: UInt16?

        /// A detour from one host and port to another.
        public init(fromHost: String?, fromPort: UInt16?, toHost: String?, toPort: UInt16?) {
            self.fromHost = fromHost
            self.fromPort = fromPort
            self.toHost = toHost
            self.toPort = toPort
        }
    }

    /// The first that matches counts.
    public var entries: [Entry] = []
    /// The first that matches counts; applied before `entries`.
    public var detours: [Detour] = []
    /// Connect here whatever the host: a Unix socket.
    public var socket: SocketAddress?

    /// A map that changes nothing.
    public init() {}

    /// Where a request to `origin` goes.
    func route(to origin: Origin) -> Route {
        if let socket { return Route(host: origin.host, port: origin.port, socket: socket) }
        guard !detours.isEmpty else { return Route(host: origin.host, port: origin.port) }
        let name = origin.host.unbracketed.lowercased()
        let detour = detours.first {
            ($0.fromHost.map { $0.lowercased() == name } ?? true)
                && ($0.fromPort.map { $0 == origin.port } ?? true)
        }
        guard let detour else { return Route(host: origin.host, port: origin.port) }
        let host = detour.toHost.map { (try? URIHost(parsing: $0)) ?? .name($0) }
        return Route(host: host ?? origin.host, port: detour.toPort ?? origin.port)
    }

    /// The addresses the caller has given for `host` and `port`; `nil` leaves it to the resolver.
    func addresses(for host: URIHost, port: UInt16) -> [SocketAddress]? {
        guard !entries.isEmpty else { return nil }
        let name = host.unbracketed.lowercased()
        return entries.first {
            ($0.host.map { $0 == name } ?? true) && ($0.port.map { $0 == port } ?? true)
        }?.addresses
    }
}

/// The host and port, or the socket, that a connection leads to.
struct Route: Hashable, Sendable {
    var host: URIHost
    var port: UInt16
    var socket: SocketAddress?
}
