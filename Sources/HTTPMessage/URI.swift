/// An http or https URI, parsed and normalised by the rules of the WHATWG URL standard.
///
/// All parts are ASCII: what may not stand in a part is percent-encoded as UTF-8, escapes that are there
/// already stay as they are. Equal values have equal parts; no escape is decoded to compare.
public struct URI: Hashable, Sendable {
    /// http or https.
    public let scheme: Scheme
    /// The user of the userinfo, encoded; `nil` when the userinfo is missing or has nothing in it.
    public let user: String?
    /// The password of the userinfo, encoded; `nil` when missing or empty.
    public let password: String?
    /// The host, in lower case and decoded.
    public let host: URIHost
    /// `nil` when it is the scheme's default.
    public let port: UInt16?
    /// The encoded path; it begins with "/".
    public let path: String
    /// What stands behind "?", encoded; an empty query is not the same as none.
    public let query: String?
    /// What stands behind "#", encoded. It is never sent.
    public let fragment: String?

    // Parts are encoded and the port is not the default already: only the parser and the functions below call
    // it.
    init(
        scheme: Scheme, user: String?, password: String?, host: URIHost, port: UInt16?, path: String,
        query: String?, fragment: String?
    ) {
        self.scheme = scheme
        self.user = user
        self.password = password
        self.host = host
        self.port = port
        self.path = path
        self.query = query
        self.fragment = fragment
    }

    /// The port to connect to.
    public var effectivePort: UInt16 { port ?? scheme.defaultPort }

    /// Scheme, host and port.
    public var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

    /// Host and, unless it is the default, port: the value of the Host field (RFC 9110, section 7.2).
    public var authority: String { port.map { "\(host):\($0)" } ?? host.description }

    /// The request target in origin-form: path and query (RFC 9112, section 3.2.1).
    public var requestTarget: String { query.map { "\(path)?\($0)" } ?? path }

    /// The target URI without what must not be sent, shown or stored: secrets and the fragment.
    public var withoutUserinfoAndFragment: URI {
        guard user != nil || fragment != nil else { return self }
        return URI(
            scheme: scheme, user: nil, password: nil, host: host, port: port, path: path, query: query,
            fragment: nil)
    }

    /// This URI without userinfo and fragment, and with that query.
    package func forResource(query: String?) -> URI {
        URI(
            scheme: scheme, user: nil, password: nil, host: host, port: port, path: path, query: query,
            fragment: nil)
    }

    /// This URI with the fragment of `source` unless it has one of its own: what a redirect does
    /// (RFC 9110, section 10.2.2).
    public func inheritingFragment(of source: URI) -> URI {
        guard fragment == nil, source.fragment != nil else { return self }
        return URI(
            scheme: scheme, user: user, password: password, host: host, port: port, path: path, query: query,
            fragment: source.fragment)
    }

    /// What stands behind the last "/" of the path, still encoded; `nil` when that is nothing.
    public var lastPathSegment: String? {
        let octets = path.utf8
        guard let slash = octets.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let segment = octets[octets.index(after: slash)...]
        return segment.isEmpty ? nil : String(segment)
    }
}

extension URI: CustomStringConvertible {
    /// The whole URI, userinfo and fragment included: parsing it gives an equal value.
    public var description: String {
        var text = "\(scheme)://"
        if let user {
            text += user
            if let password { text += ":\(password)" }
            text += "@"
        }
        text += authority
        text += requestTarget
        if let fragment { text += "#\(fragment)" }
        return text
    }
}
