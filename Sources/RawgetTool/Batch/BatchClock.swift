import System

/// The clocks of a batch's cache, which lines may move: forwards by time that passes, backwards by a wall clock that is
/// set.
///
/// Time that passes shows on the clock that nobody sets. Were the wall clock moved, all that comes later would look so
/// much older by its Date, since servers know nothing of it.
final class BatchClock: Sendable {
    private struct Shift {
        var passed = Duration.zero
        var setBack = Duration.zero
    }

    private let base: WallClock
    private let shift = Lock(Shift())

    /// Furthest that all lines together move either: longer than there is time.
    private static let furthest = Duration.seconds(1 << 52)

    /// Clocks that begin with what `base` says.
    init(_ base: WallClock) { self.base = base }

    /// Lets time pass, or with a negative `duration` sets the wall clock back.
    func advance(by duration: Duration) {
        shift.withLock {
            if duration < .zero {
                $0.setBack = min(BatchClock.furthest, $0.setBack - duration)
            } else {
                $0.passed = min(BatchClock.furthest, $0.passed + duration)
            }
        }
    }

    /// What they say.
    var wallClock: WallClock {
        WallClock(
            { [self] in
                let (seconds, attoseconds) = shift.withLock { $0.setBack }.components
                let (date, overflows) = base.secondsSinceEpoch.subtractingReportingOverflow(
                    attoseconds > 0 ? seconds + 1 : seconds)
                return overflows ? .min : date
            },
            uptimeNanoseconds: { [self] in
                let passed = shift.withLock { $0.passed }.wholeNanoseconds
                let (uptime, overflows) = base.uptimeNanoseconds.addingReportingOverflow(passed)
                return overflows ? .max : uptime
            })
    }
}
