import CZlib
import TestSupport
import Testing

@testable import Replay

@Suite("Data of fixtures (Fixtures/README.md)")
struct FixtureContentTests {
    /// What the parts are together, each of which must be of 1 octet to 64 KiB.
    private func whole(_ content: FixtureContent) -> [UInt8] {
        var octets: [UInt8] = []
        content.forEachPart { part in
            #expect((1...65536).contains(part.count))
            octets += part
        }
        return octets
    }

    /// The numbers of SplitMix64 with seed 1234567, as its inventor's program prints them.
    private static let numbers: [UInt64] = [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
    ]

    @Test("generated octets are SplitMix64's, low octet first")
    func generated() {
        let octets = FixtureContentTests.numbers.flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        let content = FixtureContent.generated(count: 24, seed: 1_234_567)
        #expect(whole(content) == octets)
        #expect(whole(.slice(content, 5..<19)) == Array(octets[5..<19]))
        #expect(content.count == 24)
    }

    private static let text = FixtureContent.text("0123456789")

    @Test(
        "each kind is what it says",
        arguments: [
            (.octets([]), ""), (text, "0123456789"), (.blob("b", text), "0123456789"),
            (.repeated(.text("ab"), times: 3), "ababab"), (.repeated(.text("ab"), times: 0), ""),
            (.repeated(.octets([]), times: .max), ""), (.slice(text, 2..<5), "234"),
            (.slice(text, 8..<20), "89"),
            (.slice(text, 20..<30), ""), (.slice(text, 3..<3), ""),
            (.joined([text, .slice(text, 1..<2), .octets([]), .text("x")]), "01234567891x"),
            (.slice(.joined([.text("ab"), .text("cd"), .text("ef")]), 1..<5), "bcde"),
            (.slice(.repeated(.text("abc"), times: 1000), 1499..<1504), "cabca"),
            (.slice(.slice(text, 2..<8), 1..<20), "34567"),
            (.slice(.repeated(.joined([.text("ab"), .text("c")]), times: 3), 2..<8), "cabcab"),
            (.slice(.joined([.slice(text, 5..<100), .slice(text, 0..<3)]), 4..<7), "901"),
        ] as [(FixtureContent, String)])
    func kinds(content: FixtureContent, expected: String) {
        #expect(String(decoding: whole(content), as: UTF8.self) == expected)
        #expect(content.count == UInt64(expected.utf8.count))
        #expect(content.octets(atMost: expected.utf8.count) == Array(expected.utf8))
        if !expected.isEmpty { #expect(content.octets(atMost: expected.utf8.count - 1) == nil) }
    }

    @Test("every slice is that part of the whole, whatever is sliced")
    func slices() {
        let contents: [FixtureContent] = [
            .generated(count: 40, seed: 3), .repeated(.text("abcdefg"), times: 6),
            .joined([
                .text("abc"), .generated(count: 9, seed: 1), .octets([]), .repeated(.text("xy"), times: 5),
            ]),
            .coded(.text("some text that is coded"), .gzip),
            .joined([.text("abc"), .coded(.text("coded"), .deflate), .text("def")]),
            .repeated(.coded(.text("x"), .zlib), times: 4), .slice(.coded(.text("y"), .gzip), 3..<15),
            .joined([
                .slice(.coded(.text("y"), .gzip), 3..<900), .text("end"),
                .slice(.coded(.text("z"), .gzip), 99..<900),
            ]),
        ]
        for content in contents {
            let all = whole(content)
            for lower in 0...all.count + 1 {
                for upper in stride(from: lower, through: all.count + 2, by: 3) {
                    let slice = FixtureContent.slice(content, UInt64(lower)..<UInt64(upper))
                    let expected = Array(all.dropFirst(lower).prefix(upper - lower))
                    if whole(slice) != expected { Issue.record("\(content) \(lower)..<\(upper)") }
                    if let count = slice.count, count != expected.count {
                        Issue.record("\(content) has \(count)?")
                    }
                    let joined = FixtureContent.joined([slice, .text("!")])
                    if whole(joined) != expected + [0x21] {
                        Issue.record("\(content) \(lower)..<\(upper) and more")
                    }
                }
            }
        }
    }

    @Test("large data comes in parts, and what is before a slice is not made")
    func large() throws {
        let huge: UInt64 = 1 << 40
        let repeated = FixtureContent.repeated(.text("0123456789"), times: huge)
        #expect(repeated.count == 10 * huge)
        #expect(whole(.slice(repeated, 10 * huge - 3..<10 * huge)) == Array("789".utf8))
        let deep = FixtureContent.repeated(.generated(count: 100_001, seed: 5), times: huge)
        #expect(
            whole(.slice(deep, 100_001 * (huge - 1)..<100_001 * (huge - 1) + 8))
                == whole(.generated(count: 8, seed: 5)))
        #expect(whole(.slice(.generated(count: huge, seed: 1), huge - 8..<huge)).count == 8)
        let clock = ContinuousClock()
        var count = 0
        let before = try residentMemory()
        let time = clock.measure {
            FixtureContent.repeated(.text("0123456789"), times: 1 << 27).forEachPart { count += $0.count }
        }
        #expect(count == 10 << 27)
        #expect(try residentMemory() - before < 32 << 20)
        #expect(time < .seconds(20))
    }

    private func residentMemory() throws -> Int {
        let fields = String(decoding: contents(ofFile: "/proc/self/statm"), as: UTF8.self).split(
            separator: " ")
        return try #require(Int(fields[1])) * 4096
    }

    @Test("the one who takes parts can stop them")
    func stop() {
        struct Enough: Error {}
        var count = 0
        #expect(throws: Enough.self) {
            try FixtureContent.coded(.generated(count: 1 << 40, seed: 1), .gzip).forEachPart {
                part throws(Enough) in
                count += part.count
                if count > 100_000 { throw Enough() }
            }
        }
        #expect(FixtureContent.coded(.generated(count: 1 << 40, seed: 1), .gzip).octets(atMost: 1000) == nil)
        #expect(FixtureContent.repeated(.coded(.text("a"), .gzip), times: .max).octets(atMost: 1000) == nil)
    }

    private static let samples: [FixtureContent] = [
        .octets([]), .text("hello, world"), .repeated(.text("abc"), times: 200_000),
        .generated(count: 300_001, seed: 9),
    ]

    @Test("gzip is what gzip(1) undoes, the same each time, with no time in its head", arguments: samples)
    func gzip(content: FixtureContent) async throws {
        let coded = whole(.coded(content, .gzip))
        #expect(FixtureContent.coded(content, .gzip).count == nil)
        #expect(coded == whole(.coded(content, .gzip)))
        // RFC 1952, section 2.3: no flags, no time.
        #expect(coded.prefix(8) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
        let (input, output) = (NamelessFile(coded), NamelessFile())
        let process = ChildProcess("gzip", ["-dc"], input: input.descriptor, output: output.descriptor)
        #expect(await process.ending(within: .seconds(20)) == .exit(0))
        #expect(output.octets == whole(content))
    }

    @Test("zlib and deflate are what zlib undoes", arguments: samples)
    func zlib(content: FixtureContent) {
        let expected = whole(content)
        #expect(inflated(whole(.coded(content, .zlib)), windowBits: 15, room: expected.count + 1) == expected)
        #expect(
            inflated(whole(.coded(content, .deflate)), windowBits: -15, room: expected.count + 1) == expected)
    }

    @Test("codings lie upon one another")
    func nested() {
        let inner = whole(.coded(.text("x"), .zlib))
        #expect(
            inflated(whole(.coded(.coded(.text("x"), .zlib), .deflate)), windowBits: -15, room: 100) == inner)
    }

    /// Undone in one step; `nil` where it does not end well, or something stands behind its end.
    private func inflated(_ octets: [UInt8], windowBits: Int32, room: Int) -> [UInt8]? {
        var stream = z_stream()
        var input = octets
        var output = [UInt8](repeating: 0, count: room)
        return input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                guard czlib_inflate_init(&stream, windowBits) == Z_OK else { return nil }
                defer { inflateEnd(&stream) }
                guard inflate(&stream, Z_FINISH) == Z_STREAM_END, stream.avail_in == 0 else { return nil }
                return Array(output[..<(room - Int(stream.avail_out))])
            }
        }
    }
}
