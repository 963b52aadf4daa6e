/// What one transfer asks for beside the request.
public struct TransferOptions: Hashable, Sendable {
    /// Longest time from start to end; `nil` sets no limit.
    public var totalTimeout: Duration?
    /// Longest time without a single octet; `nil` takes the client's.
    public var idleTimeout: Duration?
    /// Longest time to find the host and connect; `nil` takes the client's.
    public var connectTimeout: Duration?
    /// Most octets of content; more is `tooLarge`. `nil` sets no limit.
    public var maximumContentLength: UInt64?

    /// No limits beyond the client's.
    public init() {}
}
