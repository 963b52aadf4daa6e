public import HTTPMessage

/// A reading of two clocks: one that people set, and one that only goes forward.
///
/// The age of what is stored is told by the clock that has moved further: a wall clock that was set back makes nothing
/// younger than it is, and a machine that slept makes nothing older than the wall clock says.
public struct CacheTime: Hashable, Sendable {
    /// The wall clock.
    public var date: HTTPDate
    /// Whole seconds on a clock that never goes back; it may stand still, and means nothing outside of the process.
    private let uptime: Int64
    /// Nanoseconds beyond them.
    private let nanoseconds: Int64

    /// A reading of both clocks, the second in nanoseconds: of whole seconds the difference could be one too many.
    public init(date: HTTPDate, uptimeNanoseconds: Int64) {
        self.date = date
        let (seconds, rest) = uptimeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        uptime = rest < 0 ? seconds - 1 : seconds
        nanoseconds = rest < 0 ? rest + 1_000_000_000 : rest
    }

    /// A reading of both clocks, the second in seconds.
    public init(date: HTTPDate, uptime: Int64) {
        self.date = date
        self.uptime = uptime
        nanoseconds = 0
    }

    /// Whether this reading was taken behind `other`, by the clock that only goes forward.
    func isLater(than other: CacheTime) -> Bool {
        (uptime, nanoseconds) > (other.uptime, other.nanoseconds)
    }

    /// Whole seconds from `earlier` to this moment, never negative; saturates.
    public func seconds(since earlier: CacheTime) -> Int64 {
        let byDate = date.seconds(since: earlier.date)
        let (difference, overflows) = uptime.subtractingReportingOverflow(earlier.uptime)
        guard !overflows else { return uptime < earlier.uptime ? max(0, byDate) : .max }
        return max(0, byDate, nanoseconds < earlier.nanoseconds ? difference - 1 : difference)
    }
}

extension HTTPDate {
    /// Seconds from `earlier` to this date; saturates.
    func seconds(since earlier: HTTPDate) -> Int64 {
        let (difference, overflows) =
            secondsSinceEpoch.subtractingReportingOverflow(earlier.secondsSinceEpoch)
        guard overflows else { return difference }
        return self < earlier ? .min : .max
    }
}
