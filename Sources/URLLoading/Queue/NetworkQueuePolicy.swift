public import Reachability
import System

/// Lets a queue begin what waits only over networks that cost nothing (D23): it runs on Wi-Fi and wired networks, and is
/// suspended on cellular ones, without any, and as long as nobody knows. What has begun goes on.
public final class NetworkQueuePolicy: Sendable {
    /// On what a queue runs unless told otherwise.
    public static let usual: Set<ReachabilityStatus> = [.reachableViaWiFi, .reachableViaWired]

    /// What is held up and let go.
    public let queue: TransferQueue
    /// Who tells of the network.
    public let monitor: ReachabilityMonitor
    /// On what the queue runs.
    public let statuses: Set<ReachabilityStatus>

    private let task = Lock<Task<Void, Never>?>(nil)

    /// A policy that does nothing before it is started.
    public init(
        for queue: TransferQueue, monitor: ReachabilityMonitor = .shared,
        runsOn statuses: Set<ReachabilityStatus> = usual
    ) {
        self.queue = queue
        self.monitor = monitor
        self.statuses = statuses
    }

    deinit { task.withLock { $0 }?.cancel() }

    /// Suspends the queue, or lets it go, by the status now and at each change; and has the monitor watch, where it does not.
    public func start() {
        apply(monitor.status)
        let changes = monitor.changes
        let task = Task { [weak self] in
            for await status in changes {
                guard let self, !Task.isCancelled else { return }
                apply(status)
            }
        }
        self.task.withLock { running in
            running?.cancel()
            running = task
        }
        if !monitor.isMonitoring { monitor.startMonitoring() }
    }

    /// Leaves the queue as it is, and the monitor at work.
    public func stop() { task.withLock { $0.take() }?.cancel() }

    private func apply(_ status: ReachabilityStatus) { queue.isSuspended = !statuses.contains(status) }
}
