/// Numbers that look random and are the same for the same seed (Steele, Lea and Flood, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The sequence of that seed.
    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// True so many times out of a hundred.
    mutating func percent(_ share: Int) -> Bool { Int.random(in: 0..<100, using: &self) < share }

    /// One of these.
    mutating func pick<Element>(_ first: Element, _ more: Element...) -> Element {
        pick(from: [first] + more)
    }

    /// One of these, of which there is one at least.
    mutating func pick<Element>(from elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    /// One of the values, each as often as its weight says.
    mutating func weighted<Element>(_ choices: KeyValuePairs<Int, Element>) -> Element {
        var rest = Int.random(in: 0..<choices.reduce(0) { $0 + $1.key }, using: &self)
        for (weight, element) in choices {
            if rest < weight { return element }
            rest -= weight
        }
        return choices[choices.count - 1].value
    }
}
