package import Replay
import System

/// What one command of a fixture did, whatever the fixture says of it: what two clients can be compared by.
package struct FixtureObservation: Sendable {
    /// What stands at a path of the folder.
    package enum Entry: Hashable, Sendable {
        case folder
        case link(target: String)
        case file(File)
        case special
    }

    /// A file.
    package struct File: Hashable, Sendable {
        /// Most octets of it that are kept: as many as of a request.
        static let mostContent = PlayedRequest.mostContent

        /// Its first octets.
        package var content: [UInt8]
        /// A sum of all its octets, which means nothing outside this process.
        package var sum: Int
        /// Its permissions.
        package var permissions: UInt32
        /// Its modification time, in seconds since 1970.
        package var modified: Int64 = 0
    }

    /// The command's arguments, as the fixture has them.
    package var arguments: [String]
    /// The exit code; `nil`: the client did not end in time.
    package var exit: Int32?
    /// What the servers received.
    package var requests: [PlayedRequest]
    /// The first octets of standard output, at most a mebibyte.
    package var output: [UInt8]
    /// What stands in the folder.
    package var entries: [String: Entry]
    /// What the run's own texts stand for: the folder's path, and ports by server, which no two runs have in common.
    package var folder: String
    /// The ports, see above.
    package var ports: [UInt16]
}
