import System

/// Something that wants to be woken at an instant.
protocol Expiring: AnyObject {
    /// Called when the instant of an entry has come. Answers the next instant to be woken at, if any.
    func expire(at now: Instant) -> Instant?
}

/// A binary heap of instants, earliest first. An entry is never removed: one that is out of date says so when it is
/// woken, so setting a time-out costs nothing while an earlier entry of the same owner stands.
struct TimerQueue {
    private var entries: [(instant: Instant, owner: any Expiring)] = []

    /// The earliest instant, if there is any.
    var earliest: Instant? { entries.first?.instant }

    var count: Int { entries.count }

    mutating func add(_ instant: Instant, _ owner: any Expiring) {
        entries.append((instant, owner))
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].instant < entries[parent].instant else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the earliest entry's owner, if its time has come.
    mutating func next(dueAt now: Instant) -> (any Expiring)? {
        guard let first = entries.first, first.instant <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].instant < entries[least].instant { least = child }
            }
            guard least != parent else { break }
            entries.swapAt(parent, least)
            parent = least
        }
        return first.owner
    }
}
