public import HTTPMessage
public import Transport

/// Where a caller takes part in a transfer. Hooks may run anywhere and take their time: nothing is read while one is
/// out. `observe` is different: it is called on the loop and must return at once.
public struct TransferHooks: Sendable {
    /// Before a request is sent; `redirectResponse` is the response that led to it, `nil` at first. Answers the
    /// request to send; `nil` refuses: the first one fails as cancelled, a redirect's response is delivered.
    public var willSend:
        (@Sendable (_ request: HTTPRequest, _ redirectResponse: HTTPResponse?) async -> HTTPRequest?)?
    /// The final head is in, content is not. Answering false cancels.
    public var didReceive: (@Sendable (HTTPResponse) async -> Bool)?
    /// The final head is in, and the response may be stored in the client's cache. Answering false keeps it out.
    public var willStore: (@Sendable (HTTPResponse) async -> Bool)?
    /// Whether a connection may lead to that address: asked before one is opened, and before one that stands is used again.
    /// Where none of a host's addresses may be used, the transfer fails as `offline`. Called on the loop; must return at once.
    public var mayConnect: (@NetworkActor @Sendable (SocketAddress) -> Bool)?
    /// Told all that happens.
    public var observe: (@NetworkActor @Sendable (TransferEvent) -> Void)?

    /// No hooks.
    public init() {}
}
