import Replay
import System

/// The server of one round: the file with its versions, ranges, and what goes wrong.
final class Origin: Sendable {
    private struct State {
        var current = 0
        /// Versions that were current at some time.
        var served: Set<Int> = [0]
        var witness: Witness?
    }

    let plan: RoundPlan
    private let state = Lock(State())

    init(_ plan: RoundPlan) { self.plan = plan }

    /// The version that is the file now.
    var current: Int { state.withLock { $0.current } }
    /// All that have been.
    var served: Set<Int> { state.withLock { $0.served } }

    /// From here on, requests belong to this run.
    func begin(_ witness: Witness) { state.withLock { $0.witness = witness } }

    /// Another version becomes the file; returns which.
    @discardableResult
    func change() -> Int {
        let (current, witness) = state.withLock { state in
            state.current = (state.current + 1) % plan.versions.count
            state.served.insert(state.current)
            return (state.current, state.witness)
        }
        witness?.note { $0.current.insert(current) }
        return current
    }

    /// What is done about a request.
    func answer(_ recorded: RecordedRequest) -> [Script.Step] {
        let (current, witness) = state.withLock { ($0.current, $0.witness) }
        guard let witness else { return [.close] }
        let request = Request(recorded)
        let number = witness.noteRequest(request.line)
        judge(request, by: witness)
        let version = plan.versions[current]
        var answer = honestAnswer(to: request, version)
        if let deed = witness.plan.deed(at: number),
            let changed = changedAnswer(answer, to: request, current: current, deed)
        {
            answer = changed
            witness.note { $0.deeds.append(deed) }
        }
        answer.isChunked = plan.isChunked
        let (length, status) = (answer.length, answer.status)
        witness.note { sight in
            if sight.asked == 0, status.hasPrefix("206"), request.part?.first ?? 0 > 0 {
                sight.isResumed = true
            }
            if !request.isHead { sight.asked += length }
            sight.log.append("    \(status), \(length) octets")
        }
        let changeAt = witness.plan.changesAfter.map { version.size / 1000 * $0 }
        return answer.steps(
            isHead: request.isHead, pieceSize: pieceSize(for: version), rests: plan.duration > 0,
            sent: { count in
                let sent = witness.noteSent(count)
                if let changeAt, sent >= changeAt, sent - count < changeAt { self.change() }
            },
            stalled: { witness.noteStall() })
    }

    /// So large that the whole file takes as long as planned, one millisecond a piece.
    private func pieceSize(for version: FileVersion) -> UInt64 {
        plan.duration == 0 ? 262_144 : min(262_144, max(4096, version.size / plan.duration))
    }

    /// A part from further on may only be asked for under a condition, and that must be a strong validator that the file
    /// has or had (RFC 9110, section 13.1.5).
    private func judge(_ request: Request, by witness: Witness) {
        guard let part = request.part, part.first > 0 || request.condition != nil else { return }
        guard let condition = request.condition else {
            witness.note { $0.violations.append("a part from \(part.first) on without If-Range") }
            return
        }
        if !plan.versions.contains(where: { $0.validators.condition == condition }) {
            witness.note { $0.violations.append("If-Range: \(condition) is no strong validator of the file") }
        }
    }

    /// What a server without faults says.
    private func honestAnswer(to request: Request, _ version: FileVersion) -> Answer {
        let fields = version.validators.fields
        let isMet = request.condition == nil || request.condition == version.validators.condition
        guard request.part != nil, isMet || conditionIsShared(request, version) else {
            return Answer("200 OK", fields, version, 0..<version.size)
        }
        let range = request.range(of: version.size)
        guard !range.isEmpty else {
            return Answer(
                "416 Range Not Satisfiable", fields + ["Content-Range: bytes */\(version.size)"],
                text: "there is no such part\n")
        }
        return Answer(
            "206 Partial Content", fields + [contentRange(range, version.size)], version, range)
    }

    /// Whether a server that compares without care takes the condition for met: the same weak tag, or the same date.
    private func conditionIsShared(_ request: Request, _ version: FileVersion) -> Bool {
        request.condition == version.validators.entityTag
            || request.condition == version.validators.lastModified
    }

    /// The field for these octets of so many.
    func contentRange(_ range: Range<UInt64>, _ size: UInt64) -> String {
        "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
    }
}
