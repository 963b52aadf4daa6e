package import Examples
import Glibc
package import HTTPMessage
package import Replay
import System

extension ExampleStage {
    /// A stage for the demo.
    init(_ server: ReplayServer, in folder: String, _ report: DemoReport) throws(URIError) {
        try self.init(server, in: folder) { line in
            report.offer(line.escapedForTerminal)
        } check: { what, holds in
            report.note(what.escapedForTerminal, holds)
        }
    }

    /// A stage with the demo's server, and a folder by its absolute path.
    package init(
        _ server: ReplayServer, in folder: String, say: @escaping @Sendable (_ line: String) -> Void,
        check: @escaping @Sendable (_ what: String, _ holds: Bool) -> Void
    ) throws(URIError) {
        self.init(
            server: try URI(parsing: "http://\(server.authority)/"), folder: folder,
            temporaryFolder: "\(folder)/temporary", say: say, check: check,
            isWhole: { DemoServer.isWhole($0, $1) },
            requestCount: { server.requests.count }, connectionCount: { server.connectionCount },
            memory: { ProcessMemory.anonymous })
    }
}
