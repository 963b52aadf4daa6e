public import HTTPMessage

/// A private cache (RFC 9111): decides what becomes of requests and responses, and keeps what may be kept.
///
/// It does no input or output and reads no clock: times come with each call. One exchange goes
///
///     decide ─→ answer
///        └────→ forward ─→ receive ─→ deliver ─→ record
///                   └────→ fail          └─→ sendAgain ─→ receive
///
/// One thread at a time may use it.
public final class PrivateCache {
    /// Where responses are kept.
    public let store: any CacheStore

    /// A cache that keeps responses in `store`.
    public init(_ store: any CacheStore) { self.store = store }

    /// What becomes of a request that is about to be sent.
    public func decide(
        on request: HTTPRequest, policy: CachePolicy = .useProtocolCachePolicy, at now: CacheTime
    ) -> CacheDecision {
        .forward(
            ForwardedRequest(
                request: request, original: request, sent: now, policy: policy,
                status: CacheStatus(forward: .bypass)))
    }

    /// The head of the response to a forwarded request is in. Interim responses are no business of a cache.
    public func receive(
        _ response: HTTPResponse, to forwarded: ForwardedRequest, declaredLength: UInt64?, at now: CacheTime
    ) -> CacheReaction {
        .deliver(forwarded.status, nil)
    }

    /// No response came to a forwarded request: the origin cannot be reached, or broke off.
    public func fail(_ forwarded: ForwardedRequest, at now: CacheTime) -> CacheFallback { .fail }

    /// The content of a response that is recorded has ended. `isWhole`: it came to the end that its framing says. What
    /// was cut may still be kept as an incomplete response. Returns whether it is stored.
    @discardableResult
    public func record(_ recording: CacheRecording, content: [UInt8], isWhole: Bool) -> Bool { false }

    /// What is stored and answers the request by its method, target URI and fields, however old it is.
    public func storedResponse(for request: HTTPRequest) -> StoredResponse? { nil }
}
