import Glibc
package import System
import Transport

/// Brings what was written to its device, on a thread of its own: the loop must not wait for a disk. The thread ends when
/// there is nothing more to do.
package final class DiskSync: Sendable {
    /// How much is brought there.
    package enum Extent: Sendable {
        /// The content.
        case content
        /// What is known of the file, too; of a folder, the names in it.
        case all
    }

    private struct Job: Sendable {
        let descriptor: Int32
        let extent: Extent
        let isDone: @Sendable @NetworkActor (SystemError?) -> Void
    }

    private struct Queue: Sendable {
        var jobs: [Job] = []
        var hasThread = false
    }

    private static let queue = Lock(Queue())

    /// Begins with `descriptor`, of which a copy is made, and calls `isDone` on the loop. Jobs are done one after another.
    @NetworkActor
    static func begin(
        _ descriptor: Int32, _ extent: Extent,
        _ isDone: @escaping @Sendable @NetworkActor (SystemError?) -> Void
    ) {
        let copy: Int32
        do throws(SystemError) { copy = try FileDescriptor.duplicate(descriptor).release() } catch {
            return isDone(error)
        }
        let needsThread = queue.withLock { queue in
            queue.jobs.append(Job(descriptor: copy, extent: extent, isDone: isDone))
            defer { queue.hasThread = true }
            return !queue.hasThread
        }
        guard needsThread else { return }
        var id = pthread_t()
        if pthread_create(&id, nil, runDiskSync, nil) == 0 {
            pthread_detach(id)
        } else {
            // Without a thread the loop waits, rather than claim what is not so.
            runJobs()
        }
    }

    /// The same, waited for.
    @NetworkActor
    package static func finish(_ descriptor: Int32, _ extent: Extent) async throws(SystemError) {
        let pause = Pause()
        let outcome = Outcome()
        begin(descriptor, extent) { error in
            outcome.error = error
            pause.finish(.ready)
        }
        // A person who interrupts does not wait for a slow disk.
        if await pause.wait(until: .distantFuture) != .ready {
            throw SystemError(call: "fsync", errno: EINTR)
        }
        if let error = outcome.error { throw error }
    }

    @NetworkActor
    private final class Outcome: Sendable {
        var error: SystemError?

        nonisolated init() {}
    }

    fileprivate static func runJobs() {
        while let job = next() {
            let result = run(job)
            NetworkActor.loop.call { NetworkActor.assumeIsolated { job.isDone(result) } }
        }
    }

    /// Why it failed; `nil` where it did not. The copy is closed by then: it holds the claim to the file as well.
    private static func run(_ job: Job) -> SystemError? {
        let file = FileDescriptor(owning: job.descriptor)
        do throws(SystemError) {
            switch job.extent {
            case .content: try File.synchronizeContent(of: file.rawValue)
            case .all: try File.synchronize(file.rawValue)
            }
            return nil
        } catch {
            return error
        }
    }

    private static func next() -> Job? {
        queue.withLock { queue in
            guard !queue.jobs.isEmpty else {
                queue.hasThread = false
                return nil
            }
            return queue.jobs.removeFirst()
        }
    }
}

/// What the thread runs; a free function, since a closure written in isolated code traps there.
private func runDiskSync(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    DiskSync.runJobs()
    return nil
}
