import HTTPMessage
import Testing

@Suite("Absolute URIs (WHATWG URL, section 4.4)")
struct URITests {
    @Test("are normalised and parse to the same again", arguments: Self.valid)
    func normalises(input: String, expected: String) throws {
        let uri = try URI(parsing: input)
        #expect(uri.description == expected)
        #expect(try URI(parsing: expected) == uri)
    }

    static let valid: [(String, String)] = [
        ("http://example.com", "http://example.com/"),
        ("http://example.com/", "http://example.com/"),
        ("https://example.com/a/b?c=d#e", "https://example.com/a/b?c=d#e"),
        ("HTTP://EXAMPLE.com/PATH", "http://example.com/PATH"),
        ("hTTps://x/", "https://x/"),
        // Blanks, controls, tabs and line ends.
        ("  http://example.com/  ", "http://example.com/"),
        ("\u{0}\u{1F}http://example.com/\u{0}", "http://example.com/"),
        ("ht\ntp://ex\tample\r.com/a\n b", "http://example.com/a%20b"),
        ("http://example.com/ab\u{7}c", "http://example.com/ab%07c"),
        ("\thttp://example\t.\norg\n", "http://example.org/"),
        // Slashes of both kinds, too few and too many.
        ("http:example.com", "http://example.com/"),
        ("http:/example.com/x", "http://example.com/x"),
        ("http:\\\\example.com\\a\\b", "http://example.com/a/b"),
        ("http:\\/example.com/x", "http://example.com/x"),
        ("http://example.com\\@other.example/", "http://example.com/@other.example/"),
        // Paths.
        ("http://h/a/./b/../c", "http://h/a/c"),
        ("http://h/a/b/..", "http://h/a/"),
        ("http://h/a/b/../", "http://h/a/"),
        ("http://h/a/b/.", "http://h/a/b/"),
        ("http://h/../../../a", "http://h/a"),
        ("http://h/..", "http://h/"),
        ("http://h/.", "http://h/"),
        ("http://h/a/%2e%2E/b", "http://h/b"),
        ("http://h/a/.%2e/b", "http://h/b"),
        ("http://h/a/%2e./b", "http://h/b"),
        ("http://h/a/%2e/b", "http://h/a/b"),
        ("http://h/a/%2e", "http://h/a/"),
        ("http://h/a/%2e%2e", "http://h/"),
        ("http://h/a/...", "http://h/a/..."),
        ("http://h/a/%2e%2e%2e/b", "http://h/a/%2e%2e%2e/b"),
        ("http://h/a/..b/.c", "http://h/a/..b/.c"),
        ("http://h/%2", "http://h/%2"),
        ("http://h//a//b/", "http://h//a//b/"),
        ("http://h//..//a", "http://h//a"),
        ("http://h/a;p=1/b;q", "http://h/a;p=1/b;q"),
        ("http://h/a%2Fb%40c?sig=x%2By%3D&n=%7E", "http://h/a%2Fb%40c?sig=x%2By%3D&n=%7E"),
        ("http://h/foo%00%51", "http://h/foo%00%51"),
        ("http://h/100%", "http://h/100%"),
        ("http://h/%zz%", "http://h/%zz%"),
        ("http://h/ \"<>`{}^", "http://h/%20%22%3C%3E%60%7B%7D%5E"),
        ("http://h/|[]!$&'()*+,;=:@~_-", "http://h/|[]!$&'()*+,;=:@~_-"),
        ("http://h/\u{7F}", "http://h/%7F"),
        ("http://h/é", "http://h/%C3%A9"),
        (
            "http://h/metro_demo使用Highcharts实现图表展示.zip",
            "http://h/metro_demo%E4%BD%BF%E7%94%A8Highcharts%E5%AE%9E%E7%8E%B0%E5%9B%BE%E8%A1%A8"
                + "%E5%B1%95%E7%A4%BA.zip"
        ),
        ("http://h/\u{1F600}", "http://h/%F0%9F%98%80"),
        ("http://h/\u{FEFF}", "http://h/%EF%BB%BF"),
        // Queries and fragments.
        ("http://h?q", "http://h/?q"),
        ("http://h?", "http://h/?"),
        ("http://h#f", "http://h/#f"),
        ("http://h/#", "http://h/#"),
        ("http://h/?#", "http://h/?#"),
        ("http://h/?a?b/c", "http://h/?a?b/c"),
        ("http://h/?a b\"<>'", "http://h/?a%20b%22%3C%3E%27"),
        ("http://h/?`{}|^\\[]", "http://h/?`{}|^\\[]"),
        ("http://h/?ü", "http://h/?%C3%BC"),
        ("http://h/?a/../b", "http://h/?a/../b"),
        ("http://h/#a b\"<>`", "http://h/#a%20b%22%3C%3E%60"),
        ("http://h/#{}|'^#?", "http://h/#{}|'^#?"),
        ("http://h/#é", "http://h/#%C3%A9"),
        ("http://h/a.apk?r=1", "http://h/a.apk?r=1"),
        // Ports.
        ("http://h:80/", "http://h/"),
        ("https://h:443/", "https://h/"),
        ("http://h:443/", "http://h:443/"),
        ("https://h:80/", "https://h:80/"),
        ("http://h:/", "http://h/"),
        ("http://h:0/", "http://h:0/"),
        ("http://h:00000000000000000000080/", "http://h/"),
        ("http://h:65535/", "http://h:65535/"),
        ("http://h:8080?x", "http://h:8080/?x"),
        // Userinfo.
        ("http://u@h/", "http://u@h/"),
        ("http://u:p@h/", "http://u:p@h/"),
        ("http://u:@h/", "http://u@h/"),
        ("http://:p@h/", "http://:p@h/"),
        ("http://@h/", "http://h/"),
        ("http://:@h/", "http://h/"),
        ("http://a@b@c:d@h/", "http://a%40b%40c:d@h/"),
        ("http://u:p:q@h/", "http://u:p%3Aq@h/"),
        ("http://u;=[]^|\"<>`{}:p w@h/", "http://u%3B%3D%5B%5D%5E%7C%22%3C%3E%60%7B%7D:p%20w@h/"),
        ("http://u%40x:%zz@h/", "http://u%40x:%zz@h/"),
        ("http://ü@h/", "http://%C3%BC@h/"),
        ("http://u@h:81/", "http://u@h:81/"),
        ("http://127.0.0.1:8080#@other:1/x", "http://127.0.0.1:8080/#@other:1/x"),
        ("http://h?@other", "http://h/?@other"),
        ("http://a:b@c\\@d/", "http://a:b@c/@d/"),
    ]

    @Test("have each part")
    func hasParts() throws {
        let uri = try URI(parsing: "https://us%20er:pa:ss@Example.COM:8443/d/f%20n?q=1&r#frag")
        #expect(uri.scheme == .https)
        #expect(uri.user == "us%20er")
        #expect(uri.password == "pa%3Ass")
        #expect(uri.host == .name("example.com"))
        #expect(uri.port == 8443)
        #expect(uri.effectivePort == 8443)
        #expect(uri.path == "/d/f%20n")
        #expect(uri.query == "q=1&r")
        #expect(uri.fragment == "frag")
        #expect(uri.lastPathSegment == "f%20n")
        #expect(uri.authority == "example.com:8443")
        #expect(uri.requestTarget == "/d/f%20n?q=1&r")
        #expect(uri.origin == Origin(scheme: .https, host: .name("example.com"), port: 8443))
        #expect(uri.origin.description == "https://example.com:8443")
        #expect(uri.withoutUserinfoAndFragment.description == "https://example.com:8443/d/f%20n?q=1&r")
    }

    @Test("have an origin and an authority", arguments: Self.origins)
    func hasOrigin(input: String, origin: String, authority: String, port: UInt16) throws {
        let uri = try URI(parsing: input)
        #expect(uri.origin.description == origin)
        #expect(uri.authority == authority)
        #expect(uri.effectivePort == port)
    }

    static let origins: [(String, String, String, UInt16)] = [
        ("http://h/x", "http://h", "h", 80),
        ("https://h:443/x", "https://h", "h", 443),
        ("http://[::1]:81/", "http://[::1]:81", "[::1]:81", 81),
        ("http://u:p@0x7f.1/", "http://127.0.0.1", "127.0.0.1", 80),
    ]

    @Test("have no last segment behind a slash", arguments: ["http://h", "http://h/a/", "http://h/?a/b"])
    func hasNoLastSegment(input: String) throws {
        #expect(try URI(parsing: input).lastPathSegment == nil)
    }

    @Test("take the fragment of a source unless they have one")
    func inheritsFragment() throws {
        let source = try URI(parsing: "http://a/#one")
        #expect(try URI(parsing: "http://b/").inheritingFragment(of: source).description == "http://b/#one")
        #expect(
            try URI(parsing: "http://b/#two").inheritingFragment(of: source).description == "http://b/#two")
    }

    @Test(
        "keep dot segments when asked to",
        arguments: [
            ("http://h/a/./b/../c", "http://h/a/./b/../c"), ("http://h/../x", "http://h/../x"),
            ("http://h/%2e%2e/x/..", "http://h/%2e%2e/x/.."), ("http://h\\..\\a b", "http://h/../a%20b"),
        ])
    func keepsDotSegments(input: String, expected: String) throws {
        #expect(try URI(parsing: input, keepsDotSegments: true).description == expected)
    }

    @Test("decode their escapes to octets")
    func decodesEscapes() {
        #expect(PercentEncoding.decode("a%20%C3%a9%00%2") == Array("a é\u{0}%2".utf8))
        #expect(PercentEncoding.decode("%%41%4G%FF") == [0x25, 0x41, 0x25, 0x34, 0x47, 0xFF])
    }
}
