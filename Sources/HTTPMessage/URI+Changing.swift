extension URI {
    /// The target of a Location field (RFC 9110, section 10.2.2), relative to the URI that answered with it.
    ///
    /// `value` is a field value, one scalar an octet. Octets past ASCII are encoded as they are, whichever charset was
    /// meant, and what is encoded already, well or badly, stays. Userinfo that the server names is an error, since it
    /// deceives (RFC 9110, section 4.2.4), or with `dropsUserinfo` left out, as that of the base is: who may have
    /// credentials is not the server's to say.
    public init(
        location value: String, relativeTo base: URI, dropsUserinfo: Bool = false
    ) throws(URIError) {
        var text: [UInt8] = []
        for scalar in value.unicodeScalars {
            guard let octet = UInt8(exactly: scalar.value), octet >= 0x80 else {
                text.append(contentsOf: String(scalar).utf8)
                continue
            }
            text += [UInt8(ascii: "%"), .upperCaseDigit(octet >> 4), .upperCaseDigit(octet & 15)]
        }
        let target = try URI(parsing: String(decoding: text, as: UTF8.self), relativeTo: base.withoutUserinfo)
        guard dropsUserinfo || target.user == nil && target.password == nil else { throw URIError(.userinfo) }
        self = target.withoutUserinfo
    }

    /// This URI without its userinfo.
    public var withoutUserinfo: URI {
        guard user != nil || password != nil else { return self }
        return URI(
            scheme: scheme, user: nil, password: nil, host: host, port: port, path: path, query: query,
            fragment: fragment)
    }

    /// This URI with `text` added to its query, behind a "&" where there is one already. What may not stand in a query
    /// is encoded.
    public func appendingQuery(_ text: [UInt8]) -> URI {
        guard !text.isEmpty else { return self }
        var octets = Array((query ?? "").utf8)
        if !octets.isEmpty { octets.append(UInt8(ascii: "&")) }
        PercentEncoding.append(text.span, encoding: .specialQuery, to: &octets)
        return with(path: path, query: String(decoding: octets, as: UTF8.self))
    }

    /// This URI with `name` as the last segment of its path, which must end with a slash. All that is no letter, digit,
    /// "-", "." , "_" or "~" is encoded.
    public func appendingSegment(_ name: [UInt8]) -> URI {
        with(path: path + PercentEncoding.encoded(name), query: query)
    }

    private func with(path: String, query: String?) -> URI {
        URI(
            scheme: scheme, user: user, password: password, host: host, port: port, path: path, query: query,
            fragment: fragment)
    }
}

extension PercentEncoding {
    /// `octets` with all but the unreserved characters as escapes (RFC 3986, section 2.3).
    public static func encoded(_ octets: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(octets.count)
        for octet in octets {
            if octet.isLetter || octet.isDigit || "-._~".utf8.contains(octet) {
                text.append(octet)
            } else {
                text += [UInt8(ascii: "%"), .upperCaseDigit(octet >> 4), .upperCaseDigit(octet & 15)]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
