public import HTTPMessage

/// What becomes of a request (RFC 9111, section 4).
public enum CacheDecision: Sendable {
    /// It is answered by what is stored.
    case answer(CacheAnswer)
    /// It is answered by what is stored, and that is validated meanwhile (RFC 5861, section 3).
    indirect case answerAndValidate(CacheAnswer, ForwardedRequest)
    /// The origin is asked.
    indirect case forward(ForwardedRequest)
    /// `returnCacheDataDontLoad`, and nothing fits: the transfer fails as `notInCache`.
    case notStored(CacheStatus)
}

/// An answer made of what is stored.
public struct CacheAnswer: Sendable {
    /// Where an answer comes from.
    public enum Source: String, Hashable, Sendable, CaseIterable {
        /// The origin.
        case network
        /// What is stored, or the cache itself: the origin was not asked, or did not answer.
        case cache
        /// What is stored, and the origin has said that it is still good.
        case revalidated
    }

    /// The head: the stored one with the present Age, or one that the cache generates (206, 304, 416, 504).
    public var response: HTTPResponse
    /// Where the octets of the content are.
    public var content: StoredContent
    /// Which of them are the content of this answer; empty where it has none.
    public var range: Range<UInt64>
    /// `cache` or `revalidated`.
    public var source: Source
    /// What was decided, and why.
    public var status: CacheStatus
    /// Content of the origin's response follows that of `range`: the length of both, where it is known.
    public var combinedLength: UInt64?

    init(
        _ response: HTTPResponse, _ content: StoredContent, _ range: Range<UInt64>, source: Source,
        status: CacheStatus
    ) {
        self.response = response
        self.content = content
        self.range = range
        self.source = source
        self.status = status
    }
}

/// What becomes of the origin's response, once its head is in (RFC 9111, sections 3 and 4.3.3).
public enum CacheReaction: Sendable {
    /// It is delivered as it came. Where there is a recording, its content is to be stored.
    case deliver(CacheStatus, CacheRecording?)
    /// What is stored is the answer; the response's own content is nobody's.
    case answer(CacheAnswer)
    /// The answer begins with stored octets, and goes on with the content of this response.
    case complete(CacheAnswer, CacheRecording?)
    /// The response is of no use: the request goes out again, in this form.
    case sendAgain(ForwardedRequest)
}

/// What becomes of a request to which no response came.
public enum CacheFallback: Sendable {
    /// What is stored, though stale, or a generated 504 where that is not allowed.
    case answer(CacheAnswer)
    /// The request goes out again, in this form.
    case sendAgain(ForwardedRequest)
    /// The failure is the caller's.
    case fail
}
