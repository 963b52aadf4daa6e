public import HTTPMessage

extension PrivateCache {
    /// Stores a whole response to a request, as if it had just come, under the rules for all others. Returns whether it
    /// is stored.
    @discardableResult
    public func store(
        _ response: HTTPResponse, content: [UInt8], for request: HTTPRequest, at now: CacheTime
    ) -> Bool {
        guard response.status != .partialContent else { return false }
        let forwarded = ForwardedRequest(
            request: request, original: request, sent: now, policy: .useProtocolCachePolicy,
            invalidations: invalidations.count, status: CacheStatus(forward: .uriMiss))
        let exchange = ReceivedResponse(response, to: forwarded, UInt64(content.count), at: now)
        guard case .success(let recording) = exchange.recording(atMost: store.maximumObjectSize) else {
            return false
        }
        return record(recording, content: content, isWhole: true) == nil
    }

    /// Removes what is stored and answers the request. What is on its way for it is not stored either.
    public func remove(for request: HTTPRequest) {
        invalidations.add(CacheKey(request))
        guard let stored = storedResponse(for: request) else { return }
        store.remove(stored, for: CacheKey(request))
    }

    /// Removes all that was stored, or last validated, at `date` or later. What is on its way would be later still: it is
    /// not stored.
    public func removeAll(since date: HTTPDate) {
        invalidations.addAll()
        store.removeAll(since: date)
    }

    /// Removes all. What is on its way is not stored either.
    public func removeAll() {
        invalidations.addAll()
        store.removeAll()
    }
}

extension StoredContent {
    /// All octets in one piece; `nil` where some are missing. Where they are stored in one piece they are shared.
    public var whole: [UInt8]? {
        guard isComplete else { return nil }
        guard extents.count != 1 else { return extents[0].octets }
        return extents.flatMap(\.octets)
    }
}
