/// The name of a field: a token, compared without regard to case, kept as it was spelled (RFC 9110, section
/// 5.1).
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
    /// Whether both are the same name, in whatever case.
    public static func == (left: FieldName, right: FieldName) -> Bool {
        let (a, b) = (left.spelling.utf8, right.spelling.utf8)
        return a.count == b.count && a.elementsEqual(b) { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    /// As the equality has it: without regard to case.
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
    /// As it was written.
    public var description: String { spelling }
}

extension FieldName {
    /// RFC 9110, section 12.5.1.
    public static let accept = FieldName(known: "Accept")
    /// RFC 9110, section 12.5.3.
    public static let acceptEncoding = FieldName(known: "Accept-Encoding")
    /// RFC 9110, section 12.5.4.
    public static let acceptLanguage = FieldName(known: "Accept-Language")
    /// RFC 9110, section 14.3.
    public static let acceptRanges = FieldName(known: "Accept-Ranges")
    /// RFC 9111, section 5.1.
    public static let age = FieldName(known: "Age")
    /// RFC 9110, section 11.6.2.
    public static let authorization = FieldName(known: "Authorization")
    /// RFC 9111, section 5.2.
    public static let cacheControl = FieldName(known: "Cache-Control")
    /// RFC 9110, section 7.6.1.
    public static let connection = FieldName(known: "Connection")
    /// RFC 9530, section 2.
    public static let contentDigest = FieldName(known: "Content-Digest")
    /// RFC 6266.
    public static let contentDisposition = FieldName(known: "Content-Disposition")
    /// RFC 9110, section 8.4.
    public static let contentEncoding = FieldName(known: "Content-Encoding")
    /// RFC 9110, section 8.5.
    public static let contentLanguage = FieldName(known: "Content-Language")
    /// RFC 9110, section 8.6.
    public static let contentLength = FieldName(known: "Content-Length")
    /// RFC 9110, section 8.7.
    public static let contentLocation = FieldName(known: "Content-Location")
    /// RFC 1864; in HTTP until RFC 7231.
    public static let contentMD5 = FieldName(known: "Content-MD5")
    /// RFC 9110, section 14.4.
    public static let contentRange = FieldName(known: "Content-Range")
    /// RFC 9110, section 8.3.
    public static let contentType = FieldName(known: "Content-Type")
    /// RFC 6265, section 4.2.
    public static let cookie = FieldName(known: "Cookie")
    /// RFC 9110, section 6.6.1.
    public static let date = FieldName(known: "Date")
    /// RFC 9110, section 8.8.3.
    public static let etag = FieldName(known: "ETag")
    /// RFC 9110, section 10.1.1.
    public static let expect = FieldName(known: "Expect")
    /// RFC 9111, section 5.3.
    public static let expires = FieldName(known: "Expires")
    /// RFC 9110, section 7.2.
    public static let host = FieldName(known: "Host")
    /// RFC 9110, section 13.1.1.
    public static let ifMatch = FieldName(known: "If-Match")
    /// RFC 9110, section 13.1.3.
    public static let ifModifiedSince = FieldName(known: "If-Modified-Since")
    /// RFC 9110, section 13.1.2.
    public static let ifNoneMatch = FieldName(known: "If-None-Match")
    /// RFC 9110, section 13.1.5.
    public static let ifRange = FieldName(known: "If-Range")
    /// RFC 9110, section 13.1.4.
    public static let ifUnmodifiedSince = FieldName(known: "If-Unmodified-Since")
    /// RFC 2068, section 19.7.1.
    public static let keepAlive = FieldName(known: "Keep-Alive")
    /// RFC 9110, section 8.8.2.
    public static let lastModified = FieldName(known: "Last-Modified")
    /// RFC 9110, section 10.2.2.
    public static let location = FieldName(known: "Location")
    /// RFC 9111, section 5.4.
    public static let pragma = FieldName(known: "Pragma")
    /// RFC 9110, section 11.7.1.
    public static let proxyAuthenticate = FieldName(known: "Proxy-Authenticate")
    /// RFC 9110, section 11.7.3.
    public static let proxyAuthenticationInfo = FieldName(known: "Proxy-Authentication-Info")
    /// RFC 9110, section 11.7.2.
    public static let proxyAuthorization = FieldName(known: "Proxy-Authorization")
    /// In no RFC; not to be sent (RFC 9112, appendix C.2.2).
    public static let proxyConnection = FieldName(known: "Proxy-Connection")
    /// RFC 9110, section 14.2.
    public static let range = FieldName(known: "Range")
    /// RFC 9110, section 10.1.3.
    public static let referer = FieldName(known: "Referer")
    /// RFC 9530, section 3.
    public static let reprDigest = FieldName(known: "Repr-Digest")
    /// RFC 9110, section 10.2.3.
    public static let retryAfter = FieldName(known: "Retry-After")
    /// RFC 9110, section 10.2.4.
    public static let server = FieldName(known: "Server")
    /// RFC 6265, section 4.1.
    public static let setCookie = FieldName(known: "Set-Cookie")
    /// RFC 9110, section 10.1.4.
    public static let te = FieldName(known: "TE")
    /// RFC 9110, section 6.6.2.
    public static let trailer = FieldName(known: "Trailer")
    /// RFC 9112, section 6.1.
    public static let transferEncoding = FieldName(known: "Transfer-Encoding")
    /// RFC 9110, section 7.8.
    public static let upgrade = FieldName(known: "Upgrade")
    /// RFC 9110, section 10.1.5.
    public static let userAgent = FieldName(known: "User-Agent")
    /// RFC 9110, section 12.5.5.
    public static let vary = FieldName(known: "Vary")
    /// RFC 9110, section 11.6.1.
    public static let wwwAuthenticate = FieldName(known: "WWW-Authenticate")
}

extension UInt8 {
    /// The lower-case letter for an upper-case one of ASCII, else itself.
    package var lowercasedASCII: UInt8 {
        self &- 0x41 < 26 ? self | 0x20 : self
    }
}
