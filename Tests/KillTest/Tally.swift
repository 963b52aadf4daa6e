/// What happened in all rounds, and whether enough of it did.
struct Tally: Sendable {
    /// What is counted. The raw value is how it is called.
    enum Event: String, CaseIterable, Sendable {
        case rounds = "rounds"
        case secureRounds = "over TLS"
        case piecedRounds = "in pieces"
        case unvalidatedRounds = "without a strong validator"
        case fullRounds = "with a full disk"
        case skippedFullRounds = "with a full disk skipped, since nothing can be mounted"
        case runs = "runs"
        case killsBefore = "kills before the first octet"
        case killsWithin = "kills in the content"
        case killsBehind = "kills after the content"
        case successes = "runs that ended well"
        case failures = "runs that ended with an error"
        case resumed = "runs that went on"
        case startedOver = "runs that started over"
        case measured = "restarts whose octets were counted"
        case changes = "changes of the file"
        case breaks = "answers broken off"
        case nuisances = "other honest nuisances"
        case lies = "lies"
        case lateEnds = "rounds that needed more than one honest run after a lie"
        case orphans = "empty parts left over"

        /// The least for every 50 rounds.
        var floor: Int {
            switch self {
            case .secureRounds, .piecedRounds: 8
            case .unvalidatedRounds: 6
            case .runs: 120
            case .killsBefore: 8
            case .killsWithin: 20
            case .killsBehind: 5
            case .resumed: 15
            case .measured: 10
            case .startedOver: 4
            case .changes: 6
            case .breaks: 4
            case .lies: 15
            default: 0
            }
        }
    }

    private var counts: [Event: Int] = [:]
    private var lies: [String: Int] = [:]
    /// What went wrong, by kind.
    private(set) var faults: [String: Int] = [:]

    /// How often it happened.
    subscript(event: Event) -> Int { counts[event] ?? 0 }

    mutating func count(_ event: Event, _ times: Int = 1) { counts[event, default: 0] += times }

    /// Notes what the server did wrong.
    mutating func count(_ deed: Deed) {
        switch deed {
        case .cut, .reset, .stall: count(.breaks)
        case _ where deed.isLie:
            count(.lies)
            lies[deed.name, default: 0] += 1
        default: count(.nuisances)
        }
    }

    mutating func count(fault: String) { faults[fault, default: 0] += 1 }

    mutating func add(_ other: Tally) {
        counts.merge(other.counts, uniquingKeysWith: +)
        lies.merge(other.lies, uniquingKeysWith: +)
        faults.merge(other.faults, uniquingKeysWith: +)
    }

    /// What happened too seldom to prove anything; of few rounds nothing is expected.
    var shortfalls: [String] {
        guard self[.rounds] >= 50 else { return [] }
        return Event.allCases.compactMap { event in
            let least = event.floor * self[.rounds] / 50
            return self[event] < least ? "too few \(event.rawValue): \(self[event]) of \(least)" : nil
        }
    }

    /// The counts, for a person.
    var lines: [String] {
        var lines = Event.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.rawValue)" }
        if !lies.isEmpty { lines.append("lies by kind: \(list(lies))") }
        if !faults.isEmpty { lines.append("faults by kind: \(list(faults))") }
        return lines
    }

    private func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
