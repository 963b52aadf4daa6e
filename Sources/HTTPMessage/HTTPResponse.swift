/// The head of a response: status line and header section (RFC 9112, section 4). Content travels beside it.
public struct HTTPResponse: Hashable, Sendable {
    /// The version the server speaks; it says nothing of how the content is framed by itself.
    public var version: HTTPVersion
    /// The outcome.
    public var status: HTTPStatus
    /// The reason phrase as it came, one scalar an octet (ISO 8859-1). It carries no meaning.
    public var reason: String
    /// The header section.
    public var fields: HTTPFields

    /// The head's octets as they came, empty line included, of a reader that was asked to keep them; else empty. They
    /// do not count when heads are compared.
    public var receivedOctets: [UInt8] = []

    /// Where it came from, of a response that a loading style delivers. One reference, since heads are copied often.
    private var source: ResponseSource?

    /// A response head.
    public init(
        version: HTTPVersion = .http11, status: HTTPStatus, reason: String = "",
        fields: HTTPFields = HTTPFields()
    ) {
        self.version = version
        self.status = status
        self.reason = reason
        self.fields = fields
    }

    /// The URI that the response came from, of a response that a loading style delivers: that of the last redirect,
    /// where there were any. Else `nil`. It does not count when heads are compared.
    public var uri: URI? { source?.uri }

    /// The URI that was asked for before all redirects; `nil` where `uri` is.
    package var requestedURI: URI? { source?.requestedURI }

    /// Notes where the response came from.
    package mutating func noteSource(_ uri: URI, requestedAs requestedURI: URI) {
        source = ResponseSource(uri: uri, requestedURI: requestedURI)
    }

    /// Octets of content that the head promises, codings included: of a part, those of the part; of an answer to HEAD,
    /// what GET would bring. -1 where they are not known: without a valid Content-Length, with Transfer-Encoding, which
    /// overrides it (RFC 9112, section 6.3), and from 2^63 on.
    public var expectedContentLength: Int64 {
        guard !fields.contains(.transferEncoding) else { return -1 }
        // The same length several times is as good as once (RFC 9112, section 6.3, rule 5).
        let lengths = CommaList(.contentLength, in: fields).map(FieldGrammar.number)
        guard let first = lengths.first, let length = first, lengths.allSatisfy({ $0 == length }) else {
            return -1
        }
        return Int64(exactly: length) ?? -1
    }

    /// Whether both say the same.
    public static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
        left.version == right.version && left.status == right.status && left.reason == right.reason
            && left.fields == right.fields
    }

    /// As the equality has it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(status)
        hasher.combine(reason)
        hasher.combine(fields)
    }
}

/// The URIs of a response.
private final class ResponseSource: Sendable {
    let uri: URI
    let requestedURI: URI

    init(uri: URI, requestedURI: URI) {
        self.uri = uri
        self.requestedURI = requestedURI
    }
}
