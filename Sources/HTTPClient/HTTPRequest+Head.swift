import HTTPMessage
import HTTPWire

extension HTTPRequest {
    /// The head of the request as it is sent: what a message must have is added to the caller's fields. Throws `badURI`
    /// when the parts do not make one valid request.
    /// `length` is that of the content, `expectsContinue` whether a go-ahead for it is asked for.
    func headOctets(
        _ length: OutgoingContent.Length, expectsContinue: Bool, version: HTTPVersion = .http11
    ) throws(TransferError) -> [UInt8] {
        var fields = HTTPFields()
        // Host comes first (RFC 9110, section 7.2); the caller's own value is kept.
        if !self.fields.contains(.host) { fields.append(.host, uri.authority) }
        fields.append(contentsOf: self.fields)
        // What is for a proxy is no origin's business (RFC 9110, section 11.7.2).
        if fields.contains(.proxyAuthorization) { fields.remove(.proxyAuthorization) }
        try checkDeclaredLength(length)
        try checkTrace(length)
        // What a question about the server is put with must say what it is (section 9.3.7).
        if method == .options, length != .none, !fields.contains(.contentType) {
            fields.append(.contentType, "application/octet-stream")
        }
        switch length {
        case .none where !method.expectsContent: break
        case .none, .known:
            if !fields.contains(.contentLength) { fields.append(.contentLength, String(length.octets ?? 0)) }
        case .unknown: fields.append(.transferEncoding, "chunked")
        }
        if expectsContinue, !fields.contains(.expect) { fields.append(.expect, "100-continue") }
        do throws(WireError) {
            return try RequestSerializer.head(
                of: method, target: .origin(uri.requestTarget), fields: fields, version: version)
        } catch {
            if error.reason == .codingInOldVersion, length == .unknown {
                throw TransferError(
                    .uploadFailed, during: .prepare,
                    "content whose length is not known cannot be sent by HTTP/1.0, which has no chunks")
            }
            throw TransferError(.badURI, during: .prepare, "the request cannot be sent: \(error)")
        }
    }

    /// TRACE has the request sent back, to be seen by whoever asked: it has no content and holds no secrets (RFC 9110,
    /// section 9.3.8).
    private func checkTrace(_ length: OutgoingContent.Length) throws(TransferError) {
        guard method == .trace else { return }
        if length != .none {
            throw TransferError(
                .badURI, during: .prepare, "the request cannot be sent: TRACE has no content")
        }
        for name in [FieldName.authorization, .cookie] where self.fields.contains(name) {
            throw TransferError(
                .badURI, during: .prepare,
                "the request cannot be sent: the server would send \(name) back, as TRACE asks it to")
        }
    }

    /// A caller's own word on the content must be true: octets too many or too few would be the server's next request.
    private func checkDeclaredLength(_ length: OutgoingContent.Length) throws(TransferError) {
        if self.fields.contains(.transferEncoding) {
            throw TransferError(
                .badURI, during: .prepare,
                "the request cannot be sent: Transfer-Encoding is for this side to choose")
        }
        guard let declared = self.fields[.contentLength] else { return }
        guard let count = length.octets else {
            throw TransferError(
                .badURI, during: .prepare,
                "the request cannot be sent: Content-Length says \(declared), the content's length is not known"
            )
        }
        guard FieldGrammar.number(declared) == count else {
            throw TransferError(
                .badURI, during: .prepare,
                "the request cannot be sent: Content-Length says \(declared), the content has \(count) octets"
            )
        }
    }
}
