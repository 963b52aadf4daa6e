public import System
public import Transport

/// What a download wants to know of networks: whether another try could reach anybody.
public protocol Connectivity: Sendable {
    /// Whether there is a way to one of `addresses`, or a way out where there are none. True where nobody knows.
    @NetworkActor func hasWay(to addresses: [SocketAddress]) -> Bool
    /// Waits until there is a way to one of `addresses`, or a way out where there are none. False at `instant`, or when the
    /// task is cancelled.
    @NetworkActor func waitForWay(to addresses: [SocketAddress], until instant: Instant) async -> Bool
    /// Waits until addresses or routes of this machine have changed. False at `instant`, or when the task is cancelled.
    @NetworkActor func waitForChange(until instant: Instant) async -> Bool
}
