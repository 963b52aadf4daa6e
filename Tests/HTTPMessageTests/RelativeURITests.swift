import HTTPMessage
import Testing

@Suite("Relative references (WHATWG URL, section 4.4; RFC 3986, section 5.4)")
struct RelativeURITests {
    @Test("resolve as in RFC 3986, section 5.4", arguments: Self.rfc3986)
    func resolvesExamples(input: String, expected: String) throws {
        let base = try URI(parsing: "http://a/b/c/d;p?q")
        #expect(try URI(parsing: input, relativeTo: base).description == expected)
    }

    static let rfc3986: [(String, String)] = [
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
        // Not strict there, as browsers are.
        ("http:g", "http://a/b/c/g"),
    ]

    @Test("resolve against any base", arguments: Self.others)
    func resolves(input: String, base: String, expected: String) throws {
        let base = try URI(parsing: base)
        #expect(try URI(parsing: input, relativeTo: base).description == expected)
    }

    static let others: [(String, String, String)] = [
        ("http://other/", "https://h/a", "http://other/"),
        ("https:x", "http://h/a/b", "https://x/"),
        ("http:/x", "http://h/a/b", "http://h/x"),
        ("http:", "http://h/a/b?q#f", "http://h/a/b?q"),
        ("http:?x", "http://h/a/b", "http://h/a/b?x"),
        ("http:\\\\x\\y", "http://h/a/b", "http://x/y"),
        ("\\x", "http://h/a/b", "http://h/x"),
        ("\\\\x\\y", "https://h/a/b", "https://x/y"),
        ("/\\x", "http://h/a", "http://x/"),
        ("a\\b", "http://h/x/y", "http://h/x/a/b"),
        ("a b", "http://h/x/y", "http://h/x/a%20b"),
        (" a ", "http://h/x/y", "http://h/x/a"),
        ("/a:b", "http://h/", "http://h/a:b"),
        ("./a:b", "http://h/", "http://h/a:b"),
        ("1a:b", "http://h/", "http://h/1a:b"),
        (":a", "http://h/x", "http://h/:a"),
        ("x", "http://u:p@h:8080/a/b", "http://u:p@h:8080/a/x"),
        ("//x", "http://u:p@h:8080/a/b", "http://x/"),
        ("//v@x:80/y", "https://u:p@h/", "https://v@x:80/y"),
        ("#", "http://h/a?q#f", "http://h/a?q#"),
        ("?", "http://h/a?q#f", "http://h/a?"),
        ("..", "http://h/a//b", "http://h/a/"),
        ("%2e%2e/x", "http://h/a/b/c", "http://h/a/x"),
        ("é", "http://h/a/b", "http://h/a/%C3%A9"),
        ("//[::1]:80", "http://h/", "http://[::1]/"),
    ]

    @Test(
        "fail as absolute ones do",
        arguments: [
            ("//", URIError.Reason.missingHost), ("//a b/", .forbiddenHostOctet(0x20)),
            ("//x:y", .invalidPort), ("javascript:alert(1)", .unsupportedScheme("javascript")),
            ("https:", .missingHost), ("//[", .invalidIPv6Address),
        ])
    func fails(input: String, reason: URIError.Reason) throws {
        let base = try URI(parsing: "http://h/a")
        #expect(throws: URIError(reason)) { try URI(parsing: input, relativeTo: base) }
    }

    @Test("keep their own dot segments when asked to")
    func keepsDotSegments() throws {
        let base = try URI(parsing: "http://h/a/b")
        let uri = try URI(parsing: "../c/./d", relativeTo: base, keepsDotSegments: true)
        #expect(uri.path == "/a/../c/./d")
    }
}
