import Glibc

/// A server of a fixture: what listens on the loopback in its name.
final class FixtureServer: Sendable {
    /// How it is declared.
    let server: Fixture.Server
    /// Where its connections are accepted; `nil`: it accepts none.
    let listener: ReplayServer?
    /// Addresses that lead to it, in the order in which they are to be tried.
    let addresses: [FixtureStage.Place.Address]
    private let deaf: [DeafSocket]

    init(
        _ server: Fixture.Server, patience: Duration,
        player: @escaping @Sendable (ReplayConnection) -> () -> Void
    ) throws(ReplayError) {
        let family = server.usesIPv6 ? ReplayServer.Address.ipv6Loopback : .ipv4Loopback
        let host = server.usesIPv6 ? "::1" : "127.0.0.1"
        var ports: [UInt16] = []
        var deaf: [DeafSocket] = []
        if let reception = server.earlierAddress, reception != .accepted {
            let socket = try DeafSocket(reception, on: family)
            ports.append(socket.port)
            deaf.append(socket)
        }
        if server.reception == .accepted {
            let listener = try ReplayServer(.player(player), address: family, patience: patience)
            ports.append(listener.port)
            self.listener = listener
        } else {
            let socket = try DeafSocket(server.reception, on: family)
            ports.append(socket.port)
            deaf.append(socket)
            listener = nil
        }
        self.server = server
        self.deaf = deaf
        addresses = ports.map { FixtureStage.Place.Address(host: host, port: $0) }
    }

    /// The port that is its own.
    var port: UInt16 { addresses.last?.port ?? 0 }
}

/// A port at which connections are refused or get no answer at all, as long as the object lives.
final class DeafSocket: Sendable {
    let port: UInt16
    private let sockets: [Int32]

    /// Refuses connections, or is silent.
    init(_ reception: Fixture.Server.Reception, on address: ReplayServer.Address) throws(ReplayError) {
        let isSilent = reception == .silent
        let (socket, port) = try ReplaySocket.listener(on: address, isSilent ? .filling : .refusing)
        self.port = port
        // The first fills the queue of accepted connections; the kernel drops what the others and all later ones send.
        let fillers =
            isSilent ? (0..<4).map { _ in ReplaySocket.beginConnecting(to: address, port: port) } : []
        sockets = [socket] + fillers.filter { $0 >= 0 }
    }

    deinit { for socket in sockets { close(socket) } }
}
