public import HTTPCache
public import HTTPClient
public import HTTPMessage
import Reachability

/// How a session loads (D13, D14). A session takes a copy when it is made.
public struct SessionConfiguration: Sendable {
    /// What becomes of a session's traces.
    enum Kind: Hashable, Sendable {
        /// Answers are kept for the next session.
        case `default`
        /// Nothing outlives the session.
        case ephemeral
        /// Transfers outlive the program.
        case background(identifier: String)
    }

    let kind: Kind

    /// Longest time without a single octet while one is awaited, and to find a host and connect; 60 s. Waiting for a
    /// connection's turn and suspension do not count. A request's own limit goes before it.
    public var timeoutIntervalForRequest = Duration.seconds(60)
    /// Longest time from a task's first `resume` to its end, whatever it does meanwhile; 7 days.
    public var timeoutIntervalForResource = Duration.seconds(7 * 24 * 60 * 60)
    /// Whether tasks may go over cellular networks; true. Where they may not, no connection is made over one; a task fails as
    /// `offline`, or waits. What leads over one only later is ended. The resolver is asked by the system, whatever it uses.
    public var allowsCellularAccess = true
    /// Whether a task waits where there is no network that it may use, before it begins and while it loads, and goes on when
    /// there is one; false: it fails. It waits as long as all of a task may last (`timeoutIntervalForResource`). Without effect
    /// where `client` says where connections begin.
    public var waitsForConnectivity = false
    /// Where the kernel shows what kind each network interface is.
    public var interfaceFolder = NetworkState.interfaceFolder
    /// Tasks that load from one host (scheme, name, port) at once, and most connections to it; 4. Others wait in order.
    public var httpMaximumConnectionsPerHost = 4
    /// Whether the system chooses the time of background transfers; false, and without effect in other sessions.
    public var discretionary = false
    /// How far stored responses may answer requests that say nothing of it.
    public var requestCachePolicy = CachePolicy.useProtocolCachePolicy
    /// Where responses are stored; `nil`: nowhere. The default kind shares `ResponseCache.shared`, the ephemeral one has
    /// a cache of its own.
    public var urlCache: ResponseCache?
    /// Fields that every request gets which has none of that name.
    public var httpAdditionalHeaders = HTTPFields()
    /// The folder of downloads that are not moved yet (D22), made when it is needed, for its user alone. `nil` where the
    /// environment names no place: downloads fail then.
    public var temporaryDirectory: String?
    /// Most octets of content that a task collects in memory; 256 MiB.
    public var maximumContentLength = CollectedContent.defaultMaximumLength
    /// Which redirects are followed, where the delegate does not refuse them.
    public var redirects = RedirectPolicy()
    /// How connections are made: TLS, addresses, limits. What stands above goes before what stands here.
    public var client = ClientConfiguration()

    private init(_ kind: Kind, cache: ResponseCache?) {
        self.kind = kind
        urlCache = cache
        temporaryDirectory = UserFolders.current.cachesFolder.map { "\($0)/rawget/tmp" }
    }

    /// Sessions that share `ResponseCache.shared`. What that stores is kept in memory for now.
    public static var `default`: SessionConfiguration { SessionConfiguration(.default, cache: .shared) }

    /// Sessions that share nothing with others, and of which nothing is left.
    public static var ephemeral: SessionConfiguration {
        SessionConfiguration(.ephemeral, cache: ResponseCache())
    }

    /// Sessions whose transfers outlive the program. They are not built yet: a task of such a session fails as
    /// `badRequest`, and says so.
    public static func background(withIdentifier identifier: String) -> SessionConfiguration {
        SessionConfiguration(.background(identifier: identifier), cache: nil)
    }

    /// The name of a background session; `nil` for other kinds.
    public var identifier: String? {
        if case .background(let identifier) = kind { identifier } else { nil }
    }
}

extension SessionConfiguration {
    /// The client of a session.
    func makeClient() -> Client {
        var configuration = client
        configuration.maximumConnectionsPerHost = max(1, httpMaximumConnectionsPerHost)
        configuration.cache = urlCache
        return Client(configuration)
    }

    /// `request` as it is sent first.
    func prepared(_ request: LoadRequest) -> HTTPRequest {
        var fields = request.fields
        for field in httpAdditionalHeaders where !request.fields.contains(field.name) {
            fields.append(field.name, field.value)
        }
        return HTTPRequest(request.method, request.uri, fields: fields, content: request.content)
    }

    /// The limits and wishes of `request`. What comes into memory is decoded; sizes, ranges and files speak of content as it
    /// is sent.
    func options(for request: LoadRequest, intoMemory: Bool) -> TransferOptions {
        var options = TransferOptions()
        let timeout = request.chosenTimeout ?? timeoutIntervalForRequest
        options.idleTimeout = timeout
        options.connectTimeout = timeout
        options.cachePolicy = request.chosenPolicy ?? requestCachePolicy
        options.redirects = redirects
        if intoMemory, request.method != .head, !request.fields.contains(.range) {
            options.contentForm = .decoded
        }
        return options
    }
}
