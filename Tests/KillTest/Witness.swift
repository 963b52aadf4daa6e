import Glibc
import System

/// What the server sees of one run of the client, and the kill that waits for it.
final class Witness: Sendable {
    /// When the client is to be killed, as far as the server brings it about; times in microseconds.
    enum Trigger: Sendable {
        case none
        case request(after: UInt32)
        /// When so many octets of content have been sent.
        case content(UInt64, after: UInt32)
    }

    /// What has been seen.
    struct Sight: Sendable {
        /// Versions that were current at some time of the run.
        var current: Set<Int>
        var requestCount = 0
        /// Octets of content that were sent, and that the answers hold.
        var sent: UInt64 = 0
        var asked: UInt64 = 0
        var deeds: [Deed] = []
        /// What a client must not ask, as it was asked.
        var violations: [String] = []
        /// Whether a first request asked for a part from further on, and got it.
        var isResumed = false
        /// Whether the server fell silent.
        var isStalled = false
        /// Whether the client got a signal of ours, and how much content was sent by then.
        var killedAt: UInt64?
        /// All requests, for a person.
        var log: [String] = []
    }

    private struct State {
        var sight: Sight
        var target: Program?
        var isDue = false
    }

    let plan: RunPlan
    private let trigger: Trigger
    private let state: Lock<State>

    init(_ plan: RunPlan, _ trigger: Trigger, current: Int) {
        self.plan = plan
        self.trigger = trigger
        state = Lock(State(sight: Sight(current: [current])))
    }

    var sight: Sight { state.withLock { $0.sight } }

    /// Notes what was seen.
    func note(_ body: (inout Sight) -> Void) { state.withLock { body(&$0.sight) } }

    /// Tells whom to kill: now, if the moment has come already.
    func aim(at program: Program) {
        let isDue = state.withLock { state in
            state.target = program
            return state.isDue
        }
        if isDue { kill() }
    }

    /// A request has come; returns its number, from 0.
    func noteRequest(_ line: String) -> Int {
        let number = state.withLock { state in
            state.sight.log.append(line)
            state.sight.requestCount += 1
            return state.sight.requestCount - 1
        }
        if number == 0, case .request(let delay) = trigger { kill(after: delay) }
        return number
    }

    /// So many more octets of content have been sent; returns how many that are in all.
    func noteSent(_ count: UInt64) -> UInt64 {
        let (before, sent) = state.withLock { state in
            let before = state.sight.sent
            state.sight.sent += count
            return (before, state.sight.sent)
        }
        if case .content(let moment, let delay) = trigger, before <= moment, sent >= moment, before < sent {
            kill(after: delay)
        }
        return sent
    }

    /// The server says nothing more in an answer. A client that would be killed later is killed now.
    func noteStall() {
        note { $0.isStalled = true }
        if plan.kill != .never { kill(after: 20_000) }
    }

    /// Kills the client, which may not have started yet.
    func kill(after microseconds: UInt32 = 0) {
        if microseconds > 0 { usleep(microseconds) }
        let target = state.withLock { state -> Program? in
            guard state.sight.killedAt == nil else { return nil }
            guard let target = state.target else {
                state.isDue = true
                return nil
            }
            state.sight.killedAt = state.sight.sent
            return target
        }
        target?.send(SIGKILL)
    }
}
