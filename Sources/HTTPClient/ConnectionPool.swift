import HTTPMessage
import System
import Transport

/// What two requests must have in common to use one connection.
struct ConnectionKey: Hashable, Sendable {
    var scheme: Scheme
    var route: Route
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
        var idle: [PooledConnection] = []
        var inUse = 0
        var waiting: [Turn] = []

        var isUnused: Bool { inUse == 0 && idle.isEmpty && waiting.isEmpty }
    }

    /// A place in the line for a connection. When it has come, the place that became free is kept for it.
    final class Turn {
        let pause = Pause()
    }

    private var groups: [ConnectionKey: Group] = [:]
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
    func lease(for key: ConnectionKey, fresh: Bool, holdsTurn: Bool) -> Lease {
        var group = groups[key] ?? Group()
        defer { groups[key] = group }
        if holdsTurn { group.inUse -= 1 } else if !group.waiting.isEmpty { return .wait }
        while !fresh, let connection = group.idle.popLast() {
            idleCount -= 1
            if Instant.now - connection.idleSince < lifetime, connection.stream.isQuiet {
                group.inUse += 1
                return .use(connection)
            }
            connection.stream.close()
        }
        if let limit {
            if group.inUse >= limit { return .wait }
            // A fresh connection beside idle ones: the limit counts both.
            if group.inUse + group.idle.count >= limit, !group.idle.isEmpty {
                group.idle.removeFirst().stream.close()
                idleCount -= 1
            }
        }
        group.inUse += 1
        return .open
    }

    /// Joins the line for `key`.
    func turn(for key: ConnectionKey) -> Turn {
        let turn = Turn()
        groups[key, default: Group()].waiting.append(turn)
        return turn
    }

    /// Leaves the line: the wait ended by time or cancellation. A turn that had come is passed on.
    func leave(_ turn: Turn, for key: ConnectionKey) {
        guard var group = groups[key] else { return }
        let place = group.waiting.firstIndex { $0 === turn }
        if let place { group.waiting.remove(at: place) }
        groups[key] = group
        if place == nil { closed(key) }
    }

    /// An exchange is over and its connection can be used again.
    func release(_ connection: PooledConnection) {
        guard var group = groups[connection.key] else { return connection.stream.close() }
        group.inUse -= 1
        connection.buffer.trim()
        connection.idleSince = .now
        group.idle.append(connection)
        idleCount += 1
        groups[connection.key] = group
        callNext(connection.key)
        if idleCount > maximumIdle { closeOldestIdle() }
    }

    /// A leased connection was closed, or none could be opened.
    func closed(_ key: ConnectionKey) {
        guard var group = groups[key] else { return }
        group.inUse -= 1
        groups[key] = group.isUnused ? nil : group
        callNext(key)
    }

    /// Closes every idle connection.
    func closeIdle() {
        for (key, var group) in groups {
            for connection in group.idle { connection.stream.close() }
            group.idle = []
            groups[key] = group.isUnused ? nil : group
        }
        idleCount = 0
    }

    /// Idle connections now.
    var idleConnectionCount: Int { idleCount }

    /// Keys that something is known of.
    var groupCount: Int { groups.count }

    private func callNext(_ key: ConnectionKey) {
        guard var group = groups[key], !group.waiting.isEmpty else { return }
        let next = group.waiting.removeFirst()
        group.inUse += 1
        groups[key] = group
        next.pause.finish(.ready)
    }

    private func closeOldestIdle() {
        var oldest: (key: ConnectionKey, since: Instant)?
        for (key, group) in groups {
            if let first = group.idle.first, first.idleSince < oldest?.since ?? .distantFuture {
                oldest = (key, first.idleSince)
            }
        }
        guard let oldest, var group = groups[oldest.key] else { return }
        group.idle.removeFirst().stream.close()
        idleCount -= 1
        groups[oldest.key] = group.isUnused ? nil : group
    }
}
