import HTTPClient
import HTTPMessage
import System
import Transport

/// One load that a delegate follows (D4, D5), and the styles of a single call (D2, D3).
///
/// It shares cache and connections with `Session.shared`. It keeps itself and its delegate until its last call, or until it
/// is cancelled, and lets go of the delegate then.
public final class URLConnection: Sendable {
    private struct State {
        var delegate: (any URLConnectionDelegate)?
        var order: CallOrder?
        var queue: TransferQueue?
        var hasStarted = false
        var isOver = false
    }

    /// The request it was made for.
    public let originalRequest: LoadRequest
    private let state = Lock(State())
    private let run: ConnectionRun

    /// A connection that begins at once.
    public convenience init(request: LoadRequest, delegate: any URLConnectionDelegate) {
        self.init(request: request, delegate: delegate, startImmediately: true)
    }

    /// A connection that begins at once, or with `start`.
    public init(request: LoadRequest, delegate: any URLConnectionDelegate, startImmediately: Bool) {
        originalRequest = request
        run = ConnectionRun(request)
        state.withLock { $0.delegate = delegate }
        if startImmediately { start() }
    }

    /// Where the delegate is called from the start on: a queue of the connection's own, unless told otherwise before that.
    public func setDelegateQueue(_ queue: TransferQueue) {
        state.withLock { state in
            if !state.hasStarted { state.queue = queue }
        }
    }

    /// Begins. Harmless where it has begun.
    public func start() {
        let order = state.withLock { state -> CallOrder? in
            guard !state.hasStarted, !state.isOver else { return nil }
            state.hasStarted = true
            return CallOrder(state.queue ?? TransferQueue(name: "connection", maxConcurrentOperationCount: 1))
        }
        guard let order else { return }
        NetworkActor.loop.call { [self] in NetworkActor.assumeIsolated { run.start(self, order) } }
    }

    /// Ends it without a further call. One that is being made returns in its own time.
    public func cancel() {
        // The delegate is let go outside the lock: where that is its end, it may cancel once more.
        let (wasOver, delegate) = state.withLock { state in
            defer { state.isOver = true }
            return (state.isOver, state.delegate.take())
        }
        defer { withExtendedLifetime(delegate) {} }
        guard !wasOver else { return }
        NetworkActor.loop.call { [self] in NetworkActor.assumeIsolated { run.cancel() } }
    }

    /// Whom to call; `nil` once it was cancelled, or has ended.
    var delegate: (any URLConnectionDelegate)? { state.withLock { $0.delegate } }

    /// Whom to call for the last time.
    func takeDelegate() -> (any URLConnectionDelegate)? {
        state.withLock { state in
            state.isOver = true
            return state.delegate.take()
        }
    }
}
