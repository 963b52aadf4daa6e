public import HTTPCache
public import HTTPMessage
import System
public import Transport

/// One request on its way to its final response, its content going to a sink.
@NetworkActor
public final class Transfer {
    /// When each step was done.
    public internal(set) var timings = Timings()
    /// Octets of content received, as they came over the wire.
    public internal(set) var contentReceived: UInt64 = 0
    /// The length of the content where the response declared it.
    public internal(set) var contentExpected: UInt64?
    /// Octets of the representation that were there before this transfer, for those who show how far it is.
    package var contentBefore: UInt64 = 0
    /// Octets of the whole representation, where the content is only a part of it.
    package var wholeExpected: UInt64?
    /// The addresses of the host asked last, as far as they are known: one where there is a connection.
    package internal(set) var addresses: [SocketAddress] = []
    /// This side's address of the connection used last.
    package internal(set) var localAddress: SocketAddress?
    /// Whether reading is suspended.
    public private(set) var isPaused = false

    /// Octets of the request's content sent, in the exchange under way.
    public internal(set) var contentSent: UInt64 = 0
    /// Octets of the request's content in all, once some were sent; `nil` where nobody knows.
    public internal(set) var contentToSend: UInt64?

    /// The whole answer to a request whose content could not be sent whole, which is why the transfer fails.
    package var answer: TransferReport?

    let request: HTTPRequest
    /// Content of the request that is read while it is sent.
    let content: (any RequestContent)?
    /// Whether any of it was read since it was last rewound.
    var hasReadContent = false
    /// Where content goes now: to the caller, unless it is that of a response nobody is to see.
    var sink: any ContentSink { dropped ?? target }
    /// Takes the content of a response that is not delivered.
    var dropped: DroppedContent?
    private let target: any ContentSink
    let options: TransferOptions
    let hooks: TransferHooks
    private let client: Client
    private var task: Task<Result<TransferReport, TransferError>, Never>?
    private var resumption: Pause?
    private var wasCancelled = false
    /// The stream in use, as long as it is: closing it ends a wait of a transfer that runs in its caller's task.
    var stream: (any ByteStream)?
    /// Ends a wait for something else than the stream, in a transfer that runs in its caller's task.
    private var interruption: (@NetworkActor () -> Void)?

    init(
        _ request: HTTPRequest, content: (any RequestContent)?, into sink: any ContentSink,
        options: TransferOptions, hooks: TransferHooks, client: Client
    ) {
        self.request = request
        self.content = content
        target = sink
        self.options = options
        self.hooks = hooks
        self.client = client
    }

    /// Stops reading; the peer is held up as soon as the buffers between are full. Time spent so is not idle time.
    public func pause() { isPaused = true }

    /// Goes on reading.
    public func resume() {
        isPaused = false
        resumption.take()?.finish(.ready)
    }

    /// Ends the transfer; it fails as `cancelled`, unless it was over.
    public func cancel() {
        wasCancelled = true
        if let task { task.cancel() } else { stream?.close() }
        interruption?()
        resumption.take()?.finish(.cancelled)
    }

    /// Waits for the end. Throws why the transfer failed.
    public func finish() async throws(TransferError) -> TransferReport {
        guard let task else { return try await run() }
        return try await task.value.get()
    }

    /// Runs the transfer in the caller's task, on the loop.
    package func run() async throws(TransferError) -> TransferReport { try await client.perform(self) }

    func start() {
        task = Task(executorPreference: NetworkActor.loop) { await self.result() }
    }

    private func result() async -> Result<TransferReport, TransferError> {
        do throws(TransferError) { return .success(try await run()) } catch { return .failure(error) }
    }

    /// Another exchange begins, in the same transfer: that of a redirect, or the same once more.
    func beginExchange(isRedirect: Bool) {
        timings.beginExchange(isRedirect: isRedirect)
        dropped = nil
        contentSent = 0
        contentReceived = 0
        contentExpected = nil
    }

    /// Whether it, or the task that runs it, was cancelled.
    package var isCancelled: Bool { wasCancelled || Task.isCancelled }

    /// Waits for a place in line, as long as the transfer is not cancelled.
    func wait(_ pause: Pause, until deadline: Deadline) async -> WaitOutcome {
        interruption = { pause.finish(.cancelled) }
        defer { interruption = nil }
        return await pause.wait(until: deadline.instant)
    }

    /// Runs `body` so that `cancel` ends its waits. Where the task is its caller's, it gets one of its own: cancelling
    /// the caller's would reach further than this transfer.
    func interruptibly(_ body: @escaping @Sendable @NetworkActor () async -> Void) async {
        guard task == nil else { return await body() }
        let inner = Task(executorPreference: NetworkActor.loop) { await body() }
        interruption = { inner.cancel() }
        defer { interruption = nil }
        await withTaskCancellationHandler {
            await inner.value
        } onCancel: {
            inner.cancel()
        }
    }

    /// Nobody is to see the content of `response`: it is read to its end where that is near, for the connection's sake, and
    /// the transfer is over without it. A sink may ask for that when the content begins.
    package func drop(_ response: HTTPResponse, length: UInt64?) {
        let content = DroppedContent()
        content.begin(response, length: length)
        dropped = content
        contentExpected = nil
    }

    func observe(_ event: @autoclosure () -> TransferEvent) {
        guard let observe = hooks.observe else { return }
        observe(event())
    }

    /// Stands while the transfer is paused.
    func waitWhilePaused(until deadline: Deadline) async throws(TransportError) {
        while isPaused, !isCancelled {
            let pause = Pause()
            resumption = pause
            switch await pause.wait(until: deadline.instant) {
            case .ready: break
            case .timedOut: throw TransportError(.timedOut(deadline.limit, after: deadline.duration))
            case .cancelled, .closed: throw TransportError(.cancelled)
            }
        }
        if isCancelled { throw TransportError(.cancelled) }
    }
}

/// What a transfer that received its content whole has to tell.
public struct TransferReport: Sendable {
    /// The request as it was sent in the end.
    public var request: HTTPRequest
    /// The final response's head.
    public var response: HTTPResponse
    /// The trailer section of chunked content.
    public var trailers: HTTPFields
    /// When each step was done.
    public var timings: Timings
    /// Octets of all response heads, interim ones too; of the request with its content; and of content received.
    public var headOctets: UInt64
    /// Octets of the request, its content included.
    public var requestOctets: UInt64
    /// Octets of content received.
    public var contentOctets: UInt64
    /// Octets of content sent with the last request.
    public var contentSent: UInt64 = 0
    /// The redirects that were followed, in order. Octets of heads and requests, and connections, count all of them.
    /// Of more than a hundred the ones in the middle are left out.
    public var redirects: [Redirect] = []
    /// How many redirects were followed.
    public var redirectCount = 0
    /// Where the answer comes from.
    public var source = CacheAnswer.Source.network
    /// What the cache did with the last request; `nil` where there is none.
    public var cacheStatus: CacheStatus?
    /// Addresses of both ends; none where the answer was stored.
    public var remoteAddress: SocketAddress?
    /// The address of this side.
    public var localAddress: SocketAddress?
    /// Connections opened for this transfer: 0 when a kept one served.
    public var connectionsOpened: Int
    /// Which of the client's connections it was, from 1.
    public var connection: Int
}
