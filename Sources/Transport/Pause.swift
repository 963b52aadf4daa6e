public import System

/// A wait for nothing but time, or for a result that another thread brings.
package final class Pause: Expiring, @unchecked Sendable {
    // Safety: touched by the loop's thread only; other threads go through `EventLoop.call`.
    private var continuation: UnsafeContinuation<WaitOutcome, Never>?
    private var early: WaitOutcome?
    private var deadline = Instant.distantFuture

    package init() {}

    /// Ends the wait, or lets the next one return at once.
    package func finish(_ outcome: WaitOutcome) {
        if let waiting = continuation.take() {
            waiting.resume(returning: outcome)
        } else {
            early = early ?? outcome
        }
    }

    /// Waits for `finish`, or `deadline`, or cancellation.
    @NetworkActor
    package func wait(until deadline: Instant) async -> WaitOutcome {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<WaitOutcome, Never>) in
                if let outcome = early.take() ?? (Task.isCancelled ? WaitOutcome.cancelled : nil) {
                    return continuation.resume(returning: outcome)
                }
                self.continuation = continuation
                self.deadline = deadline
                if deadline < .distantFuture { NetworkActor.loop.addTimer(deadline, self) }
            }
        } onCancel: {
            NetworkActor.loop.call { [self] in finish(.cancelled) }
        }
    }

    func expire(at now: Instant) -> Instant? {
        guard continuation != nil else { return nil }
        guard deadline <= now else { return nil }
        finish(.timedOut)
        return nil
    }
}

extension EventLoop {
    /// Waits until `instant`. Returns false when the task was cancelled before.
    @NetworkActor
    public func sleep(until instant: Instant) async -> Bool {
        await Pause().wait(until: instant) == .timedOut
    }

    /// Lets every other ready task of the loop run, and the kernel's events in, before going on.
    @NetworkActor
    public func yield() async { await Task.yield() }
}
