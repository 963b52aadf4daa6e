import Rawget

extension Example {
    /// What stored answers may do, and the documents' cache of 1 MiB that everybody shares.
    static let cachePolicies = Example(
        "D17, D18, D20", "NSURLRequestCachePolicy, NSURLCache", "CachePolicy, ResponseCache.shared"
    ) { stage in
        // The documents' sample: the capacity is set before each request; what is stored is used, whatever its age.
        let cache = ResponseCache.shared
        let capacity = cache.memoryCapacity
        defer { cache.memoryCapacity = capacity }
        let uri = try stage.uri(.archive)
        cache.removeCachedResponse(for: LoadRequest(uri))
        for expected in [1, 0] {
            let before = stage.requestCount()
            cache.memoryCapacity = 1 << 20
            var request = LoadRequest(uri)
            if cache.cachedResponse(for: request) != nil { request.cachePolicy = .returnCacheDataDontLoad }
            let (_, content) = try await URLConnection.send(request)
            stage.check(
                "\(request.cachePolicy): \(expected == 0 ? "from the cache" : "loaded")",
                stage.requestCount() - before == expected && stage.isWhole(.archive, content))
        }

        // Each policy, in a cache whose clock stands at the answer's own Date (D20).
        let clock = WallClock { 1_441_199_821 }  // Wed, 02 Sep 2015 13:17:01 GMT
        var configuration = stage.configuration
        configuration.urlCache = ResponseCache(capacity: 1 << 20, clock: clock)
        let session = Session(configuration: configuration)
        _ = try await session.data(from: uri)
        let stored = configuration.urlCache?.cachedResponse(for: LoadRequest(uri))
        var asked: [String] = []
        for policy in CachePolicy.allCases {
            let before = stage.requestCount()
            _ = try await session.data(for: LoadRequest(uri, cachePolicy: policy))
            if stage.requestCount() > before { asked.append("\(policy)") }
        }
        stage.check(
            "a fresh answer is stored, and is used under all policies but these:",
            stage.isWhole(.archive, stored?.content ?? [])
                && asked == [
                    "reloadIgnoringLocalCacheData", "reloadIgnoringLocalAndRemoteCacheData",
                    "reloadRevalidatingCacheData",
                ])
        stage.say("        \(asked.joined(separator: ", "))")

        configuration.urlCache?.removeAllCachedResponses()
        do throws(TransferError) {
            _ = try await session.data(for: LoadRequest(uri, cachePolicy: .returnCacheDataDontLoad))
            stage.fail(nil)
        } catch {
            stage.check(
                "where nothing is stored, returnCacheDataDontLoad is \(error.code.name)",
                error.code == .notInCache)
        }
    }
}
