public import System

/// When a wait gives up, and by which limit.
public struct Deadline: Hashable, Sendable {
    /// What the time was granted for.
    public enum Limit: Hashable, Sendable {
        /// No limit at all.
        case none
        /// To find the addresses of a host.
        case resolve
        /// To open a connection.
        case connect
        /// Without a single octet either way.
        case idle
        /// Before it is looked whether a transfer keeps to its speed.
        case speed
        /// For the whole transfer.
        case total
    }

    /// When it has come.
    public var instant: Instant
    /// Which limit it is.
    public var limit: Limit
    /// How much time was granted.
    public var duration: Duration

    /// A deadline `duration` after now.
    public init(_ limit: Limit, in duration: Duration) {
        self.init(limit, at: Instant.now + duration, duration: duration)
    }

    /// A deadline at `instant`, which was `duration` after the start.
    public init(_ limit: Limit, at instant: Instant, duration: Duration) {
        self.instant = instant
        self.limit = limit
        self.duration = duration
    }

    /// Waits for ever.
    public static let never = Deadline(.none, at: .distantFuture, duration: .zero)

    /// The one that comes first.
    public static func earlier(_ left: Deadline, _ right: Deadline) -> Deadline {
        right.instant < left.instant ? right : left
    }
}
