import HTTPMessage
import Testing

@Suite("Content-Range and Accept-Ranges (RFC 9110, sections 14.3 and 14.4)")
struct ContentRangeTests {
    @Test("is read and printed", arguments: Self.valid)
    func parses(input: String, expected: ContentRange) {
        #expect(ContentRange(parsing: input) == expected)
        #expect(expected.description == input)
    }

    static let valid: [(String, ContentRange)] = [
        ("bytes 42-1233/1234", .part(42...1233, completeLength: 1234)),
        ("bytes 42-1233/*", .part(42...1233, completeLength: nil)),
        ("bytes */1234", .unsatisfied(completeLength: 1234)),
        ("bytes */0", .unsatisfied(completeLength: 0)),
        ("bytes 0-0/1", .part(0...0, completeLength: 1)),
        ("bytes 0-18446744073709551614/18446744073709551615", .part(0...(.max - 1), completeLength: .max)),
    ]

    @Test(
        "is nothing else",
        arguments: [
            "", "bytes", "bytes ", "bytes 0-1", "bytes 0-1/", "bytes 1-0/2", "bytes 0-1/1", "bytes 0-2/2",
            "bytes 0-1/2 ", "bytes  0-1/2", " bytes 0-1/2", "bytes=0-1/2", "bytes: 0-1/2", "bytes */*",
            "bytes */",
            "bytes 0-/2", "bytes -1/2", "bytes a-b/c", "items 0-1/2", "bytes 0-1/2/3", "bytes 0-1/2, 2-3/4",
            "bytes 0-18446744073709551615/*", "bytes 0-18446744073709551616/*",
            "bytes 0-1/18446744073709551616",
            "bytes 0 - 1/2", "bytes +0-1/2", "0-1/2", "bytes\t0-1/2",
        ])
    func refuses(input: String) {
        #expect(ContentRange(parsing: input) == nil)
    }

    @Test("has its unit in any case")
    func ignoresCase() {
        #expect(ContentRange(parsing: "BYTES 0-1/2") == .part(0...1, completeLength: 2))
    }

    @Test("has offsets and a length")
    func hasOffsets() {
        #expect(ContentRange(parsing: "bytes 2-3/9")?.offsets == 2..<4)
        #expect(ContentRange(parsing: "bytes 2-3/9")?.completeLength == 9)
        #expect(ContentRange(parsing: "bytes 2-3/*")?.completeLength == nil)
        #expect(ContentRange(parsing: "bytes */9")?.offsets == nil)
        #expect(ContentRange(parsing: "bytes */9")?.completeLength == 9)
        #expect(ContentRange.part(0 ... .max, completeLength: nil).offsets == nil)
    }

    @Test("a server's word on ranges", arguments: Self.words)
    func readsAcceptRanges(fields: HTTPFields, expected: AcceptRanges, allows: Bool) {
        #expect(AcceptRanges(fields) == expected)
        #expect(AcceptRanges(fields).allowsByteRanges == allows)
    }

    static let words: [(HTTPFields, AcceptRanges, Bool)] = [
        ([:], .unknown, true),
        (["Accept-Ranges": "bytes"], .bytes, true),
        (["accept-ranges": "Bytes"], .bytes, true),
        (["Accept-Ranges": "none"], .none, false),
        (["Accept-Ranges": "NONE"], .none, false),
        (["Accept-Ranges": "items, bytes"], .bytes, true),
        (["Accept-Ranges": "items", "Accept-Ranges": "none"], .none, false),
        (["Accept-Ranges": "bytes, none"], .bytes, true),
        (["Accept-Ranges": "items"], .unknown, true),
        (["Accept-Ranges": ""], .unknown, true),
    ]
}
