import HTTPMessage
import Testing

@Suite("Structured fields (RFC 9651)")
struct StructuredFieldTests {
    // MARK: Items

    static let values: [(String, StructuredValue)] = [
        ("5", .integer(5)), ("42", .integer(42)), ("-42", .integer(-42)), ("0", .integer(0)),
        ("-0", .integer(0)), ("0002", .integer(2)), ("-01", .integer(-1)), ("00", .integer(0)),
        ("999999999999999", .integer(999_999_999_999_999)),
        ("-999999999999999", .integer(-999_999_999_999_999)),
        ("4.5", .decimal(thousandths: 4500)), ("0002.5", .decimal(thousandths: 2500)),
        ("-01.334", .decimal(thousandths: -1334)), ("5.230", .decimal(thousandths: 5230)),
        ("-0.40", .decimal(thousandths: -400)), ("-0.0", .decimal(thousandths: 0)),
        ("-0.001", .decimal(thousandths: -1)), ("1.05", .decimal(thousandths: 1050)),
        ("999999999999.999", .decimal(thousandths: 999_999_999_999_999)),
        ("\"hello world\"", .string("hello world")), ("\"\"", .string("")),
        ("\"b\\\"a\\\\r %c3;,=()\"", .string("b\"a\\r %c3;,=()")),
        ("foo123/456", .token("foo123/456")), ("*", .token("*")), ("A", .token("A")),
        ("a_b-c.d:e%f!#$&'*+^`|~", .token("a_b-c.d:e%f!#$&'*+^`|~")),
        (
            ":cHJldGVuZCB0aGlzIGlzIGJpbmFyeSBjb250ZW50Lg==:",
            .octets(Array("pretend this is binary content.".utf8))
        ),
        ("::", .octets([])), (":Zg==:", .octets([0x66])), (":Zg:", .octets([0x66])),
        (":Zg=:", .octets([0x66])),
        (":Zm9v==:", .octets([0x66, 0x6F, 0x6F])), (":Zm8==:", .octets([0x66, 0x6F])),
        // Bits beyond the last octet.
        (":iZ==:", .octets([0x89])), (":Zm9=:", .octets([0x66, 0x6F])),
        (":Zm9vYg:", .octets(Array("foob".utf8))), (":+/+/:", .octets([0xFB, 0xFF, 0xBF])),
        ("?1", .boolean(true)), ("?0", .boolean(false)),
        ("@1659578233", .date(secondsSinceEpoch: 1_659_578_233)), ("@-1", .date(secondsSinceEpoch: -1)),
        ("@-62135596800", .date(secondsSinceEpoch: -62_135_596_800)),
        ("@253402214400", .date(secondsSinceEpoch: 253_402_214_400)),
        (
            "%\"This is intended for display to %c3%bcsers.\"",
            .displayString("This is intended for display to üsers.")
        ),
        ("%\"\"", .displayString("")), ("%\"%22\\%25%e2%82%ac%00\"", .displayString("\"\\%€\0")),
    ]

    @Test("each kind of value", arguments: values)
    func readsValue(text: String, value: StructuredValue) {
        for text in [text, " \(text)", "\(text) ", "  \(text)  "] {
            #expect(StructuredItem(parsing: text) == StructuredItem(value), "\(text)")
        }
        #expect(StructuredItem(parsing: "\(text);a")?.parameters["a"] == .boolean(true))
        #expect(StructuredItem(parsing: "1;a=\(text)")?.parameters["a"] == value)
        #expect(StructuredList(parsing: "\(text),\(text)")?.members.map(\.value) == [value, value])
        #expect(StructuredDictionary(parsing: "a=\(text)")?["a"]?.value == value)
        #expect(
            StructuredList(parsing: "(\(text) \(text))")?.members == [
                .innerList(
                    [StructuredItem(value), StructuredItem(value)], parameters: StructuredParameters())
            ])
        // What begins a member that is no more than begun is none.
        #expect(StructuredList(parsing: "\(text),") == nil)
        #expect(StructuredItem(parsing: "\(text),1") == nil)
        #expect(StructuredItem(parsing: "\(text)\t") == nil)
    }

    @Test(
        "what is no value",
        arguments: [
            "", " ", "\t1", "1\t", "-", "--1", "+1", "- 1", "1000000000000000", "-1000000000000000",
            "0000000000000001", "1.", ".1", "-.1", "1.2.3", "1.2345", "1234567890123.1", "1.2e3", "1,", "1 2",
            "0x1", "1_000", "\u{661}",
            "\"", "\"a", "a\"", "\"\\\"", "\"\\a\"", "\"a\tb\"", "\"a\nb\"", "\"a\u{7F}\"", "\"ü\"", "\"€\"",
            "'a'", "a b", "a\"b\"", "a(", "a,b", "a=b", "/a", ":", ":Zg==", "Zg==:", ":Z:", ":Zm9vY:",
            ":=Zg=:", ":Z=g=:", ":Zg===:", ":Zm 9v:", ":Zm9v\n:", ":Zm-_:", ":Zg==Zg==:", ": :", ":====:",
            "?", "?2", "?10", "?true", "?T", "@", "@a", "@1.5", "@1000000000000000", "@@1", "@ 1", "@\"1\"",
            "%", "%a", "%\"", "%\"a", "% \"a\"", "%\"%\"", "%\"%c\"", "%\"%C3%BC\"", "%\"%zz\"", "%\"ü\"",
            "%\"%ff\"", "%\"%c3\"", "%\"%ed%a0%80\"", "%\"%c0%80\"", "%\"%f4%90%80%80\"", "%\"a\tb\"",
            "%\"\\\"\"", "!a", "()", "(1)", "1;", "1;A=1", "1;=1", "1;a=", "1;a=;b", "1;;a", "1;a==1",
            "1;a = 1",
            "1;a =1", "1;a= 1", "1;\ta", "1 ;a", "1;a=(1)", "1;1=a", "1;-a", "1;aA",
        ])
    func refusesItem(text: String) {
        #expect(StructuredItem(parsing: text) == nil)
    }

    @Test("parameters stand in order, the last value of a key counts")
    func parameters() throws {
        let item = try #require(StructuredItem(parsing: "1; a; b=?0;*c-._9=x;a=2"))
        #expect(item.parameters.map(\.key) == ["a", "b", "*c-._9"])
        #expect(item.parameters.map(\.value) == [.integer(2), .boolean(false), .token("x")])
        #expect(item.parameters["b"] == .boolean(false))
        #expect(item.parameters["B"] == nil)
        #expect(StructuredItem(parsing: "1;a=2;b=?0;*c-._9=x") == item)
        #expect(StructuredItem(parsing: "1;b=?0;a=2;*c-._9=x") != item)
    }

    // MARK: Lists

    private static func token(_ text: String) -> StructuredItem { StructuredItem(.token(text)) }

    /// Parameters as they stand behind an item, which the test above reads.
    private static func parameters(_ text: String) throws -> StructuredParameters {
        try #require(StructuredItem(parsing: "1" + text)).parameters
    }

    @Test("lists", arguments: ["sugar, tea, rum", "sugar,tea,rum", " sugar\t,\t tea ,rum  "])
    func lists(text: String) {
        #expect(
            StructuredList(parsing: text)?.members.map(\.value) == [
                .token("sugar"), .token("tea"), .token("rum"),
            ])
    }

    @Test("inner lists, and parameters at both levels")
    func innerLists() throws {
        let strings = try #require(StructuredList(parsing: #"("foo" "bar"), ("baz"), ("bat" "one"), ()"#))
        let none = StructuredParameters()
        let items = [["foo", "bar"], ["baz"], ["bat", "one"], []].map {
            $0.map { StructuredItem(.string($0)) }
        }
        #expect(strings.members == items.map { .innerList($0, parameters: none) })

        let levels = try #require(
            StructuredList(parsing: #"(  "foo"; a=1;b=2   );lvl=5, ("bar" "baz");lvl=1"#))
        let first = StructuredItem(
            .string("foo"), parameters: try Self.parameters(";a=1;b=2"))
        #expect(
            levels.members == [
                .innerList([first], parameters: try Self.parameters(";lvl=5")),
                .innerList(
                    [StructuredItem(.string("bar")), StructuredItem(.string("baz"))],
                    parameters: try Self.parameters(";lvl=1")),
            ])

        let mixed = try #require(StructuredList(parsing: #"abc;a=1;b=2; cde_456, (ghi;jk=4 l);q="9";r=w"#))
        let abc = try Self.parameters(";a=1;b=2;cde_456")
        let ghi = StructuredItem(.token("ghi"), parameters: try Self.parameters(";jk=4"))
        #expect(
            mixed.members == [
                .item(StructuredItem(.token("abc"), parameters: abc)),
                .innerList(
                    [ghi, Self.token("l")],
                    parameters: try Self.parameters(#";q="9";r=w"#)),
            ])
        #expect(mixed.members.map(\.value) == [.token("abc"), nil])
    }

    @Test(
        "what is no list",
        arguments: [
            ",", "a,", "a,,b", ",a", "a b", "a;b,", "(", "(a", "(a b", "(a,b)", "(a\tb)", "((a))", "(a)b",
            "(a(b))", ")", "a)", "(a\"b\")", "(\"a\"b)", "(a) ;b", "( a;b= )", "a, ,b", "\ta",
        ])
    func refusesList(text: String) {
        #expect(StructuredList(parsing: text) == nil)
    }

    // MARK: Dictionaries

    @Test("dictionaries")
    func dictionaries() throws {
        let pie = try #require(StructuredDictionary(parsing: #"en="Applepie", da=:w4ZibGV0w6ZydGU=:"#))
        #expect(pie["en"]?.value == .string("Applepie"))
        #expect(pie["da"]?.value == .octets(Array("Æbletærte".utf8)))

        let flags = try #require(StructuredDictionary(parsing: "a=?0, b, c; foo=bar"))
        #expect(flags.members.map(\.key) == ["a", "b", "c"])
        #expect(
            flags.members.map(\.value.value) == [.boolean(false), .boolean(true), .boolean(true)])
        let bar = StructuredItem(.boolean(true), parameters: try Self.parameters(";foo=bar"))
        #expect(flags["c"] == .item(bar))

        let feelings = try #require(StructuredDictionary(parsing: "rating=1.5, feelings=(joy sadness)"))
        #expect(feelings["rating"]?.value == .decimal(thousandths: 1500))
        #expect(
            feelings["feelings"]
                == .innerList([Self.token("joy"), Self.token("sadness")], parameters: StructuredParameters()))

        let mix = try #require(StructuredDictionary(parsing: "a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid"))
        #expect(mix.members.map(\.key) == ["a", "b", "c", "d"])
        let five = [StructuredItem(.integer(5)), StructuredItem(.integer(6))]
        #expect(mix["d"] == .innerList(five, parameters: try Self.parameters(";valid")))
    }

    @Test("lines joined are one dictionary, and a key's last value stands in its first place")
    func joinedLines() throws {
        let fields: HTTPFields = [
            "Example-Dict": "foo=1, x", "example-dict": "bar=2", "Example-Dict": "foo=3",
        ]
        let members = try #require(StructuredDictionary(parsing: fields["Example-Dict"] ?? "")).members
        #expect(members.map(\.key) == ["foo", "x", "bar"])
        #expect(members["foo"]?.value == .integer(3))
    }

    @Test("nothing is an empty list and dictionary", arguments: ["", "   "])
    func nothing(text: String) {
        #expect(StructuredList(parsing: text)?.members == [])
        #expect(StructuredDictionary(parsing: text)?.members.isEmpty == true)
    }

    @Test(
        "what is no dictionary",
        arguments: [
            "a=", "=1", "A=1", "aB=1", "1=a", "a =1", "a= 1", "a=1 b=2", "a=1;", "a=1,", "a=1,,b=2", ",a=1",
            "a=1, ", "a, =", "a=(1", "a==1", "\"a\"=1", "-a=1", "ü=1", "a;b=,c",
        ])
    func refusesDictionary(text: String) {
        #expect(StructuredDictionary(parsing: text) == nil)
    }
}
