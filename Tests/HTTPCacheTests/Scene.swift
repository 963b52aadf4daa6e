import CacheModel
import HTTPCache
import HTTPMessage

/// What the model of RFC 9111 has seen, told in few words: exchanges about one URI, and questions that follow.
struct Scene {
    let model = NaiveModel()
    let uri: URI

    init() throws { uri = try URI(parsing: "http://a.test/x") }

    /// So many seconds after the first exchange.
    static func time(_ seconds: Int64) -> CacheMoment {
        CacheMoment(wall: 1_700_000_000 + seconds, uptime: 100 + seconds)
    }

    static func date(_ seconds: Int64) -> String {
        HTTPDate(secondsSinceEpoch: 1_700_000_000 + seconds).description
    }

    /// The fields of a response with a number, made at that time.
    private func head(_ number: Int, _ fields: HTTPFields, at seconds: Int64) -> HTTPFields {
        var head: HTTPFields = ["X-Id": String(number)]
        if !fields.contains(.date) { head.append(.date, Scene.date(seconds)) }
        head.append(contentsOf: fields)
        return head
    }

    /// A response came, and nothing of it is stored. `sent`: the fields of the request as the cache has changed them.
    func came(
        _ number: Int, status: Int = 200, _ fields: HTTPFields = [:], to method: HTTPMethod = .get,
        request: HTTPFields = [:], sent: HTTPFields? = nil, at seconds: Int64 = 0
    ) {
        let original = HTTPRequest(method, uri, fields: request)
        let forwarded = HTTPRequest(method, uri, fields: sent ?? request)
        let response = HTTPResponse(
            status: HTTPStatus(status) ?? .ok, fields: head(number, fields, at: seconds))
        model.receive(
            response, to: Sent(original, as: forwarded, at: Scene.time(seconds)), at: Scene.time(seconds))
    }

    /// A response came and is stored: what the model says of that.
    @discardableResult
    func stored(
        _ number: Int, status: Int = 200, _ fields: HTTPFields = [:], to method: HTTPMethod = .get,
        request: HTTPFields = [:], content: String = "hello", isWhole: Bool = true, length: UInt64? = nil,
        at seconds: Int64 = 0
    ) -> String? {
        came(number, status: status, fields, to: method, request: request, at: seconds)
        return model.store(
            number, content: Array(content.utf8), isWhole: isWhole, declaredLength: length)
    }

    /// What the model says of an answer made of response `number` with these fields beside its number and Date.
    func judge(
        _ number: Int?, status: Int = 200, _ fields: HTTPFields, content: String = "hello",
        offset: UInt64 = 0,
        to method: HTTPMethod = .get, request: HTTPFields = [:], of other: URI? = nil,
        policy: CachePolicy = .useProtocolCachePolicy, ground: Ground = .lookup, made: Int64 = 0,
        at seconds: Int64, stored: Set<Int> = []
    ) -> String? {
        let answer = Answer(
            status, number.map { head($0, fields, at: made) } ?? fields, Array(content.utf8), offset: offset)
        return model.complaint(
            about: answer,
            to: NaiveModel.Question(
                HTTPRequest(method, other ?? uri, fields: request), policy: policy, ground: ground,
                at: Scene.time(seconds), stored: stored))
    }

    /// What the model says of a request that goes out with these fields.
    func judgeSending(
        _ sent: HTTPFields, for request: HTTPFields = [:], method: HTTPMethod = .get,
        policy: CachePolicy = .useProtocolCachePolicy, at seconds: Int64 = 0, stored: Set<Int> = []
    ) -> String? {
        model.complaint(
            about: HTTPRequest(method, uri, fields: sent),
            for: NaiveModel.Question(
                HTTPRequest(method, uri, fields: request), policy: policy, at: Scene.time(seconds),
                stored: stored))
    }
}
