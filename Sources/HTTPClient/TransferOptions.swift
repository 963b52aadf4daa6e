public import HTTPCache
public import HTTPMessage

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
    /// Which redirects are followed, 20 of them by default; `nil` delivers them like any other response.
    public var redirects: RedirectPolicy? = RedirectPolicy()
    /// Content longer than this is announced with `Expect: 100-continue` (RFC 9110, section 10.1.1), and so is content
    /// of unknown length; 1 MiB, as curl. `nil` announces none.
    public var expectsContinueAbove: UInt64? = 1 << 20
    /// How long the go-ahead is waited for; then the content is sent all the same. 1 s, as curl.
    public var continueTimeout = Duration.seconds(1)

    /// How slow it may be; `nil` sets no limit.
    public var speedLimit: SpeedLimit?
    /// Most octets a second, either way; `nil` sets no limit.
    public var rateLimit: UInt64?
    /// The version of the request: HTTP/1.0 for servers that know no other.
    public var version = HTTPVersion.http11
    /// Heads of responses hold their octets as they came, too (`HTTPResponse.receivedOctets`).
    public var keepsHeads = false
    /// What stands on the request line in place of the URI's path and query, redirects included, as with curl's
    /// `--request-target`: `*` asks about the server as a whole (RFC 9112, section 3.2.4). Visible ASCII; its form is the
    /// caller's matter.
    public var requestTarget: String?
    /// How far the client's cache, if it has one, may answer; `nil` keeps the cache out of it: nothing is looked up,
    /// stored or invalidated. `returnCacheDataDontLoad` never asks an origin, whether there is a cache or not; the
    /// request's own `Cache-Control: only-if-cached` is the cache's affair, and without one it is the origin's.
    public var cachePolicy: CachePolicy? = .useProtocolCachePolicy
    /// How content comes to the sink.
    public var contentForm = ContentForm.asSent

    /// No limits beyond the client's.
    public init() {}
}

/// How content comes to a sink. Lengths, progress and ranges are counted in octets of the wire in every form.
public enum ContentForm: Hashable, Sendable {
    /// Content codings are left alone; the transfer coding is undone.
    case asSent
    /// Content codings are offered (unless the request has an Accept-Encoding of its own) and undone: gzip and deflate,
    /// also one upon another. What cannot be decoded fails as `badContentCoding`.
    case decoded
    /// Not even the transfer coding is undone: the body as it stands on the wire.
    case raw

    /// What a request offers for content that is to be decoded, as Accept-Encoding.
    package static let offeredCodings = "gzip, deflate"
}
