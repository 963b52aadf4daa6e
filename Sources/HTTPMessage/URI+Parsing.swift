extension URI {
    /// Parses `text` by the rules of the WHATWG URL standard (section 4.4), restricted to http and https;
    /// without a scheme or a host it is relative to `base`.
    ///
    /// Blanks and control characters at the ends, tabs and line ends anywhere are ignored; "\" counts as "/". Unlike
    /// there, a third slash does not make a host of the path's first segment (RFC 9110, section 4.2.1).
    /// Time and memory are linear in the length of `text`, which has no limit here. `keepsDotSegments` leaves
    /// "." and ".." in the path of `text` as they are; such a value changes when its description is parsed
    /// without it.
    public init(
        parsing text: String, relativeTo base: URI? = nil, keepsDotSegments: Bool = false
    ) throws(URIError) {
        var parser = URIParser(text, keepsDotSegments: keepsDotSegments)
        self = try parser.parse(relativeTo: base)
    }
}

/// Reads the parts of a URI one behind the other (WHATWG URL, section 4.4, "basic URL parser"; each function
/// is one or more states of it).
///
///     URI           = scheme ":" "//" authority path-abempty [ "?" query ] [ "#" fragment ]
///     relative-ref  = ( "//" authority path-abempty / path-absolute / path-noscheme / path-empty )
///                     [ "?" query ] [ "#" fragment ]
private struct URIParser {
    private let input: [UInt8]
    private var position = 0
    private let keepsDotSegments: Bool

    init(_ text: String, keepsDotSegments: Bool) {
        self.keepsDotSegments = keepsDotSegments
        // C0 controls and spaces go at the ends, tabs and line ends everywhere.
        var octets = Array(text.utf8)
        let end = octets.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0
        let start = octets.firstIndex { $0 > 0x20 } ?? end
        octets = Array(octets[start..<end])
        octets.removeAll { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        input = octets
    }

    /// The authority's parts.
    private struct Authority {
        var user: String?
        var password: String?
        var host: URIHost
        var port: UInt16?
    }

    mutating func parse(relativeTo base: URI?) throws(URIError) -> URI {
        guard let name = readScheme() else {
            guard let base else { throw URIError(.missingScheme) }
            return try parseRelative(to: base)
        }
        guard let scheme = Scheme(rawValue: name) else { throw URIError(.unsupportedScheme(name)) }
        // "special relative or authority": `http:path` is relative to a base of the same scheme.
        let hasSlashes =
            octet(at: position) == UInt8(ascii: "/") && octet(at: position + 1) == UInt8(ascii: "/")
        if let base, base.scheme == scheme, !hasSlashes { return try parseRelative(to: base) }
        return try parseAuthorityAndRest(scheme: scheme)
    }

    /// scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
    ///
    /// In lower case; `nil`, with nothing read, when there is no scheme and colon.
    private mutating func readScheme() -> String? {
        guard let first = octet(at: 0), first.isLetter else { return nil }
        var end = 1
        while let octet = octet(at: end), octet != UInt8(ascii: ":") {
            guard octet.isLetter || octet.isDigit || octet == 0x2B || octet == 0x2D || octet == 0x2E else {
                return nil
            }
            end += 1
        }
        guard end < input.count else { return nil }
        position = end + 1
        return String(decoding: input[..<end].map(\.lowercasedASCII), as: UTF8.self)
    }

    /// The states "relative" and "relative slash".
    private mutating func parseRelative(to base: URI) throws(URIError) -> URI {
        let authority = Authority(user: base.user, password: base.password, host: base.host, port: base.port)
        switch octet(at: position) {
        case UInt8(ascii: "/"), UInt8(ascii: "\\"):
            if let next = octet(at: position + 1), Self.isSlash(next) {
                return try parseAuthorityAndRest(scheme: base.scheme)
            }
            return parsePathAndRest(scheme: base.scheme, authority)
        case UInt8(ascii: "?"):
            return parseQueryAndFragment(scheme: base.scheme, authority, path: base.path)
        case nil, UInt8(ascii: "#"):
            return parseQueryAndFragment(scheme: base.scheme, authority, path: base.path, query: base.query)
        default:
            var path = Array(base.path.utf8)
            Self.shorten(&path)
            return parsePathAndRest(scheme: base.scheme, authority, behind: path)
        }
    }

    /// The states "special authority ignore slashes" to "port".
    ///
    ///     authority = [ userinfo "@" ] host [ ":" port ]
    private mutating func parseAuthorityAndRest(scheme: Scheme) throws(URIError) -> URI {
        let slashes = position
        while let octet = octet(at: position), Self.isSlash(octet) { position += 1 }
        // The standard passes over any number of slashes; behind two of them, though, the host begins, and an empty one
        // must be refused (RFC 9110, section 4.2.1).
        guard position - slashes <= 2 else { throw URIError(.missingHost) }
        var end = position
        var at: Int?
        while let octet = octet(at: end), !Self.isSlash(octet), octet != 0x3F, octet != 0x23 {
            // The last "@" ends the userinfo; those before it belong to it.
            if octet == UInt8(ascii: "@") { at = end }
            end += 1
        }
        var (user, password): (String?, String?) = (nil, nil)
        if let at {
            (user, password) = readUserinfo(position..<at)
            position = at + 1
        }
        let hostStart = position
        var hostEnd = hostStart
        var isInBrackets = false
        while hostEnd < end, isInBrackets || input[hostEnd] != UInt8(ascii: ":") {
            if input[hostEnd] == UInt8(ascii: "[") { isInBrackets = true }
            if input[hostEnd] == UInt8(ascii: "]") { isInBrackets = false }
            hostEnd += 1
        }
        let host = try URIHost(parsing: input.span.extracting(hostStart..<hostEnd))
        let port = try readPort(min(hostEnd + 1, end)..<end, scheme: scheme)
        position = end
        return parsePathAndRest(
            scheme: scheme, Authority(user: user, password: password, host: host, port: port))
    }

    /// userinfo = user [ ":" password ]
    private func readUserinfo(_ range: Range<Int>) -> (user: String?, password: String?) {
        let colon = input[range].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
        let user = encoded(range.lowerBound..<colon, .userinfo)
        let password = encoded(min(colon + 1, range.upperBound)..<range.upperBound, .userinfo)
        if password.isEmpty { return (user.isEmpty ? nil : user, nil) }
        return (user, password)
    }

    /// port = *DIGIT
    private func readPort(_ range: Range<Int>, scheme: Scheme) throws(URIError) -> UInt16? {
        guard !range.isEmpty else { return nil }
        var value: UInt32 = 0
        for octet in input[range] {
            guard octet.isDigit else { throw URIError(.invalidPort) }
            value = min(value * 10 + UInt32(octet - 0x30), 65536)
        }
        guard let port = UInt16(exactly: value) else { throw URIError(.portOutOfRange) }
        return port == scheme.defaultPort ? nil : port
    }

    /// The states "path start" and "path"; `prefix` is what the base gives, without a slash at its end.
    ///
    ///     path-abempty = *( "/" segment )
    private mutating func parsePathAndRest(
        scheme: Scheme, _ authority: Authority, behind prefix: [UInt8] = []
    ) -> URI {
        var path = prefix
        if let octet = octet(at: position), Self.isSlash(octet) { position += 1 }
        while true {
            let start = position
            while let octet = octet(at: position), !Self.isSlash(octet), octet != 0x3F, octet != 0x23 {
                position += 1
            }
            let slashFollows = octet(at: position).map(Self.isSlash) ?? false
            switch keepsDotSegments ? 0 : dots(start..<position) {
            case 1:
                if !slashFollows { path.append(UInt8(ascii: "/")) }
            case 2:
                Self.shorten(&path)
                if !slashFollows { path.append(UInt8(ascii: "/")) }
            default:
                path.append(UInt8(ascii: "/"))
                PercentEncoding.append(input.span.extracting(start..<position), encoding: .path, to: &path)
            }
            guard slashFollows else { break }
            position += 1
        }
        return parseQueryAndFragment(
            scheme: scheme, authority, path: String(decoding: path, as: UTF8.self))
    }

    /// The states "query" and "fragment"; `query` is the base's, used when there is none here.
    private mutating func parseQueryAndFragment(
        scheme: Scheme, _ authority: Authority, path: String, query: String? = nil
    ) -> URI {
        var query = query
        var fragment: String?
        if octet(at: position) == UInt8(ascii: "?") {
            let end = input[position...].firstIndex(of: UInt8(ascii: "#")) ?? input.count
            query = encoded(position + 1..<end, .specialQuery)
            position = end
        }
        if octet(at: position) == UInt8(ascii: "#") {
            fragment = encoded(position + 1..<input.count, .fragment)
        }
        return URI(
            scheme: scheme, user: authority.user, password: authority.password, host: authority.host,
            port: authority.port, path: path, query: query, fragment: fragment)
    }

    /// Removes the last segment and the slash before it.
    private static func shorten(_ path: inout [UInt8]) {
        if let slash = path.lastIndex(of: UInt8(ascii: "/")) { path.removeSubrange(slash...) }
    }

    /// How many dots a segment consists of, `%2e` being one too; 0 when it is no dot segment.
    private func dots(_ range: Range<Int>) -> Int {
        guard range.count <= 6 else { return 0 }
        var count = 0
        var index = range.lowerBound
        while index < range.upperBound {
            if input[index] == UInt8(ascii: ".") {
                index += 1
            } else if PercentEncoding.escapedOctet(
                in: input.span.extracting(range), at: index - range.lowerBound)
                == UInt8(ascii: ".")
            {
                index += 3
            } else {
                return 0
            }
            count += 1
        }
        return count > 2 ? 0 : count
    }

    private func encoded(_ range: Range<Int>, _ set: PercentEncodeSet) -> String {
        var octets: [UInt8] = []
        PercentEncoding.append(input.span.extracting(range), encoding: set, to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }

    private func octet(at index: Int) -> UInt8? { index < input.count ? input[index] : nil }

    private static func isSlash(_ octet: UInt8) -> Bool {
        octet == UInt8(ascii: "/") || octet == UInt8(ascii: "\\")
    }
}
