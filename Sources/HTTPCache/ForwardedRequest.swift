public import HTTPMessage

/// A request on its way to the origin, with what the cache must know when it is answered.
public struct ForwardedRequest: Sendable {
    /// What is sent: the caller's request, with conditions of the cache's where something stored is to be validated.
    public internal(set) var request: HTTPRequest
    /// What the caller asked.
    let original: HTTPRequest
    /// When it was sent: ages count from here (section 4.2.3).
    let sent: CacheTime
    /// The policy it is under.
    let policy: CachePolicy
    /// How many invalidations there had been by then: what one has met since is not stored.
    var invalidations: UInt64
    /// What is known so far of why it is sent.
    package internal(set) var status: CacheStatus
    /// What the cache does about it.
    var purpose = Purpose.load

    /// Why it is sent, as far as the answer must be treated by it.
    enum Purpose: Sendable {
        /// Nothing stored is of use.
        case load
        /// Any of these may be said to be valid still; the first is the one that fits the request.
        case validate([StoredResponse], fitting: StoredResponse?)
        /// The octets behind this prefix are asked for.
        case complete(StoredResponse)
    }
}

/// Why content that was recorded is not stored in the end.
public enum RecordingRefusal: String, Hashable, Sendable, CaseIterable {
    /// It was cut and is of no use so, or is not what the head said.
    case incomplete
    /// It is larger than one object may be.
    case tooLarge = "too-large"
    /// Its target was invalidated since it was asked for (section 4.4).
    case invalidated
    /// What is stored by now is worth more, or is another than what it belongs to.
    case superseded
}

/// A response whose content is being received, to be stored when it has come.
public struct CacheRecording: Sendable {
    /// Under which it is stored.
    let key: CacheKey
    /// The response as it will be stored, but for its content.
    let draft: StoredResponse.Draft
    /// Most octets of content that are kept; more, and nothing is stored.
    public let maximumLength: Int
    /// The length of the content, where it was declared.
    public let declaredLength: UInt64?
    /// As of the request.
    let invalidations: UInt64
    /// Where in the representation the content belongs.
    let place: Place
    /// Whether what was cut is of use: it is a GET's 200, or a part of one (section 3.3).
    let mayBeCut: Bool

    /// The request whose stored answers it takes the place of, whether it can be kept or not.
    let outdating: HTTPRequest?

    /// Which octets of a representation content is.
    enum Place: Sendable {
        /// All of them.
        case whole
        /// Those of a Content-Range, from `start` on.
        case part(start: UInt64, ContentRange)
        /// Those behind the stored prefix, of so many in all.
        case behind(StoredResponse, completeLength: UInt64)
    }
}
