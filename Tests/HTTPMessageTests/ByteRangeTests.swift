import HTTPMessage
import Testing

@Suite("Byte ranges (RFC 9110, sections 14.1.2 and 14.2)")
struct ByteRangeTests {
    @Test("are read and printed", arguments: Self.sets)
    func parses(input: String, ranges: [ByteRange], printed: String) throws {
        let set = try #require(ByteRangeSet(parsing: input))
        #expect(set.ranges == ranges)
        #expect(set.description == printed)
    }

    static let sets: [(String, [ByteRange], String)] = [
        ("bytes=0-499", [.bounded(0...499)], "bytes=0-499"),
        ("bytes=500-999", [.bounded(500...999)], "bytes=500-999"),
        ("bytes=-500", [.suffix(500)], "bytes=-500"),
        ("bytes=9500-", [.from(9500)], "bytes=9500-"),
        ("bytes=0-0,-1", [.bounded(0...0), .suffix(1)], "bytes=0-0,-1"),
        (
            "bytes= 0-999, 4500-5499, -1000", [.bounded(0...999), .bounded(4500...5499), .suffix(1000)],
            "bytes=0-999,4500-5499,-1000"
        ),
        ("Bytes=,0-1 ,, 2-,", [.bounded(0...1), .from(2)], "bytes=0-1,2-"),
        ("bytes=0-18446744073709551615", [.bounded(0 ... .max)], "bytes=0-18446744073709551615"),
        ("bytes=0-1048575", [.bounded(0...1_048_575)], "bytes=0-1048575"),
        ("bytes=-0", [.suffix(0)], "bytes=-0"),
    ]

    @Test(
        "are nothing else",
        arguments: [
            "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=a-b", "bytes=1", "bytes=2-1", "bytes=--1",
            "bytes=0-1;2-3", "bytes=0-1 2-3", "bytes=0-1-2", "bytes =0-1", "items=0-1", "bytes=0-1,x",
            "bytes=18446744073709551616-", "bytes=0-18446744073709551616", "bytes=-18446744073709551616",
            "bytes=+1-2", "bytes=1 - 2", "0-1", "bytes:0-1", "bytes=1-99999999999999999999999999999",
        ])
    func refuses(input: String) {
        #expect(ByteRangeSet(parsing: input) == nil)
    }

    @Test("are one without unit")
    func parsesOne() {
        #expect(ByteRange(parsing: "1-2") == .bounded(1...2))
        #expect(ByteRange(parsing: "1-2,3-4") == nil)
        #expect(ByteRange(parsing: "bytes=1-2") == nil)
    }

    @Test("stand for offsets in a representation", arguments: Self.resolved)
    func resolves(range: ByteRange, length: UInt64, offsets: Range<UInt64>?) {
        #expect(range.offsets(inLength: length) == offsets)
    }

    static let resolved: [(ByteRange, UInt64, Range<UInt64>?)] = [
        (.bounded(0...499), 10000, 0..<500),
        (.bounded(9500...20000), 10000, 9500..<10000),
        (.bounded(9999...9999), 10000, 9999..<10000),
        (.bounded(10000...10001), 10000, nil),
        (.bounded(0 ... .max), .max, 0 ..< .max),
        (.bounded(0...0), 0, nil),
        (.bounded(.max ... .max), .max, nil),
        (.from(9500), 10000, 9500..<10000),
        (.from(10000), 10000, nil),
        (.from(0), 0, nil),
        (.suffix(500), 10000, 9500..<10000),
        (.suffix(20000), 10000, 0..<10000),
        (.suffix(.max), .max, 0 ..< .max),
        (.suffix(0), 10000, nil),
        (.suffix(1), 0, 0..<0),
    ]
}
