import Rawget

extension Example {
    /// An operation with closures, from a manager with a base address, in a queue that can be suspended.
    static let requestOperation = Example(
        "D15", "AFHTTPRequestOperation and its manager", "HTTPRequestOperationManager(baseURL:)"
    ) { stage in
        let manager = HTTPRequestOperationManager(baseURL: stage.server)
        manager.operationQueue.isSuspended = true
        let line = ProgressLine()
        let ending = Ending()
        let operation = try manager.get(
            ExampleResource.archive.rawValue,
            success: { operation, content in
                line.show(operation.progress)
                stage.check(line.text, stage.isWhole(.archive, content))
                ending.come()
            },
            failure: { _, error in
                stage.fail(error)
                ending.come()
            })
        operation.setDownloadProgressBlock { _, received, expected in line.show(received, of: expected) }
        stage.check(
            "in a suspended queue it waits",
            manager.operationQueue.operationCount == 1 && !operation.isExecuting)
        manager.operationQueue.isSuspended = false
        await ending.wait()

        // A status that tells of a failure is one.
        let second = Ending()
        try manager.get(
            "nowhere.zip",
            success: { _, _ in
                stage.fail(nil)
                second.come()
            },
            failure: { operation, error in
                stage.check("failed: \(error)", operation.response?.status == .notFound)
                second.come()
            })
        await second.wait()
    }
}
