import Download
import System

/// What a delegate is told of a download while it comes: at most one call is on its way, and it tells all that was written
/// until it is made. So the calls never pile up, however slow their receiver is, and their sum is exact.
final class WriteProgress: Sendable {
    private struct State {
        var written: UInt64 = 0
        var expected: UInt64?
        var told: UInt64 = 0
        var isCalling = false
    }

    private let state = Lock(State())
    private let task: SessionTask

    init(_ task: SessionTask) { self.task = task }

    /// So many octets were there before.
    func begin(at offset: UInt64) { state.withLock { ($0.written, $0.told) = (offset, offset) } }

    /// How far it is now.
    func note(_ progress: TransferProgress) {
        guard task is DownloadTask, task.session.delegate != nil else { return }
        let mustCall = state.withLock { state in
            // What was written is forgotten where the download begins anew.
            if progress.received < state.told { state.told = 0 }
            state.written = progress.received
            state.expected = progress.expected
            guard state.written > state.told else { return false }
            defer { state.isCalling = true }
            return !state.isCalling
        }
        if mustCall { task.session.order.append { [self] in call() } }
    }

    private func call() {
        let (new, written, expected) = state.withLock { state in
            defer {
                state.told = state.written
                state.isCalling = false
            }
            return (state.written - min(state.told, state.written), state.written, state.expected)
        }
        guard new > 0, let task = task as? DownloadTask else { return }
        task.session.delegate?.session(
            task.session, downloadTask: task, didWriteData: Int64(clamping: new),
            totalBytesWritten: Int64(clamping: written),
            totalBytesExpectedToWrite: expected.map { Int64(clamping: $0) } ?? -1)
    }
}
