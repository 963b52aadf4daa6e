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

    /// What the clock that nobody sets has room for beside the time that really passes, 253 years; what is longer the wall
    /// clock must tell.
    private static let longest = Duration.seconds(8_000_000_000)

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
                let shift = shift.withLock { $0 }
                let (seconds, attoseconds) = shift.setBack.components
                let beyond = max(.zero, shift.passed - BatchClock.longest).components.seconds
                let moved = beyond - (attoseconds > 0 ? seconds + 1 : seconds)
                let (date, overflows) = base.secondsSinceEpoch.addingReportingOverflow(moved)
                return overflows ? (moved < 0 ? .min : .max) : date
            },
            uptimeNanoseconds: { [self] in
                let passed = min(shift.withLock { $0.passed }, BatchClock.longest).wholeNanoseconds
                let (uptime, overflows) = base.uptimeNanoseconds.addingReportingOverflow(passed)
                return overflows ? .max : uptime
            })
    }
}
