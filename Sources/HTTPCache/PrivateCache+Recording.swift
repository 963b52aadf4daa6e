import HTTPMessage

extension PrivateCache {
    /// The content of a response that is recorded has ended. `isWhole`: it came to the end that its framing says. What
    /// was cut may still be kept as an incomplete response (section 3.3). Returns why it is not stored; `nil` where it is.
    @discardableResult
    public func record(
        _ recording: CacheRecording, content: [UInt8], isWhole: Bool
    ) -> RecordingRefusal? {
        guard !isOutdated(recording) else { return .invalidated }
        guard !isOutrun(recording) else { return .superseded }
        let refusal = store(recording, content: content, isWhole: isWhole)
        if refusal != nil { abandon(recording) }
        return refusal
    }

    /// The content of a response that is recorded is not kept. What it takes the place of is outdated all the same (section
    /// 4.3.3), and a prefix to which nothing could be added is not tried again.
    public func abandon(_ recording: CacheRecording) {
        if case .behind(let prefix, _) = recording.place { store.remove(prefix, for: recording.key) }
        // What is outdated itself is older than all that is stored.
        if let request = recording.outdating, !isOutdated(recording), !isOutrun(recording) {
            removeMatching(request, for: recording.key)
        }
    }

    /// Whether one of the same variant that was asked for later has come sooner, and is no older by its Date: then it is the
    /// most recent (section 4).
    private func isOutrun(_ recording: CacheRecording) -> Bool {
        let draft = recording.draft
        let date = draft.response.date(receivedAt: draft.responseTime.date) ?? draft.responseTime.date
        return store.responses(for: recording.key).contains {
            $0.selecting == draft.selecting && $0.requestTime.isLater(than: draft.requestTime)
                && $0.date >= date
        }
    }

    /// Whether its target was invalidated after the request.
    private func isOutdated(_ recording: CacheRecording) -> Bool {
        invalidations.contains(recording.key, after: recording.invalidations)
    }

    private func store(
        _ recording: CacheRecording, content: [UInt8], isWhole: Bool
    ) -> RecordingRefusal? {
        guard content.count <= recording.maximumLength else { return .tooLarge }
        guard let stored = recording.content(content, isWhole: isWhole) else { return .incomplete }
        // A prefix that was updated or replaced while its rest came would bring back what it said before.
        if case .behind(let prefix, _) = recording.place,
            !store.responses(for: recording.key).contains(where: { $0 === prefix })
        {
            return .superseded
        }
        guard stored.isComplete else {
            return recordPart(recording.draft, stored, isWhole: isWhole, for: recording.key)
        }
        return insert(StoredResponse(recording.draft, stored), for: recording.key) ? nil : .tooLarge
    }

    /// Stores a part. Only what has a strong validator can be put together; without one a part still answers for itself,
    /// but what was cut is of no use (section 3.4).
    private func recordPart(
        _ draft: StoredResponse.Draft, _ part: StoredContent, isWhole: Bool, for key: CacheKey
    ) -> RecordingRefusal? {
        let validator = draft.response.strongValidator(receivedAt: draft.responseTime.date)
        guard !part.isEmpty, validator != nil || isWhole else { return .incomplete }
        var (draft, content) = (draft, part)
        let old = store.responses(for: key).last { $0.selecting == draft.selecting }
        if let old, let validator, old.isSameRepresentation(validator, as: draft), old.content.fits(part) {
            // What is there of the representation is added to, and fields that did not come again stay (section 3.2).
            content = old.content
            for extent in part.extents { content.insert(extent, completeLength: part.completeLength) }
            draft.rules = KeptFields.rules(old.rules, updatedBy: draft.rules)
            let control = CacheControl(in: draft.rules)
            draft.response.fields = KeptFields.merged(
                old.response.fields, with: draft.response.fields, control)
            // What stayed may say how long the response is fresh.
            draft.freshness = Freshness(
                of: KeptFields.ruled(draft.response, by: draft.rules), control,
                receivedAt: draft.responseTime.date)
        } else if let old, old.content.isComplete, !draft.isKnownToDiffer(from: old) {
            // A part of nobody knows what is worth less than the whole that is there.
            return .superseded
        }
        draft.response = draft.response.asWhole(of: content.completeLength)
        return insert(StoredResponse(draft, content), for: key) ? nil : .tooLarge
    }

    /// Stores a response in the place of the one that is of the same variant.
    @discardableResult
    func insert(_ response: StoredResponse, for key: CacheKey) -> Bool {
        let old = store.responses(for: key).last { $0.selecting == response.selecting }
        return store.insert(response, for: key, replacing: old)
    }

    // MARK: Completing a prefix (section 3.4)

    /// A 206 came for what is behind a stored prefix. It is used if it is exactly that, of the same representation; else
    /// the whole is asked for.
    func complete(_ prefix: StoredResponse, with exchange: ReceivedResponse) -> CacheReaction {
        let response = exchange.response
        let start = prefix.content.prefixLength
        guard let part = response.part, let offsets = part.offsets, offsets.lowerBound == start,
            let length = part.completeLength, offsets.upperBound == length,
            prefix.content.completeLength.map({ $0 == length }) ?? true,
            exchange.declaredLength.map({ $0 == length - start }) ?? true,
            let validator = prefix.strongValidator,
            response.strongValidator(receivedAt: exchange.now.date) == validator,
            response.fields[.contentEncoding] == prefix.response.fields[.contentEncoding]
        else { return .sendAgain(plain(exchange)) }
        let (updated, mayBeStored) = exchange.updated(prefix)
        var draft = updated.draft
        draft.response = draft.response.asWhole(of: length)
        var status = exchange.forwarded.status
        status.forwardStatus = .partialContent
        var answer = CacheAnswer(draft.response, prefix.content, 0..<start, source: .network, status: status)
        answer.response.fields.append(contentsOf: exchange.ownFields(beside: draft.rules))
        answer.combinedLength = length
        let place = CacheRecording.Place.behind(prefix, completeLength: length)
        guard mayBeStored,
            case .success(let recording) = exchange.recording(draft, place, atMost: store.maximumObjectSize)
        else {
            store.remove(prefix, for: exchange.key)
            return .complete(answer, nil)
        }
        answer.status.isStored = true
        answer.status.ttl = draft.freshTime
        return .complete(answer, recording)
    }
}

extension StoredResponse {
    /// Whether it is of the representation that a strong validator names.
    fileprivate func isSameRepresentation(_ validator: String, as draft: Draft) -> Bool {
        response.status == draft.response.status && strongValidator == validator
            && response.fields[.contentEncoding] == draft.response.fields[.contentEncoding]
    }
}

extension StoredResponse.Draft {
    /// Whether a validator says that it is of another representation than a stored response.
    fileprivate func isKnownToDiffer(from stored: StoredResponse) -> Bool {
        [FieldName.etag, .lastModified].contains { name in
            let (own, old) = (response.fields.values(of: name), stored.response.fields.values(of: name))
            return !own.isEmpty && !old.isEmpty && own != old
        }
    }
}

extension CacheRecording {
    /// The octets that were received, at their place; `nil` where they are not what the head said.
    fileprivate func content(_ octets: [UInt8], isWhole: Bool) -> StoredContent? {
        switch place {
        case .whole:
            if isWhole { return StoredContent(whole: octets) }
            guard mayBeCut else { return nil }
            return StoredContent(part: .init(start: 0, octets: octets), completeLength: declaredLength)
        case .part(let start, let range):
            let extent = StoredContent.Extent(start: start, octets: octets)
            guard let declared = range.offsets else { return nil }
            let length = declared.upperBound - declared.lowerBound
            let count = UInt64(octets.count)
            // More than its range has: nobody knows what it is.
            guard count <= length else { return nil }
            guard count < length, isWhole else {
                return StoredContent(part: extent, completeLength: range.completeLength)
            }
            // A server that counts wrong: what is there answers requests for parts, but how long the whole is nobody
            // knows.
            var content = StoredContent(part: extent, completeLength: nil)
            if declared.upperBound == range.completeLength {
                content.apparentLength = extent.range.upperBound
            }
            return content
        case .behind(let prefix, let length):
            let start = prefix.content.prefixLength
            guard !octets.isEmpty, UInt64(octets.count) <= length - start else { return nil }
            var content = prefix.content
            content.insert(.init(start: start, octets: octets), completeLength: length)
            return content
        }
    }
}
