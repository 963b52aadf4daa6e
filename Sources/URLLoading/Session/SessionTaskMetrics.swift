public import HTTPMessage
public import System
public import Transport

/// When each step of a task was done, request by request. A step that did not take place has no instant: an answer from
/// the cache has no request that was sent. Instants are those of the machine's clock that never goes back; the time between
/// two is `later.duration(since: earlier)`.
public struct SessionTaskMetrics: Sendable {
    /// Where an answer came from.
    public enum FetchType: Int, Hashable, Sendable {
        /// Nothing is known: no answer came.
        case unknown = 0
        /// The origin.
        case networkLoad = 1
        /// The cache.
        case localCache = 3
    }

    /// One request and its answer: each redirect is one of its own.
    public struct Transaction: Sendable {
        /// The request.
        public var request: HTTPRequest
        /// The answer's head; `nil` where none came.
        public var response: HTTPResponse?
        /// Where it came from.
        public var resourceFetchType = FetchType.unknown
        /// When it was begun.
        public var fetchStart: Instant
        /// The host's addresses are looked for.
        public var domainLookupStart: Instant?
        /// They are known.
        public var domainLookupEnd: Instant?
        /// A connection is opened.
        public var connectStart: Instant?
        /// It stands, its TLS handshake included.
        public var connectEnd: Instant?
        /// The TLS handshake begins.
        public var secureConnectionStart: Instant?
        /// It is done.
        public var secureConnectionEnd: Instant?
        /// The request goes out.
        public var requestStart: Instant?
        /// It is out, content and all.
        public var requestEnd: Instant?
        /// The answer's head is in.
        public var responseStart: Instant?
        /// Its content is whole, or the transaction has ended otherwise.
        public var responseEnd: Instant?
        /// Whether an idle connection was used.
        public var isReusedConnection = false
        /// The server's address.
        public var remoteAddress: SocketAddress?
        /// This side's address.
        public var localAddress: SocketAddress?
        /// The version of TLS of a connection that was opened for it, as in `TLSv1.3`.
        public var negotiatedTLSProtocolVersion: String?
        /// The cipher suite of TLS, of such a connection.
        public var negotiatedTLSCipherSuite: String?
        /// Octets of the request, its content included.
        public var countOfRequestBytesSent: UInt64 = 0
        /// Octets of content received.
        public var countOfResponseBodyBytesReceived: UInt64 = 0
    }

    /// The first `resume`.
    public internal(set) var taskStart: Instant
    /// The end.
    public internal(set) var taskEnd: Instant
    /// Every request, in order. Of more than 100 the ones in the middle are left out.
    public internal(set) var transactionMetrics: [Transaction] = []
    /// How many redirects were followed.
    public internal(set) var redirectCount = 0

    /// From the first `resume` to the end, suspension and waiting included.
    public var taskInterval: Duration { taskEnd - taskStart }
}
