/// What stands around the player of one connection: who else plays, and who wants to know.
struct FixtureScene {
    /// Something is not as the fixture says.
    var note: (FixtureProblem) -> Void
    /// Nothing is left to be done but to wait for the client; `nil`: that is over.
    var noteStanding: (StandingConnection?) -> Void = { _ in }
    /// Where a request that no line expects may belong, for people.
    var placeOfFurtherRequest: () -> String? = { nil }
    /// The head of a request has come.
    var receiveHead: ([UInt8]) -> Void = { _ in }
    /// Octets of its content have come.
    var receiveContent: ([UInt8]) -> Void = { _ in }
    /// The connection is at a meeting; returned is what is given when all others are there. `nil`: nobody else comes.
    var meet: (String) -> StopSignal? = { _ in nil }
    /// The person interrupts the command.
    var interrupt: () -> Void = {}
    /// How TLS of a kind is spoken for hosts.
    var context: (Fixture.TLS, [String]) throws(ReplayError) -> TLSServerContext
    /// The hosts for which TLS that begins in the middle has a certificate, besides that of a CONNECT.
    var hosts: [String] = []
    /// Tells people what happens.
    var log: (String) -> Void = { _ in }
    /// What has ended when the stop of the connection is given.
    var ending = "the run ended"
}

/// Where the connections of a fixture wait for each other.
final class MeetingPoint: Sendable {
    /// The connections that have to come, by their index, each with the line of its `meet`.
    let guests: [Int: Int]
    /// Given when all are there.
    let signal: StopSignal
    private let arrived = Guarded<Set<Int>>([])

    init(guests: [Int: Int]) throws(ReplayError) {
        self.guests = guests
        signal = try StopSignal()
    }

    /// The meetings of connections, by name.
    static func points(of connections: [Fixture.Connection]) throws(ReplayError) -> [String: MeetingPoint] {
        var guests: [String: [Int: Int]] = [:]
        for (index, connection) in connections.enumerated() {
            for step in connection.steps {
                guard case .meet(let name) = step.value else { continue }
                if guests[name]?[index] == nil { guests[name, default: [:]][index] = step.line }
            }
        }
        var points: [String: MeetingPoint] = [:]
        for (name, guests) in guests { points[name] = try MeetingPoint(guests: guests) }
        return points
    }

    /// A connection is there.
    func arrive(_ index: Int) {
        let isComplete = arrived.withLock { arrived in
            arrived.insert(index)
            return arrived.isSuperset(of: guests.keys)
        }
        if isComplete { signal.give() }
    }

    /// Who did not come though somebody waited; `nil`: nobody is missing, or nobody came.
    func problem(named name: String, guest: (Int) -> String) -> FixtureProblem? {
        let arrived = arrived.withLock { $0 }
        let missing = guests.keys.filter { !arrived.contains($0) }.sorted()
        guard !missing.isEmpty, let first = arrived.min(), let line = guests[first] else { return nil }
        let names = missing.map(guest)
        return FixtureProblem(
            line: line, "nobody else came to meet \(name): \(names.joined(separator: ", ")) is missing")
    }
}
