import Replay
import Testing

@Suite("Generated content")
struct GeneratedContentTests {
    @Test("is SplitMix64, low octet first")
    func isSplitMix64() {
        // The first two numbers of the reference generator with seed 0.
        #expect(GeneratedContent(seed: 0).octets(8) == bytes(0xE220_A839_7B1D_CDAF))
        #expect(GeneratedContent(seed: 0).octets(in: 8..<16) == bytes(0x6E78_9E6A_A1B9_65F4))
    }

    @Test("any part equals that part of the whole")
    func partsAgree() {
        let content = GeneratedContent(seed: 42)
        let whole = content.octets(100)
        for start in 0...33 {
            for end in start...100 {
                #expect(content.octets(in: UInt64(start)..<UInt64(end)) == Array(whole[start..<end]))
            }
        }
    }

    @Test func differsBySeed() {
        #expect(GeneratedContent(seed: 1).octets(32) != GeneratedContent(seed: 2).octets(32))
    }

    @Test func matchesOnlyItsOwn() {
        let content = GeneratedContent(seed: 7)
        var part = content.octets(in: 1_000_000_000_003..<1_000_000_000_103)
        #expect(content.matches(part, at: 1_000_000_000_003))
        #expect(!content.matches(part, at: 1_000_000_000_004))
        part[50] ^= 1
        #expect(!content.matches(part, at: 1_000_000_000_003))
    }

    private func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
