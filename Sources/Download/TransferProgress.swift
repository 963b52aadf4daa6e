/// How far a transfer has come, for people (D25).
public struct TransferProgress: Hashable, Sendable {
    /// What becomes of it.
    public enum State: Hashable, Sendable {
        case downloading
        case finished
        case failed
        case cancelled
    }

    /// Octets received.
    public var received: UInt64
    /// Octets of the whole; `nil` when unknown.
    public var expected: UInt64?
    /// What becomes of the transfer.
    public var state: State

    /// Progress of so much.
    public init(received: UInt64 = 0, expected: UInt64? = nil, state: State = .downloading) {
        self.received = received
        self.expected = expected
        self.state = state
    }

    /// Received over expected, 0 to 1; an unknown total is no fraction. Nothing of nothing is all of it.
    public var fraction: Double? {
        guard let expected else { return nil }
        guard expected > 0 else { return 1 }
        return min(1, Double(received) / Double(expected))
    }

    /// The fraction with two decimals and a percent sign, as in `41.67%`; rounded down, so that `100.00%` is never
    /// shown for what is not whole.
    public var percentText: String? {
        guard let expected else { return nil }
        guard expected > 0, received < expected else { return "100.00%" }
        // In 128 bits: ten thousand times a 64-bit number.
        let (high, low) = received.multipliedFullWidth(by: 10_000)
        let hundredths = expected.dividingFullWidth((high, low)).quotient
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)%"
    }

    /// Everything that was expected is here.
    public var isWhole: Bool { expected.map { received >= $0 } ?? (state == .finished) }
}
