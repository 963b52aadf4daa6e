import Reachability
import URLLoading

/// `queue FOLDER`: a queue that goes by the network (D23). It says each status as `status N`, and `running` or `suspended`
/// when the queue has followed it; each line of input adds a block to the queue, which says that line.
enum QueueScene {
    static func run(_ folder: String) -> Int32 {
        let monitor = ReachabilityMonitor(
            interfaceFolder: folder.isEmpty ? NetworkState.interfaceFolder : folder)
        let queue = TransferQueue(maxConcurrentOperationCount: 1)
        let policy = NetworkQueuePolicy(for: queue, monitor: monitor)
        say(queue.isSuspended ? "suspended" : "running")
        policy.start()
        say(queue.isSuspended ? "suspended" : "running")
        monitor.setReachabilityStatusChangeBlock { status in say("status \(status.rawValue)") }
        while let line = readLine() {
            queue.addOperation { say(line) }
            say(queue.isSuspended ? "suspended" : "running")
        }
        return 0
    }
}
