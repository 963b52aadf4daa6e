import System

/// A caller's block for changes of an `ActivityIndicator`. It is called in the order of the changes, whichever thread
/// made them.
final class ActivityWatcher: Sendable {
    private let block: @Sendable (Bool) -> Void
    private let queue: TransferQueue
    private let changes = Lock(WaitingLine<Bool>())

    init(_ block: @escaping @Sendable (Bool) -> Void, on queue: TransferQueue) {
        self.block = block
        self.queue = queue
    }

    /// Takes a change. Each is to be followed by one `tell`.
    func note(_ isVisible: Bool) { changes.withLock { $0.append(isVisible) } }

    /// Calls the block with the first change that it was not called with.
    func tell() {
        queue.addCall {
            if let change = self.changes.withLock({ $0.takeFirst() }) { self.block(change) }
        }
    }
}
