public import System

/// When each step of a transfer was done. A step that did not take place has no instant.
public struct Timings: Hashable, Sendable {
    /// When the transfer was begun.
    public var start: Instant
    /// The last redirect was followed: the final request was begun.
    public var redirected: Instant?
    /// The host's addresses are known.
    public var resolved: Instant?
    /// A connection stands, its TLS handshake aside.
    public var connected: Instant?
    /// The TLS handshake is done.
    public var secured: Instant?
    /// The request was about to be sent.
    public var ready: Instant?
    /// The request is out.
    public var sent: Instant?
    /// The first octet of a response came.
    public var firstOctet: Instant?
    /// The final response's head was whole.
    public var head: Instant?
    /// The content was whole.
    public var end: Instant?

    /// Timings of a transfer that starts at `start`.
    public init(start: Instant = .now) { self.start = start }

    /// What comes now is done anew. The connection may be the one that there is.
    mutating func beginExchange(isRedirect: Bool) {
        if isRedirect { redirected = .now }
        (ready, sent, firstOctet, head, end) = (nil, nil, nil, nil, nil)
    }

    /// From the start to `instant`; zero for a step that did not take place.
    public func elapsed(until instant: Instant?) -> Duration { instant.map { $0 - start } ?? .zero }
}
