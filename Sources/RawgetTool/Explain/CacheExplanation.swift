import HTTPCache
import HTTPMessage
import HTTPWire

/// What a private cache does with a response, and with the same request later: asked of the cache itself.
struct CacheExplanation {
    /// When the response came.
    let received: HTTPDate
    let storage: Storage
    /// Whether it removes what is stored for its target (RFC 9111, section 4.4).
    let invalidates: Bool
    /// What the same request comes to at other moments.
    let moments: [Moment]

    /// Whether a response is stored.
    enum Storage {
        case stored(StoredResponse)
        case refused(StorageRefusal)
        /// It is the answer to the request's own condition: what that holds stays with the caller.
        case answersCondition
        /// Its content is so long that it was not tried, and matters.
        case notTried
    }

    /// What a request comes to at a moment.
    struct Moment {
        /// Seconds since the response came.
        let seconds: Int64
        let date: HTTPDate
        /// How old the stored response is then, and for how long it is still fresh; negative once it is stale.
        let age: Int64?
        let freshTime: Int64?
        let outcome: Outcome
        /// The member of Cache-Status (RFC 9211).
        let status: CacheStatus
    }

    /// What becomes of a request.
    enum Outcome {
        /// It is answered by what is stored, with the stored status or another, such as 206.
        case answered(HTTPStatus, whileValidated: HTTPFields?)
        /// The cache itself answers, since the origin may not be asked.
        case generated(HTTPStatus)
        /// The origin is asked, with these fields added.
        case forwarded(HTTPFields)
    }

    /// Longest content that is made up, so that ranges can be cut from it: 16 MiB.
    static let longestContent: UInt64 = 16 << 20

    /// Explains what came at `received`. Without `offsets`, in seconds, the moments are that one and the first at which
    /// it is stale.
    init(_ exchange: ExplainedExchange, received: HTTPDate, offsets: [Int64]) {
        self.received = received
        let now = CacheTime(date: received, uptime: 0)
        let plain = CacheExplanation.request(of: exchange)
        let cache = PrivateCache(MemoryStore(capacity: .max))
        storage = CacheExplanation.store(exchange, plain, in: cache, at: now)
        invalidates = CacheExplanation.invalidates(exchange, plain, at: now)
        var seconds = offsets
        if offsets.isEmpty {
            seconds = [0]
            if let time = storage.response?.freshTime(at: now), time > 0 { seconds.append(time) }
        }
        let stored = storage.response
        moments = seconds.map { CacheExplanation.moment(cache, stored, plain, $0, since: received) }
    }

    /// The request as the cache is asked about it.
    private static func request(of exchange: ExplainedExchange) -> HTTPRequest {
        var request = exchange.request
        // Its content does not matter, but whether there is some.
        if request.fields.contains(.contentLength) || request.fields.contains(.transferEncoding) {
            request.content = []
        }
        return request
    }

    /// Lets the cache do with the exchange what it does.
    private static func store(
        _ exchange: ExplainedExchange, _ request: HTTPRequest, in cache: PrivateCache, at now: CacheTime
    ) -> Storage {
        // The origin has answered, so nothing has kept the request from it.
        var sent = request
        let control = CacheControl(in: sent.fields)
        if control.contains(.onlyIfCached) {
            let others = control.directives.filter { $0.name != .onlyIfCached }
            sent.fields[.cacheControl] = others.map(\.description).joined(separator: ", ")
        }
        guard case .forward(let forwarded) = cache.decide(on: sent, at: now),
            case .deliver(let status, let recording) = cache.receive(
                exchange.response, to: forwarded, declaredLength: exchange.declaredLength, at: now)
        else { return .notTried }
        guard let recording else {
            let refusal = status.detail.flatMap { StorageRefusal(rawValue: $0) }
            return refusal.map { .refused($0) } ?? .answersCondition
        }
        // Octets stand in for the content, which is not looked at. How many there are matters where it is a part, or one
        // is asked for.
        let range = exchange.response.fields[.contentRange].flatMap { ContentRange(parsing: $0) }?.offsets
        let length = exchange.declaredLength ?? range.map { $0.upperBound - $0.lowerBound } ?? 0
        let isLong = length > longestContent
        if isLong, range != nil || request.fields.contains(.range) { return .notTried }
        let content = [UInt8](repeating: 0, count: isLong ? 0 : Int(length))
        cache.record(recording, content: content, isWhole: true)
        return cache.store.responses(for: CacheKey(request)).last.map { .stored($0) } ?? .notTried
    }

    /// Whether what was stored for the target before is gone behind this exchange.
    private static func invalidates(
        _ exchange: ExplainedExchange, _ request: HTTPRequest, at now: CacheTime
    ) -> Bool {
        guard !request.method.isSafe else { return false }
        let before = ExplainedExchange(
            HTTPRequest(request.uri), HTTPResponse(status: .ok, fields: [.cacheControl: "max-age=1"]),
            .length(0))
        let cache = PrivateCache(MemoryStore(capacity: .max))
        _ = store(before, HTTPRequest(request.uri), in: cache, at: now)
        guard let stored = cache.storedResponse(for: HTTPRequest(request.uri)),
            case .forward(let forwarded) = cache.decide(on: request, at: now)
        else { return false }
        _ = cache.receive(
            exchange.response, to: forwarded, declaredLength: exchange.declaredLength, at: now)
        return !cache.store.responses(for: CacheKey(request)).contains { $0 === stored }
    }

    private static func moment(
        _ cache: PrivateCache, _ stored: StoredResponse?, _ request: HTTPRequest, _ seconds: Int64,
        since received: HTTPDate
    ) -> Moment {
        let (sum, overflows) = received.secondsSinceEpoch.addingReportingOverflow(seconds)
        let date = HTTPDate(secondsSinceEpoch: overflows ? .max : sum)
        let now = CacheTime(date: date, uptime: seconds)
        // What a POST has brought answers a GET.
        var request = request
        if stored != nil, request.method != .get {
            request = HTTPRequest(request.uri, fields: request.fields)
        }
        let (outcome, status): (Outcome, CacheStatus) =
            switch cache.decide(on: request, at: now) {
            case .answer(let answer):
                (
                    answer.status.isHit
                        ? .answered(answer.response.status, whileValidated: nil)
                        : .generated(answer.response.status), answer.status
                )
            case .answerAndValidate(let answer, let forwarded):
                (
                    .answered(answer.response.status, whileValidated: added(forwarded, to: request)),
                    answer.status
                )
            case .forward(let forwarded): (.forwarded(added(forwarded, to: request)), forwarded.status)
            // Only of policies that nobody asks for here.
            case .notStored(let status): (.forwarded([:]), status)
            }
        return Moment(
            seconds: seconds, date: date, age: stored?.age(at: now), freshTime: stored?.freshTime(at: now),
            outcome: outcome, status: status)
    }

    /// What the cache adds to a request.
    private static func added(_ forwarded: ForwardedRequest, to request: HTTPRequest) -> HTTPFields {
        var fields = HTTPFields()
        for field in forwarded.request.fields where request.fields[field.name] != field.value {
            fields.append(field.name, field.value)
        }
        return fields
    }
}

extension CacheExplanation.Storage {
    /// As it is stored; `nil` where it is not.
    var response: StoredResponse? { if case .stored(let response) = self { response } else { nil } }

    /// A word for programs; `nil` where it is stored.
    var refusal: String? {
        switch self {
        case .stored: nil
        case .refused(let refusal): refusal.rawValue
        case .answersCondition: "answers-condition"
        case .notTried: "not-tried"
        }
    }
}
