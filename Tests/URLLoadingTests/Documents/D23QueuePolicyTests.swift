import HTTPMessage
import Reachability
import System
import Testing
import Transport
import URLLoading

/// Without networks that come and go: those are in the tests of namespaces.
@Suite("A queue that goes by the network (D23)", .timeLimit(.minutes(1)))
struct QueuePolicyTests {
    /// The one way that every machine has.
    private func loopback() -> ReachabilityMonitor {
        ReachabilityMonitor(for: [SocketAddress(ipv4: 0x7F00_0001, port: 0)])
    }

    @Test("D23: as long as nobody knows the queue is suspended, and by a wired way it runs")
    func unknownAndWired() async throws {
        let monitor = loopback()
        let queue = TransferQueue()
        let ran = Lock(0)
        let policy = NetworkQueuePolicy(for: queue, monitor: monitor)
        // Before the loop can have looked.
        await NetworkActor.run {
            policy.start()
            queue.addOperation { ran.withLock { $0 += 1 } }
            #expect(monitor.status == .unknown && queue.isSuspended && ran.withLock { $0 } == 0)
        }
        try await waitUntil { ran.withLock { $0 } == 1 }
        #expect(monitor.status.rawValue == 3 && !queue.isSuspended && monitor.isMonitoring)
        policy.stop()
        monitor.stopMonitoring()
    }

    @Test("D23: what it runs on is Wi-Fi and wired, and can be chosen")
    func chosenStatuses() async throws {
        #expect(NetworkQueuePolicy.usual.map(\.rawValue).sorted() == [2, 3])
        let monitor = loopback()
        let queue = TransferQueue()
        let policy = NetworkQueuePolicy(for: queue, monitor: monitor, runsOn: [.reachableViaWWAN])
        policy.start()
        try await waitUntil { monitor.status == .reachableViaWired }
        #expect(queue.isSuspended)
        policy.stop()
        // Stopped, it leaves the queue to others.
        queue.isSuspended = false
        monitor.startMonitoring()
        try await waitUntil { monitor.isMonitoring && monitor.network != nil }
        #expect(!queue.isSuspended)
        monitor.stopMonitoring()
    }

    @Test("a policy that nobody holds goes away, and its monitor with it")
    func lifetime() async throws {
        weak var gone: ReachabilityMonitor?
        do {
            let monitor = loopback()
            gone = monitor
            let policy = NetworkQueuePolicy(for: TransferQueue(), monitor: monitor)
            policy.start()
            try await waitUntil { monitor.status == .reachableViaWired }
        }
        try await waitUntil { gone == nil }
    }
}
