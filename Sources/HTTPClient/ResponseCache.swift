public import HTTPCache
public import HTTPMessage
public import System

/// A private cache that clients share, on whatever thread they are: what is stored, under a clock.
public final class ResponseCache: @unchecked Sendable {
    // Safety: `cache`, with its store, is touched only inside of `lock`.
    private let cache: PrivateCache
    private let lock = Lock<Void>(())
    private let clock: WallClock

    /// A cache that keeps responses in `store`, which nobody else uses, under that clock.
    public init(_ store: sending any CacheStore, clock: WallClock = .system) {
        cache = PrivateCache(store)
        self.clock = clock
    }

    /// Runs `body` with the cache and the time, alone.
    func with<Result>(_ body: (PrivateCache, CacheTime) -> Result) -> Result {
        let date = HTTPDate(secondsSinceEpoch: clock.secondsSinceEpoch)
        let now = CacheTime(date: date, uptime: Instant.now.nanoseconds / 1_000_000_000)
        return lock.withLock { _ in body(cache, now) }
    }

    /// Octets in use, content and fields together.
    public var usage: Int { with { cache, _ in cache.store.usage } }

    /// Removes all.
    public func removeAll() { with { cache, _ in cache.store.removeAll() } }
}
