import HTTPMessage
import System
import Transport

/// What two requests must have in common to use one connection.
struct ConnectionKey: Hashable, Sendable {
    var route: Route
    /// Where the connection is secured: for whom. The certificate was checked for that host, wherever the route leads.
    var securedOrigin: Origin?
    /// Where a tap listens: for whom it was opened.
    var tappedOrigin: Origin?

    /// The key for requests to `origin`, which go by `route`.
    init(origin: Origin, route: Route, isTapped: Bool = false) {
        self.route = route
        securedOrigin = origin.scheme == .https ? origin : nil
        tappedOrigin = isTapped ? origin : nil
    }
}

/// An open connection and what the pool knows of it.
@NetworkActor
final class PooledConnection {
    let key: ConnectionKey
    let stream: any ByteStream
    let buffer: ReceiveBuffer
    /// Connections of a client are numbered from 1.
    let number: Int
    /// This side's address, asked for once.
    let localAddress: SocketAddress?
    /// Exchanges begun on it.
    var exchanges = 0
    var idleSince = Instant.distantFuture

    init(key: ConnectionKey, stream: any ByteStream, buffer: ReceiveBuffer, number: Int) {
        self.key = key
        self.stream = stream
        self.buffer = buffer
        self.number = number
        localAddress = stream.localAddress
    }
}

/// The connections of one client: which are idle, how many are in use, who waits for one.
///
/// Decisions are values: the pool never opens a connection itself.
@NetworkActor
final class ConnectionPool {
    enum Lease {
        case use(PooledConnection)
        /// The caller opens one and calls `closed` for it in the end.
        case open
        /// As many as allowed are in use: wait for a turn, then ask again.
        case wait
    }

    /// The idle and the waiting of one key.
    private struct Group {
        let key: ConnectionKey
        var idle: [PooledConnection] = []
        var inUse = 0
        var waiting: [Turn] = []

        var isUnused: Bool { inUse == 0 && idle.isEmpty && waiting.isEmpty }
    }

    /// A place in the line for a connection. When it has come, the place that became free is kept for it.
    final class Turn {
        let pause = Pause()
    }

    // Searched in order: only keys with a connection or a request stand here, and those are few. A dictionary would
    // cost every start of a program a search for the key's conformance, a tenth of all it does.
    private var groups: [Group] = []
    /// How long after its last octet a connection counts as not idle yet.
    private static let moment = Duration.microseconds(100)

    private let limit: Int?
    private let lifetime: Duration
    private let maximumIdle: Int
    private var idleCount = 0

    nonisolated init(limit: Int?, lifetime: Duration, maximumIdle: Int) {
        self.limit = limit.map { max(1, $0) }  // with none at all every request would wait for ever
        self.lifetime = lifetime
        self.maximumIdle = maximumIdle
    }

    /// A connection for one exchange; `holdsTurn` after a wait in line. The idle one used last comes first: it is the
    /// least likely to have been closed.
    /// `careful` for a request that must not be sent twice: then even a connection used a moment ago is looked at.
    func lease(for key: ConnectionKey, fresh: Bool, careful: Bool, holdsTurn: Bool) -> Lease {
        let place = place(of: key)
        if holdsTurn { groups[place].inUse -= 1 } else if !groups[place].waiting.isEmpty { return .wait }
        while !fresh, let connection = groups[place].idle.popLast() {
            idleCount -= 1
            let idle = Instant.now - connection.idleSince
            // One that was read to its last octet a moment ago is not asked about once more.
            let isKnownQuiet = idle < ConnectionPool.moment && !careful && !connection.stream.mayHaveInput
            if idle < lifetime, isKnownQuiet || connection.stream.isQuiet {
                groups[place].inUse += 1
                return .use(connection)
            }
            connection.stream.close()
        }
        if let limit {
            if groups[place].inUse >= limit { return .wait }
            // A fresh connection beside idle ones: the limit counts both.
            if groups[place].inUse + groups[place].idle.count >= limit, !groups[place].idle.isEmpty {
                groups[place].idle.removeFirst().stream.close()
                idleCount -= 1
            }
        }
        groups[place].inUse += 1
        return .open
    }

    private func find(_ key: ConnectionKey) -> Int? {
        var place = groups.startIndex
        while place < groups.endIndex {
            if groups[place].key == key { return place }
            place += 1
        }
        return nil
    }

    private func place(of key: ConnectionKey) -> Int {
        if let place = find(key) { return place }
        groups.append(Group(key: key))
        return groups.endIndex - 1
    }

    /// Forgets a key that nobody uses.
    private func forgetIfUnused(_ place: Int) {
        if groups[place].isUnused { groups.remove(at: place) }
    }

    /// Joins the line for `key`.
    func turn(for key: ConnectionKey) -> Turn {
        let turn = Turn()
        groups[place(of: key)].waiting.append(turn)
        return turn
    }

    /// Leaves the line: the wait ended by time or cancellation. A turn that had come is passed on.
    func leave(_ turn: Turn, for key: ConnectionKey) {
        guard let place = find(key) else { return }
        if let position = groups[place].waiting.firstIndex(where: { $0 === turn }) {
            groups[place].waiting.remove(at: position)
            forgetIfUnused(place)
        } else {
            closed(key)
        }
    }

    /// An exchange is over and its connection can be used again.
    func release(_ connection: PooledConnection) {
        guard let place = find(connection.key) else { return connection.stream.close() }
        connection.buffer.trim()
        connection.idleSince = .now
        groups[place].inUse -= 1
        groups[place].idle.append(connection)
        idleCount += 1
        callNext(place)
        if idleCount > maximumIdle { closeOldestIdle() }
        if !isSweeping, idleCount > 0 { startSweeping() }
    }

    // MARK: Sweeping

    /// Longest time between two looks at the idle connections.
    private static let longestSweep = Duration.seconds(15)
    private var isSweeping = false

    /// While there are idle connections, those that are too old or that the server has closed are closed now and then:
    /// a host may never be asked again.
    private func startSweeping() {
        isSweeping = true
        let interval = min(lifetime, ConnectionPool.longestSweep)
        Task(executorPreference: NetworkActor.loop) { [weak self] in
            while await NetworkActor.loop.sleep(until: .now + interval), await self?.sweep() ?? false {}
        }
    }

    /// Returns whether there is still something to look after.
    private func sweep() -> Bool {
        for place in groups.indices.reversed() {
            groups[place].idle.removeAll { connection in
                let isGood = Instant.now - connection.idleSince < lifetime && connection.stream.isQuiet
                if !isGood { connection.stream.close() }
                return !isGood
            }
            forgetIfUnused(place)
        }
        idleCount = groups.reduce(0) { $0 + $1.idle.count }
        isSweeping = idleCount > 0
        return isSweeping
    }

    /// A leased connection was closed, or none could be opened.
    func closed(_ key: ConnectionKey) {
        guard let place = find(key) else { return }
        groups[place].inUse -= 1
        callNext(place)
        forgetIfUnused(place)
    }

    /// Closes every idle connection.
    func closeIdle() {
        for place in groups.indices.reversed() {
            for connection in groups[place].idle { connection.stream.close() }
            groups[place].idle = []
            forgetIfUnused(place)
        }
        idleCount = 0
    }

    /// Idle connections now.
    var idleConnectionCount: Int { idleCount }

    /// Connections in use, or being opened.
    var inUseCount: Int { groups.reduce(0) { $0 + $1.inUse } }

    /// Keys that something is known of.
    var groupCount: Int { groups.count }

    private func callNext(_ place: Int) {
        guard !groups[place].waiting.isEmpty else { return }
        let next = groups[place].waiting.removeFirst()
        groups[place].inUse += 1
        next.pause.finish(.ready)
    }

    private func closeOldestIdle() {
        var oldest: (place: Int, since: Instant)?
        for (place, group) in groups.enumerated() {
            if let first = group.idle.first, first.idleSince < oldest?.since ?? .distantFuture {
                oldest = (place, first.idleSince)
            }
        }
        guard let oldest else { return }
        groups[oldest.place].idle.removeFirst().stream.close()
        idleCount -= 1
        forgetIfUnused(oldest.place)
    }
}
