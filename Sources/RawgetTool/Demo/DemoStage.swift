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
            octets: { path in
                guard let file = try? File.open(path, in: File.workingDirectory, flags: O_RDONLY) else {
                    return nil
                }
                return try? File.contents(of: file.rawValue, limit: 1 << 28)
            },
            requestCount: { server.requests.count }, connectionCount: { server.connectionCount },
            memory: { ProcessMemory.anonymous })
    }
}

/// What the process uses of the machine's memory.
private enum ProcessMemory {
    /// Octets of memory that no file stands behind; 0 where the system does not tell.
    static var anonymous: Int {
        guard let file = try? File.open("/proc/self/status", in: File.workingDirectory, flags: O_RDONLY),
            let octets = try? File.contents(of: file.rawValue, limit: 1 << 16)
        else { return 0 }
        // "RssAnon:	    1234 kB"
        let lines = String(decoding: octets, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("RssAnon:") }) else { return 0 }
        return (Int(line.filter { ("0"..."9").contains($0) }) ?? 0) << 10
    }
}
