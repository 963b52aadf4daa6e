import Download
import HTTPCache
import HTTPMessage
import HTTPWire

/// All that is said of one response: for a download, then for a cache.
struct Explanation {
    let exchange: ExplainedExchange
    let cache: CacheExplanation
    private let meaning: FieldMeaning

    /// Explains what came at `received`. `offsets` are the moments, in seconds behind that, at which the same request is
    /// made again.
    init(_ exchange: ExplainedExchange, received: HTTPDate, offsets: [Int64]) {
        self.exchange = exchange
        cache = CacheExplanation(exchange, received: received, offsets: offsets)
        meaning = FieldMeaning(
            response: exchange.response, request: exchange.isRequestKnown ? exchange.request : nil,
            received: received)
    }

    /// What the field line at `index` of the response means.
    func clauses(at index: Int) -> [String] { meaning.clauses(at: index) }

    // MARK: As text

    /// Names in one column, what they mean in another.
    var text: String {
        var rows: [(String, [String])] = []
        if exchange.isRequestKnown {
            let uri = exchange.request.uri.withoutUserinfoAndFragment.description.escapedForTerminal
            rows.append(("request", ["\(exchange.request.method) \(uri)"]))
        }
        for head in exchange.interim { rows.append(row(head)) }
        rows.append(row(exchange.response))
        var text = Explanation.table(rows) + "\n"
        let fields = exchange.response.fields
        text += Explanation.table(
            fields.indices.map { index in
                let field = fields[index]
                return (
                    field.name.spelling.shownFromServer, [field.value.shownFromServer] + clauses(at: index)
                )
            } + [("content", [framing])])
        return text + "\nIn a private cache (RFC 9111)\n" + Explanation.table(cacheRows)
    }

    private func row(_ head: HTTPResponse) -> (String, [String]) {
        (
            head.status.isInterim ? "interim" : "response",
            ["\(head.version) \(head.statusText)".shownFromServer, StatusMeaning.clause(head.status)]
        )
    }

    private var framing: String {
        switch exchange.framing {
        case .none: "there is none: the message ends with its head (RFC 9112, 6.3)"
        case .length(let length): "\(length) octets, as declared (RFC 9112, 6.3)"
        case .chunked: "in chunks, whose last one tells the end (RFC 9112, 7.1)"
        case .untilClose: "ends with the connection: a cut cannot be told from the end (RFC 9112, 6.3)"
        }
    }

    private static func table(_ rows: [(String, [String])]) -> String {
        let width = min(22, rows.map { $0.0.count }.max() ?? 0)
        var text = ""
        for (name, lines) in rows {
            for (index, line) in lines.enumerated() {
                text += HelpText.wrapped(index == 0 ? "  \(name)" : "", line, indent: width + 4)
            }
        }
        return text
    }

    // MARK: The cache

    private var cacheRows: [(String, [String])] {
        var rows = [("stored", [storage])]
        if cache.invalidates {
            rows.append(("removed", ["what was stored for the target, which may have changed (section 4.4)"]))
        }
        if let stored = cache.storage.response {
            rows.append(("fresh", [Explanation.freshness(of: stored)]))
            let now = CacheTime(date: cache.received, uptime: 0)
            rows.append(("age", ["\(Seconds.words(stored.age(at: now))) when it comes, \(cache.received)"]))
        }
        for moment in cache.moments {
            rows.append(("at +\(moment.seconds) s", lines(of: moment)))
        }
        return rows
    }

    private var storage: String {
        switch cache.storage {
        case .stored: "yes"
        case .refused(let refusal): "no: " + refusal.explanation(exchange.request, exchange.response)
        case .answersCondition: "no: it answers the request's own condition (section 4.3.2)"
        case .notTried: "not tried: its content is longer than \(CacheExplanation.longestContent) octets"
        }
    }

    private static func freshness(of stored: StoredResponse) -> String {
        let time = Seconds.words(stored.lifetime)
        return switch stored.freshnessBasis {
        case .maxAge: "for \(time), from max-age (section 4.2.1)"
        case .expires:
            stored.lifetime > 0
                ? "for \(time), from Expires and Date (section 4.2.1)"
                : "not at all: Expires lies in the past, or cannot be read (section 5.3)"
        case .heuristic:
            "for \(time), a tenth of the time since Last-Modified, at most 7 days (section 4.2.2)"
        case .none: "not at all: nothing tells for how long (section 4.2)"
        }
    }

    private func lines(of moment: CacheExplanation.Moment) -> [String] {
        var state = ""
        if let time = moment.freshTime {
            state = time > 0 ? "fresh for \(Seconds.words(time)) more: " : "stale: "
        }
        // Fresh, and yet not used: the request or the response rules it out.
        if case .forwarded = moment.outcome, let time = moment.freshTime, time > 0 {
            state = "fresh for \(Seconds.words(time)) more, and all the same "
        }
        var lines = [state + sentence(moment)]
        lines.append("Cache-Status: \(moment.status)")
        return lines
    }

    private func sentence(_ moment: CacheExplanation.Moment) -> String {
        switch moment.outcome {
        case .answered(let status, let validated):
            let kind = status == exchange.response.status ? "" : " with status \(status)"
            let asked = validated.map { ", and the origin is asked meanwhile with \(Explanation.list($0))" }
            return "answered\(kind) from what is stored, Age: \(moment.age ?? 0)"
                + (asked ?? "; the origin is not asked")
        case .generated(let status): return "answered \(status) by the cache, which may not ask the origin"
        case .forwarded(let fields) where fields.isEmpty: return "the origin is asked anew"
        case .forwarded(let fields): return "the origin is asked with \(Explanation.list(fields))"
        }
    }

    private static func list(_ fields: HTTPFields) -> String {
        fields.map { "\($0.name): \($0.value)".shownFromServer }.joined(separator: " and ")
    }
}

extension StorageRefusal {
    /// Why a response is not stored, in one clause.
    func explanation(_ request: HTTPRequest, _ response: HTTPResponse) -> String {
        switch self {
        case .method: "answers to \(request.method.name.shownFromServer) answer no later GET (section 3)"
        case .interim: "an interim response is never stored (section 3)"
        case .noStore: "it says no-store (section 5.2.2.5)"
        case .requestNoStore: "the request says no-store (section 5.2.1.5)"
        case .notUnderstood:
            "it says must-understand, and status \(response.status) is not known (section 5.2.2.3)"
        case .conditional:
            "status \(response.status) answers a condition or a range, it is no representation (section 3)"
        case .noFreshness:
            "nothing allows it: status \(response.status) needs max-age, Expires, public or private (section 3)"
        case .vary: "its Vary lets no request match (section 4.1)"
        case .range: "it is a part, and nobody knows which (section 3.3)"
        case .tooLarge: "it is larger than one object may be (D18)"
        }
    }
}
