public import Download
public import HTTPClient
public import HTTPMessage
import System
import Transport

/// A load with closures for progress, success and failure, alone or in a queue (D15). Its content is collected in memory,
/// up to 256 MiB; a status that tells of a failure is one.
public final class HTTPRequestOperation: TransferOperation {
    /// What is done when it is over.
    public typealias Success = @Sendable (HTTPRequestOperation, [UInt8]) -> Void
    /// What is done when it has failed.
    public typealias Failure = @Sendable (HTTPRequestOperation, TransferError) -> Void
    /// Told how far it is: octets since the last call, so far, and in all (-1 where nobody knows).
    public typealias DownloadProgress = @Sendable (Int64, Int64, Int64) -> Void

    private struct State {
        var phase = Phase.ready
        var isPaused = false
        var load: PlainLoad?
        var success: Success?
        var failure: Failure?
        var progress: DownloadProgress?
        var response: HTTPResponse?
        var content: [UInt8]?
        var error: TransferError?
        var shown = TransferProgress()
        var whenFinished: (@Sendable () -> Void)?
        var order: CallOrder
        /// Whether that is on no queue of the caller's.
        var hasOwnQueue = true

        init(order: CallOrder) { self.order = order }

        /// It is over. One that was cancelled before has failed, whatever came of it. The closures of the end are let go; the
        /// result calls the one that is due.
        mutating func end(
            _ result: Result<[UInt8], TransferError>
        ) -> @Sendable (HTTPRequestOperation) -> Void {
            let result = phase == .cancelled ? .failure(.cancelledTask) : result
            phase = .finished
            load = nil
            let (success, failure) = (success.take(), failure.take())
            switch result {
            case .success(let octets):
                content = octets
                shown.state = .finished
                return { operation in success?(operation, octets) }
            case .failure(let cause):
                error = cause
                shown.state = cause.code == .cancelled ? .cancelled : .failed
                return { operation in failure?(operation, cause) }
            }
        }
    }

    private enum Phase { case ready, executing, cancelled, finished }

    /// What is asked for.
    public let request: LoadRequest
    private let session: Session
    private let state: Lock<State>

    /// An operation that begins with `start`, or in a queue. It uses the connections and the cache of `Session.shared`,
    /// unless another session is given.
    public init(request: LoadRequest, session: Session = .shared) {
        self.request = request
        self.session = session
        let queue = TransferQueue(name: "operation", maxConcurrentOperationCount: 1)
        state = Lock(State(order: CallOrder(queue)))
    }

    /// Where the closures are called, one at a time; a queue of the operation's own, unless told otherwise before it
    /// begins. On its own the last closure has returned when a queue takes the operation for finished.
    public var completionQueue: TransferQueue {
        get { state.withLock { $0.order.queue } }
        set {
            let order = CallOrder(newValue)
            state.withLock { state in
                if state.phase == .ready { (state.order, state.hasOwnQueue) = (order, false) }
            }
        }
    }

    /// Sets what is done at the end: one of the two is called, once. After a cancel it is the failure, with `cancelled`.
    public func setCompletionBlock(success: Success?, failure: Failure?) {
        state.replace(\.success, by: success)
        state.replace(\.failure, by: failure)
    }

    /// Sets what is told while content comes.
    public func setDownloadProgressBlock(_ block: DownloadProgress?) {
        state.replace(\.progress, by: block)
    }

    // MARK: What is known

    /// The answer's head, once it is over.
    public var response: HTTPResponse? { state.withLock { $0.response } }
    /// The content, once it is over.
    public var responseContent: [UInt8]? { state.withLock { $0.content } }
    /// Why it failed.
    public var error: TransferError? { state.withLock { $0.error } }
    /// How far it is.
    public var progress: TransferProgress { state.withLock { $0.shown } }
    /// It has begun and is not over.
    public var isExecuting: Bool { state.withLock { $0.phase == .executing } }
    /// It is over, or was cancelled before it began.
    public var isFinished: Bool { state.withLock { $0.phase == .finished } }
    /// It was cancelled.
    public var isCancelled: Bool {
        state.withLock { $0.phase == .cancelled || $0.error?.code == .cancelled }
    }
    /// It is held.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    // MARK: Control

    /// Begins without a queue. Harmless where it has begun.
    public func start() { begin {} }

    /// Begins; for queues.
    public func begin(whenFinished: @escaping @Sendable () -> Void) {
        let mustBegin = state.withLock { state in
            guard state.phase == .ready else { return false }
            state.phase = .executing
            state.whenFinished = whenFinished
            return true
        }
        guard mustBegin else { return whenFinished() }
        Task(executorPreference: NetworkActor.loop) { await self.perform() }
    }

    /// Stops reading, as `SessionTask.suspend` does.
    public func pause() { setPaused(true) }

    /// Goes on.
    public func resume() { setPaused(false) }

    private func setPaused(_ isPaused: Bool) {
        state.withLock { $0.isPaused = isPaused }
        NetworkActor.loop.call { [self] in
            NetworkActor.assumeIsolated {
                // What holds now: of two calls at once the later may come here first.
                let (load, isPaused) = state.withLock { ($0.load, $0.isPaused) }
                load?.isSuspended = isPaused
            }
        }
    }

    /// Ends it: it fails as `cancelled`, unless it was over.
    public func cancel() {
        let wasReady = state.withLock { state -> Bool? in
            switch state.phase {
            case .ready:
                state.phase = .cancelled
                return true
            case .executing:
                state.phase = .cancelled
                return false
            case .cancelled, .finished: return nil
            }
        }
        guard let wasReady else { return }
        if wasReady { return finish(.failure(.cancelledTask)) }
        NetworkActor.loop.call { [self] in
            NetworkActor.assumeIsolated { state.withLock { $0.load }?.cancel() }
        }
    }

    // MARK: The load

    @NetworkActor
    private func perform() async {
        let calls = ProgressCalls(state.withLock { $0.order }) { [weak self] new, received, expected in
            self?.state.withLock { $0.progress }?(new, received, expected)
        }
        let load = PlainLoad(
            request, of: session, maximumLength: session.configuration.maximumContentLength,
            progress: { [weak self] progress in
                guard let self else { return }
                let hasReceiver = state.withLock { state in
                    state.shown = progress
                    return state.progress != nil
                }
                if hasReceiver { calls.note(progress) }
            })
        let (isPaused, isCancelled) = state.withLock { state in
            state.load = load
            return (state.isPaused, state.phase == .cancelled)
        }
        if isCancelled { load.cancel() }
        do throws(TransferError) {
            load.isSuspended = isPaused
            let (response, content) = try await load.run()
            state.withLock { $0.response = response }
            guard response.status.isSuccess else {
                throw TransferError(
                    .httpFailure, during: .content,
                    "\(request.uri.withoutUserinfoAndFragment) was answered by \(response.statusText)")
            }
            finish(.success(content))
        } catch { finish(.failure(error)) }
    }

    private func finish(_ result: Result<[UInt8], TransferError>) {
        let (tell, order, whenFinished, isOwn) = state.withLock { state in
            (state.end(result), state.order, state.whenFinished.take(), state.hasOwnQueue)
        }
        order.append { [self] in
            // What was still to be told of the progress was told before.
            state.replace(\.progress, by: nil)
            tell(self)
            if isOwn { whenFinished?() }
        }
        // The caller's own queue may be the one that waits for this end.
        if !isOwn { whenFinished?() }
    }
}
