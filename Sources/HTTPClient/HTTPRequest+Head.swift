import HTTPMessage
import HTTPWire

extension HTTPRequest {
    /// The head of the request as it is sent: what a message must have is added to the caller's fields. Throws `badURI`
    /// when the parts do not make one valid request.
    func headOctets(_ version: HTTPVersion = .http11) throws(TransferError) -> [UInt8] {
        var fields = HTTPFields()
        // Host comes first (RFC 9110, section 7.2); the caller's own value is kept.
        if !self.fields.contains(.host) { fields.append(.host, uri.authority) }
        fields.append(contentsOf: self.fields)
        try checkDeclaredLength()
        if !fields.contains(.contentLength) {
            if let content {
                fields.append(.contentLength, String(content.count))
            } else if method.expectsContent {
                fields.append(.contentLength, "0")
            }
        }
        do throws(WireError) {
            return try RequestSerializer.head(
                of: method, target: .origin(uri.requestTarget), fields: fields, version: version)
        } catch {
            throw TransferError(.badURI, during: .prepare, "the request cannot be sent: \(error)")
        }
    }

    /// A caller's own word on the content must be true: octets too many or too few would be the server's next request.
    private func checkDeclaredLength() throws(TransferError) {
        if self.fields.contains(.transferEncoding) {
            throw TransferError(
                .badURI, during: .prepare,
                "the request cannot be sent: Transfer-Encoding is for this side to choose")
        }
        guard let declared = self.fields[.contentLength] else { return }
        let count = content?.count ?? 0
        guard FieldGrammar.number(declared) == UInt64(count) else {
            throw TransferError(
                .badURI, during: .prepare,
                "the request cannot be sent: Content-Length says \(declared), the content has \(count) octets"
            )
        }
    }
}
