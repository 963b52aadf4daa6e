import HTTPCache
import HTTPClient
import HTTPMessage
import System
import Testing

@Suite("What callers see and change of a cache (D18)")
struct ResponseCacheTests {
    @Test func storedByHandFoundAndRemoved() throws {
        let cache = ResponseCache(capacity: 1 << 20, clock: WallClock { 1_441_199_821 })
        let request = HTTPRequest(try URI(parsing: "http://host.test/a"))
        let response = HTTPResponse(status: .ok, fields: ["Cache-Control": "max-age=60"])
        #expect(cache.store(.init(response, content: [1, 2]), for: request))
        #expect(cache.cachedResponse(for: request)?.content == [1, 2] && cache.usage > 0)
        let forbidden = HTTPResponse(status: .ok, fields: ["Cache-Control": "no-store"])
        #expect(!cache.store(.init(forbidden, content: []), for: request))
        cache.removeCachedResponse(for: request)
        #expect(cache.cachedResponse(for: request) == nil && cache.usage == 0)
        cache.store(.init(response, content: [1, 2]), for: request)
        cache.removeCachedResponses(since: HTTPDate(secondsSinceEpoch: 1_441_199_822))
        #expect(cache.cachedResponse(for: request) != nil)
        cache.removeCachedResponses(since: HTTPDate(secondsSinceEpoch: 1_441_199_821))
        #expect(cache.cachedResponse(for: request) == nil)
    }
}
