import System

/// Calls to one receiver: in the order in which they were handed over, one at a time, whatever the queue that runs them
/// does at once.
final class CallOrder: Sendable {
    private struct Calls {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    /// Where the calls are made.
    let queue: TransferQueue
    private let calls = Lock(Calls())

    init(_ queue: TransferQueue) { self.queue = queue }

    /// Hands over a call. It is made after all those before it have returned.
    func append(_ call: @escaping @Sendable () -> Void) {
        let mustBegin = calls.withLock { calls in
            calls.waiting.append(call)
            defer { calls.isRunning = true }
            return !calls.isRunning
        }
        if mustBegin { queue.addOperation { [self] in run() } }
    }

    /// Makes the calls that wait. Those that come meanwhile, or are left where the queue was suspended, are an operation
    /// of their own: others that use the queue have their turn.
    private func run() {
        let batch = calls.withLock { calls in
            defer { calls.waiting = [] }
            return calls.waiting
        }
        var made = 0
        for call in batch {
            if made > 0, queue.isSuspended { break }
            call()
            made += 1
        }
        let goesOn = calls.withLock { calls in
            calls.waiting.insert(contentsOf: batch[made...], at: 0)
            calls.isRunning = !calls.waiting.isEmpty
            return calls.isRunning
        }
        if goesOn { queue.addOperation { [self] in run() } }
    }
}
