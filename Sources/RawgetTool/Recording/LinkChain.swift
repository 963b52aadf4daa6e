import Glibc
import System

/// A path and the symbolic links that it leads through to a file, which need not be there.
struct LinkChain {
    /// One of them.
    struct Link: Hashable, Sendable {
        var path: String
        /// What it holds.
        var destination: String
    }

    /// In order; empty where the path is no link.
    private(set) var links: [Link] = []
    /// The path without links at its end.
    private(set) var target: String
    /// What stands there.
    private(set) var status: File.Status?

    /// Follows `path`. Throws the call that failed; ELOOP after 40 links, as the system has it.
    init(_ path: String, in folder: Int32) throws(SystemError) {
        target = path
        status = try File.status(of: path, in: folder, followsLinks: false)
        while status?.kind == .symbolicLink {
            guard links.count < 40 else { throw SystemError(call: "open", errno: ELOOP) }
            let destination = try File.destination(ofLink: target, in: folder)
            links.append(Link(path: target, destination: destination))
            target = destination.hasPrefix("/") ? destination : LinkChain.parent(of: target) + destination
            status = try File.status(of: target, in: folder, followsLinks: false)
        }
    }

    /// The folder, with its slash.
    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(path[...slash])
    }
}
