import HTTPMessage
import Testing

@Suite("Credentials of the scheme Basic (RFC 7617)")
struct BasicCredentialsTests {
    @Test(
        "encode as the RFC's examples",
        arguments: [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="),
        ])
    func examples(user: String, password: String, value: String) {
        #expect(BasicCredentials(user: user, password: password).fieldValue == value)
    }

    // RFC 4648, section 10.
    @Test(
        "base64 has its padding",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(text: String, expected: String) {
        #expect(Base64.encoded(Array(text.utf8).span) == expected)
    }

    @Test(
        "userinfo is decoded",
        arguments: [
            ("http://a:b@h/", "a", "b"), ("http://a%40x:%3Ab%C3%A9@h/", "a@x", ":b\u{E9}"),
            ("http://a@h/", "a", ""),
            ("http://:p@h/", "", "p"),
        ])
    func userinfo(uri: String, user: String, password: String) throws {
        let credentials = BasicCredentials(userinfoOf: try URI(parsing: uri))
        #expect(credentials == BasicCredentials(user: user, password: password))
    }

    @Test func aURIWithoutUserinfoHasNone() throws {
        #expect(BasicCredentials(userinfoOf: try URI(parsing: "http://h/@")) == nil)
    }
}
