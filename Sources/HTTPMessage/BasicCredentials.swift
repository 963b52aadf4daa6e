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

/// Octets as text of 64 characters (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text for `octets`, padded.
    package static func encoded(_ octets: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((octets.count / 3 + 1) * 4)
        var index = 0
        while index < octets.count {
            let count = min(3, octets.count - index)
            var group: UInt32 = 0
            for place in 0..<3 {
                group = group << 8 | (place < count ? UInt32(octets[index + place]) : 0)
            }
            for place in 0..<4 {
                let isPadding = place > count
                text.append(
                    isPadding ? UInt8(ascii: "=") : alphabet[Int(group >> UInt32(18 - 6 * place) & 63)])
            }
            index += count
        }
        return String(decoding: text, as: UTF8.self)
    }
}
