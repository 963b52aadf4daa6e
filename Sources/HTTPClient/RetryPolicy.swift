/// When a failed transfer is tried again, how long after, and when to stop. Pure: times and random numbers come in.
///
/// Nothing here sends anything: the loop above `Client.send` asks a `RetryState` and does as it says.
public struct RetryPolicy: Hashable, Sendable {
    /// Which failures are worth another try.
    public enum Scope: Hashable, Sendable, CaseIterable {
        /// What can go on where it stopped: content that was cut or stalled after some of it came, and statuses 429 and 503
        /// with Retry-After. Once content was cut, `transient` failures and broken or refused connections count too: they
        /// are the same outage.
        case resumable
        /// curl's --retry: time-outs, a host without an address, statuses 408, 429, 500, 502, 503 and 504.
        case transient
        /// curl's --retry-all-errors: every failure but those that another try cannot mend, as `RetryAttempt` lists them.
        case all
    }

    /// Which failures are worth another try.
    public var scope: Scope
    /// Most tries after the first; 0 means that there are none. curl's default is 0, aria2's 4, wget's 19.
    public var maximumRetries: Int
    /// Whether a refused connection is transient, as with curl's --retry-connrefused.
    public var retriesRefused: Bool
    /// Whether content that was cut or stalled is transient, too: who goes on where it stopped loses nothing by trying.
    public var retriesCut: Bool
    /// The wait before every retry; `nil` makes it one second, doubled for each retry up to ten minutes, as curl does.
    public var delay: Duration?
    /// Whether a doubled wait is shortened by up to a quarter at random, so that clients cut off together do not come back
    /// together. A fixed `delay` and what a server asks for are kept as they are.
    public var hasJitter: Bool
    /// The time from the start of the first try within which the last wait must end; `nil` sets no limit.
    public var maximumTime: Duration?
    /// The longest Retry-After that is waited for; a server that asks for more is not asked again. `nil` sets no limit.
    public var longestRetryAfter: Duration?
    /// A try that brought at least so many octets that none before it had brought is taken as the first again: retries
    /// and waits begin anew. `nil` counts every try, as curl does.
    public var resetsOnProgress: UInt64?

    /// How long a network that has gone away is waited for at most, each time, by those who know of networks; 10 minutes.
    /// That is no retry. It ends earlier where `maximumTime` does.
    public var longestOutage = Duration.seconds(600)

    /// A policy as curl has it for --retry: nothing is shortened, capped or forgotten.
    public init(_ scope: Scope, maximumRetries: Int) {
        self.scope = scope
        self.maximumRetries = maximumRetries
        retriesRefused = false
        retriesCut = false
        hasJitter = false
    }

    /// No second try.
    public static let none = RetryPolicy(.resumable, maximumRetries: 0)

    /// What `rawget` does unasked: 5 retries in a row of what can go on where it stopped.
    ///
    /// In a row they wait 31 seconds at most (1, 2, 4, 8 and 16), or ten minutes where a server asks for the longest wait
    /// each time. A megabyte that is new begins the row again, so a long download over a bad line ends only when it stands
    /// still. curl 7.88 tries nothing again unasked; wget tries 20 times with waits of 1 to 10 seconds, but not after a
    /// refused connection or an error status; aria2 tries 5 times without a wait, and 503 only where one is set.
    public static let standard = {
        var policy = RetryPolicy(.resumable, maximumRetries: 5)
        policy.hasJitter = true
        policy.longestRetryAfter = .seconds(120)
        policy.resetsOnProgress = 1 << 20
        return policy
    }()
}

extension RetryPolicy {
    /// The wait before the retry after `retries` others in a row, where no server asks for another.
    func wait(afterRetries retries: Int, random: UInt64) -> Duration {
        if let delay { return delay }
        // 2^10 is past ten minutes.
        let full = min(Int64(1) << Int64(min(retries, 10)), 600) * 1_000_000_000
        guard hasJitter else { return .nanoseconds(full) }
        // The upper half of the product spreads 64 random bits evenly over 0...quarter.
        let quarter = UInt64(full / 4)
        return .nanoseconds(full - Int64(random.multipliedFullWidth(by: quarter + 1).high))
    }
}
