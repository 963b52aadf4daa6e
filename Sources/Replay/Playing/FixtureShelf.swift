/// The fixtures of a service: which of their connections have been played, and which one a request fits.
final class FixtureShelf: Sendable {
    /// A connection that is to be played now.
    struct Choice {
        var name: String
        var connection: Fixture.Connection
        /// Its index among the connections of its fixture.
        var index: Int
        var hosts: [String]
        var meetings: [String: MeetingPoint]
    }

    fileprivate struct Entry {
        var name: String
        var hosts: [String]
        /// Those of all runs, in order; their exchanges where these may come on any connection.
        var connections: [Fixture.Connection]
        var used: Set<Int> = []
        var meetings: [String: MeetingPoint] = [:]

        var isUsedUp: Bool { used.count == connections.count }
        var hasBegun: Bool { !used.isEmpty && !isUsedUp }
    }

    struct State {
        fileprivate var entries: [Entry]
        /// Connections of clients that are open.
        var open = 0
        var unmet: [FixtureService.Unmet] = []
        /// Connections of clients that no script fitted.
        var unanswered = 0
    }

    let state: Guarded<State>
    private let repeats: Bool
    /// Whether connections that begin without a request can come: nobody could tell whose turn it is otherwise.
    private let isAlone: Bool

    init(_ fixtures: [(name: String, fixture: Fixture)], repeats: Bool) throws(ReplayError) {
        var entries: [Entry] = []
        let isAlone = fixtures.count == 1
        for (name, fixture) in fixtures {
            var connections: [Fixture.Connection] = []
            for connection in fixture.runs.flatMap(\.connections)
            where isAlone || connection.firstRequest != nil {
                let isCut =
                    fixture.servers.indices.contains(connection.server)
                    && fixture.servers[connection.server].takesAnyConnection
                let parts = isCut ? connection.exchanges : [connection]
                connections += parts
            }
            var hosts: [String] = []
            for server in fixture.servers where !hosts.contains(server.host) { hosts.append(server.host) }
            entries.append(
                Entry(
                    name: VisibleOctets(name.utf8).description, hosts: hosts, connections: connections,
                    meetings: try MeetingPoint.points(of: connections)))
        }
        state = Guarded(State(entries: entries))
        self.repeats = repeats
        self.isAlone = isAlone
    }

    /// Whether all connections of all fixtures were played to their end.
    var isUsedUp: Bool { state.withLock { isUsedUp($0) } }

    func isUsedUp(_ state: State) -> Bool {
        !repeats && state.open == 0 && state.entries.allSatisfy(\.isUsedUp)
    }

    /// Takes the next connection of the only fixture if that begins without a request, so that none is waited for.
    func takeWithoutRequest() -> Choice? {
        state.withLock { state in
            guard isAlone, let index = candidates(state.entries[0]).first,
                state.entries[0].connections[index].firstRequest == nil
            else { return nil }
            return take(index, of: 0, &state)
        }
    }

    /// Takes the connection that a first request fits: wholly, else by its request line. Without a request, or where it
    /// fits none, one that begins without, if the request is the first of its connection.
    func take(_ head: [UInt8]?, isFirst: Bool = true) -> Choice? {
        state.withLock { state in
            let entries = state.entries
            // A fixture that has begun goes on first.
            let order =
                entries.indices.filter { entries[$0].hasBegun }
                + entries.indices.filter { !entries[$0].hasBegun }
            let places = order.flatMap { entry in candidates(entries[entry]).map { (entry, $0) } }
                .filter { isFirst || entries[$0].connections[$1].firstRequest != nil }
            let connections = places.map { entries[$0.0].connections[$0.1] }
            guard let found = FixtureChoice.index(of: head, among: connections) else { return nil }
            return take(places[found].1, of: places[found].0, &state)
        }
    }

    /// The first requests of the connections that may be played, for people, some of them.
    var expected: String {
        let requests = state.withLock { state in
            state.entries.flatMap { entry in candidates(entry).map { entry.connections[$0] } }
        }.compactMap { $0.firstRequest?.value.shownLine }
        let shown = requests.prefix(3).joined(separator: ", ")
        guard !requests.isEmpty else { return "none is left" }
        return requests.count > 3
            ? "\(shown) and \(requests.count - 3) more are expected" : "\(shown) is expected"
    }

    /// The connections of a fixture that may be played, by index.
    private func candidates(_ entry: Entry) -> [Int] {
        if repeats, entry.isUsedUp { return Array(entry.connections.indices) }
        return entry.connections.indices.filter { !entry.used.contains($0) }
    }

    private func take(_ index: Int, of place: Int, _ state: inout State) -> Choice {
        if repeats, state.entries[place].isUsedUp {
            state.entries[place].used = []
            // Without pipes for new meetings nobody waits for others: better than no answer.
            let points = try? MeetingPoint.points(of: state.entries[place].connections)
            state.entries[place].meetings = points ?? [:]
        }
        state.entries[place].used.insert(index)
        let entry = state.entries[place]
        return Choice(
            name: entry.name, connection: entry.connections[index], index: index,
            hosts: entry.hosts, meetings: entry.meetings)
    }
}

extension Fixture.Request {
    /// Method and target of the request line, harmless and not too long; a pattern as it is written.
    fileprivate var shownLine: String {
        let octets: [UInt8] =
            switch self {
            case .exactly(let parts): HeadLine.lines(of: parts.flatMap(\.value)).first?.octets ?? []
            case .matching(let conditions):
                switch conditions.first?.value {
                case .line(let line): line
                case .pattern(let pattern): Array(pattern.source.utf8)
                case .absent, nil: []
                }
            }
        let version = Array(" HTTP/1.1".utf8)
        let isUsual = octets.suffix(version.count).elementsEqual(version)
        return VisibleOctets(isUsual ? octets.dropLast(version.count) : octets, limit: 100).description
    }
}
