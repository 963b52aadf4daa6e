/// The host of a URI: a registered name or an address (RFC 3986, section 3.2.2).
public enum URIHost: Hashable, Sendable {
    /// A name in lower case and ASCII; one dot at its end is kept.
    case name(String)
    /// An address of IPv4, in host order: `127.0.0.1` is 0x7F000001.
    case ipv4(UInt32)
    /// An address of IPv6.
    case ipv6(IPv6Address)

    /// Parses a host as it stands in a URI: IPv6 in brackets, escapes decoded.
    ///
    /// Throws when it is empty, has forbidden or non-ASCII octets, or looks like an address and is none.
    public init(parsing text: String) throws(URIError) { try self.init(parsing: Array(text.utf8).span) }

    // WHATWG URL, section 3.5, "host parser", for special schemes; "domain to ASCII" is only lower case here.
    //
    //     host = "[" IPv6address "]" / IPv4address / reg-name
    init(parsing text: Span<UInt8>) throws(URIError) {
        guard !text.isEmpty else { throw URIError(.missingHost) }
        if text[0] == UInt8(ascii: "[") {
            guard text[text.count - 1] == UInt8(ascii: "]"),
                let address = IPv6Address(parsing: text.extracting(1..<max(1, text.count - 1)))
            else { throw URIError(.invalidIPv6Address) }
            self = .ipv6(address)
            return
        }
        var name = PercentEncoding.decode(text)
        for index in name.indices {
            guard name[index] < 0x80 else { throw URIError(.nonASCIIHost) }
            name[index] = name[index].lowercasedASCII
        }
        for octet in name where Self.isForbidden(octet) { throw URIError(.forbiddenHostOctet(octet)) }
        if Self.endsInNumber(name.span) {
            guard let address = Self.address(name.span) else { throw URIError(.invalidIPv4Address) }
            self = .ipv4(address)
        } else {
            self = .name(String(decoding: name, as: UTF8.self))
        }
    }

    /// The forbidden domain code points of WHATWG URL, section 3.5.
    private static func isForbidden(_ octet: UInt8) -> Bool {
        switch octet {
        case 0...0x20, 0x7F: true
        case UInt8(ascii: "#"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "\\"), UInt8(ascii: "]"),
            UInt8(ascii: "^"), UInt8(ascii: "|"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}

// IPv4 in all the forms that inet_aton(3) reads: one to four parts, decimal, octal (0…) or hexadecimal (0x…).
extension URIHost {
    /// WHATWG URL, section 3.5, "ends in a number checker": such a host is an address or an error.
    private static func endsInNumber(_ name: Span<UInt8>) -> Bool {
        let end = endWithoutDot(name)
        var start = end
        while start > 0, name[start - 1] != UInt8(ascii: ".") { start -= 1 }
        guard start < end else { return false }
        let last = name.extracting(start..<end)
        for index in last.indices where !last[index].isDigit { return number(last) != nil }
        return true
    }

    /// WHATWG URL, section 3.5, "IPv4 parser".
    private static func address(_ name: Span<UInt8>) -> UInt32? {
        let end = endWithoutDot(name)
        var address: UInt64 = 0
        var parts = 0
        var start = 0
        while start <= end {
            var next = start
            while next < end, name[next] != UInt8(ascii: ".") { next += 1 }
            guard parts < 4, let value = number(name.extracting(start..<next)) else { return nil }
            if next < end {
                guard value < 256 else { return nil }
                address |= value << UInt64(24 - 8 * parts)
            } else {
                // The last part fills all octets that are left.
                guard value < 1 << UInt64(32 - 8 * parts) else { return nil }
                address |= value
            }
            parts += 1
            start = next + 1
        }
        return UInt32(truncatingIfNeeded: address)
    }

    private static func endWithoutDot(_ name: Span<UInt8>) -> Int {
        name.count > 1 && name[name.count - 1] == UInt8(ascii: ".") ? name.count - 1 : name.count
    }

    /// WHATWG URL, section 3.5, "IPv4 number parser". What is past 32 bits comes back as 2 to the 32nd.
    private static func number(_ text: Span<UInt8>) -> UInt64? {
        guard !text.isEmpty else { return nil }
        var radix: UInt64 = 10
        var index = 0
        if text.count >= 2, text[0] == UInt8(ascii: "0") {
            let isHexadecimal = text[1].lowercasedASCII == UInt8(ascii: "x")
            radix = isHexadecimal ? 16 : 8
            index = isHexadecimal ? 2 : 1
        }
        var value: UInt64 = 0
        while index < text.count {
            guard let digit = text[index].hexadecimalDigit, digit < radix else { return nil }
            value = min(value * radix + UInt64(digit), 1 << 32)
            index += 1
        }
        return value
    }
}

extension URIHost: CustomStringConvertible {
    /// As in a URI or a Host field: IPv6 in brackets.
    public var description: String {
        switch self {
        case .ipv6(let address): "[\(address)]"
        case .name, .ipv4: unbracketed
        }
    }

    /// As a resolver or a certificate check wants it: IPv6 without brackets.
    public var unbracketed: String {
        switch self {
        case .name(let name): name
        case .ipv4(let address):
            "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
        case .ipv6(let address): address.description
        }
    }
}
