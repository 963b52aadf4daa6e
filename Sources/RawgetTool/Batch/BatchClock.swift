import System

/// The wall clock of a batch's cache, which lines may move.
final class BatchClock: Sendable {
    private let base: WallClock
    private let shift = Lock<Duration>(.zero)

    /// Furthest that all lines together move it: longer than there is time.
    private static let furthest = Duration.seconds(1 << 52)

    /// A clock that begins with what `base` says.
    init(_ base: WallClock) { self.base = base }

    /// Moves it, backwards where `duration` is negative.
    func advance(by duration: Duration) {
        shift.withLock {
            $0 = max(.zero - BatchClock.furthest, min(BatchClock.furthest, $0 + duration))
        }
    }

    /// What it says: whole seconds, however small the steps were that moved it. No line moves the clock beside it, so
    /// that one set back makes nothing younger.
    var wallClock: WallClock {
        WallClock(beside: base) { [self] in
            let (seconds, attoseconds) = shift.withLock { $0 }.components
            let whole = attoseconds < 0 ? seconds - 1 : seconds
            let base = base.secondsSinceEpoch
            let (sum, overflows) = base.addingReportingOverflow(whole)
            guard overflows else { return sum }
            return base < 0 ? .min : .max
        }
    }
}
