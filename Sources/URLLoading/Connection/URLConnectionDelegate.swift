public import HTTPClient
public import HTTPMessage

/// Who follows one connection (D4). Calls come in order and never overlap, on the connection's queue; each
/// but the two that may be the last has a default. After `URLConnection.cancel` none comes.
public protocol URLConnectionDelegate: AnyObject, Sendable {
    /// The request is about to be sent: first of all without a redirect's answer, then with one before each redirect.
    /// What is returned is sent. `nil` refuses: a redirect's answer is then delivered like any other; without one the
    /// connection fails as `cancelled`.
    func connection(
        _ connection: URLConnection, willSend request: LoadRequest, redirectResponse: HTTPResponse?
    ) -> LoadRequest?

    /// The server asks who asks.
    func connection(
        _ connection: URLConnection, willSendRequestFor challenge: AuthenticationChallenge
    ) -> AuthenticationAnswer

    /// The answer's head is in. What was received before belongs to an earlier answer.
    func connection(_ connection: URLConnection, didReceive response: HTTPResponse)

    /// A piece of content.
    func connection(_ connection: URLConnection, didReceive content: [UInt8])

    /// Whether the answer may be stored in the cache.
    func connection(_ connection: URLConnection, willCacheResponse response: HTTPResponse) -> Bool

    /// The content is whole: the last call.
    func connectionDidFinishLoading(_ connection: URLConnection)

    /// It has failed: the last call.
    func connection(_ connection: URLConnection, didFailWith error: TransferError)
}

extension URLConnectionDelegate {
    /// Sends it.
    public func connection(
        _ connection: URLConnection, willSend request: LoadRequest, redirectResponse: HTTPResponse?
    ) -> LoadRequest? { request }

    /// Delivers the answer that asks.
    public func connection(
        _ connection: URLConnection, willSendRequestFor challenge: AuthenticationChallenge
    ) -> AuthenticationAnswer { .performDefaultHandling }

    /// Nothing.
    public func connection(_ connection: URLConnection, didReceive response: HTTPResponse) {}

    /// Nothing.
    public func connection(_ connection: URLConnection, didReceive content: [UInt8]) {}

    /// Stores it.
    public func connection(_ connection: URLConnection, willCacheResponse response: HTTPResponse) -> Bool {
        true
    }
}
