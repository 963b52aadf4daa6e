import CacheModel
import HTTPCache
import HTTPMessage
import Testing

/// Decisions in which earlier ones went wrong, each found by a random sequence and told in as few exchanges as it takes.
@Suite("Decisions of a private cache (RFC 9111)")
struct PrivateCacheTests {
    /// A cache, and the means to lead exchanges through it.
    private struct Rig {
        let cache = PrivateCache(ArrayStore())
        let uri: URI

        init() throws { uri = try URI(parsing: "http://a.test/x") }

        func time(_ seconds: Int64) -> CacheTime {
            CacheTime(date: HTTPDate(secondsSinceEpoch: 1_700_000_000 + seconds), uptime: seconds)
        }

        func date(_ seconds: Int64) -> String {
            HTTPDate(secondsSinceEpoch: 1_700_000_000 + seconds).description
        }

        func decide(
            _ fields: HTTPFields = [:], _ method: HTTPMethod = .get,
            policy: CachePolicy = .useProtocolCachePolicy, at seconds: Int64 = 0
        ) -> CacheDecision {
            cache.decide(on: HTTPRequest(method, uri, fields: fields), policy: policy, at: time(seconds))
        }

        /// The request that goes out.
        func forward(
            _ fields: HTTPFields = [:], _ method: HTTPMethod = .get,
            policy: CachePolicy = .useProtocolCachePolicy, at seconds: Int64 = 0
        ) throws -> ForwardedRequest {
            let decision = decide(fields, method, policy: policy, at: seconds)
            guard case .forward(let forwarded) = decision else {
                Issue.record("\(decision)")
                throw Unexpected()
            }
            return forwarded
        }

        /// The answer out of what is stored.
        func hit(_ fields: HTTPFields = [:], at seconds: Int64) -> HTTPResponse? {
            guard case .answer(let answer) = decide(fields, at: seconds) else { return nil }
            return answer.response
        }

        /// The response to a request under way comes, with its content.
        @discardableResult
        func receive(
            _ status: Int, _ fields: HTTPFields, to forwarded: ForwardedRequest, content: String = "hello",
            isWhole: Bool = true, at seconds: Int64 = 0
        ) -> CacheReaction {
            var head = fields
            if !head.contains(.date) { head.append(.date, date(seconds)) }
            let reaction = cache.receive(
                HTTPResponse(status: HTTPStatus(status) ?? .ok, fields: head), to: forwarded,
                declaredLength: nil, at: time(seconds))
            switch reaction {
            case .deliver(_, let recording?), .complete(_, let recording?):
                cache.record(recording, content: Array(content.utf8), isWhole: isWhole)
            default: break
            }
            return reaction
        }

        /// A whole exchange.
        @discardableResult
        func exchange(
            _ status: Int, _ fields: HTTPFields, _ request: HTTPFields = [:], _ method: HTTPMethod = .get,
            policy: CachePolicy = .useProtocolCachePolicy, content: String = "hello", isWhole: Bool = true,
            at seconds: Int64 = 0
        ) throws -> CacheReaction {
            receive(
                status, fields, to: try forward(request, method, policy: policy, at: seconds),
                content: content,
                isWhole: isWhole, at: seconds)
        }

        /// All that is stored.
        var stored: [StoredResponse] { cache.store.responses(for: CacheKey(uri)) }
    }

    private struct Unexpected: Error {}

    // MARK: - Parts (section 3.4)

    @Test("what a part leaves of the older fields tells how long both are fresh")
    func freshnessOfCombined() throws {
        let rig = try Rig()
        try rig.exchange(200, [.cacheControl: "no-cache", .lastModified: rig.date(-9000)])
        try rig.exchange(
            206, [.lastModified: rig.date(-9000), .contentRange: "bytes 0-1/5"], [.range: "bytes=0-1"],
            content: "he")
        #expect(rig.stored[0].response.fields[.cacheControl] == "no-cache")
        #expect(rig.hit(at: 1) == nil)
    }

    @Test("a part's no-cache covers the older fields, too")
    func namesOfPart() throws {
        let rig = try Rig()
        try rig.exchange(200, [.etag: "\"a\"", "X-Note": "old"])
        try rig.exchange(
            206,
            [.etag: "\"a\"", .cacheControl: "max-age=60, no-cache=x-note", .contentRange: "bytes 0-1/5"],
            [.range: "bytes=0-1"], content: "he")
        let answer = try #require(rig.hit(at: 1))
        #expect(answer.fields["X-Note"] == nil)
    }

    @Test("a 416 to a range of the cache's own is none for the caller")
    func ownRangeRefused() throws {
        let rig = try Rig()
        try rig.exchange(200, [.etag: "\"a\"", .cacheControl: "max-age=60"], content: "he", isWhole: false)
        let forwarded = try rig.forward(at: 1)
        #expect(forwarded.request.fields[.range] == "bytes=2-")
        guard
            case .sendAgain(let again) = rig.receive(416, [.contentRange: "bytes */2"], to: forwarded, at: 1)
        else {
            Issue.record("not sent again")
            return
        }
        #expect(again.request.fields[.range] == nil)
    }

    @Test("a prefix that a HEAD has updated while its rest came does not bring back its old fields")
    func updatedPrefix() throws {
        let rig = try Rig()
        try rig.exchange(200, [.etag: "\"a\"", "X-Note": "old"], content: "he", isWhole: false)
        let rest = try rig.forward(at: 1)
        try rig.exchange(200, [.etag: "\"a\"", "X-Note": "new"], [:], .head, at: 2)
        rig.receive(206, [.etag: "\"a\"", .contentRange: "bytes 2-4/5"], to: rest, content: "llo", at: 3)
        #expect(rig.stored.map { $0.response.fields["X-Note"] } == ["new"])
    }

    @Test("what is cut of a POST's answer is not kept")
    func cutPost() throws {
        let rig = try Rig()
        try rig.exchange(
            200, [.cacheControl: "max-age=60", .contentLocation: "x", .etag: "\"a\""], [:], .post,
            isWhole: false)
        #expect(rig.stored.isEmpty)
    }

    // MARK: - 304 (section 4.3.4)

    @Test(
        "a 304 to a caller's own condition updates what is stored",
        arguments: [
            (.get, .reloadIgnoringLocalCacheData, HTTPFields()),
            (.get, .useProtocolCachePolicy, [.ifMatch: "\"a\""] as HTTPFields),
            (.head, .reloadRevalidatingCacheData, HTTPFields()),
        ] as [(HTTPMethod, CachePolicy, HTTPFields)])
    func callersCondition(method: HTTPMethod, policy: CachePolicy, more: HTTPFields) throws {
        let rig = try Rig()
        try rig.exchange(200, [.etag: "\"a\"", .cacheControl: "max-age=1"])
        var request: HTTPFields = [.ifNoneMatch: "\"a\""]
        request.append(contentsOf: more)
        let reaction = try rig.exchange(
            304, [.etag: "\"a\"", .cacheControl: "max-age=60"], request, method, policy: policy, at: 5)
        guard case .deliver = reaction else {
            Issue.record("\(reaction)")
            return
        }
        #expect(rig.hit(at: 9)?.fields[.cacheControl] == "max-age=60")
    }

    @Test("a 304 to the cache's own condition is not handed to a caller who has only an If-Range")
    func ifRangeIsNoCondition() throws {
        let rig = try Rig()
        try rig.exchange(200, [.lastModified: rig.date(-9000), .cacheControl: "max-age=1"])
        let reaction = try rig.exchange(304, [:], [.range: "items=0-3", .ifRange: "\"b\""], at: 5)
        guard case .deliver(let status, _) = reaction else { return }
        Issue.record("delivered: \(status)")
    }

    @Test("a 304 updates all that has its strong tag, though not all was offered")
    func notOffered() throws {
        let rig = try Rig()
        let credentials: HTTPFields = [.authorization: "Basic YTpi"]
        try rig.exchange(200, [.etag: "\"a\"", .cacheControl: "max-age=1", "X-Note": "old"], credentials)
        try rig.exchange(200, [.etag: "\"a\"", .cacheControl: "max-age=1"], at: 5)
        var request: HTTPFields = [.range: "bytes=0-1"]
        request.append(contentsOf: credentials)
        try rig.exchange(304, [.etag: "\"a\"", "X-Note": "new"], request, at: 9)
        #expect(rig.stored.map { $0.response.fields["X-Note"] } == ["new", "new"])
    }

    @Test("what no-cache named stays out when a 304 without Cache-Control brings it")
    func namesStayOut() throws {
        let rig = try Rig()
        try rig.exchange(200, [.etag: "\"a\"", .cacheControl: "max-age=5, no-cache=x-note"])
        try rig.exchange(304, [.etag: "\"a\"", "X-Note": "new"], at: 9)
        let answer = try #require(rig.hit(at: 10))
        #expect(answer.fields["X-Note"] == nil)
    }

    // MARK: - What stands in for a failure

    @Test("what was invalidated while a request was under way does not stand in for its response")
    func invalidatedMeanwhile() throws {
        let rig = try Rig()
        try rig.exchange(200, [.etag: "\"a\"", .cacheControl: "max-age=1"])
        let forwarded = try rig.forward(at: 5)
        try rig.exchange(204, [:], [:], .put, at: 6)
        guard case .answer(let answer) = rig.cache.fail(forwarded, at: rig.time(7)) else { return }
        Issue.record("answered: \(answer.status)")
    }

    @Test("what was replaced meanwhile stands in as it is now")
    func replacedMeanwhile() throws {
        let rig = try Rig()
        try rig.exchange(200, [.etag: "\"a\"", .cacheControl: "max-age=1"])
        let forwarded = try rig.forward(at: 5)
        try rig.exchange(200, [.etag: "\"b\"", .cacheControl: "max-age=1"], at: 6)
        guard case .answer(let answer) = rig.cache.fail(forwarded, at: rig.time(9)) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.response.fields[.etag] == "\"b\"")
    }

    @Test("without stale-if-error no response stands in for an error, not even in its first stale second")
    func errorWithoutGrace() throws {
        let rig = try Rig()
        try rig.exchange(200, [.cacheControl: "max-age=0"])
        guard case .answer(let answer) = try rig.exchange(502, [:]) else { return }
        Issue.record("answered: \(answer.status)")
    }

    // MARK: - Which of several

    @Test("a HEAD that succeeds outdates a stored error")
    func headOfError() throws {
        let rig = try Rig()
        try rig.exchange(404, [.cacheControl: "max-age=60"])
        try rig.exchange(200, [:], [.cacheControl: "no-cache"], .head, at: 5)
        #expect(rig.hit(at: 6) == nil)
    }

    @Test("credentials alone do not prefer an older response")
    func credentialsAreNoVary() throws {
        let rig = try Rig()
        let credentials: HTTPFields = [.authorization: "Basic YTpi"]
        try rig.exchange(200, [.cacheControl: "max-age=60", "X-Note": "old"], credentials)
        try rig.exchange(
            200, [.cacheControl: "max-age=60, must-revalidate", "X-Note": "new"], credentials,
            policy: .reloadIgnoringLocalCacheData, at: 5)
        #expect(rig.hit(credentials, at: 9)?.fields["X-Note"] == "new")
    }
}
