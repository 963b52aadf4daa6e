public import HTTPMessage

/// A reading of two clocks: one that people set, and one that only goes forward.
///
/// The age of what is stored is told by the clock that has moved further: a wall clock that was set back makes nothing
/// younger than it is, and a machine that slept makes nothing older than the wall clock says.
public struct CacheTime: Hashable, Sendable {
    /// The wall clock.
    public var date: HTTPDate
    /// Nanoseconds on a clock that never goes back; it may stand still, and means nothing outside of the process.
    private let uptime: Int64

    /// A reading of both clocks, the second in nanoseconds: of whole seconds the difference could be one too many.
    public init(date: HTTPDate, uptimeNanoseconds: Int64) {
        self.date = date
        uptime = uptimeNanoseconds
    }

    /// A reading of both clocks, the second in seconds; saturates.
    public init(date: HTTPDate, uptime: Int64) {
        let (nanoseconds, overflows) = uptime.multipliedReportingOverflow(by: 1_000_000_000)
        let saturated: Int64 = uptime < 0 ? .min : .max
        self.init(date: date, uptimeNanoseconds: overflows ? saturated : nanoseconds)
    }

    /// Whole seconds from `earlier` to this moment, never negative; saturates.
    public func seconds(since earlier: CacheTime) -> Int64 {
        let byDate = date.seconds(since: earlier.date)
        let (difference, overflows) = uptime.subtractingReportingOverflow(earlier.uptime)
        return max(0, byDate, overflows ? 0 : difference / 1_000_000_000)
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
