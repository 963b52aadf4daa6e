public import HTTPMessage

/// The primary key: the target URI of a GET, without fragment and userinfo (RFC 9111, section 2).
public struct CacheKey: Hashable, Sendable {
    private let scheme: Scheme
    private let host: URIHost
    private let port: UInt16?
    private let path: String
    private let query: String?
    /// The Host that the caller has given, normalised, where that is not the URI's: it is a part of the target URI that the
    /// origin is asked for (RFC 9110, section 7.1).
    private let authority: String?

    /// The key of that URI.
    public init(_ uri: URI) { self.init(uri, authority: nil) }

    /// The key of a request's target.
    public init(_ request: HTTPRequest) {
        guard let host = request.fields.first(.host) else {
            self.init(request.uri)
            return
        }
        let authority = CacheKey.normalized(host, request.uri.scheme)
        self.init(request.uri, authority: authority == request.uri.authority ? nil : authority)
    }

    /// A Host in lower case, without the port of its scheme: it names the same (RFC 9110, section 4.2.3).
    private static func normalized(_ host: String, _ scheme: Scheme) -> String {
        let text = host.lowercasedASCII
        // Of several colons none is a port's, unless they stand in brackets.
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        guard colons == 1 || text.hasPrefix("[") && text.utf8.contains(UInt8(ascii: "]")) else { return text }
        for port in [":", ":\(scheme.defaultPort)"] where text.hasSuffix(port) {
            return String(text.dropLast(port.utf8.count))
        }
        return text
    }

    /// Whether the caller's Host names another authority than the URI.
    var hasOwnAuthority: Bool { authority != nil }

    /// The key of another URI at the same origin, asked for in the same way.
    func at(_ uri: URI) -> CacheKey { CacheKey(uri, authority: authority) }

    private init(_ uri: URI, authority: String?) {
        (scheme, host, port, path, query) = (uri.scheme, uri.host, uri.port, uri.path, uri.query)
        self.authority = authority
    }

    /// Octets that it takes.
    var size: Int {
        path.utf8.count + (query?.utf8.count ?? 0) + host.octetCount + (authority?.utf8.count ?? 0)
    }
}

extension URIHost {
    /// Octets of a name; an address has a fixed size.
    fileprivate var octetCount: Int { if case .name(let name) = self { name.utf8.count } else { 16 } }
}
