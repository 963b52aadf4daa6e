public import Download
public import Reachability
public import System
public import Transport

/// Tells downloads of the networks of this machine.
public final class NetworkConnectivity: Connectivity {
    /// For all who need no other.
    public static let shared = NetworkConnectivity()

    private let feed: NetworkFeed

    /// Of the interfaces whose kinds stand in that folder.
    public init(interfaceFolder: String = NetworkState.interfaceFolder) {
        feed = NetworkFeed(interfaceFolder: interfaceFolder)
    }

    /// Whether there is a way to one of `addresses`, or a way out where there are none. True where the system does not say.
    @NetworkActor
    public func hasWay(to addresses: [SocketAddress]) -> Bool {
        feed.status(of: addresses)?.isReachable ?? true
    }

    /// Waits until there is a way to one of `addresses`, or a way out where there are none. False at `instant`, or when the
    /// task is cancelled.
    @NetworkActor
    public func waitForWay(to addresses: [SocketAddress], until instant: Instant) async -> Bool {
        await feed.wait(until: instant) { [feed] in feed.status(of: addresses)?.isReachable ?? true }
    }

    /// Waits until addresses or routes of this machine have changed. False at `instant`, or when the task is cancelled.
    @NetworkActor
    public func waitForChange(until instant: Instant) async -> Bool {
        var isFirst = true
        return await feed.wait(until: instant) {
            defer { isFirst = false }
            return !isFirst
        }
    }
}
