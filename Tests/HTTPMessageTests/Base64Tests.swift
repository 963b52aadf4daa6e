import Testing

@testable import HTTPMessage

@Suite("Base64 (RFC 4648)")
struct Base64Tests {
    @Test(
        "the examples of section 10, both ways",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func examples(octets: String, text: String) {
        #expect(Base64.encoded(Array(octets.utf8).span) == text)
        #expect(Base64.decoded(text.utf8.span) == Array(octets.utf8))
    }

    @Test("all octets come back, at each place of a group")
    func allOctets() {
        for count in 0..<4 {
            let octets = [UInt8](repeating: 0x5A, count: count) + Array(0...255)
            #expect(Base64.decoded(Base64.encoded(octets.span).utf8.span) == octets)
        }
        #expect(Base64.decoded("+/+/".utf8.span) == [0xFB, 0xFF, 0xBF])
    }

    @Test(
        "any other form is refused (sections 3.2 to 3.5)",
        arguments: [
            "Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zm8", "Zm9v\n", "Zm 9v", "Zm9v====", "Zg==Zg==",
            "Z=g=",
            "Zm-_", "Zh==", "Zm9=", "Zm9vé", "Zm8=\0", "Zm\u{FF19}v", "*m9v",
        ])
    func refused(text: String) {
        #expect(Base64.decoded(text.utf8.span) == nil)
    }
}
