import HTTPMessage
import Testing

@testable import HTTPCache

@Suite("What was asked for before an invalidation is not stored behind it (RFC 9111, section 4.4)")
struct InvalidationTests {
    private let cache = PrivateCache(MemoryStore(capacity: 1 << 20))
    private let now = CacheTime(date: HTTPDate(secondsSinceEpoch: 1_441_199_821), uptime: 0)

    private func request(_ method: HTTPMethod = .get, _ path: String = "/", _ fields: HTTPFields = [:])
        throws -> HTTPRequest
    {
        HTTPRequest(method, try URI(parsing: "http://host.test\(path)"), fields: fields)
    }

    private func ask(_ request: HTTPRequest) throws -> ForwardedRequest {
        guard case .forward(let forwarded) = cache.decide(on: request, at: now) else {
            throw Unexpected()
        }
        return forwarded
    }

    private struct Unexpected: Error {}

    /// Answers with one octet; returns whether that is stored.
    @discardableResult
    private func answer(
        _ forwarded: ForwardedRequest, _ status: HTTPStatus = .ok,
        _ fields: HTTPFields = [.cacheControl: "max-age=60"]
    ) -> Bool {
        let response = HTTPResponse(status: status, fields: fields)
        guard
            case .deliver(_, let recording?) = cache.receive(
                response, to: forwarded, declaredLength: 1, at: now)
        else { return false }
        return cache.record(recording, content: [1], isWhole: true) == nil
    }

    private func post(_ path: String = "/", _ status: HTTPStatus = .noContent) throws {
        answer(try ask(request(.post, path)), status, [:])
    }

    @Test("only a success or a redirection of an unsafe method invalidates", arguments: [204, 303, 404, 500])
    func afterUnsafe(status: Int) throws {
        let forwarded = try ask(request())
        let other = try ask(request(.get, "/other"))
        try post("/", #require(HTTPStatus(status)))
        #expect(answer(forwarded) == (status >= 400))
        #expect(answer(other))
        #expect(cache.storedResponse(for: try request(.get, "/other")) != nil)
    }

    @Test func neitherIsWhatAnAnswerNamesOfTheSameOrigin() throws {
        let named = try ask(request(.get, "/named"))
        answer(try ask(request(.put)), .ok, [.location: "/named"])
        #expect(!answer(named))
    }

    @Test func whatIsAskedForBehindItIs() throws {
        try post()
        #expect(try answer(ask(request())))
    }

    @Test func itsOwnAnswerIs() throws {
        let fields: HTTPFields = [.cacheControl: "max-age=60", .contentLocation: "/"]
        let (first, second) = (try ask(request(.post)), try ask(request(.post)))
        #expect(answer(second, .ok, fields))
        // But not where another unsafe request was answered since it was sent.
        #expect(!answer(first, .ok, fields))
    }

    @Test("nor is it when the head had come before, and the content had not")
    func duringContent() throws {
        let response = HTTPResponse(status: .ok, fields: [.cacheControl: "max-age=60"])
        let reaction = try cache.receive(response, to: ask(request()), declaredLength: 1, at: now)
        guard case .deliver(_, let recording?) = reaction else { throw Unexpected() }
        try post()
        #expect(cache.record(recording, content: [1], isWhole: true) == .invalidated)
    }

    @Test("a 304 brings nothing back, but answers its own request")
    func notModified() throws {
        answer(try ask(request()), .ok, [.cacheControl: "max-age=0", .etag: "\"1\""])
        let forwarded = try ask(request())
        try post()
        let response = HTTPResponse(status: .notModified, fields: [.etag: "\"1\""])
        let reaction = cache.receive(response, to: forwarded, declaredLength: 0, at: now)
        guard case .answer(let answer) = reaction else { throw Unexpected() }
        #expect(answer.status.isStored == false && cache.store.usage == 0)
    }

    @Test("a 304 brings back no variant either, and renews nothing that came since")
    func variants() throws {
        let vary: HTTPFields = [.cacheControl: "max-age=0", .etag: "\"1\"", .vary: "A"]
        let (a, b) = (try request(.get, "/", ["A": "a"]), try request(.get, "/", ["A": "b"]))
        answer(try ask(a), .ok, vary)
        let forwarded = try ask(b)
        try post()
        answer(try ask(a), .ok, vary)
        let fields: HTTPFields = [.cacheControl: "max-age=60", .etag: "\"1\"", .vary: "A"]
        _ = cache.receive(
            HTTPResponse(status: .notModified, fields: fields), to: forwarded, declaredLength: 0, at: now)
        #expect(cache.storedResponse(for: b) == nil)
        #expect(try #require(cache.storedResponse(for: a)).freshTime(at: now) == 0)
    }

    @Test func aHEADOfBeforeRenewsNothing() throws {
        let head = try ask(request(.head))
        try post()
        answer(try ask(request()), .ok, [.cacheControl: "max-age=1", .contentLength: "1"])
        answer(head, .ok, [.cacheControl: "max-age=60", .contentLength: "1"])
        #expect(try #require(cache.storedResponse(for: request())).freshTime(at: now) == 1)
    }

    @Test("a request that goes out again is one of now")
    func sentAgain() throws {
        answer(try ask(request()), .ok, [.cacheControl: "max-age=0", .etag: "\"1\""])
        let forwarded = try ask(request())
        try post()
        let other = HTTPResponse(status: .notModified, fields: [.etag: "\"2\""])
        guard case .sendAgain(let next) = cache.receive(other, to: forwarded, declaredLength: 0, at: now)
        else {
            throw Unexpected()
        }
        #expect(answer(next))
    }

    @Test("a validation in the background is one of before, too")
    func background() throws {
        let swr: HTTPFields = [.cacheControl: "max-age=0, stale-while-revalidate=60"]
        answer(try ask(request()), .ok, swr)
        guard case .answerAndValidate(_, let forwarded) = cache.decide(on: try request(), at: now) else {
            throw Unexpected()
        }
        try post()
        #expect(!answer(forwarded))
        try post()
        answer(try ask(request()), .ok, swr)
        guard case .answerAndValidate(_, let forwarded) = cache.decide(on: try request(), at: now) else {
            throw Unexpected()
        }
        #expect(answer(forwarded))
    }

    @Test("a person's word counts as well", arguments: 0..<3)
    func byHand(way: Int) throws {
        let forwarded = try ask(request())
        let other = try ask(request(.get, "/other"))
        switch way {
        case 0: cache.removeAll()
        case 1: cache.removeAll(since: now.date)
        default: cache.remove(for: try request())
        }
        #expect(!answer(forwarded))
        #expect(answer(other) == (way == 2))
        #expect(try cache.store(HTTPResponse(status: .ok), content: [], for: request(), at: now))
    }

    @Test("of very many only the last are told apart; of what was before them nothing is stored")
    func many() throws {
        let first = try ask(request())
        for number in 1...Invalidations.mostKeys / 2 { try post("/\(number)") }
        let second = try ask(request())
        #expect(answer(first))
        for number in 1...Invalidations.mostKeys / 2 { try post("/more/\(number)") }
        #expect(!answer(first))
        #expect(answer(second))
        #expect(try answer(ask(request(.get, "/a"))))
    }
}
