import Testing

@testable import RawgetTool

@Suite("Reading JSON (RFC 8259)")
struct JSONReaderTests {
    private func value(_ text: String) throws -> JSONValue { try JSONReader.value(of: Array(text.utf8)) }

    /// What is wrong with a text; `nil` where it is JSON.
    private func fault(_ octets: [UInt8]) -> JSONError? {
        do throws(JSONError) { _ = try JSONReader.value(of: octets) } catch { return error }
        return nil
    }

    @Test("the examples of section 13 mean what they say")
    func examples() throws {
        let image = """
            {
              "Image": {
                  "Width":  800,
                  "Title":  "View from 15th Floor",
                  "Thumbnail": { "Url": "http://www.example.com/image/481989943", "Height": 125 },
                  "Animated" : false,
                  "IDs": [116, 943, 234, 38793]
                }
            }
            """
        #expect(
            try value(image)
                == .object([
                    .init(
                        name: "Image",
                        value: .object([
                            .init(name: "Width", value: .number("800")),
                            .init(name: "Title", value: .string("View from 15th Floor")),
                            .init(
                                name: "Thumbnail",
                                value: .object([
                                    .init(
                                        name: "Url", value: .string("http://www.example.com/image/481989943")),
                                    .init(name: "Height", value: .number("125")),
                                ])),
                            .init(name: "Animated", value: .bool(false)),
                            .init(
                                name: "IDs",
                                value: .array(["116", "943", "234", "38793"].map { .number($0) })),
                        ]))
                ]))
        let places = """
            [ { "precision": "zip", "Latitude":  37.7668, "Longitude": -122.3959, "Address": "" },
              { "precision": "zip", "Latitude":  37.371991, "Longitude": -122.026020 } ]
            """
        guard case .array(let list) = try value(places), case .object(let second)? = list.last else {
            Issue.record("no array of objects")
            return
        }
        #expect(second.map(\.name) == ["precision", "Latitude", "Longitude"])
        #expect(second.last?.value == .number("-122.026020"))  // with its last digit
        #expect(try value("\"Hello world!\"") == .string("Hello world!"))
        #expect(try value("42") == .number("42"))
        #expect(try value("true") == .bool(true))
    }

    @Test(
        "a number is its text",
        arguments: [
            "0", "-0", "10", "1.0", "1.50", "-1.5e3", "1E400", "1e+7", "1e-07", "0.0e0", "20e1",
            "123456789012345678901234567890.000000000000000000000000000000000000000000000000000001",
        ])
    func numbers(text: String) throws {
        #expect(try value(text) == .number(text))
        #expect(try value(" [\(text)\t,\(text) ]") == .array([.number(text), .number(text)]))
    }

    @Test(
        "what only looks like a number is refused",
        arguments: [
            ("+1", 0), ("-", 1), ("01", 1), ("-012", 2), ("1.", 2), (".5", 0), ("1.e1", 2), ("1e", 2),
            ("1e+", 3), ("1.5.6", 3), ("0x1", 1), ("1_000", 1), ("-Infinity", 1), ("NaN", 0), ("Infinity", 0),
            ("1e1.5", 3), ("--1", 1), ("1 000", 2), ("\u{FF11}", 0), ("0e", 2), ("-a", 1),
        ])
    func notNumbers(text: String, offset: Int) {
        #expect(fault(Array(text.utf8))?.offset == offset)
    }

    @Test(
        "escapes stand for characters",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""\uD834\uDD1E""#, "\u{1D11E}"), (#""\udbff\udfff""#, "\u{10FFFF}"),
            (#""\ud800\udc00""#, "\u{10000}"), (#""\u0000""#, "\0"), (#""\uFFFE\uFEFF""#, "\u{FFFE}\u{FEFF}"),
            (#""a\u0062c\u0064""#, "abcd"), (#""\\u0041""#, #"\u0041"#), (#""\u005c\u0022""#, "\\\""),
            ("\"\u{7F}é\u{2028}\u{1F600}\"", "\u{7F}é\u{2028}\u{1F600}"), ("\"\"", ""),
        ])
    func escapes(text: String, meaning: String) throws {
        guard case .string(let string) = try value(text) else {
            Issue.record("no string")
            return
        }
        #expect(Array(string.utf8) == Array(meaning.utf8))
    }

    @Test(
        "an escape that is none, or half a pair, is refused where it begins",
        arguments: [
            (#""\x41""#, 1, JSONError.Reason.invalidEscape), (#""\u00""#, 1, .invalidEscape),
            (#""ab\u00G0""#, 3, .invalidEscape), (#""\U0041""#, 1, .invalidEscape),
            (#""\'""#, 1, .invalidEscape),
            (#""\"#, 1, .invalidEscape), (#""\u12"#, 1, .invalidEscape), (#""\ud800""#, 1, .loneSurrogate),
            (#""\udc00""#, 1, .loneSurrogate), (#""a\ud800b""#, 2, .loneSurrogate),
            (#""\ud800\ud800""#, 1, .loneSurrogate), (#""\ud800\u0041""#, 1, .loneSurrogate),
            (#""\udc00\ud800""#, 1, .loneSurrogate), (#""\ud800\"#, 1, .loneSurrogate),
            (#""\ud800\u"#, 7, .invalidEscape), (#""\ud800\n""#, 1, .loneSurrogate),
        ] as [(String, Int, JSONError.Reason)])
    func badEscapes(text: String, offset: Int, reason: JSONError.Reason) {
        #expect(fault(Array(text.utf8)) == JSONError(reason: reason, offset: offset))
    }

    @Test(
        "octets that are no UTF-8 are refused where they stand (section 8.1)",
        arguments: [
            ([0x61, 0xFF], 2), ([0xC3], 1), ([0xC0, 0x80], 1), ([0xED, 0xA0, 0x80], 1),
            ([0x61, 0x62, 0x80], 3),
            ([0xF4, 0x90, 0x80, 0x80], 1), ([0xE2, 0x82], 1), ([0xE9], 1), ([0xF0, 0x80, 0x80, 0x80], 1),
            // A character is not put together of pieces with an escape between them.
            ([0xC3, 0x5C, 0x6E, 0xA9], 1),
        ] as [([UInt8], Int)])
    func invalidUTF8(octets: [UInt8], offset: Int) {
        let quote: [UInt8] = [0x22]
        #expect(fault(quote + octets + quote) == JSONError(reason: .invalidUTF8, offset: offset))
    }

    @Test("a control character in a string needs an escape, every one of them")
    func controls() {
        for octet in UInt8(0)..<0x20 {
            #expect(fault([0x22, 0x61, octet, 0x22]) == JSONError(reason: .control, offset: 2))
        }
    }

    @Test(
        "what is not put together as it should be is refused, where that shows",
        arguments: [
            ("", 0, JSONError.Expectation.value), (" ", 1, .value), ("[", 1, .value), ("[1", 2, .elementEnd),
            ("[1,", 3, .value), ("[1,]", 3, .value), ("[,1]", 1, .value), ("[1 2]", 3, .elementEnd),
            ("[1}", 2, .elementEnd), ("]", 0, .value), ("{", 1, .name), ("{,}", 1, .name),
            ("{\"a\"", 4, .colon),
            ("{\"a\" 1}", 5, .colon), ("{\"a\":", 5, .value), ("{\"a\":}", 5, .value),
            ("{\"a\":1", 6, .memberEnd), ("{\"a\":1,", 7, .name), ("{\"a\":1,}", 7, .name),
            ("{\"a\":1]", 6, .memberEnd), ("{\"a\":1 \"b\":2}", 7, .memberEnd), ("{a:1}", 1, .name),
            ("{'a':1}", 1, .name), ("{1:1}", 1, .name), ("{null:1}", 1, .name),
            ("{\"a\":1,,\"b\":2}", 7, .name),
            ("'a'", 0, .value), ("\"a", 2, .stringEnd), ("nul", 0, .value), ("True", 0, .value),
            ("nulla", 4, .end),
            ("tru\u{65}x", 4, .end), ("1 2", 2, .end), ("{}{}", 2, .end), ("[]]", 2, .end),
            ("\"a\"b", 3, .end),
            ("/**/1", 0, .value), ("1//", 1, .end), ("\u{FEFF}1", 0, .value), ("\u{A0}1", 0, .value),
            ("\u{C}1", 0, .value), ("[\u{B}1]", 1, .value), ("undefined", 0, .value), ("\0", 0, .value),
            ("1\0", 1, .end), ("[\"a\",\n4\n,1,", 11, .value),
        ])
    func structure(text: String, offset: Int, expectation: JSONError.Expectation) {
        #expect(fault(Array(text.utf8)) == JSONError(reason: .expected(expectation), offset: offset))
    }

    @Test("blanks stand between any two tokens, and are four characters")
    func blanks() throws {
        let blank = " \t\r\n"
        let tokens = ["{", "\"a\"", ":", "[", "1", ",", "true", "]", ",", "\"b\"", ":", "null", "}"]
        let spaced = blank + tokens.joined(separator: blank) + blank
        #expect(try value(spaced) == value(tokens.joined()))
        #expect(JSONPrinter.text(of: try value(spaced)) == "{\"a\":[1,true],\"b\":null}")
    }

    @Test("names of an object may be empty, and repeat, and stay in order")
    func names() throws {
        let text = #"{"b":1,"a":2,"b":3,"":{}}"#
        #expect(JSONPrinter.text(of: try value(text)) == text)
    }

    @Test("a text cut anywhere is none, and says so at its end")
    func cut() {
        let text = Array(#"{"a":[1,{"b":"c\u0041\ud834\udd1e"},-1.5e-3,true,null,"é"],"d":{}}"#.utf8)
        #expect(fault(text) == nil)
        for count in 0..<text.count {
            #expect((fault(Array(text[..<count]))?.offset).map { $0 <= count } == true, "cut at \(count)")
        }
    }

    // MARK: Limits

    @Test("values may be 64 deep, and no deeper, in arrays and objects alike")
    func depth() {
        func arrays(_ count: Int) -> [UInt8] {
            Array((String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
        }
        func objects(_ count: Int) -> [UInt8] {
            Array(
                (String(repeating: #"{"a":"#, count: count) + "1" + String(repeating: "}", count: count)).utf8
            )
        }
        #expect(fault(arrays(64)) == nil && fault(objects(64)) == nil)
        #expect(fault(arrays(65)) == JSONError(reason: .tooDeep(limit: 64), offset: 64))
        #expect(fault(objects(65)) == JSONError(reason: .tooDeep(limit: 64), offset: 64 * 5))
        #expect(fault([UInt8](repeating: 0x5B, count: 1 << 20))?.reason == .tooDeep(limit: 64))
        // How deep it is, not how many there are one behind the other.
        #expect(fault(Array(("[" + String(repeating: "[],", count: 100) + "[]]").utf8)) == nil)
    }

    @Test("values may be 65,536 in all, and no more")
    func count() {
        func list(_ count: Int) -> [UInt8] {
            Array(("[" + String(repeating: "1,", count: count - 2) + "1]").utf8)
        }
        #expect(fault(list(65_536)) == nil)
        #expect(fault(list(65_537))?.reason == .tooMany(limit: 65_536))
    }

    @Test("time is linear in the length, whatever fills it", arguments: ["a", #"\n"#, #"\ud834\udd1e"#, "é"])
    func time(piece: String) throws {
        func text(_ octets: Int) -> [UInt8] {
            Array(("\"" + String(repeating: piece, count: octets / piece.utf8.count) + "\"").utf8)
        }
        let clock = ContinuousClock()
        // Copying what is read once for each piece would take hours for a megabyte.
        let time = clock.measure { #expect(fault(text(1 << 20)) == nil) }
        #expect(time < .seconds(20))
    }

    // MARK: Member by member

    @Test("members of an object that is cut are there up to the cut")
    func members() throws {
        var reader = JSONReader(Array(#"{"id":7,"url":"#.utf8))
        try reader.beginObject()
        #expect(try reader.nextMember() == .init(name: "id", value: .number("7")))
        #expect(throws: JSONError(reason: .expected(.value), offset: 14)) { try reader.nextMember() }
        var whole = JSONReader(Array(#" { "a" : 1 , "b" : [ ] } "#.utf8))
        try whole.beginObject()
        #expect(try whole.nextMember()?.name == "a")
        #expect(try whole.nextMember()?.name == "b")
        #expect(try whole.nextMember() == nil)
        var empty = JSONReader(Array("{}x".utf8))
        try empty.beginObject()
        #expect(throws: JSONError(reason: .expected(.end), offset: 2)) { try empty.nextMember() }
    }
}

@Suite("Printing JSON (RFC 8259)")
struct JSONPrinterTests {
    @Test(
        "strings have the escapes they need, and those that keep a terminal from obeying",
        arguments: [
            ("plain", #""plain""#), ("\"\\/", #""\"\\/""#), ("\n\r\t\u{8}", #""\n\r\t\u0008""#),
            ("\0\u{1F}\u{7F}", #""\u0000\u001f\u007f""#), ("é€\u{1F600}", "\"é€\u{1F600}\""),
            ("\u{85}\u{2028}\u{202E}", #""\u0085\u2028\u202e""#), ("\u{E0001}", #""\udb40\udc01""#),
            ("", "\"\""),
        ])
    func strings(text: String, json: String) throws {
        #expect(JSONPrinter.quoted(text) == json)
        // What was printed is read as what it was.
        #expect(try JSONReader.value(of: Array(json.utf8)) == .string(text))
    }

    @Test("every character is read as what it was printed from")
    func allCharacters() throws {
        var text = ""
        for value in UInt32(0)...0x10FFFF where value < 0x3000 || value % 251 == 0 {
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        let json = JSONPrinter.quoted(text)
        #expect(!json.utf8.contains(0x0A))
        guard case .string(let read) = try JSONReader.value(of: Array(json.utf8)) else {
            Issue.record("no string")
            return
        }
        #expect(read.utf8.elementsEqual(text.utf8))
    }
}
