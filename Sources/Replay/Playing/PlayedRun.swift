/// One run of a fixture, as its servers see it: which scripts are taken, what was not as they say.
final class PlayedRun: Sendable {
    private struct State {
        /// The scripts that are taken, by index.
        var taken: Set<Int> = []
        /// Why the last handshake with a server failed, by server.
        var handshakeFailures: [Int: String] = [:]
        var record = FixtureStage.RunRecord()
        /// Requests in the order of their heads.
        var received: [PlayedRequest] = []
        /// The connections that wait for the client, all their lines done.
        var standing: [Int: StandingConnection] = [:]
    }

    let run: Fixture.Run
    /// What is played: connections in their order, or their exchanges where those may come on any connection.
    let scripts: [Fixture.Connection]
    /// Ends the connections of the run.
    let stop: StopSignal
    private let servers: [Fixture.Server]
    private let meetings: [String: MeetingPoint]
    private let state: Guarded<State>

    init(_ run: Fixture.Run, of fixture: Fixture) throws(ReplayError) {
        self.run = run
        servers = fixture.servers
        stop = try StopSignal()
        scripts = run.connections.flatMap { connection in
            fixture.servers.indices.contains(connection.server)
                && fixture.servers[connection.server].takesAnyConnection
                ? connection.exchanges : [connection]
        }
        meetings = try MeetingPoint.points(of: scripts)
        var state = State()
        state.record.connections = [Int](repeating: 0, count: fixture.servers.count)
        state.record.requests = state.record.connections
        self.state = Guarded(state)
    }

    func note(_ problem: FixtureProblem) { state.withLock { $0.record.problems.append(problem) } }

    /// A connection waits for the client, all its lines done; `nil`: no longer.
    func noteStanding(_ connection: StandingConnection?, of number: Int) {
        state.withLock { $0.standing[number] = connection }
    }

    /// Where the connections stand that wait for the client.
    var standing: [FixtureProblem] {
        let standing = state.withLock { Array($0.standing.values) }
        return standing.map(\.problem).sorted { $0.line < $1.line }
    }

    /// The line of the script that the next connection to a server gets; `nil`: none is left.
    func nextLine(at server: Int) -> Int? {
        state.withLock { unused(of: server, $0).first }.map { scripts[$0].line }
    }

    func note(request head: [UInt8], on connection: Int, of server: Int) {
        state.withLock { state in
            state.record.requests[server] += 1
            state.received.append(PlayedRequest(server: server, connection: connection, head: head))
        }
    }

    /// Content of the last request of a connection.
    func note(content: [UInt8], on connection: Int, of server: Int) {
        state.withLock { state in
            let isIts = { (request: PlayedRequest) in
                request.server == server && request.connection == connection
            }
            guard let index = state.received.lastIndex(where: isIts) else { return }
            state.received[index].append(content)
        }
    }

    /// Counts a connection and gives it the next script of its server, where the first request need not decide.
    func accept(at server: Int) -> Int? {
        state.withLock { state in
            state.record.connections[server] += 1
            guard !servers[server].takesAnyOrder, !servers[server].takesAnyConnection,
                let next = unused(of: server, state).first
            else {
                return nil
            }
            state.taken.insert(next)
            return next
        }
    }

    /// Whether the script that is next begins without a request, or none is left, so that there is nothing to wait for.
    func takeWithoutRequest(at server: Int) -> (isDecided: Bool, index: Int?) {
        state.withLock { state in
            let unused = unused(of: server, state)
            guard let next = unused.first else { return (true, nil) }
            guard scripts[next].firstRequest == nil else { return (false, nil) }
            state.taken.insert(next)
            return (true, next)
        }
    }

    /// Takes the script that a first request fits: wholly, else by its request line; without a request the first one
    /// that begins without. The only script that is left is taken in any case, so that the difference is told, but no
    /// exchange that may come on any connection.
    func take(at server: Int, head: [UInt8]?) -> Int? {
        state.withLock { state in
            let unused = unused(of: server, state)
            let index = FixtureChoice.index(of: head, among: unused.map { scripts[$0] })
            let isOnlyOne = unused.count == 1 && !servers[server].takesAnyConnection
            let choice = index.map { unused[$0] } ?? (isOnlyOne ? unused.first : nil)
            if let choice { state.taken.insert(choice) }
            return choice
        }
    }

    /// Whether a script of a server is left.
    func hasUnused(at server: Int) -> Bool { state.withLock { !unused(of: server, $0).isEmpty } }

    private func unused(of server: Int, _ state: State) -> [Int] {
        scripts.indices.filter { scripts[$0].server == server && !state.taken.contains($0) }
    }

    /// A handshake with a server whose requests may come on any connection has failed: perhaps they come on another.
    func noteHandshakeFailure(_ reason: String, at server: Int) {
        state.withLock { $0.handshakeFailures[server] = reason }
    }

    /// A connection is at a meeting.
    func meet(_ name: String, index: Int) -> StopSignal? {
        guard let point = meetings[name] else { return nil }
        point.arrive(index)
        return point.signal
    }

    /// The requests so far, in the order in which their heads came.
    var received: [PlayedRequest] { state.withLock { $0.received } }

    /// What the run came to. Called when its connections have ended.
    func record() -> FixtureStage.RunRecord {
        let state = state.withLock { $0 }
        var record = state.record
        for (index, script) in scripts.enumerated() where !state.taken.contains(index) {
            record.problems.append(FixtureProblem(line: script.line, lack(of: script, state)))
        }
        for (name, point) in meetings {
            if let problem = point.problem(named: name, guest: { guestName(of: scripts[$0]) }) {
                record.problems.append(problem)
            }
        }
        // By line; what is said of the same line stays in the order in which it happened.
        record.problems = record.problems.enumerated()
            .sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }.map(\.element)
        return record
    }

    private func isExchange(_ script: Fixture.Connection) -> Bool {
        servers.indices.contains(script.server) && servers[script.server].takesAnyConnection
    }

    /// That a script was not taken, for people.
    private func lack(of script: Fixture.Connection, _ state: State) -> String {
        let name = servers.indices.contains(script.server) ? servers[script.server].name : "nobody"
        guard isExchange(script) else { return "the connection to \(name) was never opened" }
        let reason = state.handshakeFailures[script.server].map { " (\($0))" } ?? ""
        return "this request to \(name) never came\(reason)"
    }

    private func guestName(of script: Fixture.Connection) -> String {
        "the \(isExchange(script) ? "request" : "connection") of line \(script.line)"
    }
}

extension Fixture.Connection {
    /// The first request, if nothing is sent before it.
    var firstRequest: Fixture.Located<Fixture.Request>? {
        for step in steps {
            switch step.value {
            case .request(let request): return Fixture.Located(request, line: step.line)
            case .pause, .pieces, .meet: continue
            default: return nil
            }
        }
        return nil
    }
}

/// Which script a first request fits.
enum FixtureChoice {
    /// The index of the first script that the request fits wholly, else of the first whose request line it fits. Without
    /// a request, and where it fits none, the first that begins without one.
    static func index(of head: [UInt8]?, among connections: [Fixture.Connection]) -> Int? {
        if let head {
            let judgements = connections.map { connection in
                connection.firstRequest.map { HeadJudgement($0.value, head: head, line: $0.line) }
            }
            let fitting =
                judgements.firstIndex { $0?.problems.isEmpty == true }
                ?? judgements.firstIndex { $0?.isRequestLineRight == true }
            if let fitting { return fitting }
        }
        return connections.firstIndex { $0.firstRequest == nil }
    }
}
