import Glibc

/// A server on the loopback that plays a script and records what it is asked.
///
/// It listens from its creation and answers from `start()` on. Each connection has a thread of its own. Nothing
/// waits for ever: a peer that neither sends nor reads ends its connection after `patience`, and `stop()` ends
/// everything at once.
public final class ReplayServer: Sendable {
    /// Where a server listens.
    public enum Address: Hashable, Sendable {
        /// 127.0.0.1, a free port.
        case ipv4Loopback
        /// ::1, a free port.
        case ipv6Loopback
        /// A Unix socket at this path, removed when the server stops.
        case unix(String)
    }

    /// Where the server listens.
    public let address: Address
    /// The port it got; 0 for a Unix socket.
    public let port: UInt16
    let stage: Stage

    /// A server that plays `script`, over TLS when told how, at a free port unless told which. Throws when the socket cannot be made or OpenSSL
    /// refuses a setting.
    public convenience init(
        _ script: Script, address: Address = .ipv4Loopback, patience: Duration = .seconds(30),
        tls: TLSService? = nil, port: UInt16 = 0
    ) throws(ReplayError) {
        try self.init(.script(script), address: address, port: port, patience: patience, tls: tls)
    }

    /// A server that reads each request with its content and plays what `handler` returns for it; the connection
    /// stays open unless one of these steps ends it. `Expect: 100-continue` is answered before the content.
    public convenience init(
        address: Address = .ipv4Loopback, patience: Duration = .seconds(30), tls: TLSService? = nil,
        handler: @escaping @Sendable (RecordedRequest) -> [Script.Step]
    ) throws(ReplayError) {
        try self.init(.handler(handler), address: address, patience: patience, tls: tls)
    }

    init(
        _ part: Stage.Part, address: Address, port wanted: UInt16 = 0, patience: Duration,
        tls: TLSService? = nil
    ) throws(ReplayError) {
        self.address = address
        var context: TLSServerContext?
        if let tls { context = try TLSServerContext(tls) }
        let stop = try StopSignal()
        let (socket, port) = try ReplaySocket.listener(on: address, port: wanted)
        self.port = port
        stage = Stage(part, tls: context, listener: socket, stop: stop, patience: patience)
    }

    deinit { stop() }

    /// Begins to accept connections. Further calls, and calls after `stop()`, do nothing.
    public func start() throws(ReplayError) {
        let error = stage.state.withLock { state -> Int32 in
            guard state.phase == .created else { return 0 }
            var thread = pthread_t()
            let error = Stage.spawn(&thread, acceptConnections, stage)
            guard error == 0 else { return error }
            state.phase = .running
            state.acceptor = thread
            return 0
        }
        guard error == 0 else { throw ReplayError(call: "pthread_create", errno: error) }
    }

    /// Ends all connections and threads and closes everything. Returns when that is done; a second call does
    /// nothing. Not to be called by a handler.
    public func stop() {
        stage.end()
        if case .unix(let path) = address { unlink(path) }
    }

    /// The host and port for a URL: `127.0.0.1:8080`, `[::1]:8080`, `localhost` for a Unix socket.
    public var authority: String {
        switch address {
        case .ipv4Loopback: "127.0.0.1:\(port)"
        case .ipv6Loopback: "[::1]:\(port)"
        case .unix: "localhost"
        }
    }

    /// The requests recorded so far, in the order in which their heads were complete.
    public var requests: [RecordedRequest] { stage.state.withLock { $0.requests } }

    /// What became of the TLS handshakes, in the order in which they ended. Failures stand here, not among the
    /// complaints.
    public var handshakes: [RecordedHandshake] { stage.state.withLock { $0.handshakes } }

    /// How many connections were accepted so far.
    public var connectionCount: Int { stage.state.withLock { $0.connectionCount } }

    /// How many connections are open now.
    public var openConnectionCount: Int { stage.state.withLock { $0.threads.count } }

    /// What `check` steps complained of, and requests that came only in part.
    public var complaints: [String] { stage.state.withLock { $0.complaints } }

    /// Blocks the thread until so many requests are recorded, at most for `limit`; whether they are.
    public func waitForRequests(_ count: Int, within limit: Duration = .seconds(10)) -> Bool {
        stage.state.wait(within: limit) { $0.requests.count >= count }
    }

    /// Blocks the thread until so many handshakes have ended, well or not, at most for `limit`; whether they have.
    public func waitForHandshakes(_ count: Int, within limit: Duration = .seconds(10)) -> Bool {
        stage.state.wait(within: limit) { $0.handshakes.count >= count }
    }

    /// Blocks the thread until so many connections were accepted, at most for `limit`; whether they were.
    public func waitForConnections(_ count: Int, within limit: Duration = .seconds(10)) -> Bool {
        stage.state.wait(within: limit) { $0.connectionCount >= count }
    }

    /// Blocks the thread until `count` connections were accepted and none is open any more, at most for `limit`;
    /// whether that is so.
    public func waitForConnectionsToEnd(_ count: Int, within limit: Duration = .seconds(10)) -> Bool {
        stage.state.wait(within: limit) { $0.connectionCount >= count && $0.threads.isEmpty }
    }

    /// Blocks the thread until no connection is open and none waits to be accepted, at most for `limit`; whether that
    /// is so. What a client that is dead had sent is answered by then.
    public func waitUntilIdle(within limit: Duration = .seconds(10)) -> Bool {
        let deadline = ContinuousClock.now + limit
        while !stage.isIdle {
            guard ContinuousClock.now < deadline else { return false }
            usleep(500)
        }
        return true
    }
}
