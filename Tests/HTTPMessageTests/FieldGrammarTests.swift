import HTTPMessage
import Testing

@Suite("Lists, quoted strings and numbers (RFC 9110, section 5.6)")
struct FieldGrammarTests {
    @Test("a list has members without blanks and empty ones", arguments: Self.lists)
    func readsLists(input: String, expected: [String]) {
        #expect(CommaList(input).members == expected)
    }

    static let lists: [(String, [String])] = [
        ("", []),
        (" ", []),
        (",", []),
        (",   ,", []),
        ("foo ,bar,", ["foo", "bar"]),
        ("foo , ,bar,charlie", ["foo", "bar", "charlie"]),
        ("\tclose\t", ["close"]),
        ("close, Upgrade", ["close", "Upgrade"]),
        ("gzip, chunked", ["gzip", "chunked"]),
        ("42,42", ["42", "42"]),
        ("a b , c", ["a b", "c"]),
        ("\"a,b\", c", ["\"a,b\"", "c"]),
        ("a=\"x\\\",y\", b", ["a=\"x\\\",y\"", "b"]),
        ("a=\"x\\\\\", b", ["a=\"x\\\\\"", "b"]),
        ("\"open, b", ["\"open, b"]),
        ("a\\, b", ["a\\", "b"]),
        ("\"\\", ["\"\\"]),
        ("\u{E9}, b", ["\u{E9}", "b"]),
    ]

    @Test("a list of several lines reads each for itself")
    func readsLines() {
        let fields: HTTPFields = ["Connection": "a, \"open", "X": "no", "connection": "b,, Close"]
        let list = CommaList(.connection, in: fields)
        #expect(Array(list) == ["a", "\"open", "b", "Close"])
        #expect(list.contains(token: "close"))
        #expect(!list.contains(token: "clos"))
        #expect(CommaList(.te, in: fields).isEmpty)
    }

    @Test(
        "a quoted string stands for its text",
        arguments: [
            ("\"\"", ""), ("\"a b\"", "a b"), ("\"a\\\"b\\\\c\"", "a\"b\\c"), ("\"\\a\"", "a"),
            ("\"\u{FF}\"", "\u{FF}"),
        ] as [(String, String)])
    func unquotes(input: String, expected: String) {
        #expect(FieldGrammar.unquoted(input) == expected)
    }

    @Test(
        "what is no quoted string stands for nothing",
        arguments: ["", "\"", "a", "\"a", "a\"", "\"a\"b", "\"\\\""])
    func refusesQuoted(input: String) {
        #expect(FieldGrammar.unquoted(input) == nil)
    }

    @Test("quoting gives back the text", arguments: ["", "a b", "\"\\", "tab\t", "\u{E9}"])
    func quotes(text: String) throws {
        #expect(FieldGrammar.unquoted(try #require(FieldGrammar.quoted(text))) == text)
    }

    @Test(
        "controls and what is no octet cannot be quoted", arguments: ["\r\n", "\u{0}", "\u{7F}", "\u{100}"])
    func refusesToQuote(text: String) {
        #expect(FieldGrammar.quoted(text) == nil)
    }

    @Test("a number is digits up to 64 bits", arguments: Self.numbers)
    func readsNumbers(input: String, expected: UInt64?) {
        #expect(FieldGrammar.number(input) == expected)
    }

    static let numbers: [(String, UInt64?)] = [
        ("0", 0), ("007", 7), ("18446744073709551615", .max), ("18446744073709551616", nil),
        ("99999999999999999999999", nil), ("", nil), ("+1", nil), ("-1", nil), (" 1", nil), ("1 ", nil),
        ("0x1", nil), ("1,1", nil), ("１", nil),
    ]
}
