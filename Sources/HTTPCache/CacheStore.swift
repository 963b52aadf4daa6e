public import HTTPMessage

/// Where stored responses are kept. A store decides nothing but what it has room for.
public protocol CacheStore: AnyObject {
    /// All that is stored under a key, in the order in which it was stored.
    func responses(for key: CacheKey) -> [StoredResponse]

    /// One of them answered a request: it is the last to go.
    func noteUse(of response: StoredResponse, for key: CacheKey)

    /// Stores a response, in the place of `old` where that is given and is still there. False where it has no room, or
    /// is larger than one object may be; then `old` is gone, too.
    @discardableResult
    func insert(_ response: StoredResponse, for key: CacheKey, replacing old: StoredResponse?) -> Bool

    /// Removes one.
    func remove(_ response: StoredResponse, for key: CacheKey)

    /// Removes all under a key.
    func removeAll(for key: CacheKey)

    /// Removes all that was stored at or after a date.
    func removeAll(since date: HTTPDate)

    /// Removes all.
    func removeAll()

    /// Octets that one object may have, content and fields together.
    var maximumObjectSize: Int { get }

    /// Octets in use, content and fields together.
    var usage: Int { get }
}
