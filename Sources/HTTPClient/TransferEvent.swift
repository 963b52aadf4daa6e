public import HTTPCache
public import HTTPMessage
public import Transport

/// Something that happened in a transfer. Told on the loop, in order; whoever listens must not block.
public enum TransferEvent: Sendable {
    /// The resolver is asked for the addresses of a host.
    case resolving(host: String)
    case resolved([SocketAddress])
    /// An address is tried.
    case connecting(SocketAddress)
    /// An address did not answer; others may follow.
    case connectFailed(TransportError.Attempt)
    /// A new connection stands; connections of a client are numbered from 1.
    case connected(remote: SocketAddress?, local: SocketAddress?, connection: Int)
    /// The TLS handshake on the new connection is done.
    case secured(TLSSummary)
    /// It failed.
    case notSecured(TLSFailure)
    /// An idle connection is used again.
    case reusing(connection: Int)
    /// The request waits for a connection, as many as allowed are in use.
    case waitingForConnection
    /// The head of the request, as it goes out.
    case requestHead([UInt8])
    /// Content of the request went out: octets so far, and in all where that is known.
    case sent(count: UInt64, total: UInt64?)
    /// The go-ahead for the content (100) is waited for.
    case awaitingContinue
    /// No go-ahead came in time: the content is sent without it.
    case continuing
    /// The server refuses to be asked (417): the request goes out again without Expect.
    case resendingWithoutExpect
    /// The request is out, content and all.
    case requestSent(octets: Int)
    /// A 1xx response; more follows.
    case interim(HTTPResponse)
    /// The final response's head, as the caller gets it.
    case response(HTTPResponse)
    /// The answer that follows is a stored one, or one of the cache's own.
    case answeredFromCache(CacheStatus)
    /// The answer came from the origin, and this is what the cache did about it.
    case passedCache(CacheStatus)
    /// A response that is none of the caller's: the cache has asked for it, and a stored one is the answer, or the request
    /// goes out again.
    case unusedResponse(HTTPResponse)
    /// The origin could not be asked: what is stored is the answer, though it is stale.
    case usingStored(insteadOf: TransferError)
    /// The response was of no use to the cache, which had asked by conditions: the request goes out without them.
    case resendingUnconditionally
    /// The response is a redirect that is followed; `number` counts them from 1.
    case redirecting(from: HTTPResponse, to: HTTPRequest, number: Int)
    /// Content arrived: octets now, and so far.
    case content(count: Int, total: UInt64)
    /// All content is received. What is still to be done with it is the sink's.
    case contentReceived(trailers: HTTPFields)
    /// A kept connection turned out dead before anything came: the request goes out again on a new one.
    case resending
    /// The content has the digest that it should have: which, and who says so.
    case verified(String)
    /// What was there of the representation is gone on with, from that octet on.
    case resuming(at: UInt64)
    /// What was there is of no use: the representation is loaded from its first octet on.
    case startingOver(reason: String)
    /// The transfer has failed and is tried again, for the `number`-th time, after a wait.
    case retrying(number: Int, after: Duration, reason: String)
    /// The transfer has failed and is not tried again, though it could be: for this reason.
    case notRetrying(reason: String)
    /// The transfer has failed because there is no network: it is tried again when that is back, for so long at most.
    case waitingForNetwork(reason: String, limit: Duration)
    /// There is a network again, after so long.
    case networkIsBack(after: Duration)
    /// The connection is kept for the next request.
    case connectionKept(connection: Int)
    /// The connection is closed, and why it is not kept.
    case connectionClosed(connection: Int, reason: String)
}
