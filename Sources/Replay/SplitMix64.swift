/// A generator whose numbers a seed determines, the same on every machine: for what must be repeatable, not for secrets.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The generator that `seed` determines.
    package init(seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= SplitMix64.step
        return SplitMix64.mixed(state)
    }

    /// The number `index` of those that `seed` determines, from 0.
    static func number(_ index: UInt64, seed: UInt64) -> UInt64 { mixed(seed &+ (index &+ 1) &* step) }

    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mixed(_ state: UInt64) -> UInt64 {
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
