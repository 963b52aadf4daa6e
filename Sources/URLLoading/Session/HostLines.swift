import HTTPMessage
import System
import Transport

/// Who loads from each host, and who waits for a place: in the order of coming, so many at once (D14).
@NetworkActor
struct HostLines {
    /// The tasks of one host.
    private struct Line {
        var active = 0
        var waiting = WaitingLine<Place>()
        /// How many of them were left.
        var left = 0

        var isUnused: Bool { active == 0 && waiting.isEmpty }
    }

    /// A place in a line. One that was left is passed over.
    private struct Place {
        let run: TaskRun
        let ticket: Int
    }

    private let limit: Int
    private var lines: [Origin?: Line] = [:]
    private var lastTicket = 0

    nonisolated init(limit: Int) { self.limit = max(1, limit) }

    /// Puts a task at the end of its host's line.
    mutating func join(_ run: TaskRun) {
        lastTicket += 1
        run.ticket = lastTicket
        lines[run.origin, default: Line()].waiting.append(Place(run: run, ticket: lastTicket))
    }

    /// Takes a task that waits out of its line. Places that were left go away when they are more than half of it: a line
    /// that does not move must not grow.
    mutating func leave(_ run: TaskRun) {
        guard run.ticket.take() != nil, var line = lines.removeValue(forKey: run.origin) else { return }
        defer { if !line.isUnused { lines[run.origin] = line } }
        line.left += 1
        guard line.left > line.waiting.count / 2 else { return }
        line.waiting.removeAll { $0.run.ticket != $0.ticket }
        line.left = 0
    }

    /// The next task that may load from `origin`, which then counts until `finished`.
    mutating func next(for origin: Origin?) -> TaskRun? {
        guard var line = lines.removeValue(forKey: origin) else { return nil }
        defer { if !line.isUnused { lines[origin] = line } }
        guard line.active < limit else { return nil }
        while let place = line.waiting.takeFirst() {
            guard place.run.ticket == place.ticket else {
                line.left -= 1
                continue
            }
            place.run.ticket = nil
            line.active += 1
            return place.run
        }
        return nil
    }

    /// A task that had a place has ended.
    mutating func finished(_ origin: Origin?) { lines[origin]?.active -= 1 }
}
