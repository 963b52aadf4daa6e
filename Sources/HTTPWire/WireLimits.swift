/// How much a peer may send before the exchange is refused.
public struct WireLimits: Hashable, Sendable {
    public init() {}
}
