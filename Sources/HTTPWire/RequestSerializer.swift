public import HTTPMessage

/// Makes the head of a request. What it emits is one request and no more: whatever would end a line, or leave
/// the length of the content in doubt, is refused.
///
///     request-line = method SP request-target SP HTTP-version
public enum RequestSerializer {
    /// The octets of a head. Throws when the parts do not make one valid request.
    public static func head(
        of method: HTTPMethod, target: RequestTarget, fields: HTTPFields, version: HTTPVersion = .http11
    ) throws(WireError) -> [UInt8] {
        var octets: [UInt8] = []
        try append(headOf: method, target: target, fields: fields, version: version, to: &octets)
        return octets
    }

    /// Appends the octets of a head to `octets`, which stay as they were when it throws.
    ///
    /// Blanks around a value are not sent: they are no part of it (RFC 9110, section 5.5).
    public static func append(
        headOf method: HTTPMethod, target: RequestTarget, fields: HTTPFields, version: HTTPVersion = .http11,
        to octets: inout [UInt8]
    ) throws(WireError) {
        try check(target, for: method)
        try check(version)
        try checkFraming(by: fields, version)
        try checkCodingsAskedFor(in: fields)
        if let fault = fields.lineFault {
            switch fault {
            case .emptyName: throw WireError(.emptyFieldName, at: 0)
            case .nameOctet(let octet): throw WireError(.invalidNameOctet(octet), at: 0)
            case .valueOctet(let octet, let offset):
                throw WireError(.invalidValueOctet(octet), at: UInt64(offset))
            }
        }

        octets.append(contentsOf: method.name.utf8)
        octets.append(.space)
        octets.append(contentsOf: target.text.utf8)
        octets.append(.space)
        octets.append(contentsOf: (version == .http11 ? "HTTP/1.1" : "HTTP/1.0").utf8)
        octets.append(contentsOf: "\r\n".utf8)
        fields.appendLines(to: &octets)
        octets.append(contentsOf: "\r\n".utf8)
    }

    /// Visible ASCII only, in a form that the method takes (RFC 9112, section 3.2).
    private static func check(_ target: RequestTarget, for method: HTTPMethod) throws(WireError) {
        let octets = target.text.utf8
        guard let first = octets.first else { throw WireError(.invalidTarget(nil), at: 0) }
        var offset: UInt64 = 0
        for octet in octets {
            guard octet > 0x20, octet < 0x7F else { throw WireError(.invalidTarget(octet), at: offset) }
            offset += 1
        }
        switch target {
        case .origin:
            guard first == 0x2F else { throw WireError(.invalidTarget(first), at: 0) }
            guard method != .connect else { throw WireError(.targetUnfitForMethod, at: 0) }
        case .absolute:
            guard method != .connect else { throw WireError(.targetUnfitForMethod, at: 0) }
        case .authority:
            guard method == .connect else { throw WireError(.targetUnfitForMethod, at: 0) }
        case .asterisk:
            guard method == .options else { throw WireError(.targetUnfitForMethod, at: 0) }
        case .asGiven: break
        }
    }

    private static func check(_ version: HTTPVersion) throws(WireError) {
        guard version == .http11 || version == .http10 else {
            throw WireError(.unsupportedVersion(major: version.major, minor: version.minor), at: 0)
        }
    }

    /// One Host, and one way to tell where the content ends (RFC 9112, sections 3.2 and 6).
    private static func checkFraming(by fields: HTTPFields, _ version: HTTPVersion) throws(WireError) {
        if let host = fields.index(of: .host, from: 0) {
            guard fields.index(of: .host, from: host + 1) == nil else {
                throw WireError(.repeatedHost, at: 0)
            }
        } else if version >= .http11 {
            throw WireError(.missingHost, at: 0)
        }
        let hop = HopFields(in: fields)
        if let codings = hop.transferCodings {
            if version < .http11 { throw WireError(.codingInOldVersion, at: 0) }
            guard hop.contentLengths == nil else { throw WireError(.lengthAndCoding, at: 0) }
            // Without chunked at the end a server cannot tell where the content ends.
            guard let last = codings.last, last.equalsIgnoringCase("chunked") else {
                throw WireError(.codingWithoutChunked, at: 0)
            }
            guard !codings.dropLast().contains(where: { $0.equalsIgnoringCase("chunked") }) else {
                throw WireError(.repeatedChunked, at: 0)
            }
        }
        guard let length = fields.index(of: .contentLength, from: 0) else { return }
        guard fields.index(of: .contentLength, from: length + 1) == nil else {
            throw WireError(.differingContentLengths, at: 0)
        }
        _ = try decimal(trimmed(fields.valueOctets(at: length)), at: 0)
    }

    /// Whoever takes HTTP/1.1 takes chunks: they are not asked for (RFC 9112, section 7.4).
    private static func checkCodingsAskedFor(in fields: HTTPFields) throws(WireError) {
        var next = 0
        while let index = fields.index(of: .te, from: next) {
            next = index + 1
            for member in listMembers(of: fields.valueOctets(at: index))
            where member.prefix(while: \.isTokenOctet).equalsIgnoringCase("chunked") {
                throw WireError(.chunkedAskedFor, at: 0)
            }
        }
    }

    private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = value.drop(while: \.isBlank)
        guard let last = start.lastIndex(where: { !$0.isBlank }) else { return start }
        return start[...last]
    }
}
