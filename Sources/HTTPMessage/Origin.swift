/// How a resource is reached: the two schemes this stack speaks (RFC 9110, section 4.2).
public enum Scheme: String, Hashable, Sendable, CaseIterable {
    /// HTTP over TCP.
    case http
    /// HTTP over TLS.
    case https

    /// The port that a URI without one means.
    public var defaultPort: UInt16 {
        switch self {
        case .http: 80
        case .https: 443
        }
    }
}

extension Scheme: CustomStringConvertible {
    /// The scheme as it stands in a URI, without the colon.
    public var description: String { rawValue }
}

/// Scheme, host and port: what answers for a set of resources (RFC 9110, section 4.3.1).
public struct Origin: Hashable, Sendable {
    /// Plain or over TLS.
    public var scheme: Scheme
    /// Who is asked.
    public var host: URIHost
    /// The port in effect: the scheme's default when the URI had none.
    public var port: UInt16

    /// An origin; `port` defaults to the scheme's.
    public init(scheme: Scheme, host: URIHost, port: UInt16? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.defaultPort
    }

    /// Host and port as the Host field wants them: the port only when it is not the scheme's default
    /// (RFC 9110, section 7.2).
    public var authority: String { port == scheme.defaultPort ? host.description : "\(host):\(port)" }
}

extension Origin: CustomStringConvertible {
    /// The ASCII serialisation of an origin (RFC 6454, section 6.2), such as `https://example.com`.
    public var description: String { "\(scheme)://\(authority)" }
}
