import HTTPMessage

/// Where a response leads (RFC 9110, section 15.4): the decision alone, nothing is sent here.
struct Redirects {
    /// The statuses whose Location is a place to go to. 304 has none to go to, and 305 is not to be followed. One that
    /// nobody knows, as 306 is by now, is taken for 300 (section 15).
    private static func leadsOn(_ status: HTTPStatus) -> Bool {
        status.isRedirection && status != .notModified && status != .useProxy
    }

    let policy: RedirectPolicy
    /// The request of the caller: what is for its origin alone.
    let first: HTTPRequest

    /// What a redirect asks for.
    struct Step {
        var request: HTTPRequest
        /// Whether the content goes along; streamed content is no part of `request`.
        var keepsContent: Bool
    }

    /// The next request after `response` to `request`; `nil` where it is a final one. `hasStream` where the request has
    /// content beside it. Throws where it should be followed and cannot be.
    func step(
        after response: HTTPResponse, to request: HTTPRequest, hasStream: Bool
    ) throws(TransferError) -> Step? {
        guard Self.leadsOn(response.status),
            let location = try location(in: response, from: request.uri)
        else { return nil }
        let target = try target(location, from: request.uri)
        var next = request
        // 1. The target URI, with the fragment of the old one unless it has its own (section 10.2.2).
        next.uri = target.inheritingFragment(of: request.uri)
        // 2. Fields that belong to one resource or origin, made by this side or, 3., by the caller.
        renewFields(of: &next, from: request)
        // 4. The method.
        let keepsContent = changeMethod(of: &next, response.status, hasStream: hasStream)
        // 5. Fields that describe content which is not sent.
        if !keepsContent {
            next.content = nil
            for field in next.fields where Self.describesContent(field.name) {
                next.fields.remove(field.name)
            }
        }
        return Step(request: next, keepsContent: keepsContent)
    }

    // MARK: Location

    /// The Location to follow; `nil` where there is none, or an empty one, which browsers and curl take for none.
    private func location(in response: HTTPResponse, from uri: URI) throws(TransferError) -> String? {
        let values = response.fields.values(of: .location)
        guard let value = values.first else { return nil }
        guard values.allSatisfy({ $0 == value }) else {
            throw TransferError(
                .badResponse, during: .firstByte,
                "\(Self.name(of: uri)) redirects to \(values.count) places at once: its Location lines differ"
            )
        }
        let count = value.unicodeScalars.count
        guard count <= policy.maximumLocation else {
            throw TransferError(
                .badURI, during: .firstByte,
                "the Location of \(Self.name(of: uri)) has \(count) octets, more than the \(policy.maximumLocation) allowed"
            )
        }
        return value.isEmpty ? nil : value
    }

    private func target(_ location: String, from uri: URI) throws(TransferError) -> URI {
        let target: URI
        do throws(URIError) {
            target = try URI(location: location, relativeTo: uri, dropsUserinfo: policy.dropsUserinfo)
        } catch {
            let words = "\(Self.name(of: uri)) redirects to \"\(Self.shown(location))\""
            if case .unsupportedScheme = error.reason {
                throw TransferError(
                    .unsupportedScheme, during: .firstByte, "\(words): only http and https are followed")
            }
            throw TransferError(.badURI, during: .firstByte, "\(words): \(error)")
        }
        guard policy.schemes.contains(target.scheme) else {
            var error = TransferError(
                .unsupportedScheme, during: .firstByte,
                "\(Self.name(of: uri)) redirects to \(Self.name(of: target)): \(target.scheme) is not allowed for redirects"
            )
            error.cause = .redirectScheme
            throw error
        }
        return target
    }

    // MARK: Fields

    /// Fields of the caller's that are for the first origin alone (section 15.4, items 2.3, 2.5 and 3). Where a chain
    /// comes back to it they are sent again, as curl does.
    private static let originFields: [FieldName] = [.host, .authorization, .cookie]

    private func renewFields(of next: inout HTTPRequest, from request: HTTPRequest) {
        let isTrusted = policy.trustsAllOrigins
        for name in Self.originFields where request.uri.origin != next.uri.origin {
            // The Host of another origin is never the caller's, trusted or not.
            if isTrusted, name != .host { continue }
            next.fields.remove(name)
            guard next.uri.origin == first.uri.origin else { continue }
            for value in first.fields.values(of: name) { next.fields.append(name, value) }
        }
        // Item 2.5: a Referer tells no less secure place of a more secure one, and no other origin, unless it is the
        // caller's own (section 10.1.3).
        let isSecure = request.uri.scheme == .https
        let isForeign = request.uri.origin != next.uri.origin
        if isSecure, next.uri.scheme == .http || (isForeign && policy.setsReferer) {
            next.fields.remove(.referer)
        } else if policy.setsReferer {
            next.fields[.referer] = request.uri.withoutUserinfoAndFragment.description
        }
    }

    /// Content-Type, -Encoding and the like, and what tells how content is sent.
    private static func describesContent(_ name: FieldName) -> Bool {
        let others: [FieldName] = [.transferEncoding, .trailer, .expect, .lastModified, "Digest"]
        return name.spelling.lowercased().hasPrefix("content-") || others.contains(name)
    }

    // MARK: Method

    /// Sections 15.4.2 to 15.4.9, with the changes that browsers make. Returns whether the content goes along.
    private func changeMethod(of next: inout HTTPRequest, _ status: HTTPStatus, hasStream: Bool) -> Bool {
        let hasContent = next.content != nil || hasStream
        let losesContent: Bool
        switch status {
        case .movedPermanently, .found:
            losesContent = isPOST(next, hasStream: hasStream) && !policy.keepsPOST.contains(status)
        case .seeOther:
            let isKept = isPOST(next, hasStream: hasStream) && policy.keepsPOST.contains(status)
            losesContent = !isKept && (policy.keepsMethod ? hasContent : next.method != .head)
        default:
            losesContent = false
        }
        guard losesContent else { return true }
        if !policy.keepsMethod { next.method = .get }
        return false
    }

    /// Where the method is only a word (curl's `-X`), content that is no upload is what makes a POST.
    private func isPOST(_ request: HTTPRequest, hasStream: Bool) -> Bool {
        policy.keepsMethod ? request.content != nil && !hasStream : request.method == .post
    }

    // MARK: Words

    /// Host and path, without anything that may be secret.
    static func name(of uri: URI) -> String {
        String("\(uri.scheme)://\(uri.authority)\(uri.path)".prefix(200))
    }

    /// A Location that is no URI of ours, without query, fragment and what may be a name and password; bounded.
    static func shown(_ location: String) -> String {
        // Octets that are UTF-8 are meant as such.
        let octets = location.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let readable = String(validating: octets, as: UTF8.self) ?? location
        var text = readable.prefix { $0 != "?" && $0 != "#" }
        if let at = text.lastIndex(of: "@") {
            // Behind the two slashes of an authority, or the scheme's colon where they are left out.
            let isSlash: (Character) -> Bool = { $0 == "/" || $0 == "\\" }
            let slashes = text.indices.first {
                isSlash(text[$0]) && text.index(after: $0) < at && isSlash(text[text.index(after: $0)])
            }
            let mark = slashes.map { text.index(after: $0) } ?? text.firstIndex(of: ":")
            if let mark, mark < at { text = text[...mark] + text[text.index(after: at)...] }
        }
        return text.count > 200 ? "\(text.prefix(200))…" : String(text)
    }
}
