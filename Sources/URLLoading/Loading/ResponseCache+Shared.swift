public import HTTPClient
import HTTPMessage

// The documents' cache (D18).
extension ResponseCache {
    /// The cache of default sessions and of connections, in memory; 64 MiB.
    public static let shared = ResponseCache()

    /// Octets it may hold. Making it smaller removes what no longer fits, and nothing else.
    public var memoryCapacity: Int {
        get { capacity }
        set { capacity = newValue }
    }

    /// Octets in use.
    public var currentMemoryUsage: Int { usage }

    /// What is stored for `request`, whatever its age; `nil` where nothing is.
    public func cachedResponse(for request: LoadRequest) -> CachedResponse? {
        cachedResponse(for: request.asSent)
    }

    /// Stores a response as if it had just come for `request`. False where it may not be stored, or is too large.
    @discardableResult
    public func storeCachedResponse(_ cached: CachedResponse, for request: LoadRequest) -> Bool {
        store(cached, for: request.asSent)
    }

    /// Removes what is stored for `request`.
    public func removeCachedResponse(for request: LoadRequest) { removeCachedResponse(for: request.asSent) }

    /// Removes all.
    public func removeAllCachedResponses() { removeAll() }
}
