import System

/// A transfer that is slower than this for so long is given up.
public struct SpeedLimit: Hashable, Sendable {
    /// Octets a second, at least.
    public var octetsPerSecond: UInt64
    /// For how long it may be slower.
    public var duration: Duration

    /// A limit; one octet a second for 30 seconds unless told otherwise, as curl's.
    public init(octetsPerSecond: UInt64 = 1, for duration: Duration = .seconds(30)) {
        self.octetsPerSecond = octetsPerSecond
        self.duration = duration
    }
}

/// Watches that a transfer keeps to its speed limit. Pure: instants and counts come in.
///
/// The time looked back upon is cut into eight parts: a stall is noticed an eighth late at most, whatever came before.
struct SpeedGuard {
    private static let parts = 8

    private let limit: SpeedLimit
    private let part: Duration
    /// Octets of each full part, the oldest first; at most eight.
    private var counts: [UInt64] = []
    private var current: UInt64 = 0
    /// When the present part is full: nothing can be told before.
    private(set) var nextCheck: Instant

    init(_ limit: SpeedLimit, at now: Instant) {
        self.limit = limit
        part = max(limit.duration / SpeedGuard.parts, .milliseconds(1))
        nextCheck = now + part
    }

    /// So many octets went either way.
    mutating func count(_ octets: Int) { current += UInt64(octets) }

    /// Whether the transfer was slower than allowed for the whole time, as of `now`.
    mutating func isTooSlow(at now: Instant) -> Bool {
        while nextCheck <= now {
            counts.append(current)
            current = 0
            // After a long sleep nothing is won by going through every part of it.
            nextCheck = counts.count > SpeedGuard.parts * 2 ? now + part : nextCheck + part
        }
        if counts.count > SpeedGuard.parts { counts.removeFirst(counts.count - SpeedGuard.parts) }
        guard counts.count == SpeedGuard.parts else { return false }
        return Double(counts.reduce(0, +)) < Double(limit.octetsPerSecond) * limit.duration.inSeconds
    }

    /// Time that the transfer was not meant to move does not count: the watch begins anew.
    mutating func restart(at now: Instant) {
        counts = []
        current = 0
        nextCheck = now + part
    }
}
