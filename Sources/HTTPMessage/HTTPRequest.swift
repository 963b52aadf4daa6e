/// What is asked of an origin: method, target URI, fields and content (RFC 9110, section 3.4).
public struct HTTPRequest: Hashable, Sendable {
    /// What to do with the resource.
    public var method: HTTPMethod
    /// The target URI (RFC 9110, section 7.1); its fragment and userinfo are never sent.
    public var uri: URI
    /// Fields of the caller's. Host, Content-Length and the like are made when the request is sent, unless
    /// they stand here.
    public var fields: HTTPFields
    /// Content to send; `nil` sends none.
    public var content: [UInt8]?

    /// A request of that method for `uri`.
    public init(
        _ method: HTTPMethod, _ uri: URI, fields: HTTPFields = HTTPFields(), content: [UInt8]? = nil
    ) {
        self.method = method
        self.uri = uri
        self.fields = fields
        self.content = content
    }

    /// A GET for `uri`.
    public init(_ uri: URI, fields: HTTPFields = HTTPFields()) { self.init(.get, uri, fields: fields) }
}
