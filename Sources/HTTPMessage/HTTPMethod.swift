/// The method of a request: a case-sensitive token (RFC 9110, section 9.1).
public struct HTTPMethod: Hashable, Sendable {
    /// The token as it stands on the request line.
    public let name: String

    /// `nil` when `name` is no token (RFC 9110, section 5.6.2).
    public init?(_ name: String) {
        guard FieldName.isToken(name) else { return nil }
        self.name = name
    }

    private init(known name: String) { self.name = name }

    /// Transfer a representation (RFC 9110, section 9.3.1).
    public static let get = HTTPMethod(known: "GET")
    /// As GET, but without the content (section 9.3.2).
    public static let head = HTTPMethod(known: "HEAD")
    /// Let the resource process the content (section 9.3.3).
    public static let post = HTTPMethod(known: "POST")
    /// Replace the resource by the content (section 9.3.4).
    public static let put = HTTPMethod(known: "PUT")
    /// Remove the resource (section 9.3.5).
    public static let delete = HTTPMethod(known: "DELETE")
    /// Tell how one may communicate (section 9.3.7).
    public static let options = HTTPMethod(known: "OPTIONS")
    /// Send the request back as it arrived (section 9.3.8).
    public static let trace = HTTPMethod(known: "TRACE")
    /// Make a tunnel (section 9.3.6).
    public static let connect = HTTPMethod(known: "CONNECT")
    /// Change the resource in part (RFC 5789).
    public static let patch = HTTPMethod(known: "PATCH")

    /// The client asks for no change of state (RFC 9110, section 9.2.1).
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Sending it twice means the same as sending it once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool {
        isSafe || self == .put || self == .delete
    }

    /// Content in a request of this method has a defined meaning, so its length is always sent
    /// (RFC 9110, section 8.6).
    public var expectsContent: Bool {
        self == .post || self == .put || self == .patch
    }
}

extension HTTPMethod: CustomStringConvertible {
    /// The token.
    public var description: String { name }
}
