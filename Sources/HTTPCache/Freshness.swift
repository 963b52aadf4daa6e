import HTTPMessage

/// How long a response is fresh, and what it says of its use afterwards (RFC 9111, section 4.2).
struct Freshness: Sendable {
    /// Seconds.
    var lifetime: Int64 = 0
}
