import HTTPMessage
import Testing

@Suite("Targets of Location (RFC 9110, section 10.2.2)")
struct URILocationTests {
    @Test(
        "resolve, and keep every octet",
        arguments: [
            ("d?y=2", "http://h:81/a/b/d?y=2"),
            ("../d", "http://h:81/a/d"),
            ("/x y?c d", "http://h:81/x%20y?c%20d"),
            ("?z", "http://h:81/a/b/c?z"),
            ("//o/p", "http://o/p"),
            ("https://o:443/p#f", "https://o/p#f"),
            // UTF-8 and ISO 8859-1 alike: octet by octet.
            ("/caf\u{C3}\u{A9}", "http://h:81/caf%C3%A9"),
            ("/caf\u{E9}?\u{E9}#\u{E9}", "http://h:81/caf%E9?%E9#%E9"),
            ("/o?X=AK%2F2%2fs&d=a%3B%20b", "http://h:81/o?X=AK%2F2%2fs&d=a%3B%20b"),
            ("/100%/%zz/%4", "http://h:81/100%/%zz/%4"),
            ("/a@b", "http://h:81/a@b"),
        ])
    func resolves(location: String, expected: String) throws {
        let base = try URI(parsing: "http://me:secret@h:81/a/b/c?x=1")
        #expect(try URI(location: location, relativeTo: base).description == expected)
    }

    @Test(
        "name what is wrong",
        arguments: [
            ("http://h:x/", URIError.Reason.invalidPort), ("http://h:70000/", .portOutOfRange),
            ("http://", .missingHost), ("http://\u{E9}/", .nonASCIIHost),
            ("file:///etc/passwd", .unsupportedScheme("file")),
            ("javascript:alert(1)", .unsupportedScheme("javascript")),
            ("http://a b/", .forbiddenHostOctet(0x20)),
            ("http://u:p@h/x", .userinfo), ("//u@o/", .userinfo), ("http://:p@h/", .userinfo),
            ("///o/", .missingHost),
        ])
    func refuses(location: String, reason: URIError.Reason) throws {
        let base = try URI(parsing: "http://h/")
        #expect(throws: URIError(reason)) { try URI(location: location, relativeTo: base) }
    }

    @Test("drop userinfo where that is asked for", arguments: ["http://u:p@h/x", "//u@h/x", "http://:p@h/x"])
    func dropsUserinfo(location: String) throws {
        let base = try URI(parsing: "http://me:secret@h/")
        let target = try URI(location: location, relativeTo: base, dropsUserinfo: true)
        #expect(target.description == "http://h/x")
    }
}

@Suite("URIs that grow")
struct URIChangingTests {
    @Test(
        "a query is begun or gone on with; the fragment stays",
        arguments: [
            ("http://h/p", "a=1", "http://h/p?a=1"), ("http://h/p?", "a=1", "http://h/p?a=1"),
            ("http://h/p?q#f", "a=1&b=2", "http://h/p?q&a=1&b=2#f"),
            ("http://h/p", "#x y", "http://h/p?%23x%20y"),
            ("http://h/p?q", "", "http://h/p?q"),
        ])
    func query(uri: String, text: String, expected: String) throws {
        #expect(try URI(parsing: uri).appendingQuery(Array(text.utf8)).description == expected)
    }

    @Test(
        "a segment is encoded",
        arguments: [
            ("http://h/", "f.txt", "http://h/f.txt"),
            ("http://h/d/?q#f", "a b/?#%\u{E9}", "http://h/d/a%20b%2F%3F%23%25%C3%A9?q#f"),
        ])
    func segment(uri: String, name: String, expected: String) throws {
        #expect(try URI(parsing: uri).appendingSegment(Array(name.utf8)).description == expected)
    }
}
