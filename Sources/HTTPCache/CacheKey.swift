public import HTTPMessage

/// The primary key: the target URI of a GET, without fragment and userinfo (RFC 9111, section 2).
public struct CacheKey: Hashable, Sendable {
    private let scheme: Scheme
    private let host: URIHost
    private let port: UInt16?
    private let path: String
    private let query: String?

    /// The key of that URI.
    public init(_ uri: URI) {
        (scheme, host, port, path, query) = (uri.scheme, uri.host, uri.port, uri.path, uri.query)
    }

    /// Octets that it takes.
    var size: Int { path.utf8.count + (query?.utf8.count ?? 0) + host.octetCount }
}

extension URIHost {
    /// Octets of a name; an address has a fixed size.
    fileprivate var octetCount: Int { if case .name(let name) = self { name.utf8.count } else { 16 } }
}
