/// The name of a field: a token, compared without regard to case, kept as it was spelled (RFC 9110, section 5.1).
public struct FieldName: Sendable {
    /// As it was written.
    public let spelling: String

    /// `nil` when `spelling` is no token (RFC 9110, section 5.6.2).
    public init?(_ spelling: String) {
        guard FieldName.isToken(spelling) else { return nil }
        self.spelling = spelling
    }

    init(known spelling: String) { self.spelling = spelling }

    /// Whether `text` is a token: one or more of the octets that RFC 9110, section 5.6.2 lists.
    public static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenOctet)
    }

    /// Whether `octet` may stand in a token.
    ///
    ///     tchar = "!" / "#" / "$" / "%" / "&" / "'" / "*" / "+" / "-" / "." / "^" / "_" / "`" / "|" / "~"
    ///           / DIGIT / ALPHA
    public static func isTokenOctet(_ octet: UInt8) -> Bool {
        // One bit for each of the 128 octets of ASCII.
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        if octet < 64 { return low >> UInt64(octet) & 1 == 1 }
        return octet < 128 && high >> UInt64(octet & 63) & 1 == 1
    }
}

extension FieldName: Hashable {
    public static func == (left: FieldName, right: FieldName) -> Bool {
        let (a, b) = (left.spelling.utf8, right.spelling.utf8)
        return a.count == b.count && a.elementsEqual(b) { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    public func hash(into hasher: inout Hasher) {
        for octet in spelling.utf8 { hasher.combine(octet.lowercasedASCII) }
    }
}

extension FieldName: ExpressibleByStringLiteral {
    /// A literal is written by a programmer: one that is no token is a mistake in the program.
    public init(stringLiteral spelling: String) {
        precondition(FieldName.isToken(spelling), "a field name is a token (RFC 9110, section 5.6.2)")
        self.spelling = spelling
    }
}

extension FieldName: CustomStringConvertible {
    public var description: String { spelling }
}

extension FieldName {
    public static let accept = FieldName(known: "Accept")
    public static let acceptEncoding = FieldName(known: "Accept-Encoding")
    public static let acceptRanges = FieldName(known: "Accept-Ranges")
    public static let age = FieldName(known: "Age")
    public static let authorization = FieldName(known: "Authorization")
    public static let cacheControl = FieldName(known: "Cache-Control")
    public static let connection = FieldName(known: "Connection")
    public static let contentDisposition = FieldName(known: "Content-Disposition")
    public static let contentEncoding = FieldName(known: "Content-Encoding")
    public static let contentLength = FieldName(known: "Content-Length")
    public static let contentRange = FieldName(known: "Content-Range")
    public static let contentType = FieldName(known: "Content-Type")
    public static let cookie = FieldName(known: "Cookie")
    public static let date = FieldName(known: "Date")
    public static let etag = FieldName(known: "ETag")
    public static let expect = FieldName(known: "Expect")
    public static let expires = FieldName(known: "Expires")
    public static let host = FieldName(known: "Host")
    public static let ifMatch = FieldName(known: "If-Match")
    public static let ifModifiedSince = FieldName(known: "If-Modified-Since")
    public static let ifNoneMatch = FieldName(known: "If-None-Match")
    public static let ifRange = FieldName(known: "If-Range")
    public static let ifUnmodifiedSince = FieldName(known: "If-Unmodified-Since")
    public static let keepAlive = FieldName(known: "Keep-Alive")
    public static let lastModified = FieldName(known: "Last-Modified")
    public static let location = FieldName(known: "Location")
    public static let pragma = FieldName(known: "Pragma")
    public static let proxyAuthorization = FieldName(known: "Proxy-Authorization")
    public static let proxyConnection = FieldName(known: "Proxy-Connection")
    public static let range = FieldName(known: "Range")
    public static let referer = FieldName(known: "Referer")
    public static let retryAfter = FieldName(known: "Retry-After")
    public static let server = FieldName(known: "Server")
    public static let setCookie = FieldName(known: "Set-Cookie")
    public static let te = FieldName(known: "TE")
    public static let trailer = FieldName(known: "Trailer")
    public static let transferEncoding = FieldName(known: "Transfer-Encoding")
    public static let upgrade = FieldName(known: "Upgrade")
    public static let userAgent = FieldName(known: "User-Agent")
    public static let vary = FieldName(known: "Vary")
}

extension UInt8 {
    /// The lower-case letter for an upper-case one of ASCII, else itself.
    package var lowercasedASCII: UInt8 {
        self &- 0x41 < 26 ? self | 0x20 : self
    }
}
