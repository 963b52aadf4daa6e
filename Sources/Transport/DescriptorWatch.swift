import System

/// Waits on a descriptor that is not a stream of ours: a signalfd, a pipe that is full.
@NetworkActor
public enum DescriptorWatch {
    /// Waits until `descriptor` has something to read. False when the task was cancelled before, or the descriptor
    /// cannot be waited for. It is lent: neither read nor closed.
    public static func readable(_ descriptor: Int32) async -> Bool {
        await wait(for: .readable, of: descriptor, until: .never) == .ready
    }

    /// Waits until `descriptor` has something to read. Throws `timedOut`, `cancelled`, and `systemFailed` when it cannot
    /// be waited for. It is lent: neither read nor closed.
    public static func readable(_ descriptor: Int32, until deadline: Deadline) async throws(TransportError) {
        let outcome = await wait(for: .readable, of: descriptor, until: deadline)
        guard outcome == .ready else { throw TransportError(outcome, deadline) }
    }

    /// Waits until `descriptor` takes octets again. Throws `timedOut`, `cancelled`, and `systemFailed` when it cannot be
    /// waited for. It is lent: neither written nor closed.
    public static func writable(_ descriptor: Int32, until deadline: Deadline) async throws(TransportError) {
        let outcome = await wait(for: .writable, of: descriptor, until: deadline)
        guard outcome == .ready else { throw TransportError(outcome, deadline) }
    }

    private static func wait(
        for readiness: Readiness, of descriptor: Int32, until deadline: Deadline
    ) async -> WaitOutcome {
        do throws(SystemError) {
            let channel = try NetworkActor.loop.register(try FileDescriptor.duplicate(descriptor))
            defer { channel.close(isShared: true) }
            return await channel.wait(for: readiness, until: deadline.instant)
        } catch {
            return .closed
        }
    }
}
