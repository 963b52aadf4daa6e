public import HTTPMessage
import System
import Transport

/// Content for a consumer on any thread: pieces in order, through a bounded buffer.
///
/// The transfer is paused while the buffer holds more than `capacity` octets, so the peer is held up and memory stays
/// flat; it goes on when half of that is taken. Ending the iteration early cancels the transfer.
public struct ContentStream: AsyncSequence, Sendable {
    /// Octets held before the transfer is paused: 1 MiB.
    public static let capacity = 1 << 20

    private let consumer: ContentConsumer

    init(_ buffer: ContentBuffer) { consumer = ContentConsumer(buffer) }

    /// The iterator; all iterators of a stream take from one buffer.
    public func makeAsyncIterator() -> Iterator { Iterator(consumer: consumer) }

    /// Takes pieces out of the buffer. One consumer at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let consumer: ContentConsumer

        /// The next piece; `nil` after the last. Throws why the transfer failed.
        public mutating func next() async throws(TransferError) -> [UInt8]? {
            let buffer = consumer.buffer
            return try await NetworkActor.run { () throws(TransferError) in try await buffer.next() }
        }

        /// The next piece, wherever the caller is isolated.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(TransferError)
            -> [UInt8]?
        {
            try await next()
        }
    }
}

/// Who takes content out of a buffer; when the last copy is gone, nobody will take the rest.
final class ContentConsumer: Sendable {
    let buffer: ContentBuffer

    init(_ buffer: ContentBuffer) { self.buffer = buffer }

    deinit {
        let buffer = buffer
        Task(executorPreference: NetworkActor.loop) { await buffer.abandon() }
    }
}

/// The bounded buffer between a transfer and the consumer of its content.
@NetworkActor
final class ContentBuffer: ContentSink {
    private static let smallPiece = 16 << 10
    private var pieces: [[UInt8]] = []
    private var held = 0
    private var ending: Result<TransferReport, TransferError>?
    private var waiting: Pause?
    private var head: HTTPResponse?
    private var transfer: Transfer?

    nonisolated init() {}

    /// Runs `transfer`, whose sink is this buffer.
    func follow(_ transfer: Transfer) {
        self.transfer = transfer
        Task(executorPreference: NetworkActor.loop) { await self.awaitEnd(of: transfer) }
    }

    private func awaitEnd(of transfer: Transfer) async {
        do throws(TransferError) { ending = .success(try await transfer.finish()) } catch {
            ending = .failure(error)
        }
        self.transfer = nil
        wake()
    }

    /// Ends a transfer whose content nobody takes.
    func abandon() { transfer?.cancel() }

    func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError) {
        head = response
        wake()
    }

    func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        // Small pieces are joined, so that their number stays small however the peer cuts its content.
        if let last = pieces.last, last.count < ContentBuffer.smallPiece {
            pieces[pieces.count - 1].append(copying: content)
        } else {
            var piece: [UInt8] = []
            piece.append(copying: content)
            pieces.append(piece)
        }
        held += content.count
        wake()
        return held > ContentStream.capacity ? .pause : .more
    }

    func response() async throws(TransferError) -> HTTPResponse {
        while head == nil {
            if case .failure(let error) = ending { throw error }
            try await wait()
        }
        guard let head else { throw TransferError(.cancelled, during: .firstByte, "cancelled") }
        return head
    }

    func next() async throws(TransferError) -> [UInt8]? {
        while pieces.isEmpty {
            switch ending {
            case .success: return nil
            case .failure(let error): throw error
            case nil: try await wait()
            }
        }
        let piece = pieces.removeFirst()
        held -= piece.count
        if held <= ContentStream.capacity / 2 { transfer?.resume() }
        return piece
    }

    private func wait() async throws(TransferError) {
        let pause = Pause()
        waiting = pause
        if await pause.wait(until: .distantFuture) == .cancelled {
            transfer?.cancel()
            throw TransferError(.cancelled, during: .content, "cancelled")
        }
    }

    private func wake() { waiting.take()?.finish(.ready) }
}

extension Client {
    /// Sends `request` and answers with the response's head as soon as it is in; the content follows in pieces.
    /// Throws why there is no response.
    public nonisolated func response(
        for request: HTTPRequest, options: TransferOptions = TransferOptions(),
        hooks: TransferHooks = TransferHooks()
    ) async throws(TransferError) -> (response: HTTPResponse, content: ContentStream) {
        try await NetworkActor.run { () throws(TransferError) in
            let buffer = ContentBuffer()
            let transfer = self.send(request, into: buffer, options: options, hooks: hooks)
            buffer.follow(transfer)
            return (try await buffer.response(), ContentStream(buffer))
        }
    }

    /// Sends `request` and answers with the response and its whole content, which may have `maximumLength` octets.
    public nonisolated func content(
        for request: HTTPRequest, maximumLength: UInt64 = CollectedContent.defaultMaximumLength,
        options: TransferOptions = TransferOptions(), hooks: TransferHooks = TransferHooks()
    ) async throws(TransferError) -> (response: HTTPResponse, content: [UInt8]) {
        try await NetworkActor.run { () throws(TransferError) in
            let sink = CollectedContent(maximumLength: maximumLength)
            let report = try await self.transfer(request, into: sink, options: options, hooks: hooks).run()
            return (report.response, sink.octets)
        }
    }
}
