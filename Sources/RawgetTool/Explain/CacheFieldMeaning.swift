import HTTPMessage

/// What a field of a response means for a private cache (RFC 9111).
struct CacheFieldMeaning {
    private let response: HTTPResponse
    private let received: HTTPDate
    private let control: CacheControl
    /// The line on which each directive stands first.
    private let firstLines: [CacheControl.Name: Int]
    private let index: Int

    init(_ meaning: FieldMeaning, at index: Int) {
        response = meaning.response
        received = meaning.received
        control = meaning.control
        firstLines = meaning.firstLines
        self.index = index
    }

    /// One clause, or one for each directive.
    func clauses(of field: HTTPFields.Field) -> [String] {
        let value = field.value
        switch field.name {
        case .cacheControl: return directives(value)
        case .age: return [age(value)]
        case .date: return [date(value)]
        case .expires: return [expires(value)]
        case .vary: return [vary]
        case .pragma: return ["of a response it means nothing (RFC 9111, 5.4)"]
        case "Warning": return ["obsolete: it is kept, and nobody looks at it (RFC 9111, 5.5)"]
        case .etag where EntityTag(parsing: value) != nil:
            return ["what is stored is validated by it: If-None-Match"]
        case .lastModified where HTTPDate(parsing: value, now: received) != nil:
            return ["what is stored is validated by it, too: If-Modified-Since"]
        case .contentLocation:
            return [
                "the address of this very representation; after an unsafe method what is stored for it goes"
            ]
        case "Cache-Status": return ["what caches on the way did (RFC 9211)"]
        case "CDN-Cache-Control", "Surrogate-Control", "CDN-Cache-Status":
            return ["for caches of the server's side; not for a private one"]
        default: return []
        }
    }

    private func age(_ value: String) -> String {
        let first = value.utf8.prefix { $0 != UInt8(ascii: ",") }
        guard let seconds = FieldGrammar.number(String(decoding: first, as: UTF8.self)) else {
            return "no number of seconds, so it does not count (RFC 9111, 5.1)"
        }
        return
            "it was \(Seconds.words(Int64(clamping: seconds))) old already when it came: it comes from a cache"
    }

    private func date(_ value: String) -> String {
        HTTPDate(parsing: value, now: received) == nil
            ? "no date: the time of receipt stands in for it (RFC 9110, 6.6.1)"
            : "when the answer was made: ages are counted from here"
    }

    private func expires(_ value: String) -> String {
        if control.contains(.maxAge) {
            return "does not count beside max-age (RFC 9111, 5.3)"
        }
        guard response.fields.values(of: .expires).count == 1 else {
            return "several lines: it is stale already (RFC 9111, 4.2.1)"
        }
        guard let date = HTTPDate(parsing: value, now: received) else {
            return "no date: it is stale already (RFC 9111, 5.3)"
        }
        let made = response.fields[.date].flatMap { HTTPDate(parsing: $0, now: received) } ?? received
        return date > made
            ? "fresh until then" : "no later than it was made: it is stale already (RFC 9111, 5.3)"
    }

    private var vary: String {
        let names = CommaList(.vary, in: response.fields)
        if names.contains("*") { return "chosen by more than the request says: no request is answered by it" }
        let list = names.map(\.shownFromServer).joined(separator: ", ")
        return list.isEmpty
            ? "names no field" : "answers only requests that are alike in: \(list) (RFC 9111, 4.1)"
    }

    // MARK: Cache-Control

    /// Directives of one line that are explained: nobody reads more.
    private static let mostDirectives = 64

    private func directives(_ value: String) -> [String] {
        let own = CacheControl(in: [.cacheControl: value]).directives
        guard !own.isEmpty else { return ["says nothing"] }
        var seen: Set<CacheControl.Name> = []
        let clauses = own.prefix(CacheFieldMeaning.mostDirectives).map { directive in
            let isFirst = seen.insert(directive.name).inserted && firstLines[directive.name] == index
            return "\(directive.name.text.shownFromServer): \(meaning(of: directive.name, isFirst: isFirst))"
        }
        return own.count > clauses.count ? clauses + ["and \(own.count - clauses.count) more"] : clauses
    }

    private func meaning(of name: CacheControl.Name, isFirst: Bool) -> String {
        switch name {
        case .maxAge:
            time(name, isFirst, unread: "no number of seconds: it is stale already (RFC 9111, 4.2.1)") {
                "fresh for \($0) from when it was made"
            }
        case .sMaxage, .proxyRevalidate: "for shared caches alone"
        case .noCache: limited(name) ?? "stored, but validated before each use (RFC 9111, 5.2.2.4)"
        case .noStore: "not stored (RFC 9111, 5.2.2.5)"
        case .private: limited(name) ?? "for one person's cache alone, as this one is (RFC 9111, 5.2.2.7)"
        case .public: "may be stored, whatever the status (RFC 9111, 5.2.2.9)"
        case .mustRevalidate:
            "once stale, validated before each use; without the origin, 504 (RFC 9111, 5.2.2.2)"
        case .mustUnderstand: "stored only where the status is one that is understood (RFC 9111, 5.2.2.3)"
        case .noTransform: "for those who change content on the way (RFC 9111, 5.2.2.6)"
        case .immutable: "while it is fresh, a reload does not ask for it either (RFC 8246)"
        case .staleWhileRevalidate:
            time(name, isFirst) { "\($0) longer it is used while it is validated (RFC 5861, 3)" }
        case .staleIfError:
            time(name, isFirst) { "\($0) longer it takes the place of an error (RFC 5861, 4)" }
        case .maxStale, .minFresh, .onlyIfCached: "of a response it means nothing: requests have it"
        default: "not known, so not looked at (RFC 9111, 5.2.3)"
        }
    }

    private func time(
        _ name: CacheControl.Name, _ isFirst: Bool,
        unread: String = "no number of seconds, so it does not count",
        _ clause: (String) -> String
    ) -> String {
        guard isFirst else { return "does not count: the first does (RFC 9111, 4.2.1)" }
        guard case .seconds(let seconds) = control.seconds(name) else { return unread }
        return clause(Seconds.words(seconds))
    }

    /// Of `no-cache` and `private` with field names.
    private func limited(_ name: CacheControl.Name) -> String? {
        guard let fields = control.fieldNames(of: name) else { return nil }
        let list = fields.map { $0.spelling.shownFromServer }.joined(separator: ", ")
        return name == .noCache
            ? "not kept: \(list) (RFC 9111, 5.2.2.4)" : "shared caches leave out: \(list) (RFC 9111, 5.2.2.7)"
    }
}
