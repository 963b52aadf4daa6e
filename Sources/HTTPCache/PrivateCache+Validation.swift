import HTTPMessage

extension PrivateCache {
    /// A 304 came (sections 4.3.3 and 4.3.4). `nil` where it is none of the cache's: nobody had asked by a condition.
    func receiveNotModified(_ exchange: ReceivedResponse) -> CacheReaction? {
        let forwarded = exchange.forwarded
        let request = forwarded.original
        guard forwarded.request.hasConditions else { return nil }
        let candidates: [StoredResponse]
        var fitting: StoredResponse?
        if case .validate(let offered, let chosen) = forwarded.purpose, !offered.isEmpty {
            (candidates, fitting) = (offered, chosen)
        } else {
            // The conditions are the caller's alone; the answer tells of what is stored all the same.
            candidates = store.responses(for: exchange.key).filter { $0.selecting.match(request) }
        }
        let isCallers = [FieldName.ifNoneMatch, .ifModifiedSince].contains { request.fields.contains($0) }
        var identified = exchange.identified(among: candidates, wasSentByCaller: isCallers)
        if let tag = exchange.response.entityTag, !tag.isWeak {
            // So are all that could have been chosen, and have the same strong tag, though it was offered for another.
            identified += store.responses(for: exchange.key).filter { stored in
                stored.selecting.match(request) && !candidates.contains { $0 === stored }
                    && stored.response.entityTag?.strongly(matches: tag) ?? false
            }
        }
        if isCallers {
            guard let own = callersCondition(exchange, identified) else {
                return .sendAgain(plain(exchange))
            }
            if own {
                for stored in identified { update(stored, by: exchange) }
                var status = forwarded.status
                status.isStored = !identified.isEmpty
                return .deliver(status, nil)
            }
        }
        // The one that fits the request, else one that the origin has chosen among other variants.
        guard let valid = identified.first(where: { $0 === fitting }) ?? identified.last else {
            // It names nothing that is stored: whatever was offered is not to be trusted (section 4.3.4).
            for stored in candidates { store.remove(stored, for: exchange.key) }
            return .sendAgain(plain(exchange))
        }
        let isVariant = !valid.selecting.match(request)
        let updated = isVariant ? storeVariant(of: valid, exchange) : update(valid, by: exchange)
        for stored in identified where stored !== valid && stored.selecting.match(request) {
            update(stored, by: exchange)
        }
        var status = forwarded.status
        status.forwardStatus = .notModified
        status.isStored = store.responses(for: exchange.key).contains { $0 === updated }
        guard var answer = exchange.lookup.answer(with: updated, source: .revalidated, status: status) else {
            return .sendAgain(plain(exchange))
        }
        answer.response.fields.append(contentsOf: exchange.ownFields(beside: updated.rules))
        return .answer(answer)
    }

    /// The response of another variant turned out to be the one for this request, too: it is stored for that as well.
    private func storeVariant(of stored: StoredResponse, _ exchange: ReceivedResponse) -> StoredResponse {
        let (updated, mayBeStored) = exchange.updated(stored)
        var draft = updated.draft
        draft.selecting = SelectingFields(draft.rules, of: draft.response, for: exchange.forwarded.original)
        let variant = StoredResponse(draft, stored.content)
        if mayBeStored, !variant.selecting.matchesNone, !isOutdated(exchange) {
            insert(variant, for: exchange.key)
        }
        return variant
    }

    /// Whether the 304 answers the caller's own condition; `nil` where that cannot be told.
    private func callersCondition(
        _ exchange: ReceivedResponse, _ identified: [StoredResponse]
    ) -> Bool? {
        let own = exchange.forwarded.original
        let sent = exchange.forwarded.request
        guard let value = own.fields[.ifNoneMatch] else {
            // The cache's tags were sent beside the caller's date, and go before it.
            return sent.fields.contains(.ifNoneMatch) ? (identified.isEmpty ? nil : false) : true
        }
        guard sent.fields[.ifNoneMatch] != value else { return true }
        guard let tag = exchange.response.entityTag, let list = EntityTagList(parsing: value) else {
            return nil
        }
        if list.weakly(matches: tag) { return true }
        return identified.isEmpty ? nil : false
    }

    /// The request once more, without what the cache had added to it.
    func plain(_ exchange: ReceivedResponse) -> ForwardedRequest {
        var lookup = Lookup(exchange.forwarded.original, exchange.forwarded.policy, at: exchange.now)
        lookup.invalidations = invalidations.count
        var forwarded = lookup.forward(exchange.forwarded.status.forward ?? .request)
        forwarded.status.detail = "sent-again"
        return forwarded
    }
}

extension ReceivedResponse {
    /// The stored responses that a 304 says are still good (section 4.3.4).
    func identified(among candidates: [StoredResponse], wasSentByCaller: Bool) -> [StoredResponse] {
        if response.fields.contains(.etag) {
            guard let tag = response.entityTag else { return [] }
            if !tag.isWeak {
                return candidates.filter { $0.response.entityTag?.strongly(matches: tag) ?? false }
            }
            let weak = candidates.filter { $0.response.entityTag?.weakly(matches: tag) ?? false }
            return weak.mostRecent.map { [$0] } ?? []
        }
        if response.fields.contains(.lastModified) {
            guard let modified = response.lastModified(receivedAt: now.date) else { return [] }
            let same = candidates.filter { $0.response.lastModified(receivedAt: now.date) == modified }
            return same.mostRecent.map { [$0] } ?? []
        }
        // It names none: it can only mean the one that was offered.
        guard candidates.count == 1 else { return [] }
        guard wasSentByCaller else { return candidates }
        // Or one without a validator, which has not changed since a date of the caller's: if that is not later than the
        // response itself. What happened between them nobody would know.
        guard !candidates[0].hasValidator, let since = forwarded.original.modifiedSince(receivedAt: now.date)
        else { return [] }
        return since <= candidates[0].date ? candidates : []
    }
}

extension [StoredResponse] {
    /// The one with the latest Date; of several with the same, the last.
    fileprivate var mostRecent: StoredResponse? { self.max { $0.date < $1.date } }
}
