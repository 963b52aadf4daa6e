package import HTTPCache
package import HTTPMessage

/// A request on its way to the origin.
package struct Sent {
    /// What the caller asked.
    package var original: HTTPRequest
    /// What went out.
    package var request: HTTPRequest
    package var policy: CachePolicy
    package var time: CacheMoment
    /// How much had happened when it went out.
    var order = Int.max

    package init(
        _ original: HTTPRequest, as request: HTTPRequest, policy: CachePolicy = .useProtocolCachePolicy,
        at time: CacheMoment
    ) {
        self.original = original
        self.request = request
        self.policy = policy
        self.time = time
    }

    static let conditions: [FieldName] = [
        .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange,
    ]

    /// Whether it asks what the caller did not ask: whether something stored is still valid.
    var isValidation: Bool {
        [FieldName.ifNoneMatch, .ifModifiedSince].contains {
            request.fields[$0] != nil && request.fields[$0] != original.fields[$0]
        }
    }

    var isConditional: Bool { request.fields[.ifNoneMatch] != nil || request.fields[.ifModifiedSince] != nil }
}

/// One response that went by, as it came. It is numbered by its field X-Id, so that an answer made of it can be told.
struct Message {
    static let identifierField = "x-id"

    var sent: Sent
    var status: Int
    var fields: [FieldText.Line]
    var received: CacheMoment
    var identifier: Int

    var original: HTTPRequest { sent.original }
    var requested: CacheMoment { sent.time }

    init(_ response: HTTPResponse, to sent: Sent, at time: CacheMoment) {
        self.sent = sent
        status = Int(response.status.code)
        fields = FieldText.lines(response.fields)
        received = time
        identifier = -1
        identifier = value(Message.identifierField).flatMap { Int($0) } ?? -1
    }

    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    func value(_ name: String) -> String? { values(name).first }

    var directives: Directives { Directives(fields) }

    /// The first member of the first Age; 0 where that is no number (section 5.1).
    var ageValue: Int128 {
        guard let first = value("age").flatMap({ FieldText.members($0).first }) else { return 0 }
        return FieldText.seconds(first) ?? 0
    }

    /// Its Date; `nil` where that is missing or none (then the time of receipt counts: RFC 9110, section 6.6.1).
    var date: Int64? { FieldText.date(value("date"), now: received) }

    /// What may stand as its Date: a missing one is appended, one that is none may be replaced.
    var datesAllowed: [[String]] {
        let receipt = [FieldText.dateText(received.wall)]
        if values("date").isEmpty { return [receipt] }
        return date == nil ? [values("date"), receipt] : [values("date")]
    }

    var tag: EntityTag? { value("etag").flatMap { EntityTag(parsing: $0) } }

    var contentRange: ContentRange? {
        let values = values("content-range")
        return values.count == 1 ? values.first.flatMap { ContentRange(parsing: $0) } : nil
    }

    /// Why it may not be stored (section 3); `nil` where it may.
    func storingFault(isWhole: Bool) -> String? {
        let directives = directives
        let method = original.method
        let isExplicit = directives.has("max-age") || value("expires") != nil
        if method == .post {
            guard isExplicit else {
                return "a POST's answer has no explicit freshness (RFC 9110, section 9.3.3)"
            }
            let location = values("content-location")
            guard location.count == 1,
                let place = try? URI(parsing: location[0], relativeTo: original.uri),
                place.withoutUserinfoAndFragment == original.uri.withoutUserinfoAndFragment
            else { return "a POST's answer is not of its target (RFC 9110, section 9.3.3)" }
            guard ![206, 304, 416].contains(status) else {
                return "no status for a POST (RFC 9110, section 9.3.3)"
            }
        } else if method != .get && method != .head {
            return "answers to \(method) are not stored (RFC 9111, section 3)"
        }
        if status < 200 || status == 304 {
            return "status \(status) is none that is stored (RFC 9111, section 3)"
        }
        if status == 206 {
            guard method == .get, contentRange?.offsets != nil else {
                return "a part that does not say which (RFC 9111, section 3.3)"
            }
        }
        if directives.has("must-understand"), !StatusKnowledge.understood.contains(status) {
            return "must-understand, and nobody understands \(status) (RFC 9111, section 5.2.2.3)"
        }
        if directives.forbidsStoring(status: status) { return "no-store (RFC 9111, section 5.2.2.5)" }
        if Directives(FieldText.lines(original.fields)).has("no-store") {
            return "no-store in the request (RFC 9111, section 5.2.1.5)"
        }
        guard
            isExplicit || directives.has("public") || directives.has("private")
                || StatusKnowledge.heuristic.contains(status)
        else { return "nothing permits storing it (RFC 9111, section 3)" }
        guard isWhole || method == .get && (status == 200 || status == 206) else {
            return "incomplete, and no 200 to a GET (RFC 9111, section 3.3)"
        }
        return nil
    }
}
