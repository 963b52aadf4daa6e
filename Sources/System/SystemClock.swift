import Glibc

/// A point on the system's monotonic clock, in nanoseconds; it never jumps and means nothing outside the machine.
public struct Instant: Hashable, Comparable, Sendable {
    /// Since some moment before the machine started.
    public var nanoseconds: Int64

    /// The instant of that reading of the clock.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The time from `earlier` to this instant; less than zero where that is the later one.
    public func duration(since earlier: Instant) -> Duration { self - earlier }

    /// Later than every other.
    public static let distantFuture = Instant(nanoseconds: .max)

    /// The present.
    public static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// Whether `left` comes before `right`.
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// `duration` later; the first or last instant there is where that does not fit.
    public static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        guard overflow else { return Instant(nanoseconds: sum) }
        return duration < .zero ? Instant(nanoseconds: .min) : .distantFuture
    }

    /// From `right` to `left`; saturates.
    public static func - (left: Instant, right: Instant) -> Duration {
        let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        guard overflow else { return .nanoseconds(difference) }
        return .nanoseconds(left < right ? Int64.min : Int64.max)
    }
}

extension Duration {
    /// Whole nanoseconds, saturating.
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard !overflow, !carried else { return seconds < 0 ? .min : .max }
        return sum
    }

    /// Seconds with their fraction.
    public var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// The wall clock: seconds since 1970-01-01 00:00:00 UTC.
public struct WallClock: Sendable {
    private let read: @Sendable () -> Int64
    private let readUptime: @Sendable () -> Int64

    /// A clock that answers with what `read` returns: a fixed time in a test. None goes beside it.
    public init(_ read: @escaping @Sendable () -> Int64) {
        self.init(read, uptimeNanoseconds: { 0 })
    }

    /// A clock that answers with what `read` returns, and another beside it, in nanoseconds, that nobody sets.
    public init(
        _ read: @escaping @Sendable () -> Int64, uptimeNanoseconds uptime: @escaping @Sendable () -> Int64
    ) {
        self.read = read
        readUptime = uptime
    }

    /// The system's.
    public static let system = WallClock(
        {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec)
        }, uptimeNanoseconds: { Instant.now.nanoseconds })

    /// Seconds since the epoch.
    public var secondsSinceEpoch: Int64 { read() }

    /// Nanoseconds on the clock beside it that nobody sets and that never goes back; 0 where there is none, so that all
    /// time stands still where a given clock does.
    public var uptimeNanoseconds: Int64 { readUptime() }
}
