public import HTTPMessage

/// A response that is kept, with all that tells how long and for which requests it may be used. It never changes: what
/// updates it makes another, which shares its content.
public final class StoredResponse: Sendable {
    /// The head as it is kept: without the fields of its connection, and without Age. What was a part (206) is kept as
    /// a whole (200) of which octets are missing (RFC 9111, section 3.3).
    public let response: HTTPResponse
    /// The octets.
    public let content: StoredContent
    /// When it was asked for.
    public let requestTime: CacheTime
    /// When its head came, or it was last validated.
    public let responseTime: CacheTime
    /// The request fields by which it was chosen.
    let selecting: SelectingFields
    /// The lines of Cache-Control, Expires and Vary that are in force, whether they are kept as fields or not.
    let rules: HTTPFields
    /// Whether the Last-Modified that came with the content was strong. A later Date does not make it so: the content may
    /// have changed twice in one second.
    let isModifiedStrong: Bool
    /// How long it is fresh, and what its Cache-Control says.
    let freshness: Freshness
    /// Its age when it came (section 4.2.3).
    let initialAge: Int64
    /// Octets it takes, content and fields together.
    public let size: Int

    /// All of a stored response but its content.
    struct Draft: Sendable {
        var response: HTTPResponse
        var requestTime: CacheTime
        var responseTime: CacheTime
        var selecting: SelectingFields
        var rules: HTTPFields
        var freshness: Freshness
        var initialAge: Int64
        /// As of the response.
        var isModifiedStrong = false

        /// Seconds for which it is fresh when it comes.
        var freshTime: Int64 {
            let (time, overflows) = freshness.lifetime.subtractingReportingOverflow(initialAge)
            return overflows ? .min : time
        }
    }

    /// What it was made of, without the content.
    var draft: Draft {
        Draft(
            response: response, requestTime: requestTime, responseTime: responseTime, selecting: selecting,
            rules: rules, freshness: freshness, initialAge: initialAge, isModifiedStrong: isModifiedStrong)
    }

    /// Octets that each stored response takes beside its content and fields; about what its objects need.
    static let overhead = 1024

    init(_ draft: Draft, _ content: StoredContent) {
        response = draft.response
        self.content = content
        requestTime = draft.requestTime
        responseTime = draft.responseTime
        selecting = draft.selecting
        rules = draft.rules
        isModifiedStrong = draft.isModifiedStrong
        freshness = draft.freshness
        initialAge = draft.initialAge
        let fields =
            draft.response.fields.lineOctetCount + draft.rules.lineOctetCount + draft.selecting.octetCount
        size = content.count + fields + draft.response.reason.utf8.count + StoredResponse.overhead
    }

    /// Seconds since it was made or validated at its origin (section 4.2.3).
    public func age(at now: CacheTime) -> Int64 {
        let (age, overflows) = initialAge.addingReportingOverflow(now.seconds(since: responseTime))
        return overflows ? .max : age
    }

    /// Seconds for which it is still fresh; negative once it is stale.
    public func freshTime(at now: CacheTime) -> Int64 {
        let (time, overflows) = freshness.lifetime.subtractingReportingOverflow(age(at: now))
        return overflows ? .min : time
    }

    /// Seconds for which it is fresh from when it was made; negative where it was stale then.
    package var lifetime: Int64 { freshness.lifetime }

    /// What that comes from.
    package var freshnessBasis: FreshnessBasis { freshness.basis }

    /// Whether it is fresh (section 4.2): its lifetime is more than its age.
    public func isFresh(at now: CacheTime) -> Bool { freshTime(at: now) > 0 }
}
