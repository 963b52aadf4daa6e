import HTTPMessage

// Answers made of stored responses.
extension Lookup {
    /// The answer that a stored response gives to the request, or to the caller's own condition; `nil` where octets that
    /// are asked for are missing.
    func answer(with stored: StoredResponse, source: CacheAnswer.Source = .cache, status: CacheStatus? = nil)
        -> CacheAnswer?
    {
        var status = status ?? CacheStatus()
        status.ttl = stored.freshTime(at: now)
        var head = stored.response
        head.fields.append(.age, String(min(stored.age(at: now), Lookup.greatestAge)))
        // Conditions are judged only by what could answer the request without them (section 4.3.2).
        guard let answer = unconditionalAnswer(with: stored, head, source, status) else { return nil }
        guard head.status == .ok, isUnchanged(stored) else { return answer }
        return CacheAnswer(notModified(head), stored.content, 0..<0, source: source, status: status)
    }

    private func unconditionalAnswer(
        with stored: StoredResponse, _ head: HTTPResponse, _ source: CacheAnswer.Source,
        _ status: CacheStatus
    ) -> CacheAnswer? {
        if request.method == .head {
            return CacheAnswer(head, stored.content, 0..<0, source: source, status: status)
        }
        if head.status == .ok, request.fields.contains(.range), rangeApplies(to: stored) {
            guard let range = request.singleRange else { return nil }
            return answer(range, of: stored, head, source, status)
        }
        guard let length = stored.content.completeLength, stored.content.isComplete else { return nil }
        return CacheAnswer(head, stored.content, 0..<length, source: source, status: status)
    }

    /// Ages are told up to here: 2^31 (RFC 9111, section 1.2.2).
    private static let greatestAge: Int64 = 1 << 31

    // MARK: Conditions of the caller's (section 4.3.2)

    /// Whether the caller has this representation already.
    private func isUnchanged(_ stored: StoredResponse) -> Bool {
        if request.fields.contains(.ifNoneMatch) {
            guard let list = request.fields[.ifNoneMatch].flatMap({ EntityTagList(parsing: $0) }) else {
                return false
            }
            if case .any = list { return true }
            return stored.response.entityTag.map { list.weakly(matches: $0) } ?? false
        }
        guard let since = request.modifiedSince(receivedAt: now.date) else { return false }
        let modified = stored.response.lastModified(receivedAt: now.date) ?? stored.date
        return modified <= since
    }

    /// The head of a 304: what RFC 9110, section 15.4.5 names, of the stored head.
    private func notModified(_ head: HTTPResponse) -> HTTPResponse {
        var fields = HTTPFields()
        for field in head.fields where Lookup.notModifiedFields.contains(field.name) {
            fields.append(field.name, field.value)
        }
        return HTTPResponse(status: .notModified, reason: "Not Modified", fields: fields)
    }

    private static let notModifiedFields: [FieldName] = [
        .age, .cacheControl, .contentLocation, .date, .etag, .expires, .lastModified, .vary,
    ]

    // MARK: Ranges (RFC 9110, section 14)

    /// Whether the Range counts: without If-Range, or where that names what is stored, by its strong validator.
    private func rangeApplies(to stored: StoredResponse) -> Bool {
        guard let condition = request.fields.first(.ifRange) else { return true }
        return stored.strongValidator == condition
    }

    private func answer(
        _ range: ByteRange, of stored: StoredResponse, _ head: HTTPResponse, _ source: CacheAnswer.Source,
        _ status: CacheStatus
    ) -> CacheAnswer? {
        let content = stored.content
        guard let offsets = content.offsets(of: range) else {
            // That nothing is there is known only where the length is.
            guard let length = content.completeLength, content.isComplete else { return nil }
            return unsatisfied(length, source, status)
        }
        guard content.contains(offsets) else { return nil }
        // A part without octets cannot be told: a suffix of nothing is the whole.
        guard let last = offsets.last else {
            return content.isComplete
                ? CacheAnswer(head, content, offsets, source: source, status: status) : nil
        }
        var part = head
        part.status = .partialContent
        part.reason = "Partial Content"
        part.fields[.contentLength] = String(offsets.upperBound - offsets.lowerBound)
        part.fields[.contentRange] =
            ContentRange.part(offsets.lowerBound...last, completeLength: content.completeLength).description
        return CacheAnswer(part, content, offsets, source: source, status: status)
    }

    private func unsatisfied(
        _ length: UInt64, _ source: CacheAnswer.Source, _ status: CacheStatus
    ) -> CacheAnswer {
        let response = HTTPResponse(
            status: .rangeNotSatisfiable, reason: "Range Not Satisfiable",
            fields: [
                .contentRange: ContentRange.unsatisfied(completeLength: length).description,
                .contentLength: "0",
            ])
        return CacheAnswer(response, StoredContent(whole: []), 0..<0, source: source, status: status)
    }
}

extension HTTPRequest {
    /// The date of If-Modified-Since; `nil` where it does not count: there are several, it is none, or If-None-Match goes
    /// before it (RFC 9110, section 13.1.3).
    func modifiedSince(receivedAt now: HTTPDate) -> HTTPDate? {
        guard !fields.contains(.ifNoneMatch), let value = fields.first(.ifModifiedSince),
            fields.values(of: .ifModifiedSince).count == 1
        else { return nil }
        return HTTPDate(parsing: value, now: now)
    }
}

extension StoredContent {
    /// The offsets that a range stands for here; `nil` where there are none, or nobody knows.
    func offsets(of range: ByteRange) -> Range<UInt64>? {
        if let completeLength { return range.offsets(inLength: completeLength) }
        if let apparentLength { return range.offsets(inLength: apparentLength) }
        guard case .bounded(let bounds) = range, bounds.upperBound < .max else { return nil }
        return bounds.lowerBound..<bounds.upperBound + 1
    }
}
