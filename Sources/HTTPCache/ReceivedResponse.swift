import HTTPMessage

/// A response, what it answers, and when it came: what the rules of storing look at.
struct ReceivedResponse {
    let response: HTTPResponse
    let forwarded: ForwardedRequest
    let control: CacheControl
    let declaredLength: UInt64?
    let now: CacheTime
    /// The caller's request, looked at by the time of the response.
    let lookup: Lookup

    init(
        _ response: HTTPResponse, to forwarded: ForwardedRequest, _ declaredLength: UInt64?, at now: CacheTime
    ) {
        self.response = response
        self.forwarded = forwarded
        self.declaredLength = declaredLength
        self.now = now
        control = CacheControl(in: response.fields)
        lookup = Lookup(forwarded.original, forwarded.policy, at: now)
    }

    var key: CacheKey { lookup.key }

    /// A stored response of this head, fields and times.
    func draft(_ head: HTTPResponse, fields: HTTPFields, selecting: SelectingFields) -> StoredResponse.Draft {
        var kept = head
        kept.fields = fields
        kept.receivedOctets = []
        return StoredResponse.Draft(
            response: kept, requestTime: forwarded.sent, responseTime: now, selecting: selecting,
            rules: KeptFields.rules(of: head.fields),
            freshness: Freshness(of: head, control, receivedAt: now.date),
            initialAge: Age.initial(of: head, requested: forwarded.sent, received: now),
            isModifiedStrong: head.isModifiedStrong(receivedAt: now.date))
    }

    // MARK: Storing

    /// The recording of its content, or why there is none.
    func recording(atMost largest: Int) -> Result<CacheRecording, StorageRefusal> {
        let request = forwarded.original
        let requested = CacheControl(in: request.fields)
        if let refusal = StorageRefusal.of(response, control, to: request, requested) {
            return .failure(refusal)
        }
        var head = response
        var place = CacheRecording.Place.whole
        if response.status == .partialContent {
            guard let part = response.part, let start = part.offsets?.lowerBound else {
                return .failure(.range)
            }
            place = .part(start: start, part)
            head = response.asWhole(of: part.completeLength)
        }
        let fields = KeptFields.stored(head, control, receivedAt: now.date)
        let selecting = SelectingFields(KeptFields.rules(of: response.fields), of: response, for: request)
        let draft = draft(head, fields: fields, selecting: selecting)
        return recording(draft, place, atMost: largest)
    }

    /// The recording of content of that place.
    func recording(
        _ draft: StoredResponse.Draft, _ place: CacheRecording.Place, atMost largest: Int
    ) -> Result<CacheRecording, StorageRefusal> {
        let room = largest - StoredResponse(draft, StoredContent(whole: [])).size
        guard room >= 0, declaredLength.map({ $0 <= UInt64(room) }) ?? true else {
            return .failure(.tooLarge)
        }
        return .success(
            CacheRecording(
                key: key, draft: draft, maximumLength: room, declaredLength: declaredLength,
                invalidations: forwarded.invalidations, place: place,
                mayBeCut: forwarded.original.method == .get && draft.response.status == .ok,
                outdating: response.status.replacesRepresentation && forwarded.original.method == .get
                    ? forwarded.original : nil))
    }

    // MARK: Updating (section 3.2)

    /// A stored response as this one updates it, and whether it may still be stored.
    func updated(_ stored: StoredResponse) -> (StoredResponse, mayBeStored: Bool) {
        let rules = KeptFields.rules(stored.rules, updatedBy: response.fields)
        let merged = CacheControl(in: rules)
        var head = stored.response
        head.fields = KeptFields.updated(stored.response.fields, by: response, merged, receivedAt: now.date)
        var aged = head
        // The Age of the newer response counts for this one; it is not kept.
        for value in response.fields.values(of: .age) { aged.fields.append(.age, value) }
        let selecting =
            response.fields.contains(.vary)
            ? SelectingFields(rules, of: head, for: forwarded.original) : stored.selecting
        let draft = StoredResponse.Draft(
            response: head, requestTime: forwarded.sent, responseTime: now, selecting: selecting,
            rules: rules,
            freshness: Freshness(of: KeptFields.ruled(head, by: rules), merged, receivedAt: now.date),
            initialAge: Age.initial(of: aged, requested: forwarded.sent, received: now),
            isModifiedStrong: stored.isModifiedStrong)
        let isForbidden =
            merged.contains(.noStore) && !(merged.contains(.mustUnderstand) && head.status.isUnderstood)
        return (
            StoredResponse(draft, stored.content),
            !isForbidden && !selecting.matchesNone && !lookup.directives.noStore
        )
    }

    /// Fields of this response that are for its own request alone: what the Cache-Control of the response that it
    /// updates names in `no-cache` (section 5.2.2.4).
    func ownFields(beside rules: HTTPFields) -> HTTPFields {
        let names = CacheControl(in: rules).fieldsLeftOut
        var own = HTTPFields()
        for field in response.fields where names.contains(field.name) { own.append(field.name, field.value) }
        return own
    }

    /// Whether a HEAD response describes a stored one: the validators that came are the same, and so is the length (section
    /// 4.3.5).
    func describes(_ stored: StoredResponse) -> Bool {
        for name in [FieldName.etag, .lastModified] where response.fields.contains(name) {
            guard response.fields.values(of: name) == stored.response.fields.values(of: name) else {
                return false
            }
        }
        guard let length = response.fields.first(.contentLength) else { return true }
        let storedLength =
            stored.response.fields.first(.contentLength) ?? stored.content.completeLength.map(String.init)
        return length == storedLength
    }
}

extension HTTPResponse {
    /// The one part that a 206 carries; `nil` where it carries several (RFC 9110, section 15.3.7.2), or nobody knows which.
    var part: ContentRange? {
        let isMultipart = fields.values(of: .contentType).contains {
            $0.lowercasedASCII.hasPrefix("multipart/")
        }
        guard !isMultipart, let value = fields.single(.contentRange),
            let range = ContentRange(parsing: value), range.offsets != nil
        else { return nil }
        return range
    }

    /// The head of the whole representation of which this is a part (RFC 9111, section 3.3).
    func asWhole(of length: UInt64?) -> HTTPResponse {
        var head = self
        head.status = .ok
        head.reason = "OK"
        head.fields.remove(.contentRange)
        head.fields[.contentLength] = length.map(String.init)
        return head
    }
}
