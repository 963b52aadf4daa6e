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

    public static let get = HTTPMethod(known: "GET")
    public static let head = HTTPMethod(known: "HEAD")
    public static let post = HTTPMethod(known: "POST")
    public static let put = HTTPMethod(known: "PUT")
    public static let delete = HTTPMethod(known: "DELETE")
    public static let options = HTTPMethod(known: "OPTIONS")
    public static let trace = HTTPMethod(known: "TRACE")
    public static let connect = HTTPMethod(known: "CONNECT")
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
    public var description: String { name }
}
