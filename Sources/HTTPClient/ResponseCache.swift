public import HTTPCache
import HTTPMessage
public import System

/// A private cache that clients share, on whatever thread they are: what is stored, under a clock.
public final class ResponseCache: @unchecked Sendable {
    // Safety: `cache`, with its store, is touched only inside of `lock`.
    private let cache: PrivateCache
    private let lock = Lock<Void>(())
    private let clock: WallClock
    /// What is validated in the background now.
    private let validating = Lock<Set<CacheKey>>([])

    /// A cache that keeps responses in `store`, which nobody else uses, under that clock.
    public init(_ store: sending any CacheStore, clock: WallClock = .system) {
        cache = PrivateCache(store)
        self.clock = clock
    }

    /// A cache in memory that holds at most `capacity` octets, content and fields together; 64 MiB.
    public convenience init(
        capacity: Int = ResponseCache.defaultCapacity, maximumObjectFraction: Double = 1,
        clock: WallClock = .system
    ) {
        self.init(MemoryStore(capacity: capacity, maximumObjectFraction: maximumObjectFraction), clock: clock)
    }

    /// The capacity for those who name none: 64 MiB.
    public static let defaultCapacity = 64 << 20

    /// Runs `body` with the cache and the time, alone.
    func with<Result>(_ body: (PrivateCache, CacheTime) -> Result) -> Result {
        let date = HTTPDate(secondsSinceEpoch: clock.secondsSinceEpoch)
        let now = CacheTime(date: date, uptime: Instant.now.nanoseconds / 1_000_000_000)
        return lock.withLock { _ in body(cache, now) }
    }

    /// Most validations in the background at once, each of another resource.
    private static let mostValidations = 64

    /// Whether a validation in the background may begin: none of the same resource is under way.
    func beginValidation(of key: CacheKey) -> Bool {
        validating.withLock { $0.count < ResponseCache.mostValidations && $0.insert(key).inserted }
    }

    /// Whether something is validated in the background.
    package var isValidating: Bool { validating.withLock { !$0.isEmpty } }

    /// It has ended.
    func endValidation(of key: CacheKey) { validating.withLock { _ = $0.remove(key) } }

    /// Octets in use, content and fields together.
    public var usage: Int { with { cache, _ in cache.store.usage } }

    /// Removes all.
    public func removeAll() { with { cache, _ in cache.store.removeAll() } }
}
