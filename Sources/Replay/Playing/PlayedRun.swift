/// One run of a fixture, as its servers see it: which scripts are taken, what was not as they say.
final class PlayedRun: Sendable {
    private struct State {
        /// The connections that have a script, by index.
        var taken: Set<Int> = []
        var record = FixtureStage.RunRecord()
    }

    let run: Fixture.Run
    /// Ends the connections of the run.
    let stop: StopSignal
    private let servers: [Fixture.Server]
    private let meetings: [String: MeetingPoint]
    private let state: Guarded<State>

    init(_ run: Fixture.Run, of fixture: Fixture) throws(ReplayError) {
        self.run = run
        servers = fixture.servers
        stop = try StopSignal()
        meetings = try MeetingPoint.points(of: run.connections)
        var state = State()
        state.record.connections = [Int](repeating: 0, count: fixture.servers.count)
        state.record.requests = state.record.connections
        self.state = Guarded(state)
    }

    func note(_ problem: FixtureProblem) { state.withLock { $0.record.problems.append(problem) } }

    func countRequest(of server: Int) { state.withLock { $0.record.requests[server] += 1 } }

    /// Counts a connection and gives it the next script of its server, where the first request need not decide.
    func accept(at server: Int) -> Int? {
        state.withLock { state in
            state.record.connections[server] += 1
            guard !servers[server].takesAnyOrder, let next = unused(of: server, state).first else {
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
            guard run.connections[next].firstRequest == nil else { return (false, nil) }
            state.taken.insert(next)
            return (true, next)
        }
    }

    /// Takes the script that a first request fits: wholly, else by its request line; without a request the first one
    /// that begins without. The only script that is left is taken in any case, so that the difference is told.
    func take(at server: Int, head: [UInt8]?) -> Int? {
        state.withLock { state in
            let unused = unused(of: server, state)
            let index = FixtureChoice.index(of: head, among: unused.map { run.connections[$0] })
            let choice = index.map { unused[$0] } ?? (unused.count == 1 ? unused.first : nil)
            if let choice { state.taken.insert(choice) }
            return choice
        }
    }

    /// Whether a script of a server is left.
    func hasUnused(at server: Int) -> Bool { state.withLock { !unused(of: server, $0).isEmpty } }

    private func unused(of server: Int, _ state: State) -> [Int] {
        run.connections.indices.filter { run.connections[$0].server == server && !state.taken.contains($0) }
    }

    /// A connection is at a meeting.
    func meet(_ name: String, index: Int) -> StopSignal? {
        guard let point = meetings[name] else { return nil }
        point.arrive(index)
        return point.signal
    }

    /// What the run came to. Called when its connections have ended.
    func record() -> FixtureStage.RunRecord {
        var (record, taken) = state.withLock { ($0.record, $0.taken) }
        for (index, connection) in run.connections.enumerated() where !taken.contains(index) {
            let name =
                servers.indices.contains(connection.server) ? servers[connection.server].name : "nobody"
            record.problems.append(
                FixtureProblem(line: connection.line, "the connection to \(name) was never opened"))
        }
        for (name, point) in meetings {
            if let problem = point.problem(named: name, connections: run.connections) {
                record.problems.append(problem)
            }
        }
        // By line; what is said of the same line stays in the order in which it happened.
        record.problems = record.problems.enumerated()
            .sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }.map(\.element)
        return record
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
