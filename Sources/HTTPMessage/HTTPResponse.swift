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
