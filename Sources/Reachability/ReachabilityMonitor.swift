public import System
public import Transport

/// Watches whether there is a way out, or to given addresses, and over what (D23).
///
/// Unknown until it was started. Changes are told when they have settled (`NetworkWatch`), and only those of the status.
/// All can be used from any thread.
public final class ReachabilityMonitor: Sendable {
    /// The one of the way out, for all who need no other.
    public static let shared = ReachabilityMonitor()

    private struct State {
        var status = ReachabilityStatus.unknown
        var network: NetworkState?
        var failure: SystemError?
        var task: Task<Void, Never>?
        var calls: StatusCalls?
        var streams: [Int: AsyncStream<ReachabilityStatus>.Continuation] = [:]
        var lastStream = 0
        /// Counts the starts: what an earlier one finds out is nothing to a later one.
        var run = 0
    }

    private let addresses: [SocketAddress]
    private let interfaceFolder: String
    private let state = Lock(State())

    /// A monitor of the way to the nearest of `addresses`, or of the way out where there are none.
    public init(
        for addresses: [SocketAddress] = [], interfaceFolder: String = NetworkState.interfaceFolder
    ) {
        self.addresses = addresses
        self.interfaceFolder = interfaceFolder
    }

    deinit {
        let (task, streams) = state.withLock { ($0.task, $0.streams.values) }
        task?.cancel()
        for stream in streams { stream.finish() }
    }

    // MARK: What is known

    /// What the last look has found; unknown before the first. It stays as it is when monitoring stops.
    public var status: ReachabilityStatus { state.withLock { $0.status } }

    /// All that the last look has found; `nil` before the first.
    public var network: NetworkState? { state.withLock { $0.network } }

    /// Why the system could not be asked; `nil` where it could.
    public var failure: SystemError? { state.withLock { $0.failure } }

    /// Whether there is a way.
    public var isReachable: Bool { status.isReachable }
    /// Whether there is a way over a cellular network.
    public var isReachableViaWWAN: Bool { status == .reachableViaWWAN }
    /// Whether there is a way over Wi-Fi.
    public var isReachableViaWiFi: Bool { status == .reachableViaWiFi }
    /// Whether there is a way over a cable.
    public var isReachableViaWired: Bool { status == .reachableViaWired }

    // MARK: Changes

    /// Calls `block` with the status when it is first known, and at each change from then on, in the place of an earlier
    /// block; `nil` calls none. Calls come one at a time, on a thread that may block; of changes meanwhile only the last
    /// is told.
    public func setReachabilityStatusChangeBlock(_ block: (@Sendable (ReachabilityStatus) -> Void)?) {
        let calls = block.map(StatusCalls.init)
        state.withLock { state in
            state.calls = calls
            if state.status != .unknown { calls?.note(state.status) }
        }
        calls?.begin()
    }

    /// The status once it is known, and at each change: a stream of its own at each access. Who is slow gets the last. It
    /// ends with the monitor.
    public var changes: AsyncStream<ReachabilityStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ReachabilityStatus.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = continuation
            if state.status != .unknown { continuation.yield(state.status) }
            return state.lastStream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.streams[number] = nil }
        }
        return stream
    }

    // MARK: Control

    /// Begins to watch, anew where it does so already. The status is known soon after.
    public func startMonitoring() {
        NetworkActor.loop.startThreadIfNeeded()
        state.withLock { state in
            state.run += 1
            let run = state.run
            defer {
                state.task = Task(executorPreference: NetworkActor.loop) { [weak self] in
                    // Held only while it is told something: it may go away meanwhile.
                    await ReachabilityMonitor.watch { [weak self] failure in
                        guard let self else { return false }
                        return look(run, failure)
                    }
                }
            }
            // Of two threads that start it at the same time one goes on.
            return state.task
        }?.cancel()
    }

    /// Whether it watches.
    public var isMonitoring: Bool { state.withLock { $0.task != nil } }

    /// Watches no more. What is known stays.
    public func stopMonitoring() {
        state.withLock { state in
            state.run += 1
            return state.task.take()
        }?.cancel()
    }

    /// Has the monitor look now and after each change, as long as it wants to.
    @NetworkActor
    private static func watch(_ look: @Sendable (SystemError?) -> Bool) async {
        do throws(SystemError) {
            // First, so that nothing gets lost between the look and the watch.
            let watch = try NetworkWatch()
            repeat { guard look(nil) else { return } } while await watch.change()
        } catch {
            _ = look(error)
        }
    }

    /// Looks how things stand, unless nobody can. False where there is no use in going on.
    private func look(_ run: Int, _ failure: SystemError?) -> Bool {
        do throws(SystemError) {
            if let failure { throw failure }
            note(.success(try NetworkState.current(waysTo: addresses, interfaceFolder: interfaceFolder)), run)
        } catch {
            note(.failure(error), run)
        }
        return failure == nil && state.withLock { $0.run == run }
    }

    private func note(_ result: Result<NetworkState, SystemError>, _ run: Int) {
        let calls = state.withLock { state -> StatusCalls? in
            guard state.run == run else { return nil }
            var status = ReachabilityStatus.unknown
            switch result {
            case .success(let network):
                state.network = network
                state.failure = nil
                status = addresses.isEmpty ? network.status : network.status(of: addresses)
            case .failure(let failure): state.failure = failure
            }
            guard status != state.status else { return nil }
            state.status = status
            for stream in state.streams.values { stream.yield(status) }
            state.calls?.note(status)
            return state.calls
        }
        calls?.begin()
    }
}
