import HTTPCache
import HTTPClient
import HTTPMessage
import Replay
import System

extension Demo {
    /// The documents' message in a cache of 1 MiB, under a clock at its Date (D18, D20).
    func caching(_ server: ReplayServer) async throws {
        try say(
            "\n7. A cache of 1 MiB in memory, under a clock that stands at the answer's Date and moves on by ten seconds."
        )
        let clock = BatchClock(WallClock { DemoServer.date })
        let cache = ResponseCache(capacity: 1 << 20, clock: clock.wallClock)
        var configuration = ClientConfiguration()
        configuration.cache = cache
        let client = Client(configuration)
        let request = HTTPRequest(try URI(parsing: "http://\(server.authority)/\(DemoServer.name)"))
        _ = try await client.content(for: request)
        let requests = server.requests.count
        let connections = server.connectionCount
        clock.advance(by: .seconds(10))
        let cached = cache.cachedResponse(for: request)
        try check(
            "the answer is stored, \(cached?.content.count ?? 0) octets of content",
            cached.map { DemoServer.content.matches($0.content) && $0.content.count == DemoServer.length }
                ?? false)
        let sink = CollectedContent()
        var options = TransferOptions()
        options.cachePolicy = .returnCacheDataDontLoad
        let report = try await client.transfer(request, into: sink, options: options).run()
        try say("   Age: \(report.response.fields[.age] ?? "none")")
        try say("   Cache-Status: \(report.cacheStatus?.description ?? "none")")
        try check(
            "asked again with returnCacheDataDontLoad, it is answered without a connection",
            report.source == .cache && sink.octets == cached?.content
                && server.requests.count == requests && server.connectionCount == connections)
    }
}
