public import HTTPMessage

extension PrivateCache {
    /// The head of the response to a forwarded request is in. Interim responses are no business of a cache.
    /// `declaredLength` is that of the content, in octets, where it is declared.
    public func receive(
        _ response: HTTPResponse, to forwarded: ForwardedRequest, declaredLength: UInt64?, at now: CacheTime
    ) -> CacheReaction {
        let request = forwarded.original
        var forwarded = forwarded
        if !request.method.isSafe {
            let isOutdated = invalidations.contains(CacheKey(request), after: forwarded.invalidations)
            invalidate(by: response, to: request)
            // What it invalidates is older than its own answer.
            if !isOutdated { forwarded.invalidations = invalidations.count }
        }
        let exchange = ReceivedResponse(response, to: forwarded, declaredLength, at: now)
        if request.method == .head { freshen(by: exchange) }
        switch response.status {
        case .notModified where request.method == .get || request.method == .head:
            if let reaction = receiveNotModified(exchange) { return reaction }
        case .partialContent:
            if case .complete(let stored) = forwarded.purpose { return complete(stored, with: exchange) }
        case _ where response.status.isFailure:
            // The range was the cache's, and may be what the origin fails at: the caller asks for the whole.
            if case .complete(let prefix) = forwarded.purpose {
                store.remove(prefix, for: exchange.key)
                return .sendAgain(plain(exchange))
            }
            if response.status.isServerFailure, let answer = staleAnswer(inPlaceOf: exchange) {
                return .answer(answer)
            }
        default: break
        }
        return deliver(exchange)
    }

    /// No response came to a forwarded request: the origin cannot be reached, or broke off (section 4.2.4). `wasReached`: a
    /// connection stood.
    public func fail(
        _ forwarded: ForwardedRequest, wasReached: Bool = false, at now: CacheTime
    ) -> CacheFallback {
        var lookup = Lookup(forwarded.original, forwarded.policy, at: now)
        lookup.invalidations = invalidations.count
        if case .complete(let prefix) = forwarded.purpose, wasReached {
            // It may be the range that the origin fails at: the whole is asked for, now and next time.
            store.remove(prefix, for: lookup.key)
            return .sendAgain(lookup.forward(forwarded.status.forward ?? .partial))
        }
        guard let stored = storedStill(for: forwarded, lookup) else { return .fail }
        if lookup.allowsStale(stored, isDisconnected: true), var answer = lookup.answer(with: stored) {
            answer.status.detail = "disconnected"
            store.noteUse(of: stored, for: lookup.key)
            return .answer(answer)
        }
        // What must be validated and cannot be is an error of the cache's (section 5.2.2.2).
        if stored.freshness.needsValidation || stored.freshness.mustRevalidate && !stored.isFresh(at: now) {
            return .answer(.gatewayTimeout("must-revalidate"))
        }
        return .fail
    }

    /// The exchange failed for a reason that asking again does not mend now. A prefix that was to be completed is dropped:
    /// next time the whole is asked for.
    public func giveUp(_ forwarded: ForwardedRequest) {
        guard case .complete(let prefix) = forwarded.purpose else { return }
        store.remove(prefix, for: CacheKey(forwarded.original))
    }

    /// What may take the place of a response: the best of what is stored now. What was chosen when the request was sent may
    /// have been updated, replaced or invalidated since.
    private func storedStill(for forwarded: ForwardedRequest, _ lookup: Lookup) -> StoredResponse? {
        switch forwarded.purpose {
        case .validate(_, fitting: .some), .complete:
            lookup.choosing(among: store.responses(for: lookup.key)).chosen
        default: nil
        }
    }

    /// The response as it came, its content recorded where it may be stored.
    func deliver(_ exchange: ReceivedResponse) -> CacheReaction {
        var status = exchange.forwarded.status
        let recording: CacheRecording?
        switch exchange.recording(atMost: store.maximumObjectSize) {
        case .success(let made):
            recording = made
            status.ttl = made.draft.freshTime
        case .failure(let refusal):
            recording = nil
            status.detail = refusal.rawValue
            removeReplaced(exchange)
        }
        status.isStored = recording != nil
        return .deliver(status, recording)
    }

    /// What is stored and matches is outdated by a full response, also by one that is not stored itself (section 4.3.3). An
    /// error says nothing about it, unless it is that there is nothing any more.
    private func removeReplaced(_ exchange: ReceivedResponse) {
        let request = exchange.forwarded.original
        guard request.method == .get, !exchange.lookup.directives.noStore,
            exchange.response.status.replacesRepresentation, !isOutdated(exchange)
        else { return }
        removeMatching(request, for: exchange.key)
    }

    /// Removes what is stored and matches a request.
    func removeMatching(_ request: HTTPRequest, for key: CacheKey) {
        for stored in store.responses(for: key) where stored.selecting.match(request) {
            store.remove(stored, for: key)
        }
    }

    /// A stored response in the place of an error of the server's (RFC 5861, section 4).
    private func staleAnswer(inPlaceOf exchange: ReceivedResponse) -> CacheAnswer? {
        let lookup = exchange.lookup
        guard let fitting = storedStill(for: exchange.forwarded, lookup) else { return nil }
        var status = CacheStatus()
        status.detail = "stale-if-error"
        guard lookup.allowsStale(fitting, isDisconnected: false),
            let answer = lookup.answer(with: fitting, status: status)
        else { return nil }
        store.noteUse(of: fitting, for: lookup.key)
        return answer
    }

    // MARK: Invalidation (section 4.4)

    /// What an unsafe method may have changed is not used any more: the target, and what Location and Content-Location
    /// name of the same origin.
    private func invalidate(by response: HTTPResponse, to request: HTTPRequest) {
        guard response.status.isSuccess || response.status.isRedirection else { return }
        let key = CacheKey(request)
        invalidate(key)
        for name in [FieldName.location, .contentLocation] {
            for value in response.fields.values(of: name) {
                guard let uri = try? URI(location: value, relativeTo: request.uri),
                    uri.origin == request.uri.origin
                else { continue }
                invalidate(key.at(uri))
            }
        }
    }

    private func invalidate(_ key: CacheKey) {
        invalidations.add(key)
        store.removeAll(for: key)
    }

    /// Whether its target was invalidated after the request: it tells of what was there before.
    func isOutdated(_ exchange: ReceivedResponse) -> Bool {
        invalidations.contains(exchange.key, after: exchange.forwarded.invalidations)
    }

    // MARK: HEAD (section 4.3.5)

    /// A HEAD response updates the stored responses that could have been chosen for it, or they are outdated.
    private func freshen(by exchange: ReceivedResponse) {
        guard exchange.response.status == .ok, !exchange.lookup.directives.noStore, !isOutdated(exchange)
        else { return }
        for stored in store.responses(for: exchange.key) {
            guard stored.selecting.match(exchange.forwarded.original) else { continue }
            guard stored.response.status == .ok, exchange.describes(stored) else {
                store.remove(stored, for: exchange.key)
                continue
            }
            update(stored, by: exchange)
        }
    }

    /// Updates a stored response that is still there by the fields of a newer one; what may not be stored any more is
    /// removed. Returns it as updated.
    @discardableResult
    func update(_ stored: StoredResponse, by exchange: ReceivedResponse) -> StoredResponse {
        let (updated, mayBeStored) = exchange.updated(stored)
        guard !isOutdated(exchange),
            store.responses(for: exchange.key).contains(where: { $0 === stored })
        else { return updated }
        if mayBeStored {
            store.insert(updated, for: exchange.key, replacing: stored)
        } else {
            store.remove(stored, for: exchange.key)
        }
        return updated
    }
}

extension HTTPStatus {
    /// Errors that a stale response may take the place of (RFC 5861, section 4).
    fileprivate var isServerFailure: Bool { code == 500 || (502...504).contains(code) }

    /// Whether a full response of it says what the resource is now.
    var replacesRepresentation: Bool {
        isSuccess && self != .partialContent || isRedirection && self != .notModified || code == 404
            || code == 410
    }
}
