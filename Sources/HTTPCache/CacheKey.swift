public import HTTPMessage

/// The primary key: the target URI of a GET, without fragment and userinfo (RFC 9111, section 2).
public struct CacheKey: Hashable, Sendable {
    /// The URI as text.
    let text: String

    /// The key of that URI.
    public init(_ uri: URI) { text = uri.withoutUserinfo.withoutUserinfoAndFragment.description }
}

extension CacheKey: CustomStringConvertible {
    /// The URI.
    public var description: String { text }
}
