import Rawget

extension Example {
    /// Sessions of two kinds, and what their configuration limits. Those in the background are not built yet.
    static let configurations = Example(
        "D13, D14", "NSURLSessionConfiguration", "SessionConfiguration.default, .ephemeral"
    ) { stage in
        let defaults = SessionConfiguration.default
        stage.check(
            "by default a request may be silent for \(defaults.timeoutIntervalForRequest), a host has \(defaults.httpMaximumConnectionsPerHost) connections",
            defaults.timeoutIntervalForRequest == .seconds(60) && defaults.httpMaximumConnectionsPerHost == 4
                && defaults.allowsCellularAccess && !defaults.discretionary)

        // Nothing outlives an ephemeral session: what it stores only it has.
        var configuration = SessionConfiguration.ephemeral
        configuration.temporaryDirectory = stage.temporaryFolder
        configuration.httpMaximumConnectionsPerHost = 2
        configuration.timeoutIntervalForRequest = .milliseconds(200)
        let session = Session(configuration: configuration)
        let request = LoadRequest(try stage.uri(.archive))
        ResponseCache.shared.removeCachedResponse(for: request)
        _ = try await session.data(for: request)
        stage.check(
            "what an ephemeral session has stored only that has",
            configuration.urlCache?.cachedResponse(for: request) != nil
                && ResponseCache.shared.cachedResponse(for: request) == nil)

        // Eight at once, of which two have their turn.
        let before = stage.connectionCount()
        let head = LoadRequest(try stage.uri(.archive), method: .head)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...8 { group.addTask { _ = try await session.data(for: head) } }
            try await group.waitForAll()
        }
        let made = stage.connectionCount() - before
        stage.check("8 requests at once over \(made + 1) connections, where 2 are allowed", made <= 1)

        let silent = try stage.uri(.silent)
        do throws(TransferError) {
            _ = try await session.data(from: silent)
            stage.fail(nil)
        } catch {
            stage.check("failed: \(error)", error.code == .timedOut)
        }
    }
}
