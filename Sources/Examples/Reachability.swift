import Rawget

extension Example {
    /// A queue that runs on Wi-Fi and by cable, and is held up on cellular networks and without any.
    static let reachability = Example(
        "D23", "AFNetworkReachabilityManager", "ReachabilityMonitor(for:), NetworkQueuePolicy(for:monitor:)"
    ) { stage in
        // Of the way to the server; without addresses it is that of the way out.
        let monitor = ReachabilityMonitor(for: [SocketAddress(ipv4: 0x7F00_0001, port: 0)])
        let manager = HTTPRequestOperationManager(baseURL: stage.server, reachabilityMonitor: monitor)
        let policy = NetworkQueuePolicy(for: manager.operationQueue, monitor: monitor)
        let told = Ending()
        monitor.setReachabilityStatusChangeBlock { status in
            stage.check("\(status)", status.rawValue == 3)
            told.come()
        }
        let isUnknown = monitor.status == .unknown
        policy.start()
        await told.wait()
        let loaded = Ending()
        try manager.get(
            ExampleResource.archive.rawValue,
            success: { _, content in
                stage.check(
                    "unknown at first, then the queue runs", isUnknown && stage.isWhole(.archive, content))
                loaded.come()
            },
            failure: { _, error in
                stage.fail(error)
                loaded.come()
            })
        await loaded.wait()
        policy.stop()
        monitor.stopMonitoring()
    }
}
