import HTTPMessage

extension PrivateCache {
    /// The content of a response that is recorded has ended. `isWhole`: it came to the end that its framing says. What
    /// was cut may still be kept as an incomplete response (section 3.3). Returns whether it is stored.
    @discardableResult
    public func record(_ recording: CacheRecording, content: [UInt8], isWhole: Bool) -> Bool {
        var draft = recording.draft
        guard content.count <= recording.maximumLength,
            var stored = recording.content(content, isWhole: isWhole)
        else { return false }
        if !stored.isComplete {
            // Only what has a strong validator can be put together later; without one a part still answers for itself,
            // but what was cut is of no use (section 3.4).
            let validator = draft.response.strongValidator(receivedAt: draft.responseTime.date)
            guard validator != nil || isWhole else { return false }
            guard !stored.isEmpty else { return false }
            draft.response = draft.response.asWhole(of: stored.completeLength)
            // What is there of the same representation is added.
            if let validator, let old = sameRepresentation(validator, as: draft, for: recording.key) {
                var combined = old.content
                for extent in stored.extents {
                    combined.insert(extent, completeLength: stored.completeLength)
                }
                stored = combined
            }
        }
        return insert(StoredResponse(draft, stored), for: recording.key)
    }

    /// A stored response of the same representation and variant, by its strong validator.
    private func sameRepresentation(
        _ validator: String, as draft: StoredResponse.Draft, for key: CacheKey
    ) -> StoredResponse? {
        store.responses(for: key).last {
            $0.selecting == draft.selecting && $0.response.status == draft.response.status
                && $0.strongValidator == validator
                && $0.response.fields[.contentEncoding] == draft.response.fields[.contentEncoding]
        }
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
        else {
            return .sendAgain(plain(exchange))
        }
        let (updated, mayBeStored) = exchange.updated(prefix)
        var draft = updated.draft
        draft.response.fields[.contentLength] = String(length)
        var head = draft.response
        head.fields[.contentLength] = String(length)
        var status = exchange.forwarded.status
        status.forwardStatus = .partialContent
        status.ttl = draft.freshTime
        var answer = CacheAnswer(head, prefix.content, 0..<start, source: .network, status: status)
        answer.combinedLength = length
        guard mayBeStored,
            case .success(let recording) = exchange.recording(
                draft, .behind(prefix.content, completeLength: length), atMost: store.maximumObjectSize)
        else { return .complete(answer, nil) }
        answer.status.isStored = true
        return .complete(answer, recording)
    }
}

extension CacheRecording {
    /// The octets that were received, at their place; `nil` where they are not what the head said.
    fileprivate func content(_ octets: [UInt8], isWhole: Bool) -> StoredContent? {
        switch place {
        case .whole:
            if isWhole { return StoredContent(whole: octets) }
            // RFC 9111, section 3.3: a GET's 200 may be stored though it was cut.
            guard draft.response.status == .ok else { return nil }
            return StoredContent(part: .init(start: 0, octets: octets), completeLength: declaredLength)
        case .part(let start, let range):
            let extent = StoredContent.Extent(start: start, octets: octets)
            let declared = range.offsets ?? 0..<0
            let count = UInt64(octets.count)
            if count == UInt64(declared.count) || !isWhole && count < UInt64(declared.count) {
                return StoredContent(part: extent, completeLength: range.completeLength)
            }
            // More than its range has: nobody knows what it is.
            guard count < UInt64(declared.count) else { return nil }
            // A server that counts wrong: what is there answers requests for parts, but how long the whole is nobody
            // knows.
            var content = StoredContent(part: extent, completeLength: nil)
            if declared.upperBound == range.completeLength {
                content.apparentLength = extent.range.upperBound
            }
            return content
        case .behind(let prefix, let length):
            let start = prefix.prefixLength
            guard UInt64(octets.count) <= length - start else { return nil }
            var content = prefix
            content.insert(.init(start: start, octets: octets), completeLength: length)
            return content
        }
    }
}
