import Glibc

/// Threads for work that may block, such as what a caller wants to be called: the loop and Swift's own threads must not
/// wait for it.
///
/// Work begins in the order in which it came. A thread that has nothing to do ends after a while.
package final class WorkerThreads: Sendable {
    /// For all who need no threads of their own.
    package static let shared = WorkerThreads()

    /// What a thread is to do.
    package typealias Work = @Sendable () -> Void

    /// Starts a thread that calls `work()`; false where there is none to be had.
    package typealias Starting = @Sendable (WorkerThreads) -> Bool

    private struct State {
        var waiting = WaitingLine<Work>()
        /// Threads that were started or are about to be.
        var threads = 0
        /// Those of them that wait for work.
        var idle = 0

        /// Gives an idle thread something to do.
        mutating func takeWork() -> Work? {
            guard let work = waiting.takeFirst() else { return nil }
            idle -= 1
            return work
        }
    }

    private let state = Monitor(State())
    private let maximum: Int
    private let idleTime: Duration
    private let start: Starting

    /// At most `maximum` threads (less than one counts as one), each of which ends when there was no work for it for
    /// `idleTime`. How one is started is for tests to say.
    package init(
        maximum: Int = 64, idleTime: Duration = .seconds(5), starting start: @escaping Starting = startThread
    ) {
        self.maximum = max(1, maximum)
        self.idleTime = idleTime
        self.start = start
    }

    /// Threads there are now.
    package var threadCount: Int { state.withLock { $0.threads } }

    /// Runs `work` on a thread that is idle, or else on a new one. Where there can be no more, it waits for one of those
    /// there are; where there is none at all, the caller runs it.
    package func run(_ work: @escaping Work) {
        let needsThread = state.withLock { state in
            state.waiting.append(work)
            // Each idle thread takes one, and is idle until it has taken it.
            guard state.waiting.count > state.idle else {
                self.state.notifyOne()
                return false
            }
            guard state.threads < maximum else { return false }
            state.threads += 1
            return true
        }
        guard needsThread, !start(self) else { return }
        let isLast = state.withLock { state in
            state.threads -= 1
            return state.threads == 0
        }
        guard isLast else { return }
        // No thread is left that would take what waits, be it this work or another's.
        while let work = state.withLock({ $0.waiting.takeFirst() }) { work() }
    }

    /// What a thread does until it ends.
    package func work() {
        while let work = next() { work() }
    }

    /// The next work for a thread; `nil` ends the thread.
    private func next() -> Work? {
        state.withLock { $0.idle += 1 }
        if let work = state.wait(until: .now + idleTime, for: { $0.takeWork() }) { return work }
        return state.withLock { state in
            // Work that came since counts on this thread.
            if let work = state.takeWork() { return work }
            state.idle -= 1
            state.threads -= 1
            return nil
        }
    }
}

/// Starts a detached thread for `pool`.
@Sendable package func startThread(for pool: WorkerThreads) -> Bool {
    // Safety: the thread takes the reference over; without one it is given back here.
    let reference = Unmanaged.passRetained(pool)
    var id = pthread_t()
    guard pthread_create(&id, nil, runWork, reference.toOpaque()) == 0 else {
        reference.release()
        return false
    }
    pthread_detach(id)
    return true
}

/// What a thread runs; a free function, since a closure written in isolated code traps there.
private func runWork(_ reference: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let reference else { return nil }
    // Safety: `startThread` has retained it for this thread.
    Unmanaged<WorkerThreads>.fromOpaque(reference).takeRetainedValue().work()
    return nil
}
