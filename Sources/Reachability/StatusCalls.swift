import System

/// A caller's block for changes of a status, called one at a time and with the last change only.
final class StatusCalls: Sendable {
    fileprivate struct State {
        /// Is to be told; `nil` where all is.
        var next: ReachabilityStatus?
        var told: ReachabilityStatus?
        var isCalling = false
    }

    private let block: @Sendable (ReachabilityStatus) -> Void
    private let state = Lock(State())

    init(_ block: @escaping @Sendable (ReachabilityStatus) -> Void) { self.block = block }

    /// Takes a change; to be followed by `begin`.
    func note(_ status: ReachabilityStatus) { state.withLock { $0.next = status } }

    /// Sees to it that the block is called with what was noted.
    func begin() {
        let isMine = state.withLock { state in
            defer { state.isCalling = state.isCalling || state.next != nil }
            return !state.isCalling && state.next != nil
        }
        if isMine { WorkerThreads.shared.run { self.call() } }
    }

    private func call() {
        while let status = state.withLock({ $0.take() }) { block(status) }
    }
}

extension StatusCalls.State {
    /// The next to be told. What has come back to what was told is nothing new.
    fileprivate mutating func take() -> ReachabilityStatus? {
        guard let status = next.take(), status != told else {
            isCalling = false
            return nil
        }
        told = status
        return status
    }
}
