import HTTPMessage
import Testing

@Suite("Entity tags (RFC 9110, section 8.8.3)")
struct EntityTagTests {
    @Test("are read and printed", arguments: Self.valid)
    func parses(input: String, isWeak: Bool, opaque: String) throws {
        let tag = try #require(EntityTag(parsing: input))
        #expect(tag.isWeak == isWeak)
        #expect(tag.opaque == opaque)
        #expect(tag.description == input)
    }

    static let valid: [(String, Bool, String)] = [
        ("\"xyzzy\"", false, "xyzzy"),
        ("W/\"xyzzy\"", true, "xyzzy"),
        ("\"\"", false, ""),
        ("W/\"\"", true, ""),
        ("\"d8f617371f9cd01:0\"", false, "d8f617371f9cd01:0"),
        ("\"a,b\"", false, "a,b"),
        ("\"a\\\"", false, "a\\"),
        ("\"\u{E9}\u{80}\"", false, "\u{E9}\u{80}"),
    ]

    @Test(
        "are nothing else",
        arguments: [
            "", "\"", "xyzzy", "w/\"a\"", "W/a", "W/", "W", "\"a", "a\"", "\"a\"b", "\"a b\"", " \"a\"",
            "\"a\" ",
            "\"a\"\"b\"", "\"\t\"", "\"\u{7F}\"", "\"\u{0}\"", "\"\u{100}\u{101}", "*", "W /\"a\"",
            "\"a\\\"b\"",
        ])
    func refuses(input: String) {
        #expect(EntityTag(parsing: input) == nil)
    }

    @Test("match as in the table of section 8.8.3.2", arguments: Self.comparisons)
    func compares(left: String, right: String, strong: Bool, weak: Bool) throws {
        let (left, right) = try (#require(EntityTag(parsing: left)), #require(EntityTag(parsing: right)))
        #expect(left.strongly(matches: right) == strong)
        #expect(left.weakly(matches: right) == weak)
    }

    static let comparisons: [(String, String, Bool, Bool)] = [
        ("W/\"1\"", "W/\"1\"", false, true),
        ("W/\"1\"", "W/\"2\"", false, false),
        ("W/\"1\"", "\"1\"", false, true),
        ("\"1\"", "\"1\"", true, true),
        ("\"a\"", "\"A\"", false, false),
    ]

    @Test("stand in lists", arguments: Self.lists)
    func parsesLists(input: String, expected: String) throws {
        let list = try #require(EntityTagList(parsing: input))
        #expect(list.description == expected)
        #expect(EntityTagList(parsing: expected) == list)
    }

    static let lists: [(String, String)] = [
        ("*", "*"),
        ("\"xyzzy\"", "\"xyzzy\""),
        ("\"xyzzy\", \"r2d2xxxx\", \"c3piozzzz\"", "\"xyzzy\", \"r2d2xxxx\", \"c3piozzzz\""),
        ("W/\"xyzzy\",W/\"r2d2xxxx\" ,, W/\"a,b\",", "W/\"xyzzy\", W/\"r2d2xxxx\", W/\"a,b\""),
        (" , \"a\\\" , \"b\"", "\"a\\\", \"b\""),
    ]

    @Test(
        "make no list with anything else",
        arguments: ["", ",", "a", "*,\"a\"", "\"a\" \"b\"", "\"a\", b", "**"])
    func refusesLists(input: String) {
        #expect(EntityTagList(parsing: input) == nil)
    }

    @Test("are found in lists")
    func findsInLists() throws {
        let list = try #require(EntityTagList(parsing: "W/\"a\", \"b\""))
        let (a, b) = try (#require(EntityTag("a")), #require(EntityTag("b")))
        #expect(list.weakly(matches: a) && !list.strongly(matches: a))
        #expect(list.strongly(matches: b))
        #expect(EntityTagList.any.strongly(matches: a) && EntityTagList.any.weakly(matches: a))
    }

    @Test("are not made of what cannot stand between quotes", arguments: ["\"", " ", "\r", "\u{100}"])
    func refusesOpaque(text: String) {
        #expect(EntityTag(text) == nil)
    }
}
