/// Why a text is no http or https URI.
public struct URIError: Error, Hashable, Sendable {
    /// What is wrong with which part.
    public enum Reason: Hashable, Sendable {
        /// There is no scheme, nor a base to be relative to.
        case missingScheme
        /// A scheme that this stack does not speak, in lower case.
        case unsupportedScheme(String)
        /// No host stands between scheme and path.
        case missingHost
        /// A reference from a stranger names a user (RFC 9110, section 4.2.4).
        case userinfo
        /// The host has characters past ASCII; only its `xn--` form can be used.
        case nonASCIIHost
        /// The host, its escapes decoded, has an octet that no host may have.
        case forbiddenHostOctet(UInt8)
        /// The host ends in a number, so it is an address, but none of the forms of IPv4.
        case invalidIPv4Address
        /// The text in brackets is no address of IPv6.
        case invalidIPv6Address
        /// The port has something but digits.
        case invalidPort
        /// The port is past 65535.
        case portOutOfRange
    }

    /// What a program branches on.
    public var reason: Reason

    /// An error for that reason.
    public init(_ reason: Reason) { self.reason = reason }
}

extension URIError: CustomStringConvertible {
    /// One clause for a person; it repeats nothing of the userinfo, path or query.
    public var description: String {
        switch reason {
        case .missingScheme: "URI has no scheme such as http:// or https://"
        case .unsupportedScheme(let scheme):
            "scheme \"\(scheme.prefix(32))\" is not supported"
        case .missingHost: "URI has no host"
        case .userinfo: "userinfo before the host hides who is asked (RFC 9110, section 4.2.4)"
        case .nonASCIIHost: "host has characters outside ASCII, give its xn-- form"
        case .forbiddenHostOctet(let octet):
            "host has an octet that no host may have: \(Self.name(of: octet))"
        case .invalidIPv4Address: "host ends in a number but is no IPv4 address"
        case .invalidIPv6Address: "host in brackets is no IPv6 address"
        case .invalidPort: "port is not a number"
        case .portOutOfRange: "port is greater than 65535"
        }
    }

    private static func name(of octet: UInt8) -> String {
        guard (0x21...0x7E).contains(octet) else {
            return "0x" + (octet < 16 ? "0" : "") + String(octet, radix: 16)
        }
        return "\"\(Unicode.Scalar(octet))\""
    }
}
