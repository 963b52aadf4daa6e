import System
import Transport

/// A sign that the network is at work, for people (D24): it counts what is active, appears when something has been for a
/// while, and goes away a little after the last end.
///
/// Gaps shorter than the completion delay count as activity, so nothing flickers. The counting goes on while the
/// indicator is switched off, as it is at first. All can be used from any thread; time is watched by the network loop,
/// and only while something is about to change.
public final class ActivityIndicator: Sendable {
    /// The one that counts all tasks of all sessions.
    public static let shared = ActivityIndicator()

    fileprivate struct State {
        var activity: ActivityState
        /// When the loop looks next.
        var alarm: Instant?
        var watcher: ActivityWatcher?
        var streams: [Int: AsyncStream<Bool>.Continuation] = [:]
        var lastStream = 0
    }

    private let state: Lock<State>

    /// An indicator of its own, switched off.
    public init(
        activationDelay: Duration = .seconds(1), completionDelay: Duration = .milliseconds(170)
    ) {
        state = Lock(
            State(
                activity: ActivityState(activationDelay: activationDelay, completionDelay: completionDelay)))
    }

    deinit {
        for stream in state.withLock({ $0.streams.values }) { stream.finish() }
    }

    // MARK: Settings

    /// The switch; false. Turned on amid activity, the activation delay begins then; turned off, the sign goes away at
    /// once.
    public var isEnabled: Bool {
        get { state.withLock { $0.activity.isEnabled } }
        set { update { $0.setEnabled(newValue, at: $1) } }
    }

    /// How long something has to be active before the sign appears; 1 s. A change holds for what is active already, too.
    public var activationDelay: Duration {
        get { state.withLock { $0.activity.activationDelay } }
        set { update { activity, _ in activity.activationDelay = newValue } }
    }

    /// How long nothing may be active before the sign goes away; 0.17 s.
    public var completionDelay: Duration {
        get { state.withLock { $0.activity.completionDelay } }
        set { update { activity, _ in activity.completionDelay = newValue } }
    }

    // MARK: Counting

    /// Something begins to use the network.
    public func incrementActivityCount() { update { $0.begin(at: $1) } }

    /// Something ends, or is suspended. The count never falls below zero.
    public func decrementActivityCount() { update { $0.end(at: $1) } }

    /// How much is active.
    public var activityCount: Int { state.withLock { $0.activity.count } }

    // MARK: Watching

    /// Whether the sign is to be seen.
    public var isVisible: Bool { state.withLock { $0.activity.isVisible } }

    /// Whether the sign is to be seen, now and at each change: a stream of its own at each access. Of changes that nobody
    /// takes the newest 16 are kept. It ends with the indicator.
    public var visibilityChanges: AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Bool.self, bufferingPolicy: .bufferingNewest(16))
        let number = state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = continuation
            continuation.yield(state.activity.isVisible)
            return state.lastStream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.streams[number] = nil }
        }
        return stream
    }

    /// Calls `block` at each change from now on, in their order, in the place of an earlier block; `nil` calls none. It
    /// runs on `queue`, by default a serial one of the block's own, and so may block.
    public func setVisibilityChangeBlock(
        _ block: (@Sendable (Bool) -> Void)?, queue: TransferQueue? = nil
    ) {
        let watcher = block.map {
            ActivityWatcher($0, on: queue ?? TransferQueue(maxConcurrentOperationCount: 1))
        }
        state.replace(\.watcher, by: watcher)
    }

    // MARK: Time

    /// Changes the activity, tells those who watch, and has the loop look again when time is to change it next.
    private func update(_ body: (inout ActivityState, Instant) -> Void) {
        let (watcher, alarm) = state.withLock { state -> (ActivityWatcher?, Instant?) in
            let now = Instant.now
            let wasVisible = state.activity.isVisible
            body(&state.activity, now)
            state.activity.advance(to: now)
            let watcher = state.noteChange(from: wasVisible)
            return (watcher, state.setAlarm(at: now))
        }
        watcher?.tell()
        guard let alarm else { return }
        NetworkActor.loop.call(at: alarm) { [weak self] in
            // What is late is changed by `update` itself.
            self?.update { _, _ in }
        }
    }
}

extension ActivityIndicator.State {
    /// Hands a change of visibility to all who watch, in order; the result has to be told.
    fileprivate func noteChange(from wasVisible: Bool) -> ActivityWatcher? {
        guard activity.isVisible != wasVisible else { return nil }
        for stream in streams.values { stream.yield(activity.isVisible) }
        watcher?.note(activity.isVisible)
        return watcher
    }

    /// When the loop is to look, if it would look too late otherwise. A look that turns out to be too early leads to the
    /// next, so that a request does not cost a timer.
    fileprivate mutating func setAlarm(at now: Instant) -> Instant? {
        if let passed = alarm, passed <= now { alarm = nil }
        guard let next = activity.nextChange, next < alarm ?? .distantFuture else { return nil }
        alarm = next
        return next
    }
}
