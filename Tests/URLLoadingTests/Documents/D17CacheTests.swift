import HTTPCache
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Request policies and the shared cache (D17, D18, D20)", .timeLimit(.minutes(1)))
struct PolicyTests {
    /// What stands in the cache before the request.
    enum Stored: String, CaseIterable { case nothing, fresh, stale }

    /// One line of the documents' table: what is asked, and what comes.
    struct Line: Sendable, CustomTestStringConvertible {
        var policy: CachePolicy
        var stored: Stored
        /// `-` for no request; else what it says of caches.
        var asked: String
        /// Which version comes: `old` is the stored one; or the error.
        var outcome: String

        var testDescription: String { "\(policy), \(stored) stored" }
    }

    static let table: [Line] = [
        Line(policy: .useProtocolCachePolicy, stored: .nothing, asked: "plain", outcome: "new"),
        Line(policy: .useProtocolCachePolicy, stored: .fresh, asked: "-", outcome: "old"),
        Line(policy: .useProtocolCachePolicy, stored: .stale, asked: "if \"old\"", outcome: "new"),
        Line(policy: .reloadIgnoringLocalCacheData, stored: .nothing, asked: "plain", outcome: "new"),
        Line(policy: .reloadIgnoringLocalCacheData, stored: .fresh, asked: "plain", outcome: "new"),
        Line(policy: .reloadIgnoringLocalCacheData, stored: .stale, asked: "plain", outcome: "new"),
        Line(
            policy: .reloadIgnoringLocalAndRemoteCacheData, stored: .nothing, asked: "no-cache",
            outcome: "new"),
        Line(
            policy: .reloadIgnoringLocalAndRemoteCacheData, stored: .fresh, asked: "no-cache", outcome: "new"),
        Line(policy: .returnCacheDataElseLoad, stored: .nothing, asked: "plain", outcome: "new"),
        Line(policy: .returnCacheDataElseLoad, stored: .fresh, asked: "-", outcome: "old"),
        Line(policy: .returnCacheDataElseLoad, stored: .stale, asked: "-", outcome: "old"),
        Line(policy: .returnCacheDataDontLoad, stored: .nothing, asked: "-", outcome: "notInCache"),
        Line(policy: .returnCacheDataDontLoad, stored: .fresh, asked: "-", outcome: "old"),
        Line(policy: .returnCacheDataDontLoad, stored: .stale, asked: "-", outcome: "old"),
        Line(policy: .reloadRevalidatingCacheData, stored: .nothing, asked: "max-age=0", outcome: "new"),
        Line(
            policy: .reloadRevalidatingCacheData, stored: .fresh, asked: "if \"old\" max-age=0",
            outcome: "new"),
        Line(
            policy: .reloadRevalidatingCacheData, stored: .stale, asked: "if \"old\" max-age=0",
            outcome: "new"),
    ]

    private static func stage() throws -> Stage {
        try Stage { _ in
            [
                Stage.head(length: 3, "Cache-Control: max-age=60", "ETag: \"new\"", "Date: \(date)"),
                .send("new"),
            ]
        }
    }

    private static let date = "Wed, 02 Sep 2015 13:17:01 GMT"
    private static let begin: Int64 = 1_441_199_821

    private func response(_ control: String = "max-age=60") throws -> HTTPResponse {
        HTTPResponse(
            status: .ok,
            fields: [.cacheControl: control, .etag: "\"old\"", .date: Self.date, .contentLength: "3"])
    }

    @Test("D17: each policy asks, and answers, as the documents say", arguments: table)
    func policies(line: Line) async throws {
        let stage = try Self.stage()
        let time = Box(Self.begin)
        let cache = ResponseCache(capacity: 1 << 20, clock: WallClock { time.value })
        let request = LoadRequest(try stage.uri(), cachePolicy: line.policy)
        if line.stored != .nothing {
            let old = ResponseCache.CachedResponse(try response(), content: Array("old".utf8))
            #expect(cache.storeCachedResponse(old, for: request))
        }
        if line.stored == .stale { time.set(Self.begin + 1000) }
        var configuration = stage.configuration
        configuration.urlCache = cache
        // The request's own policy goes before the session's.
        configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        let session = Session(configuration: configuration)
        let outcome: String
        do throws(TransferError) {
            outcome = String(decoding: try await session.data(for: request).content, as: UTF8.self)
        } catch { outcome = error.code.name }
        #expect(outcome == line.outcome)
        let asked = stage.server.requests.map { request in
            let condition = request.value(of: "If-None-Match").map { "if \($0)" }
            let words = [condition, request.value(of: "Cache-Control")].compactMap(\.self)
            return words.isEmpty ? "plain" : words.joined(separator: " ")
        }
        #expect(asked == (line.asked == "-" ? [] : [line.asked]))
        if line.asked == "-" { #expect(stage.server.connectionCount == 0) }
        // What came is stored, also by the policies that reload.
        if outcome == "new" {
            #expect(cache.cachedResponse(for: request)?.content == Array("new".utf8))
        }
    }

    @Test("D17: a session's policy is that of requests which name none")
    func sessionPolicy() async throws {
        let stage = try Self.stage()
        var configuration = stage.configuration
        configuration.urlCache = ResponseCache(capacity: 1 << 20)
        configuration.requestCachePolicy = .returnCacheDataDontLoad
        let session = Session(configuration: configuration)
        let error = await #expect(throws: TransferError.self) { try await session.data(from: stage.uri()) }
        #expect(error?.code == .notInCache)
        #expect(stage.server.connectionCount == 0)
    }

    @Test("D17: revalidating leaves a field of the caller's alone, and reuses what is fresh and immutable")
    func revalidating() async throws {
        let stage = try Self.stage()
        let cache = ResponseCache(capacity: 1 << 20, clock: WallClock { Self.begin })
        var configuration = stage.configuration
        configuration.urlCache = cache
        let session = Session(configuration: configuration)
        var request = LoadRequest(try stage.uri("/own"), cachePolicy: .reloadRevalidatingCacheData)
        request.setValue("max-age=5", forHTTPHeaderField: "Cache-Control")
        _ = try await session.data(for: request)
        #expect(stage.server.requests.map { $0.value(of: "Cache-Control") } == ["max-age=5"])
        let immutable = LoadRequest(try stage.uri("/immutable"), cachePolicy: .reloadRevalidatingCacheData)
        let old = ResponseCache.CachedResponse(
            try response("max-age=60, immutable"), content: Array("old".utf8))
        cache.storeCachedResponse(old, for: immutable)
        #expect(try await session.data(for: immutable).content == Array("old".utf8))
        #expect(stage.server.requests.count == 1)
    }

    @Test("D17: connections and single calls follow the policy, too; the older name is the same one")
    func connections() async throws {
        let stage = try Stage { _ in [Stage.head(length: 3, "Cache-Control: max-age=0"), .send("new")] }
        let uri = try stage.uri()
        #expect(CachePolicy(name: "reloadIgnoringCacheData") == .reloadIgnoringLocalCacheData)
        let absent = LoadRequest(uri, cachePolicy: .returnCacheDataDontLoad)
        let error = #expect(throws: TransferError.self) { try URLConnection.sendSynchronousRequest(absent) }
        #expect(error?.code == .notInCache)
        _ = try await URLConnection.send(LoadRequest(uri, cachePolicy: .reloadIgnoringLocalCacheData))
        let recorder = ConnectionRecorder()
        _ = URLConnection(request: absent, delegate: recorder)
        try await recorder.waitForEnd()
        #expect(recorder.log.lines == ["send /file.bin", "response 200", "content", "finish"])
        let operation = HTTPRequestOperation(request: LoadRequest(uri, cachePolicy: .returnCacheDataElseLoad))
        operation.start()
        try await waitUntil { operation.isFinished }
        #expect(operation.responseContent == Array("new".utf8))
        #expect(stage.server.requests.count == 1)
    }

    @Test("D17: a delegate may keep an answer out of the cache", arguments: [true, false])
    func keepingOut(stores: Bool) async throws {
        let stage = try Self.stage()
        let recorder = ConnectionRecorder { $0.stores = stores }
        let request = LoadRequest(try stage.uri())
        _ = URLConnection(request: request, delegate: recorder)
        try await recorder.waitForEnd()
        #expect(recorder.log.lines.count { $0 == "cache" } == 1)
        #expect((ResponseCache.shared.cachedResponse(for: request) != nil) == stores)
        var configuration = stage.configuration
        configuration.urlCache = ResponseCache(capacity: 1 << 20)
        let follower = Recorder { $0.stores = stores }
        Session(configuration: configuration, delegate: follower).dataTask(with: request).resume()
        try await follower.waitForEnds()
        #expect((configuration.urlCache?.cachedResponse(for: request) != nil) == stores)
    }

    // MARK: D18

    @Test("D18: the sample sets 1 MiB each time, looks, and sends with returnCacheDataDontLoad what is there")
    func sample() async throws {
        let stage = try Stage { request in
            [Stage.head(length: 6, "Cache-Control: max-age=600"), .send("number")]
        }
        let cache = ResponseCache.shared
        let before = cache.memoryCapacity
        defer { cache.memoryCapacity = before }
        for _ in 0..<3 {
            cache.memoryCapacity = 1 << 20
            #expect(cache.memoryCapacity == 1 << 20)
            var request = LoadRequest(try stage.uri())
            if cache.cachedResponse(for: request) != nil { request.cachePolicy = .returnCacheDataDontLoad }
            let (_, content) = try URLConnection.sendSynchronousRequest(request)
            #expect(content == Array("number".utf8))
        }
        #expect(stage.server.requests.count == 1)
    }

    @Test("D18: a smaller capacity evicts only what no longer fits, and the same one nothing")
    func capacity() async throws {
        let cache = ResponseCache(capacity: 4 << 20)
        let requests = try (0..<8).map { LoadRequest(try URI(parsing: "http://cache.test/\($0)")) }
        for request in requests {
            let response = HTTPResponse(status: .ok, fields: [.cacheControl: "max-age=600"])
            let content = [UInt8](repeating: 1, count: 400_000)
            #expect(cache.storeCachedResponse(.init(response, content: content), for: request))
        }
        let found = { requests.indices.filter { cache.cachedResponse(for: requests[$0]) != nil } }
        cache.memoryCapacity = 4 << 20
        #expect(found() == Array(0..<8))
        cache.memoryCapacity = 1 << 20
        #expect(found() == [6, 7])
        #expect(cache.currentMemoryUsage <= 1 << 20 && cache.currentMemoryUsage > 800_000)
        cache.memoryCapacity = 1 << 20
        #expect(found() == [6, 7])
        cache.removeCachedResponse(for: requests[6])
        #expect(found() == [7])
        cache.removeAllCachedResponses()
        #expect(found() == [] && cache.currentMemoryUsage == 0)
    }

    // MARK: D20

    @Test("D20: the response shown is stored in 1 MiB, found, and answered without a connection")
    func responseShown() async throws {
        let content = GeneratedContent(seed: 20).octets(592_441)
        let shown = [
            "Accept-Ranges: bytes", "Cache-Control: max-age=7776000",
            "Content-Type: application/x-zip-compressed", "Date: Wed, 02 Sep 2015 13:17:01 GMT",
            "Etag: \"d8f617371f9cd01:0\"", "Last-Modified: Mon, 01 Jun 2015 03:58:27 GMT",
            "Server: Microsoft-IIS/7.5", "X-Powered-By: ASP.NET",
        ]
        let stage = try Stage { _ in
            let lines = ["HTTP/1.1 200 OK", "Content-Length: 592441"] + shown
            return [.send(lines.joined(separator: "\r\n") + "\r\n\r\n"), .send(content)]
        }
        let time = Box(Self.begin)
        let cache = ResponseCache(capacity: 1 << 20, clock: WallClock { time.value })
        var configuration = stage.configuration
        configuration.urlCache = cache
        var request = LoadRequest(try stage.uri("/metro_demo.zip"))
        _ = try await Session(configuration: configuration).data(for: request)
        let stored = try #require(cache.cachedResponse(for: request))
        #expect(stored.content == content)
        for line in shown {
            let name = try #require(FieldName(String(line.prefix { $0 != ":" })))
            #expect(stored.response.fields[name] == String(line.drop { $0 != ":" }.dropFirst(2)))
        }
        stage.server.stop()
        // 7776000 s later it is as fresh as it was on the last second before.
        for (seconds, policy) in [
            (0, CachePolicy.returnCacheDataDontLoad), (7_775_999, .useProtocolCachePolicy),
        ] {
            time.set(Self.begin + Int64(seconds))
            request.cachePolicy = policy
            let (again, response) = try await Session(configuration: configuration).data(for: request)
            #expect(again == content)
            #expect(response.status == .ok)
            #expect(response.fields[.etag] == "\"d8f617371f9cd01:0\"")
        }
        #expect(stage.server.requests.count == 1)
    }
}
