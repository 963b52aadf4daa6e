/// One meter for several transfers at once: files done of all, octets of those whose length is known.
struct GroupMeter: Sendable {
    private struct Member {
        var received: UInt64 = 0
        var expected: UInt64?
    }

    private let count: Int
    private var finishedCount = 0
    private var failedCount = 0
    /// Octets of the transfers that are over.
    private var settled: UInt64 = 0
    /// Whether a transfer ended before it was whole: then nobody knows the whole any more.
    private var lacksSomething = false
    private var members: [Int: Member] = [:]
    private var startedCount = 0
    private var meter: ProgressMeter

    /// A meter for `count` transfers that begin at `start`.
    init(count: Int, style: ProgressMeter.Style = .full, startingAt start: Duration) {
        self.count = count
        meter = ProgressMeter(name: "", style: style, startingAt: start)
        renameMeter()
    }

    /// The transfer `number` (any number of the caller's) has so many octets.
    mutating func update(_ number: Int, received: UInt64, expected: UInt64?, at now: Duration) {
        if members[number] == nil { startedCount += 1 }
        members[number] = Member(received: received, expected: expected)
        refresh(at: now)
    }

    /// The transfer `number` is over.
    mutating func end(_ number: Int, _ outcome: ProgressMeter.Outcome, at now: Duration) {
        if let member = members.removeValue(forKey: number) {
            settled = sum(settled, member.received) ?? .max
        } else {
            startedCount += 1
        }
        if outcome == .finished {
            finishedCount += 1
        } else {
            failedCount += 1
            lacksSomething = true
        }
        renameMeter()
        refresh(at: now)
    }

    /// As `ProgressMeter.line(columns:)`.
    func line(columns: Int) -> String { meter.line(columns: columns) }

    /// Whether not an octet has come yet.
    var isEmpty: Bool { meter.received == 0 }

    /// As `ProgressMeter.waitingLine(for:columns:)`.
    func waitingLine(for what: String, columns: Int) -> String {
        meter.waitingLine(for: what, columns: columns)
    }

    /// As `ProgressMeter.closingLine(_:columns:)`.
    func closingLine(_ outcome: ProgressMeter.Outcome = .finished, columns: Int) -> String {
        meter.closingLine(outcome, columns: columns)
    }

    private mutating func refresh(at now: Duration) {
        var received = settled
        // The whole is known only when every transfer has begun and said its length.
        var expected: UInt64? = startedCount >= count && !lacksSomething ? settled : nil
        for member in members.values {
            received = sum(received, member.received) ?? .max
            // Lengths come from servers: a sum past every number is an unknown one.
            expected = expected.flatMap { whole in member.expected.flatMap { sum(whole, $0) } }
        }
        meter.update(received: received, expected: expected, at: now)
    }

    private func sum(_ left: UInt64, _ right: UInt64) -> UInt64? {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? nil : sum
    }

    private mutating func renameMeter() {
        let failures = failedCount > 0 ? ", \(failedCount) failed" : ""
        meter.rename("\(finishedCount) of \(count) files\(failures)")
    }
}
