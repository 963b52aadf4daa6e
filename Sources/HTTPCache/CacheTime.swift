public import HTTPMessage

/// A reading of two clocks: one that people set, and one that only goes forward.
///
/// The age of what is stored is told by the clock that has moved further: a wall clock that was set back makes nothing
/// younger than it is, and a machine that slept makes nothing older than the wall clock says.
public struct CacheTime: Hashable, Sendable {
    /// The wall clock.
    public var date: HTTPDate
    /// Seconds on a clock that never goes back; it may stand still, and means nothing outside of the process.
    public var uptime: Int64

    /// A reading of both clocks.
    public init(date: HTTPDate, uptime: Int64) {
        self.date = date
        self.uptime = uptime
    }

    /// Whole seconds from `earlier` to this moment, never negative; saturates.
    public func seconds(since earlier: CacheTime) -> Int64 {
        let byDate = date.seconds(since: earlier.date)
        let (difference, overflows) = uptime.subtractingReportingOverflow(earlier.uptime)
        return max(0, byDate, overflows ? 0 : difference)
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
