import HTTPMessage
import Testing

@Suite("Hosts (WHATWG URL, section 3.5)")
struct URIHostTests {
    @Test("are names in lower case and decoded", arguments: Self.names)
    func parsesNames(input: String, expected: String) throws {
        #expect(try URIHost(parsing: input) == .name(expected))
    }

    static let names: [(String, String)] = [
        ("example.com", "example.com"),
        ("EXAMPLE.Com", "example.com"),
        ("ex%41mple.com", "example.com"),
        ("example.com.", "example.com."),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("a_b-c", "a_b-c"),
        ("!$&'()*+,;=\"`{}~", "!$&'()*+,;=\"`{}~"),
        (".", "."),
        ("..", ".."),
        ("1.2.3.4.x", "1.2.3.4.x"),
        ("0xg", "0xg"),
        ("1.2.3.4..", "1.2.3.4.."),
        ("4x", "4x"),
        ("a.0b", "a.0b"),
    ]

    @Test("are addresses of IPv4 in all their forms", arguments: Self.ipv4)
    func parsesIPv4(input: String, address: UInt32, text: String) throws {
        let host = try URIHost(parsing: input)
        #expect(host == .ipv4(address))
        #expect(host.description == text)
        #expect(host.unbracketed == text)
    }

    static let ipv4: [(String, UInt32, String)] = [
        ("127.0.0.1", 0x7F00_0001, "127.0.0.1"),
        ("127.0.0.1.", 0x7F00_0001, "127.0.0.1"),
        ("0", 0, "0.0.0.0"),
        ("0x", 0, "0.0.0.0"),
        ("1", 1, "0.0.0.1"),
        ("127.1", 0x7F00_0001, "127.0.0.1"),
        ("127.0.1", 0x7F00_0001, "127.0.0.1"),
        ("0x7f.1", 0x7F00_0001, "127.0.0.1"),
        ("0X7F000001", 0x7F00_0001, "127.0.0.1"),
        ("017700000001", 0x7F00_0001, "127.0.0.1"),
        ("2130706433", 0x7F00_0001, "127.0.0.1"),
        ("192.0x00A80001", 0xC0A8_0001, "192.168.0.1"),
        ("192.168.257", 0xC0A8_0101, "192.168.1.1"),
        ("192.168.0.0377", 0xC0A8_00FF, "192.168.0.255"),
        ("4294967295", 0xFFFF_FFFF, "255.255.255.255"),
        ("255.255.255.255", 0xFFFF_FFFF, "255.255.255.255"),
        ("256", 0x100, "0.0.1.0"),
        ("000000000000000000000000000000000001", 1, "0.0.0.1"),
        ("%31%32%37.0.0.1", 0x7F00_0001, "127.0.0.1"),
        ("0x0000000000000000000000000000000007f.1", 0x7F00_0001, "127.0.0.1"),
    ]

    @Test(
        "ending in a number are addresses or nothing",
        arguments: [
            "4294967296", "256.0.0.1", "1.2.3.256", "1.2.65536", "1.16777216", "1.2.3.4.5", "1..2", ".1",
            "1.2.3.08", "09", "foo.0", "foo.0x4", "foo.0x", "0x100000000", "040000000000", "a.1.",
            "1.2.3.09.",
            "99999999999999999999999999", "0xffffffffffffffffffffffff", "0x.0x.0x.0x.0x", "1.-2.3",
        ])
    func refusesIPv4(input: String) {
        #expect(throws: URIError(.invalidIPv4Address)) { try URIHost(parsing: input) }
    }

    @Test("are addresses of IPv6, printed short", arguments: Self.ipv6)
    func parsesIPv6(input: String, expected: String) throws {
        let host = try URIHost(parsing: "[\(input)]")
        #expect(host.description == "[\(expected)]")
        #expect(host.unbracketed == expected)
        #expect(try URIHost(parsing: host.description) == host)
    }

    static let ipv6: [(String, String)] = [
        ("::", "::"),
        ("::1", "::1"),
        ("1::", "1::"),
        ("0:0:0:0:0:0:0:0", "::"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("1:0:0:0:0:0:0:0", "1::"),
        ("2001:DB8::1", "2001:db8::1"),
        ("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"),
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
        ("1::3:4:5:6:7:8", "1:0:3:4:5:6:7:8"),
        ("0:1:0:0:1:0:0:0", "0:1:0:0:1::"),
        ("0:0:1:0:0:0:1:0", "0:0:1::1:0"),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("::ffff:192.0.2.1", "::ffff:c000:201"),
        ("::127.0.0.1", "::7f00:1"),
        ("64:ff9b::255.255.255.255", "64:ff9b::ffff:ffff"),
        ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
        ("ffff:FFFF:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ]

    @Test(
        "in brackets are IPv6 or nothing",
        arguments: [
            "[]", "[", "[:", "[::1", "[:]", "[:::]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]",
            "[12345::]", "[g::]", "[1:]", "[1:2:]", "[:1]", "[::1%25eth0]", "[::1%eth0]", "[::1.2.3]",
            "[::1.2.3.4.5]", "[::1.2.3.256]", "[::01.2.3.4]", "[::1.2.3.04]", "[::.1.2.3]", "[1.2.3.4]",
            "[1:2:3:4:5:6:7:1.2.3.4]", "[::1.2.3.4:5]", "[::1]x", "[::1.]", "[::1..2]", "[::127.0.0.1.]",
            "[::1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8::]", "[v1.x]", "[é]", "[0x1::]",
            "[::1.2.3.1234567890123]",
        ])
    func refusesIPv6(input: String) {
        #expect(throws: URIError(.invalidIPv6Address)) { try URIHost(parsing: input) }
    }

    @Test("give an IPv6 address's octets in network order")
    func hasOctets() {
        let address = IPv6Address(parsing: "2001:db8::ff")
        #expect(address?.octets == [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF])
    }
}
