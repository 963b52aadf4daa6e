/// A user's name and password for the scheme "Basic" (RFC 7617).
public struct BasicCredentials: Hashable, Sendable {
    /// The user's name; a colon in it would end it for the server.
    public var user: [UInt8]
    /// The password.
    public var password: [UInt8]

    /// Credentials of these octets, which are sent as they are.
    public init(user: [UInt8], password: [UInt8]) {
        self.user = user
        self.password = password
    }

    /// Credentials of these texts, as UTF-8 (RFC 7617, section 2.1).
    public init(user: String, password: String) {
        self.init(user: Array(user.utf8), password: Array(password.utf8))
    }

    /// The userinfo of a URI, its escapes decoded; `nil` where it has none.
    public init?(userinfoOf uri: URI) {
        guard uri.user != nil || uri.password != nil else { return nil }
        self.init(
            user: PercentEncoding.decode(uri.user ?? ""), password: PercentEncoding.decode(uri.password ?? "")
        )
    }

    ///     credentials = "Basic" 1*SP token68
    ///
    /// The value of an Authorization field.
    public var fieldValue: String {
        let pair = user + [UInt8(ascii: ":")] + password
        return "Basic " + Base64.encoded(pair.span)
    }
}
