public import HTTPMessage

/// What the cache did with a request, and why: one member of a Cache-Status field (RFC 9211, section 2).
public struct CacheStatus: Hashable, Sendable {
    /// Why the request went to the origin (section 2.2), the most specific reason that is known.
    public enum Forward: String, Hashable, Sendable, CaseIterable {
        /// The policy, or the kind of request, keeps the cache out of it.
        case bypass
        /// The method must reach the origin.
        case method
        /// Nothing is stored for the target URI.
        case uriMiss = "uri-miss"
        /// What is stored was chosen by other request fields (Vary).
        case varyMiss = "vary-miss"
        /// The request does not take what is stored and fresh.
        case request
        /// What is stored is stale, or must be validated.
        case stale
        /// Some, but not all, of what is asked for is stored.
        case partial
    }

    /// The name under which the cache stands in the field.
    public static let cacheName = "rawget"

    /// The stored response answers the request, and the origin was not asked, or did not answer.
    public var isHit: Bool
    /// Why the origin was asked; `nil` for a hit.
    public var forward: Forward?
    /// The status that the origin answered with, where the answer given has another.
    public var forwardStatus: HTTPStatus?
    /// Seconds for which the response is still fresh; negative once it is stale. `nil` where nobody can tell.
    public var ttl: Int64?
    /// Whether the response to the forwarded request was stored; `nil` for a hit.
    public var isStored: Bool?
    /// A word more, a token.
    public var detail: String?

    /// A hit, or with `forward` a request that goes on.
    public init(forward: Forward? = nil) {
        self.forward = forward
        isHit = forward == nil
    }
}

extension CacheStatus: CustomStringConvertible {
    /// As a member of the field: `rawget; fwd=stale; fwd-status=304; ttl=60; stored`.
    public var description: String {
        var text = CacheStatus.cacheName
        if let forward { text += "; fwd=\(forward.rawValue)" } else if isHit { text += "; hit" }
        if let forwardStatus, forward != nil { text += "; fwd-status=\(forwardStatus)" }
        if let ttl { text += "; ttl=\(CacheStatus.integer(ttl))" }
        if isStored == true, forward != nil { text += "; stored" }
        if let detail { text += "; detail=\(detail)" }
        return text
    }

    /// An Integer of RFC 9651, section 3.3.1, has fifteen digits at most.
    private static func integer(_ number: Int64) -> Int64 {
        min(max(number, -999_999_999_999_999), 999_999_999_999_999)
    }
}
