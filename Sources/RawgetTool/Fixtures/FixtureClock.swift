import Synchronization
import System

/// The wall clock of a fixture: it runs until it is set, and then stands still.
final class FixtureClock: Sendable {
    private static let unset = Int64.min

    private let outer: WallClock
    private let seconds = Atomic(FixtureClock.unset)

    init(_ outer: WallClock) { self.outer = outer }

    /// The clock, for commands and loads.
    var wallClock: WallClock {
        WallClock {
            let seconds = self.seconds.load(ordering: .relaxed)
            return seconds == FixtureClock.unset ? self.outer.secondsSinceEpoch : seconds
        }
    }

    /// Sets it, to seconds since 1970-01-01 00:00:00 UTC.
    func set(_ seconds: Int64) { self.seconds.store(seconds, ordering: .relaxed) }

    /// Moves it on.
    func advance(by seconds: Int64) {
        set(wallClock.secondsSinceEpoch.addingReportingOverflow(seconds).partialValue)
    }
}
