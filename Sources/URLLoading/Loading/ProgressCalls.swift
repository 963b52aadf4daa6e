import Download
import System

/// What a receiver is told of content while it comes: at most one call is on its way, and it tells all that has come until
/// it is made. So the calls never pile up, however slow their receiver is, and their sum is exact.
final class ProgressCalls: Sendable {
    /// Told octets since the last call, so far, and in all (-1 where nobody knows).
    typealias Telling = @Sendable (_ new: Int64, _ received: Int64, _ expected: Int64) -> Void

    private struct State {
        var progress = TransferProgress()
        var told: UInt64 = 0
        var isCalling = false
    }

    private let state = Lock(State())
    private let order: CallOrder
    private let tell: Telling

    /// Calls of `tell`, made in `order`.
    init(_ order: CallOrder, _ tell: @escaping Telling) {
        self.order = order
        self.tell = tell
    }

    /// So many octets were there before.
    func begin(at offset: UInt64) {
        state.withLock { ($0.progress.received, $0.told) = (offset, offset) }
    }

    /// How far it is now.
    func note(_ progress: TransferProgress) {
        let mustCall = state.withLock { state in
            // What has come is forgotten where it begins anew.
            if progress.received < state.told { state.told = 0 }
            state.progress = progress
            guard progress.received > state.told else { return false }
            defer { state.isCalling = true }
            return !state.isCalling
        }
        if mustCall { order.append { [self] in call() } }
    }

    private func call() {
        let (new, progress) = state.withLock { state in
            defer { (state.told, state.isCalling) = (state.progress.received, false) }
            return (state.progress.received - min(state.told, state.progress.received), state.progress)
        }
        guard new > 0 else { return }
        tell(
            Int64(clamping: new), Int64(clamping: progress.received),
            progress.expected.map { Int64(clamping: $0) } ?? -1)
    }
}
