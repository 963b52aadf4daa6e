/// Content without end that a seed determines: what a test server sends and what the test compares with.
///
/// Octets 8·n to 8·n+7 are the n-th number of SplitMix64, low octet first, so any part can be made without the
/// parts before it.
public struct GeneratedContent: Hashable, Sendable {
    /// What determines every octet.
    public let seed: UInt64

    /// The content that `seed` determines.
    public init(seed: UInt64) { self.seed = seed }

    /// The first `count` octets.
    public func octets(_ count: Int) -> [UInt8] { octets(in: 0..<UInt64(count)) }

    /// The octets at `range`; it must fit into memory.
    public func octets(in range: Range<UInt64>) -> [UInt8] {
        [UInt8](capacity: Int(range.upperBound - range.lowerBound)) { output in
            var offset = range.lowerBound
            while offset < range.upperBound {
                var number = SplitMix64.number(offset / 8, seed: seed) >> (offset % 8 * 8)
                let count = min(8 - offset % 8, range.upperBound - offset)
                for _ in 0..<count {
                    output.append(UInt8(truncatingIfNeeded: number))
                    number >>= 8
                }
                offset += count
            }
        }
    }

    /// Whether `octets` is the part that begins at `offset`.
    public func matches(_ octets: [UInt8], at offset: UInt64 = 0) -> Bool {
        octets == self.octets(in: offset..<offset + UInt64(octets.count))
    }
}
