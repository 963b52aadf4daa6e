import HTTPMessage
import HTTPWire

extension HTTPRequest {
    /// The head of the request as it is sent: what a message must have is added to the caller's fields. Throws
    /// `badRequest` when the parts do not make one valid request.
    /// `length` is that of the content, `expectsContinue` whether a go-ahead for it is asked for, `target` what goes in place
    /// of the URI's path and query.
    func headOctets(
        _ length: OutgoingContent.Length, expectsContinue: Bool, version: HTTPVersion = .http11,
        target: String? = nil
    ) throws(TransferError) -> [UInt8] {
        var fields = fieldsBehindHost()
        // What is for a proxy is no origin's business (RFC 9110, section 11.7.2).
        if fields.contains(.proxyAuthorization) { fields.remove(.proxyAuthorization) }
        try checkDeclaredLength(length)
        try checkTrace(length)
        // OPTIONS with content needs a Content-Type (RFC 9110, section 9.3.7).
        if method == .options, length != .none, !fields.contains(.contentType) {
            fields.append(.contentType, "application/octet-stream")
        }
        switch length {
        case .none where !method.expectsContent: break
        case .none, .known:
            if !fields.contains(.contentLength) { fields.append(.contentLength, String(length.octets ?? 0)) }
        case .unknown: fields.append(.transferEncoding, "chunked")
        }
        if fields.contains(.expect) {
            if length.octets == 0 { Self.removeExpectation(from: &fields) }
        } else if expectsContinue {
            fields.append(.expect, "100-continue")
        }
        Self.listConnectionOptions(in: &fields)
        do throws(WireError) {
            return try RequestSerializer.head(
                of: method, target: target.map { .asGiven($0) } ?? .origin(uri.requestTarget), fields: fields,
                version: version)
        } catch {
            if error.reason == .codingInOldVersion, length == .unknown {
                throw TransferError(
                    .uploadFailed, during: .prepare,
                    "content whose length is not known cannot be sent by HTTP/1.0, which has no chunks")
            }
            throw TransferError(.badRequest, during: .prepare, "the request cannot be sent: \(error)")
        }
    }

    /// TRACE has the request sent back, to be seen by whoever asked: it has no content and holds no secrets (RFC 9110,
    /// section 9.3.8).
    private func checkTrace(_ length: OutgoingContent.Length) throws(TransferError) {
        guard method == .trace else { return }
        if length != .none {
            throw TransferError(
                .badRequest, during: .prepare, "the request cannot be sent: TRACE has no content")
        }
        for name in [FieldName.authorization, .cookie] where self.fields.contains(name) {
            throw TransferError(
                .badRequest, during: .prepare,
                "the request cannot be sent: the server would send \(name) back, as TRACE asks it to")
        }
    }

    /// Host comes first, the caller's own or what the URI says (RFC 9110, section 7.2), and then the caller's fields.
    private func fieldsBehindHost() -> HTTPFields {
        var fields = HTTPFields()
        guard self.fields.contains(.host) else {
            fields.append(.host, uri.authority)
            fields.append(contentsOf: self.fields)
            return fields
        }
        guard self.fields[0].name != .host else { return self.fields }
        // Of two, both: the serializer refuses them.
        for value in self.fields.values(of: .host) { fields.append(.host, value) }
        var others = self.fields
        others.remove(.host)
        fields.append(contentsOf: others)
        return fields
    }

    /// 100-continue must not be expected where there is no content (RFC 9110, section 10.1.1).
    private static func removeExpectation(from fields: inout HTTPFields) {
        let others = CommaList(.expect, in: fields).filter { !$0.isEqualIgnoringCase(to: "100-continue") }
        fields[.expect] = others.isEmpty ? nil : others.joined(separator: ", ")
    }

    /// TE and Upgrade are for this connection alone: without their names in Connection somebody on the way would pass
    /// them on (RFC 9110, sections 7.8 and 10.1.4).
    private static func listConnectionOptions(in fields: inout HTTPFields) {
        for name in [FieldName.te, .upgrade] where fields.contains(name) {
            let options = CommaList(.connection, in: fields)
            guard !options.contains(token: name.spelling) else { continue }
            fields[.connection] = (Array(options) + [name.spelling]).joined(separator: ", ")
        }
    }

    /// A caller's own word on the content must be true: octets too many or too few would be the server's next request.
    private func checkDeclaredLength(_ length: OutgoingContent.Length) throws(TransferError) {
        if self.fields.contains(.transferEncoding) {
            throw TransferError(
                .badRequest, during: .prepare,
                "the request cannot be sent: Transfer-Encoding is for this side to choose")
        }
        guard let declared = self.fields[.contentLength] else { return }
        guard let count = length.octets else {
            throw TransferError(
                .badRequest, during: .prepare,
                "the request cannot be sent: Content-Length says \(declared), the content's length is not known"
            )
        }
        guard FieldGrammar.number(declared) == count else {
            throw TransferError(
                .badRequest, during: .prepare,
                "the request cannot be sent: Content-Length says \(declared), the content has \(count) octets"
            )
        }
    }
}
