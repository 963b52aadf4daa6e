/// How far one request may be answered by what is stored (D17): the policies of Apple's URL loading system, by its names.
///
/// What comes from the network is stored under each of them, as RFC 9111 allows.
public enum CachePolicy: String, Hashable, Sendable, CaseIterable {
    /// Cache-Control and the other fields decide.
    case useProtocolCachePolicy
    /// The origin is asked, whatever is stored; its answer replaces that.
    case reloadIgnoringLocalCacheData
    /// The same, and caches on the way are told by `Cache-Control: no-cache`, unless the request has that field.
    case reloadIgnoringLocalAndRemoteCacheData
    /// What is stored, whatever its age; else the origin is asked.
    case returnCacheDataElseLoad
    /// What is stored, whatever its age; else the transfer fails as `notInCache`. The network is never used.
    case returnCacheDataDontLoad
    /// What is stored is validated, with `Cache-Control: max-age=0` unless the request has that field; a fresh response
    /// that is `immutable` is used as it is (RFC 8246).
    case reloadRevalidatingCacheData

    /// The policy of that name, also by the older name `reloadIgnoringCacheData`; `nil` for others.
    public init?(name: String) {
        guard
            let policy = CachePolicy(
                rawValue: name == "reloadIgnoringCacheData" ? "reloadIgnoringLocalCacheData" : name)
        else { return nil }
        self = policy
    }
}
