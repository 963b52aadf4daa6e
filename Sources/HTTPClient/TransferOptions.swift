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
    /// Which redirects are followed; `nil` delivers them like any other response.
    public var redirects: RedirectPolicy?
    /// Content longer than this is announced with `Expect: 100-continue` (RFC 9110, section 10.1.1), and so is content
    /// of unknown length; 1 MiB, as curl. `nil` announces none.
    public var expectsContinueAbove: UInt64? = 1 << 20
    /// How long the go-ahead is waited for; then the content is sent all the same. 1 s, as curl.
    public var continueTimeout = Duration.seconds(1)

    /// No limits beyond the client's.
    public init() {}
}
