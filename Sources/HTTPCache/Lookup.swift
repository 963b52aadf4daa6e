package import HTTPMessage

/// One request before it is sent: what it asks, what is stored for its target, and what may be done with that.
struct Lookup {
    /// What may be done with a stored response that matches (section 4).
    enum Verdict {
        /// It answers the request as it is.
        case usable
        /// It answers, and is validated meanwhile.
        case usableWhileValidated
        /// Not without asking the origin.
        case unusable(CacheStatus.Forward)
    }

    let request: HTTPRequest
    let policy: CachePolicy
    let now: CacheTime
    let key: CacheKey
    let directives: RequestDirectives
    /// All that is stored for the target.
    var variants: [StoredResponse] = []
    /// What matches the request, and is the best of that.
    private(set) var chosen: StoredResponse?
    /// How many invalidations there had been.
    var invalidations: UInt64 = 0

    init(_ request: HTTPRequest, _ policy: CachePolicy, at now: CacheTime) {
        self.request = request
        self.policy = policy
        self.now = now
        key = CacheKey(request)
        directives = RequestDirectives(request)
    }

    /// Chooses what matches the request, of all that is stored for the target. Of several: one whose Vary says by what it
    /// was chosen goes before one without, and the most recent by its Date before others (sections 4 and 4.1).
    consuming func choosing(among variants: [StoredResponse]) -> Lookup {
        self.variants = variants
        guard variants.count != 1 else {
            chosen = variants[0].selecting.match(request) ? variants[0] : nil
            return self
        }
        chosen = variants.filter { $0.selecting.match(request) }.max { left, right in
            // Credentials alone are no Vary.
            if left.rules.contains(.vary) != right.rules.contains(.vary) {
                return right.rules.contains(.vary)
            }
            return (left.date, left.responseTime.date) < (right.date, right.responseTime.date)
        }
        return self
    }

    // MARK: May it be used?

    /// The rules of sections 4.2.4 and 5.2.
    func verdict(on stored: StoredResponse) -> Verdict {
        let freshness = stored.freshness
        let freshTime = stored.freshTime(at: now)
        let isFresh = freshTime > 0
        if request.hasOriginConditions { return .unusable(.request) }
        if freshness.needsValidation { return .unusable(.stale) }
        // A fresh response that says it never changes is not validated for a reload (RFC 8246, section 2).
        let isUnchanging = isFresh && freshness.isImmutable
        let isReload = policy == .reloadRevalidatingCacheData
        let isRefused = directives.refuses(
            age: isReload && isUnchanging ? 0 : stored.age(at: now), freshTime: freshTime)
        if isRefused || isReload && !isUnchanging { return .unusable(isFresh ? .request : .stale) }
        guard !isFresh else { return .usable }
        guard !freshness.mustRevalidate else { return .unusable(.stale) }
        let staleTime = freshTime == .min ? .max : -freshTime
        if directives.takesStale(since: staleTime) { return .usable }
        // Whoever limits the age wants nothing stale (section 5.2.1.1).
        let isLimited = directives.maxAge != nil || directives.minFresh != nil
        if !isLimited, staleTime <= freshness.staleWhileRevalidate, freshness.staleWhileRevalidate > 0 {
            return .usableWhileValidated
        }
        return .unusable(.stale)
    }

    /// Whether what is stored may answer though stale, in the place of a failure. `isDisconnected`: the origin cannot be
    /// reached (section 4.2.4); else it has answered with an error (RFC 5861, section 4).
    func allowsStale(_ stored: StoredResponse, isDisconnected: Bool) -> Bool {
        let freshness = stored.freshness
        let freshTime = stored.freshTime(at: now)
        guard policy != .reloadRevalidatingCacheData, !freshness.needsValidation,
            !freshness.mustRevalidate || freshTime > 0, !directives.noCache, !directives.noStore,
            directives.maxAge == nil || directives.maxStale != nil,
            directives.minFresh == nil, !request.hasOriginConditions
        else { return false }
        let staleTime = freshTime == .min ? .max : -freshTime
        // Where somebody has said how long, that is for an origin that is not there as well: a gateway would answer 504.
        let limits = [freshness.staleIfError, directives.staleIfError].compactMap { $0 }
        return limits.max().map { staleTime <= $0 } ?? isDisconnected
    }

    // MARK: Requests to the origin

    /// The request as the caller has made it, and as its policy changes it.
    func forward(_ reason: CacheStatus.Forward) -> ForwardedRequest {
        var forwarded = ForwardedRequest(
            request: request, original: request, sent: now, policy: policy,
            invalidations: invalidations, status: CacheStatus(forward: reason))
        guard !request.fields.contains(.cacheControl) else { return forwarded }
        switch policy {
        case .reloadIgnoringLocalAndRemoteCacheData:
            forwarded.request.fields.append(.cacheControl, "no-cache")
        case .reloadRevalidatingCacheData: forwarded.request.fields.append(.cacheControl, "max-age=0")
        default: break
        }
        return forwarded
    }

    /// Nothing stored matches: other variants may turn out to be what is asked for (section 4.1).
    func forwardUnmatched(_ reason: CacheStatus.Forward) -> ForwardedRequest {
        var forwarded = forward(reason)
        guard policy != .reloadIgnoringLocalCacheData, policy != .reloadIgnoringLocalAndRemoteCacheData,
            request.method == .get, !request.fields.contains(.range), !request.hasConditions,
            !directives.noStore
        else { return forwarded }
        let offered = Array(variants.filter { $0.isOfferable(for: request) }.suffix(Lookup.maximumTags))
        guard !offered.isEmpty else { return forwarded }
        let tags = offered.compactMap { $0.response.entityTag?.description }
        forwarded.request.fields.append(.ifNoneMatch, tags.joined(separator: ", "))
        forwarded.purpose = .validate(offered, fitting: nil)
        return forwarded
    }

    /// Most entity tags that are offered in one request; 16.
    static let maximumTags = 16

    /// What is chosen may not be used as it is: it is offered for validation (section 4.3.1).
    func forwardToValidate(_ chosen: StoredResponse, _ reason: CacheStatus.Forward) -> ForwardedRequest {
        var forwarded = forward(reason)
        guard request.method == .get, !request.hasOriginConditions, !directives.noStore else {
            if !directives.noStore { forwarded.purpose = .validate([], fitting: chosen) }
            return forwarded
        }
        guard answer(with: chosen) != nil else { return forwardMissing(chosen, reason) }
        forwarded.purpose = .validate([chosen], fitting: chosen)
        addConditions(for: chosen, to: &forwarded)
        return forwarded
    }

    private func addConditions(for chosen: StoredResponse, to forwarded: inout ForwardedRequest) {
        let isPart = request.singleRange != nil
        var offered = [chosen]
        if !isPart, chosen.response.entityTag != nil {
            let others = variants.filter { $0 !== chosen && $0.isOfferable(for: request) }
            offered += others.suffix(Lookup.maximumTags - 1)
        }
        var tags: [String] = []
        for tag in offered.compactMap({ $0.response.entityTag?.description }) where !tags.contains(tag) {
            tags.append(tag)
        }
        forwarded.purpose = .validate(offered, fitting: chosen)
        if let own = request.fields[.ifNoneMatch] {
            // The caller's own tags and those of the cache: either may be the one (section 4.3.2).
            guard case .tags(let list)? = EntityTagList(parsing: own) else { return }
            tags.removeAll { text in list.contains { $0.description == text } }
            guard !tags.isEmpty else { return }
            forwarded.request.fields[.ifNoneMatch] = ([own] + tags).joined(separator: ", ")
            return
        }
        if !tags.isEmpty { forwarded.request.fields.append(.ifNoneMatch, tags.joined(separator: ", ")) }
        // Last-Modified, where one response is validated and no part is asked for (section 4.3.1).
        guard tags.count < 2, !isPart, !request.fields.contains(.ifModifiedSince),
            let modified = chosen.response.fields.single(.lastModified),
            HTTPDate(parsing: modified, now: now.date) != nil
        else { return }
        forwarded.request.fields.append(.ifModifiedSince, modified)
    }

    /// Some octets are stored, but not those that are asked for.
    func forwardMissing(
        _ chosen: StoredResponse, _ reason: CacheStatus.Forward = .partial
    ) -> ForwardedRequest {
        var forwarded = forward(reason == .stale || reason == .request ? reason : .partial)
        guard request.method == .get, !request.fields.contains(.range), !request.hasConditions,
            !directives.noStore
        else { return forwarded }
        let prefix = chosen.content.prefixLength
        guard prefix > 0, !chosen.content.isComplete, chosen.response.status == .ok else { return forwarded }
        // What is behind the prefix, if the representation is still the same (section 3.3). A prefix without a validator
        // cannot be combined with anything; that the origin answers with the whole is all that can be hoped for.
        let validator = chosen.strongValidator
        guard validator != nil || !chosen.hasValidator && reason == .partial else { return forwarded }
        forwarded.request.fields.append(.range, "bytes=\(prefix)-")
        if let validator { forwarded.request.fields.append(.ifRange, validator) }
        forwarded.purpose = .complete(chosen)
        return forwarded
    }

    /// The same request once more, for the cache's own sake: with the caller's fields, and conditions of the cache's.
    func forwardInBackground(_ chosen: StoredResponse) -> ForwardedRequest {
        var plain = request
        // What the caller has is no matter here: the stored response is what is validated.
        for name in [FieldName.ifNoneMatch, .ifModifiedSince, .ifRange] { plain.fields.remove(name) }
        if plain.method == .head || chosen.content.isComplete { plain.fields.remove(.range) }
        plain.method = .get
        var lookup = Lookup(plain, policy, at: now)
        lookup.variants = variants
        lookup.invalidations = invalidations
        return lookup.forwardToValidate(chosen, .stale)
    }
}

extension CacheStatus {
    /// The cache itself made the answer.
    static var generated: CacheStatus {
        var status = CacheStatus()
        status.isHit = false
        return status
    }
}

extension StoredResponse {
    /// Its Date, or when it came.
    var date: HTTPDate { response.date(receivedAt: responseTime.date) ?? responseTime.date }

    /// Whether its tag may be offered for a request that it may not match: it is whole, and its tag names these octets and
    /// no others, as a weak one does not: in another coding they would be as good as these. What one user was answered is
    /// nothing that another one has.
    func isOfferable(for request: HTTPRequest) -> Bool {
        guard content.isComplete, let tag = response.entityTag, !tag.isWeak else { return false }
        return selecting.matchesCredentials(of: request)
    }

    /// Whether it has an entity tag or a Last-Modified.
    var hasValidator: Bool {
        response.entityTag != nil || response.lastModified(receivedAt: responseTime.date) != nil
    }

    /// The value for If-Range: a strong entity tag; without any tag a Last-Modified that is strong, a second or more
    /// before the Date (RFC 9110, section 8.8.2.2).
    var strongValidator: String? {
        guard response.fields.contains(.etag) || isModifiedStrong else { return nil }
        return response.strongValidator(receivedAt: responseTime.date)
    }
}

extension HTTPResponse {
    /// As of a stored response.
    package func strongValidator(receivedAt now: HTTPDate) -> String? {
        if fields.contains(.etag) {
            guard let tag = entityTag, !tag.isWeak else { return nil }
            return tag.description
        }
        return isModifiedStrong(receivedAt: now) ? fields.single(.lastModified) : nil
    }

    /// Whether Last-Modified names one version: a second or more before the Date (RFC 9110, section 8.8.2.2).
    func isModifiedStrong(receivedAt now: HTTPDate) -> Bool {
        guard let modified = lastModified(receivedAt: now), let date = date(receivedAt: now) else {
            return false
        }
        return date.seconds(since: modified) >= 1
    }
}
