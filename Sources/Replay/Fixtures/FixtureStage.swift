/// The servers of a fixture, at work: they play its connections and note what is not as it says.
///
/// Each call is made by whoever runs the fixture, from one thread: `start()`, then for each run `begin(run:)`, the run
/// itself, `isIdle` until it is true or enough time has passed, `end(run:)`; at last `stop()`. None of them waits for a
/// peer.
public final class FixtureStage: Sendable {
    /// Where a host of the fixture is to be found.
    public struct Place: Hashable, Sendable {
        /// The host, in lower case.
        public var host: String
        /// The port that leads there; `nil`: all that no earlier place has.
        public var port: UInt16?
        /// IP addresses with their ports, to be tried in this order.
        public var addresses: [Address]

        /// An IP address and a port.
        public struct Address: Hashable, Sendable {
            /// `127.0.0.1` or `::1`.
            public var host: String
            /// The port.
            public var port: UInt16
        }
    }

    /// What a run came to, for the servers.
    public struct RunRecord: Hashable, Sendable {
        /// What was not as the fixture says, in the order of its lines.
        public var problems: [FixtureProblem] = []
        /// Connections accepted, by server.
        public var connections: [Int] = []
        /// Requests read, by server.
        public var requests: [Int] = []

        /// What these come to; without arguments, nothing.
        public init(problems: [FixtureProblem] = [], connections: [Int] = [], requests: [Int] = []) {
            self.problems = problems
            self.connections = connections
            self.requests = requests
        }
    }

    /// Where the connections of a run stand that wait for the client to close, all their lines done.
    public func standing(run: Int) -> [FixtureProblem] {
        guard runs.indices.contains(run) else { return [] }
        return runs[run].standing
    }

    /// Where the hosts of the fixture are to be found, those with a port first.
    public let places: [Place]
    /// What clients are to trust (PEM).
    public let authorityPEM: [UInt8]
    /// A certificate that the servers accept of a client (PEM).
    public let clientCertificatePEM: [UInt8]
    /// Its key (PEM).
    public let clientKeyPEM: [UInt8]
    /// The pin of the first TLS server's key, in the form of `--pinnedpubkey`; `nil`: none speaks TLS from the beginning.
    public let pin: String?
    private let servers: [FixtureServer]
    private let runs: [PlayedRun]
    private let troupe: FixtureTroupe

    /// The servers of a fixture; they listen from now on and answer from `start()` on. A client that neither sends nor
    /// reads for `patience` is told as a problem. `onInterrupt` is called on a server's thread when the person interrupts
    /// the command. `log` is told what happens. Throws when a socket, a key or a certificate cannot be made.
    public init(
        _ fixture: Fixture, patience: Duration = .seconds(30),
        onInterrupt: @escaping @Sendable () -> Void = {},
        log: (@Sendable (String) -> Void)? = nil
    ) throws(ReplayError) {
        let contexts = try FixtureContexts()
        let troupe = FixtureTroupe(
            servers: fixture.servers, contexts: contexts, onInterrupt: onInterrupt, log: log ?? { _ in })
        var servers: [FixtureServer] = []
        var runs: [PlayedRun] = []
        var pin: String?
        for (index, server) in fixture.servers.enumerated() {
            if let tls = server.tls {
                let context = try contexts.context(for: tls, hosts: [server.host])
                pin = pin ?? context.service.identity.publicKeyPin
            }
            servers.append(
                try FixtureServer(server, patience: patience) { troupe.performance(of: $0, server: index) })
        }
        for run in fixture.runs { runs.append(try PlayedRun(run, of: fixture)) }
        self.servers = servers
        self.runs = runs
        self.troupe = troupe
        self.pin = pin
        authorityPEM = contexts.identities.authority.certificatePEM
        clientCertificatePEM = contexts.identities.client.certificatePEM
        clientKeyPEM = contexts.identities.client.keyPEM
        let all = servers.map {
            Place(host: $0.server.host, port: $0.server.port, addresses: $0.addresses)
        }
        places = all.filter { $0.port != nil } + all.filter { $0.port == nil }
    }

    deinit { stop() }

    /// The port where the first server listens.
    public var port: UInt16 { servers.first?.port ?? 0 }

    /// Begins to accept connections. Throws when there is no thread for that.
    public func start() throws(ReplayError) {
        for server in servers { try server.listener?.start() }
    }

    /// From now on connections belong to this run.
    public func begin(run index: Int) {
        guard runs.indices.contains(index) else { return }
        troupe.begin(runs[index])
    }

    /// Whether no connection is open, and none has come that was not accepted yet.
    public var isIdle: Bool { servers.allSatisfy { $0.listener?.stage.isIdle ?? true } }

    /// Ends what is still open of a run and returns what it came to. Afterwards another run may begin.
    public func end(run index: Int) -> RunRecord {
        guard runs.indices.contains(index) else { return RunRecord() }
        // What the client has opened and perhaps closed again belongs to its run.
        for server in servers { while server.listener?.stage.acceptOne() == true {} }
        troupe.end()
        runs[index].stop.give()
        for server in servers {
            // They have been told to end, and look up from whatever they do.
            _ = server.listener?.waitForConnectionsToEnd(0)
        }
        var record = runs[index].record()
        record.problems = troupe.takenProblems() + record.problems
        return record
    }

    /// The requests of a run, in the order in which their heads came.
    public func requests(ofRun index: Int) -> [PlayedRequest] {
        runs.indices.contains(index) ? runs[index].received : []
    }

    /// Ends everything and closes all ports; a second call does nothing.
    public func stop() {
        troupe.end()
        for run in runs { run.stop.give() }
        for server in servers { server.listener?.stop() }
    }
}
