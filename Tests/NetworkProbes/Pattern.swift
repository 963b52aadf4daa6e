/// Content whose parts differ wherever they are cut, made quickly even under a sanitizer.
public enum Pattern {
    /// A prime number of octets, so that no block of the system's falls on a beginning.
    private static let block: [UInt8] = {
        var state: UInt32 = 0x9E37_79B9
        return (0..<8191).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }()

    /// The first `count` octets.
    public static func octets(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(count + block.count)
        while octets.count < count { octets += block }
        octets.removeLast(octets.count - count)
        return octets
    }

    /// Whether `octets` is how it begins.
    public static func matches(_ octets: [UInt8]) -> Bool { octets == self.octets(octets.count) }
}
