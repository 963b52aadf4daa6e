/// A two-way stream of octets: TCP, a Unix socket, TLS over either or over itself.
@NetworkActor
public protocol ByteStream: AnyObject {
    /// The addresses of both ends, where there are any.
    var remoteAddress: SocketAddress? { get }
    var localAddress: SocketAddress? { get }

    /// Receives at least one and at most `limit` octets; 0 at the end of the stream.
    /// Throws `timedOut`, `cancelled`, `receiveFailed`.
    func receive(into buffer: ReceiveBuffer, atMost limit: Int, until deadline: Deadline)
        async throws(TransportError) -> Int

    /// Receives what has arrived, without a wait: `nil` when that is nothing, 0 at the end of the stream.
    func receiveAtHand(into buffer: ReceiveBuffer, atMost limit: Int) throws(TransportError) -> Int?

    /// Sends at least one of `octets[offset...]`, unless the peer says something before that can be.
    /// Throws `timedOut`, `cancelled`, `sendFailed`.
    func send(_ octets: [UInt8], from offset: Int, until deadline: Deadline) async throws(TransportError)
        -> SendResult

    /// Sends as many of `octets` as go without a wait; the rest is dropped, and no failure told: a farewell.
    func sendAtOnce(_ octets: [UInt8])

    /// Whether `splice` can work.
    var canSplice: Bool { get }

    /// Moves at least one and at most `count` octets to `target` without lending them to the process.
    /// Throws what `receive` throws, and `targetFailed`.
    func splice(to target: Int32, at offset: Int64?, atMost count: UInt64, until deadline: Deadline)
        async throws(TransportError) -> SpliceResult

    /// Whether an idle stream is still silent: not ended, and nothing came unasked.
    var isQuiet: Bool { get }

    /// Whether there may be something to receive that nobody has looked at: the last call did not come to the end of
    /// what had arrived.
    var mayHaveInput: Bool { get }

    /// While `octets` more are certain to come the stream may sleep until many are there; 0 ends that.
    func expectBulk(_ octets: UInt64)

    /// Closes at once; whoever waits is told `closed`. Harmless when repeated.
    func close()
}

/// What `send` did; the offset is that of the first octet not sent.
public enum SendResult: Hashable, Sendable {
    /// All, or as much as could go without a wait: call again with a new deadline.
    case sent(upTo: Int)
    /// The peer says something, or has closed, and cannot take more at once.
    case peerSpeaks(at: Int)
}

/// What `splice` did.
public enum SpliceResult: Hashable, Sendable {
    /// Octets that reached the target.
    case moved(Int)
    /// The peer closed.
    case endOfStream
    /// The target takes no spliced octets: `moved` went there before it refused, and `leftover` were taken from the
    /// stream and must be written in another way.
    case refused(moved: Int, leftover: [UInt8])
}
