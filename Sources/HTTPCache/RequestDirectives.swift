import HTTPMessage

/// What a request asks of caches (RFC 9111, section 5.2.1).
struct RequestDirectives: Sendable {
    /// Oldest answer that is taken, in seconds.
    let maxAge: Int64?
    /// How long ago an answer may have become stale.
    private(set) var maxStale: Int64?
    /// For how long an answer must still be fresh.
    private(set) var minFresh: Int64?
    /// Nothing stored is taken without validation.
    let noCache: Bool
    /// Nothing of this exchange is stored, and nothing stored is used.
    let noStore: Bool
    /// The origin is not asked.
    let onlyIfCached: Bool
    /// Seconds behind the lifetime in which a stale answer may take the place of an error; `nil` where that is not said
    /// (RFC 5861, section 4).
    let staleIfError: Int64?

    init(_ request: HTTPRequest) {
        let control = CacheControl(in: request.fields)
        maxAge = control.seconds(.maxAge).map(RequestDirectives.restrictive)
        if let directive = control[.maxStale], !directive.isMalformed {
            // Without a value any age will do (section 5.2.1.2).
            let value = directive.argument == nil ? .seconds(.max) : control.seconds(.maxStale)
            if case .seconds(let seconds) = value { maxStale = seconds }
        }
        if case .seconds(let seconds) = control.seconds(.minFresh) { minFresh = seconds }
        // Pragma counts only where there is no Cache-Control (section 5.4).
        let pragma = control.isEmpty && !request.fields.contains(.cacheControl)
        noCache =
            control.contains(.noCache)
            || pragma && CommaList(.pragma, in: request.fields).contains(token: "no-cache")
        noStore = control.contains(.noStore)
        onlyIfCached = control.contains(.onlyIfCached)
        staleIfError = control.grace(.staleIfError)
    }

    /// An argument that cannot be read limits as much as it can.
    private static func restrictive(_ seconds: CacheControl.DeltaSeconds) -> Int64 {
        if case .seconds(let seconds) = seconds { seconds } else { 0 }
    }

    /// Whether the request itself rules out an answer of that age, fresh for so many more seconds.
    func refuses(age: Int64, freshTime: Int64) -> Bool {
        if noCache || noStore { return true }
        if let maxAge, age > maxAge || maxAge == 0 { return true }
        if let minFresh, freshTime < minFresh { return true }
        return false
    }

    /// Whether the request takes an answer that has been stale for so many seconds.
    func takesStale(since seconds: Int64) -> Bool { maxStale.map { seconds <= $0 } ?? false }
}

extension HTTPRequest {
    /// The conditions of the caller's own.
    var hasConditions: Bool {
        HTTPRequest.conditions.contains { fields.contains($0) }
    }

    private static let conditions: [FieldName] = [
        .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange,
    ]

    /// Conditions that only the origin may judge (RFC 9111, section 4.3.2).
    var hasOriginConditions: Bool { fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince) }

    /// The one range asked for; `nil` where there is none, or the field is one that a cache passes on.
    var singleRange: ByteRange? {
        guard method == .get, let value = fields[.range], let set = ByteRangeSet(parsing: value),
            set.ranges.count == 1
        else { return nil }
        return set.ranges[0]
    }
}
