import System

/// Waits on a descriptor that is not a stream of ours: a signalfd, a netlink socket.
@NetworkActor
public enum DescriptorWatch {
    /// Waits until `descriptor` has something to read. False when the task was cancelled before, or the descriptor
    /// cannot be waited for. It is lent: neither read nor closed.
    public static func readable(_ descriptor: Int32) async -> Bool {
        do throws(SystemError) {
            let channel = try NetworkActor.loop.register(try FileDescriptor.duplicate(descriptor))
            defer { channel.close(isShared: true) }
            return await channel.wait(for: .readable, until: .distantFuture) == .ready
        } catch {
            return false
        }
    }
}
