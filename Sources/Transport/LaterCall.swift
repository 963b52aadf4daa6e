package import System

/// Work of the loop's that waits for its time.
private final class LaterCall: Expiring {
    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }

    func expire(at now: Instant) -> Instant? {
        work()
        return nil
    }
}

extension EventLoop {
    /// Runs `work` on the loop's thread at `instant`, or at once where that is past. Any thread may ask. It cannot be
    /// called off: `work` looks whether there is anything to do still.
    package func call(at instant: Instant, _ work: @escaping @Sendable () -> Void) {
        call { [self] in addTimer(instant, LaterCall(work)) }
    }
}
