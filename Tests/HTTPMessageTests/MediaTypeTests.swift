import HTTPMessage
import Testing

@Suite("Media types and parameters (RFC 9110, sections 8.3.1 and 5.6.6)")
struct MediaTypeTests {
    @Test("are printed in one form", arguments: Self.valid)
    func parses(input: String, expected: String) throws {
        let type = try #require(MediaType(parsing: input))
        #expect(type.description == expected)
        #expect(MediaType(parsing: expected) == type)
    }

    static let valid: [(String, String)] = [
        ("text/html", "text/html"),
        ("text/html;charset=utf-8", "text/html; charset=utf-8"),
        ("Text/HTML;Charset=\"utf-8\"", "text/html; charset=utf-8"),
        ("text/html; charset=\"utf-8\"", "text/html; charset=utf-8"),
        ("application/x-zip-compressed", "application/x-zip-compressed"),
        ("text/plain ; a=b ;; c=\"d;\\\"e\" ; ", "text/plain; a=b; c=\"d;\\\"e\""),
        ("text/plain; a; b=; c =d; e= f; g=h i; j=\"k\"l; =m; n=o", "text/plain; n=o"),
        ("text/plain; a=\"", "text/plain"),
        ("text/plain; a=\"\"", "text/plain; a=\"\""),
        ("multipart/byteranges; boundary=THIS_STRING", "multipart/byteranges; boundary=THIS_STRING"),
    ]

    @Test(
        "need a type and a subtype",
        arguments: [
            "", "text", "text/", "/html", "text /html", "text/ html", "text/html x", "text/html,a/b", ";a=b",
        ])
    func refuses(input: String) {
        #expect(MediaType(parsing: input) == nil)
    }

    @Test("have a charset in lower case, the first one")
    func hasCharset() {
        #expect(MediaType(parsing: "text/html; CHARSET=ISO-8859-4; charset=x")?.charset == "iso-8859-4")
        #expect(MediaType(parsing: "text/html")?.charset == nil)
        #expect(MediaType(parsing: "text/html;a=b")?.essence == "text/html")
    }

    @Test("are made of tokens")
    func isMadeOfTokens() {
        let parameters = FieldParameters([.init(name: "q", value: "a b")])
        #expect(MediaType(type: "A", subtype: "B", parameters: parameters)?.description == "a/b; q=\"a b\"")
        #expect(MediaType(type: "a b", subtype: "c") == nil)
    }
}
