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
    /// Where responses are kept. What is removed there directly may come back by an exchange that is under way.
    public let store: any CacheStore
    var invalidations = Invalidations()

    /// A cache that keeps responses in `store`.
    public init(_ store: any CacheStore) { self.store = store }

    /// What becomes of a request that is about to be sent (section 4).
    public func decide(
        on request: HTTPRequest, policy: CachePolicy = .useProtocolCachePolicy, at now: CacheTime
    ) -> CacheDecision {
        var lookup = Lookup(request, policy, at: now)
        lookup.invalidations = invalidations.count
        // Only GET and HEAD can be answered by what GET has brought; others are written through.
        guard request.method == .get || request.method == .head, request.content == nil else {
            return refusal(of: lookup, .method) ?? .forward(lookup.forward(.method))
        }
        let variants = store.responses(for: lookup.key)
        lookup = lookup.choosing(among: variants)
        guard let chosen = lookup.chosen else {
            let reason: CacheStatus.Forward = variants.isEmpty ? .uriMiss : .varyMiss
            return refusal(of: lookup, reason) ?? .forward(lookup.forwardUnmatched(reason))
        }
        switch policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData:
            return refusal(of: lookup, .bypass) ?? .forward(lookup.forward(.bypass))
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad:
            if let answer = lookup.answer(with: chosen) { return use(answer, chosen, lookup) }
            return refusal(of: lookup, .partial) ?? .forward(lookup.forwardMissing(chosen))
        case .useProtocolCachePolicy, .reloadRevalidatingCacheData:
            return decide(lookup, chosen)
        }
    }

    /// What becomes of a request that the cache has no part in, but for the word of who makes it that nobody else is to be
    /// asked; `nil` where there is no such word.
    public func refusal(
        of request: HTTPRequest, policy: CachePolicy, at now: CacheTime
    ) -> CacheDecision? {
        refusal(of: Lookup(request, policy, at: now), .bypass)
    }

    /// What the fields of the request and of the stored response decide.
    private func decide(_ lookup: Lookup, _ chosen: StoredResponse) -> CacheDecision {
        let verdict = lookup.verdict(on: chosen)
        if case .unusable(let reason) = verdict {
            return refusal(of: lookup, reason) ?? .forward(lookup.forwardToValidate(chosen, reason))
        }
        guard var answer = lookup.answer(with: chosen) else {
            return refusal(of: lookup, .partial) ?? .forward(lookup.forwardMissing(chosen))
        }
        guard case .usableWhileValidated = verdict else { return use(answer, chosen, lookup) }
        answer.status.detail = "stale-while-revalidate"
        store.noteUse(of: chosen, for: lookup.key)
        guard !lookup.directives.onlyIfCached else { return .answer(answer) }
        return .answerAndValidate(answer, lookup.forwardInBackground(chosen))
    }

    private func use(_ answer: CacheAnswer, _ chosen: StoredResponse, _ lookup: Lookup) -> CacheDecision {
        store.noteUse(of: chosen, for: lookup.key)
        return .answer(answer)
    }

    /// What is decided where the origin may not be asked; `nil` where it may.
    private func refusal(of lookup: Lookup, _ reason: CacheStatus.Forward) -> CacheDecision? {
        if lookup.policy == .returnCacheDataDontLoad {
            var status = CacheStatus.generated
            status.detail = reason.rawValue
            return .notStored(status)
        }
        guard lookup.directives.onlyIfCached, lookup.request.method.isSafe else { return nil }
        return .answer(.gatewayTimeout("only-if-cached"))
    }

    /// What is stored and answers the request by its method, target URI and fields, however old it is.
    public func storedResponse(for request: HTTPRequest) -> StoredResponse? {
        guard request.method == .get || request.method == .head else { return nil }
        let now = CacheTime(date: HTTPDate(secondsSinceEpoch: 0), uptime: 0)
        let lookup = Lookup(request, .returnCacheDataDontLoad, at: now)
        return lookup.choosing(among: store.responses(for: lookup.key)).chosen
    }
}

extension CacheAnswer {
    /// The answer of a cache that may not, or cannot, ask the origin (sections 5.2.1.7 and 5.2.2.2).
    static func gatewayTimeout(_ reason: String) -> CacheAnswer {
        var status = CacheStatus.generated
        status.detail = reason
        let response = HTTPResponse(
            status: .gatewayTimeout, reason: "Gateway Timeout", fields: [.contentLength: "0"])
        return CacheAnswer(response, StoredContent(whole: []), 0..<0, source: .cache, status: status)
    }
}
