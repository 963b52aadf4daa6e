import HTTPMessage
import Testing

@testable import HTTPCache

@Suite("The key of a target URI (RFC 9111, section 2)")
struct CacheKeyTests {
    private func key(_ host: String?) throws -> CacheKey {
        var request = HTTPRequest(try URI(parsing: "http://fixture.test/a"))
        if let host { request.fields.append(.host, host) }
        return CacheKey(request)
    }

    @Test(
        "a Host of the caller's own is a part of it, in any case and with or without its scheme's port",
        arguments: [
            ("FIXTURE.test", nil, true), ("fixture.test:80", nil, true), ("fixture.test:", nil, true),
            ("fixture.test:81", nil, false), ("other.test", nil, false), ("[::1]:80", "[::1]", true),
            ("::1:80", "::1", false), ("[::1:80", "[::1", false),
        ] as [(String, String?, Bool)])
    func host(one: String, other: String?, isSame: Bool) throws {
        #expect(try (key(one) == key(other)) == isSame)
    }
}

@Suite("Answers that are outrun by later ones (RFC 9111, section 4)")
struct OutrunTests {
    private func answer(_ date: Int64) -> HTTPResponse {
        let date = HTTPDate(secondsSinceEpoch: date)
        return HTTPResponse(
            status: .ok, fields: ["Cache-Control": "max-age=600", "Date": date.description])
    }

    @Test(
        "what was asked for earlier and is no newer by its Date replaces nothing",
        arguments: [(1000, "new"), (1010, "new"), (1011, "old")] as [(Int64, String)])
    func outrun(date: Int64, kept: String) throws {
        let cache = PrivateCache(MemoryStore(capacity: 1 << 20))
        let request = HTTPRequest(try URI(parsing: "http://fixture.test/a"))
        func time(_ uptime: Int64) -> CacheTime {
            CacheTime(date: HTTPDate(secondsSinceEpoch: 1000 + uptime), uptime: uptime)
        }
        guard case .forward(let early) = cache.decide(on: request, at: time(0)),
            case .forward(let late) = cache.decide(on: request, at: time(10)),
            case .deliver(_, let second?) = cache.receive(
                answer(1010), to: late, declaredLength: nil, at: time(11))
        else { return #expect(Bool(false), "nothing was recorded") }
        #expect(cache.record(second, content: Array("new".utf8), isWhole: true) == nil)
        guard
            case .deliver(_, let first?) = cache.receive(
                answer(date), to: early, declaredLength: nil, at: time(12))
        else { return #expect(Bool(false), "nothing was recorded") }
        let refusal = cache.record(first, content: Array("old".utf8), isWhole: true)
        #expect((refusal == nil) == (kept == "old"))
        let stored = cache.storedResponse(for: request)?.content.whole
        #expect(stored.map { String(decoding: $0, as: UTF8.self) } == kept)
    }
}
