import HTTPMessage
import Testing

@Suite("What is no URI (WHATWG URL, section 4.4)")
struct URIErrorTests {
    @Test("fails for its reason", arguments: Self.failures)
    func fails(input: String, reason: URIError.Reason) {
        #expect(throws: URIError(reason)) { try URI(parsing: input) }
    }

    static let failures: [(String, URIError.Reason)] = [
        ("", .missingScheme),
        ("   ", .missingScheme),
        ("/path", .missingScheme),
        ("//example.com/", .missingScheme),
        ("example.com", .missingScheme),
        ("example.com/a:b", .missingScheme),
        ("?q", .missingScheme),
        ("#f", .missingScheme),
        (":http://h/", .missingScheme),
        ("1http://h/", .missingScheme),
        ("ht tp://h/", .missingScheme),
        ("ftp://h/", .unsupportedScheme("ftp")),
        ("FILE:///etc/passwd", .unsupportedScheme("file")),
        ("mailto:a@b.example", .unsupportedScheme("mailto")),
        ("localhost:8080/x", .unsupportedScheme("localhost")),
        ("a+b-c.d1:x", .unsupportedScheme("a+b-c.d1")),
        ("http:", .missingHost),
        ("http://", .missingHost),
        ("http:///", .missingHost),
        ("http:///example.com/x", .missingHost),
        ("http:////example.com/x", .missingHost),
        ("https:/\\/example.com/x", .missingHost),
        ("https:\\\\", .missingHost),
        ("http://?q", .missingHost),
        ("http://#f", .missingHost),
        ("http://:80/", .missingHost),
        ("http://u@/", .missingHost),
        ("http://u:p@:80/", .missingHost),
        ("http://@/h", .missingHost),
        ("http://127.0.0.1:80%2F10.0.0.1/", .invalidPort),
        ("http://h:8a/", .invalidPort),
        ("http://h:-80/", .invalidPort),
        ("http://h: 80/", .invalidPort),
        ("http://a:b:80/", .invalidPort),
        ("http://h:１/", .invalidPort),
        ("http://[::1]80/", .invalidIPv6Address),
        ("http://h:65536/", .portOutOfRange),
        ("http://h:18446744073709551696/", .portOutOfRange),
        ("http://h%2Fx/", .forbiddenHostOctet(0x2F)),
        ("http://h%00/", .forbiddenHostOctet(0)),
        ("http://h%0D%0Ax/", .forbiddenHostOctet(0x0D)),
        ("http://a b/", .forbiddenHostOctet(0x20)),
        ("http://a<b/", .forbiddenHostOctet(0x3C)),
        ("http://a>b/", .forbiddenHostOctet(0x3E)),
        ("http://a^b/", .forbiddenHostOctet(0x5E)),
        ("http://a|b/", .forbiddenHostOctet(0x7C)),
        ("http://a%b/", .forbiddenHostOctet(0x25)),
        ("http://a%25b/", .forbiddenHostOctet(0x25)),
        ("http://a%40b/", .forbiddenHostOctet(0x40)),
        ("http://a%3Ab/", .forbiddenHostOctet(0x3A)),
        ("http://a%7Fb/", .forbiddenHostOctet(0x7F)),
        ("http://a]b/", .forbiddenHostOctet(0x5D)),
        ("http://a[b:80/", .forbiddenHostOctet(0x5B)),
        ("http://%5B::1%5D/", .forbiddenHostOctet(0x5B)),
        ("http://bücher.example/", .nonASCIIHost),
        ("http://b%C3%BCcher.example/", .nonASCIIHost),
        ("http://%FF/", .nonASCIIHost),
        ("http://ＧＯ.com/", .nonASCIIHost),
        ("http://1.2.3.4.5/", .invalidIPv4Address),
        ("http://[1::2]:65536/", .portOutOfRange),
    ]

    @Test("is told in one clause", arguments: Self.failures)
    func isTold(input: String, reason: URIError.Reason) {
        let text = URIError(reason).description
        #expect(!text.isEmpty && !text.hasSuffix(".") && !text.contains("\n"))
    }

    @Test("never tells the userinfo")
    func keepsSecrets() {
        let error = #expect(throws: URIError.self) { try URI(parsing: "http://name:secret@a b/") }
        #expect(error?.description == "host has an octet that no host may have: 0x20")
    }

    @Test("tells a long scheme in part")
    func cutsScheme() {
        let error = URIError(.unsupportedScheme(String(repeating: "x", count: 100_000)))
        #expect(error.description.utf8.count < 120)
    }
}
