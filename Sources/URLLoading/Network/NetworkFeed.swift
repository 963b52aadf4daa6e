import Reachability
import System
import Transport

/// Who wants to hear of changes of the network hears of them here: all share one watch, which is there only as long as
/// somebody listens.
@NetworkActor
final class NetworkFeed {
    private let interfaceFolder: String
    private var listeners: [Int: @NetworkActor () -> Void] = [:]
    private var lastListener = 0
    private var watching: Task<Void, Never>?
    /// What was asked for since the last change.
    private var known: NetworkState?

    /// Most ways that are kept beside those asked for.
    private static let mostKept = 64

    nonisolated init(interfaceFolder: String = NetworkState.interfaceFolder) {
        self.interfaceFolder = interfaceFolder
    }

    // MARK: How things stand

    /// How things stand, with the ways to `addresses`; `nil` where the system does not say.
    func state(waysTo addresses: [SocketAddress]) -> NetworkState? {
        var asked = Set(addresses)
        if let known {
            guard !asked.isSubset(of: known.routes.keys) else { return known }
            // Tasks that load from several hosts ask in turn.
            if known.routes.count < NetworkFeed.mostKept { asked.formUnion(known.routes.keys) }
        }
        let state = try? NetworkState.current(waysTo: Array(asked), interfaceFolder: interfaceFolder)
        // Without a watch nobody would notice that it is out of date.
        if watching != nil { known = state }
        return state
    }

    /// What there is a way to `addresses` over, or out where there are none; `nil` where the system does not say.
    func status(of addresses: [SocketAddress]) -> ReachabilityStatus? {
        let state = state(waysTo: addresses)
        return addresses.isEmpty ? state?.status : state?.status(of: addresses)
    }

    /// Whether `address` is one of this machine's, at which something can be received. True where nobody knows.
    func isOwn(_ address: SocketAddress) -> Bool {
        guard address.isIPv4 || address.isIPv6, let state = state(waysTo: [address]) else { return true }
        return state.routes[address]?.isLocal ?? false
    }

    /// What keeps connections off cellular networks.
    nonisolated var avoidingCellular: @NetworkActor @Sendable (SocketAddress) -> Bool {
        { [self] address in status(of: [address]) != .reachableViaWWAN }
    }

    // MARK: Listening

    /// Calls `listener` at each change from now on, on the loop, until `stop` with the number returned.
    func listen(_ listener: @escaping @NetworkActor () -> Void) -> Int {
        lastListener += 1
        listeners[lastListener] = listener
        watch()
        return lastListener
    }

    /// Calls the listener of that number no more.
    func stop(_ number: Int) {
        listeners[number] = nil
        guard listeners.isEmpty else { return }
        watching.take()?.cancel()
        known = nil
    }

    private func watch() {
        // Before this returns, so that nothing gets lost. Without a watch nothing is ever told.
        guard watching == nil, let watch = try? NetworkWatch() else { return }
        watching = Task(executorPreference: NetworkActor.loop) { [weak self] in
            while await watch.change() { await self?.tell() }
        }
    }

    private func tell() {
        known = nil
        for number in listeners.keys.sorted() { listeners[number]?() }
    }

    // MARK: Waiting

    /// Waits until `isDone`, which is looked at now and at each change, or until `pause` ends by itself, or `instant`.
    /// Returns whether it is done.
    func wait(
        until instant: Instant, by pause: Pause = Pause(), for isDone: @escaping @NetworkActor () -> Bool
    ) async -> Bool {
        let number = listen { if isDone() { pause.finish(.ready) } }
        defer { stop(number) }
        // After it has begun to listen.
        if isDone() { return true }
        return await pause.wait(until: instant) == .ready
    }
}
