public import HTTPCache
public import HTTPMessage
public import System

/// A private cache that clients share, on whatever thread they are: what is stored, under a clock (RFC 9111).
///
/// A client that is given one (`ClientConfiguration.cache`) looks there before it asks an origin, as far as the policy of
/// each transfer lets it. The methods below are for those who want to see, or change, what is stored (D18).
public final class ResponseCache: @unchecked Sendable {
    // Safety: `cache`, with its store, is touched only inside of `lock`.
    private let cache: PrivateCache
    private let memory: MemoryStore?
    private let lock = Lock<Void>(())
    private let clock: WallClock
    /// What is validated in the background now.
    private let validating = Lock<Set<CacheKey>>([])

    /// A cache that keeps responses in `store`, which nobody else uses, under that clock.
    public init(_ store: sending any CacheStore, clock: WallClock = .system) {
        memory = store as? MemoryStore
        cache = PrivateCache(store)
        self.clock = clock
    }

    /// A cache in memory that holds at most `capacity` octets, content and fields together; no object has more than the
    /// fraction of it (`MemoryStore.urlCacheFraction` is URLCache's).
    public convenience init(
        capacity: Int = ResponseCache.defaultCapacity, maximumObjectFraction: Double = 1,
        clock: WallClock = .system
    ) {
        self.init(
            MemoryStore(capacity: capacity, maximumObjectFraction: maximumObjectFraction), clock: clock)
    }

    /// The capacity for those who name none: 64 MiB.
    public static let defaultCapacity = 64 << 20

    /// Runs `body` with the cache and the time, alone.
    func with<Result>(_ body: (PrivateCache, CacheTime) -> Result) -> Result {
        let date = HTTPDate(secondsSinceEpoch: clock.secondsSinceEpoch)
        let now = CacheTime(date: date, uptimeNanoseconds: clock.uptimeNanoseconds)
        return lock.withLock { _ in body(cache, now) }
    }

    // MARK: What is stored

    /// A stored response, whole.
    public struct CachedResponse: Hashable, Sendable {
        /// The head as it is stored: without the fields of its connection and Age.
        public var response: HTTPResponse
        /// The content, as it was sent: content codings are not undone.
        public var content: [UInt8]

        /// A response with its content.
        public init(_ response: HTTPResponse, content: [UInt8]) {
            self.response = response
            self.content = content
        }
    }

    /// What is stored and answers `request` by its method, target URI and fields, however old it is; `nil` where nothing
    /// is, or not all of the content. The content is shared, not copied.
    public func cachedResponse(for request: HTTPRequest) -> CachedResponse? {
        with { cache, _ in
            guard let stored = cache.storedResponse(for: request), let content = stored.content.whole else {
                return nil
            }
            return CachedResponse(stored.response, content: content)
        }
    }

    /// Stores a response as if it had just come for `request`. False where it may not be stored, or is too large.
    @discardableResult
    public func store(_ cached: CachedResponse, for request: HTTPRequest) -> Bool {
        with { $0.store(cached.response, content: cached.content, for: request, at: $1) }
    }

    /// Removes what answers `request`.
    public func removeCachedResponse(for request: HTTPRequest) {
        with { cache, _ in cache.remove(for: request) }
    }

    /// Removes all that was stored, or last validated, at `date` or later.
    public func removeCachedResponses(since date: HTTPDate) {
        with { cache, _ in cache.removeAll(since: date) }
    }

    /// Removes all. What was asked for before is not stored any more.
    public func removeAll() { with { cache, _ in cache.removeAll() } }

    /// Octets in use, content and fields together.
    public var usage: Int { with { cache, _ in cache.store.usage } }

    /// Octets it may hold. Making it smaller removes what no longer fits, the least recently used first, and nothing else.
    /// Of a store that is not in memory it is what that says of one object, and cannot be changed.
    public var capacity: Int {
        get { with { cache, _ in memory?.capacity ?? cache.store.maximumObjectSize } }
        set { with { _, _ in memory?.capacity = newValue } }
    }

    // MARK: Validation in the background

    /// Most validations in the background at once, each of another resource.
    private static let mostValidations = 64

    /// Whether a validation in the background may begin: none of the same resource is under way.
    func beginValidation(of key: CacheKey) -> Bool {
        validating.withLock { $0.count < ResponseCache.mostValidations && $0.insert(key).inserted }
    }

    /// It has ended.
    func endValidation(of key: CacheKey) { validating.withLock { _ = $0.remove(key) } }

    /// Whether something is validated in the background.
    package var isValidating: Bool { validating.withLock { !$0.isEmpty } }
}
