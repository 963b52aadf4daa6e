import System

/// Calls to one receiver: in the order in which they were handed over, one at a time, whatever the queue that runs them
/// does at once.
final class CallOrder: Sendable {
    /// A call. It returns whether it is done; one that is not keeps its place and is made again.
    private typealias Call = @Sendable () -> Bool

    private struct Calls {
        var waiting: [Call] = []
        var isRunning = false
    }

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

    /// Makes the calls that wait. Those that come meanwhile, or are left, are an operation of their own: others that use
    /// the queue have their turn, and it can be suspended.
    private func run() {
        let batch = calls.withLock { calls in
            defer { calls.waiting = [] }
            return calls.waiting
        }
        var made = 0
        for call in batch {
            if made > 0, queue.isSuspended { break }
            guard call() else { break }
            made += 1
        }
        let goesOn = calls.withLock { calls in
            calls.waiting.insert(contentsOf: batch[made...], at: 0)
            calls.isRunning = !calls.waiting.isEmpty
            return calls.isRunning
        }
        if goesOn { queue.addCall { [self] in run() } }
    }
}
