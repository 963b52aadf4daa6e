/// The servers of a fixture, at work: they play its connections and note what is not as it says.
///
/// Each call is made by whoever runs the fixture, from one thread: `start()`, then for each run `begin(run:)`, the run
/// itself, `isIdle` until it is true or enough time has passed, `end(run:)`; at last `stop()`.
public final class FixtureStage: Sendable {
    init() {}
    /// Where a host of the fixture is to be found.
    public struct Place: Hashable, Sendable {
        /// The host, in lower case.
        public var host: String
        /// The port that leads there; `nil`: all that no earlier place has.
        public var port: UInt16?
        /// IP addresses with their ports, to be tried in this order.
        public var addresses: [Address]

        /// An IP address and a port.
        public struct Address: Hashable, Sendable {
            /// `127.0.0.1` or `::1`.
            public var host: String
            /// The port.
            public var port: UInt16
        }
    }

    /// What a run came to, for the servers.
    public struct RunRecord: Hashable, Sendable {
        /// What was not as the fixture says, in the order of its lines.
        public var problems: [FixtureProblem] = []
        /// Connections accepted, by server.
        public var connections: [Int] = []
        /// Requests read, by server.
        public var requests: [Int] = []
    }
}
