import System

/// Calls to one receiver: in the order in which they were handed over, one at a time, whatever the queue that runs them
/// does at once.
final class CallOrder: Sendable {
    /// A call. It returns whether it is done; one that is not keeps its place and is made again.
    private typealias Call = @Sendable () -> Bool

    private struct Calls {
        var waiting = WaitingLine<Call>()
        var isRunning = false
    }

    /// Calls that are made before others that use the queue have their turn.
    private static let mostAtOnce = 32

    /// Where the calls are made.
    let queue: TransferQueue
    private let calls = Lock(Calls())

    init(_ queue: TransferQueue) { self.queue = queue }

    /// Hands over a call. It is made after all those before it have returned.
    func append(_ call: @escaping @Sendable () -> Void) {
        appendRepeated {
            call()
            return true
        }
    }

    /// Hands over a call that is made again and again, in its place, until it returns true.
    func appendRepeated(_ call: @escaping @Sendable () -> Bool) {
        let mustBegin = calls.withLock { calls in
            calls.waiting.append(call)
            defer { calls.isRunning = true }
            return !calls.isRunning
        }
        if mustBegin { queue.addCall { [self] in run() } }
    }

    /// Makes the calls that wait. Those that are left are an operation of their own: others that use the queue have their
    /// turn, and it can be suspended.
    private func run() {
        for _ in 0..<CallOrder.mostAtOnce {
            guard let call = calls.withLock({ $0.waiting.first }) else { return }
            let isDone = call()
            let goesOn = calls.withLock { calls in
                if isDone { _ = calls.waiting.takeFirst() }
                calls.isRunning = !calls.waiting.isEmpty
                return calls.isRunning
            }
            guard goesOn else { return }
            if !isDone || queue.isSuspended { break }
        }
        queue.addCall { [self] in run() }
    }
}
