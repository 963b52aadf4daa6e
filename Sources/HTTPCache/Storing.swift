import HTTPMessage

/// Why a response is not stored (RFC 9111, section 3).
public enum StorageRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The method's responses are no answers to a later GET.
    case method
    /// More of the exchange follows: the status is no final one.
    case interim
    /// The response says `no-store`.
    case noStore = "no-store"
    /// The request says `no-store`.
    case requestNoStore = "request-no-store"
    /// The status is one whose demands are not known, and that matters here.
    case notUnderstood = "not-understood"
    /// It is an answer to this request's conditions or ranges, not a representation of the resource.
    case conditional
    /// Nothing allows to store it: neither its status nor a freshness of its own.
    case noFreshness = "no-freshness"
    /// `Vary: *`: no request could be answered by it.
    case vary
    /// It is a part of which nobody knows which.
    case range
    /// It is larger than one object may be.
    case tooLarge = "too-large"
}

extension StorageRefusal {
    /// Why the response to `request` may not be stored; `nil` when it may. The rules in the order of section 3.
    static func of(
        _ response: HTTPResponse, _ control: CacheControl, to request: HTTPRequest,
        _ requested: CacheControl
    ) -> StorageRefusal? {
        // The request method is understood: GET, and POST as RFC 9110, section 9.3.3 has it.
        guard request.method == .get && request.content == nil || isPOSTForGET(response, control, to: request)
        else {
            return .method
        }
        // The status is final.
        guard !response.status.isInterim else { return .interim }
        // A part, a 304 and what must be understood: the status is understood.
        let mustUnderstand = control.contains(.mustUnderstand)
        switch response.status {
        case .partialContent where request.method != .get || !request.fields.contains(.range): return .range
        case .notModified, .preconditionFailed, .rangeNotSatisfiable, .expectationFailed: return .conditional
        default: if mustUnderstand, !response.status.isUnderstood { return .notUnderstood }
        }
        // No no-store; must-understand overrules it (section 5.2.2.3).
        if control.contains(.noStore), !mustUnderstand { return .noStore }
        if requested.contains(.noStore) { return .requestNoStore }
        // Something allows it. What concerns shared caches is passed over: this one is private.
        guard
            control.contains(.public) || control.contains(.private) || control.contains(.maxAge)
                || response.fields.contains(.expires) || response.status.allowsHeuristics
        else { return .noFreshness }
        // And, of ours: it could be used.
        return SelectingFields(KeptFields.rules(of: response.fields), of: response, for: request).matchesNone
            ? .vary : nil
    }

    /// A POST's answer is one for GET if it has a freshness of its own and says that it is the representation of the
    /// target (RFC 9110, section 9.3.3).
    private static func isPOSTForGET(
        _ response: HTTPResponse, _ control: CacheControl, to request: HTTPRequest
    ) -> Bool {
        guard request.method == .post, response.status.isSuccess, response.status != .partialContent,
            control.contains(.maxAge) || response.fields.contains(.expires),
            let location = response.fields.first(.contentLocation),
            let uri = try? URI(location: location, relativeTo: request.uri)
        else { return false }
        let key = CacheKey(request)
        // Which authority a Content-Location means beside a Host of the caller's own, nobody knows.
        return !key.hasOwnAuthority && key.at(uri) == key
    }
}
