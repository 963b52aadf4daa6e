import Glibc
import System

extension TLSFile {
    /// Largest file of certificates or keys: 16 MiB; the system's bundle has 0.2.
    package static let longest = 16 << 20

    /// All of it.
    func read() throws(SystemError) -> [UInt8] {
        switch content {
        case .octets(let octets): return octets.octets
        case .path(let path, let directory):
            // Without a wait: a pipe that nobody writes would hold up the loop.
            let descriptor = try File.open(path, in: directory, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
            return try File.contents(of: descriptor.rawValue, limit: TLSFile.longest)
        }
    }

    /// Opens it as a folder. The path leads there for as long as the descriptor is open: OpenSSL takes no descriptor,
    /// and parts a path at its colons.
    func openFolder() throws(SystemError) -> TLSFolder {
        guard case .path(let path, let directory) = content else {
            throw SystemError(call: "open", errno: ENOTDIR)
        }
        let descriptor = try File.open(path, in: directory, flags: O_RDONLY | O_DIRECTORY)
        let isPlain = path.hasPrefix("/") && !path.utf8.contains(UInt8(ascii: ":"))
        let lasting = isPlain ? path : "/proc/self/fd/\(descriptor.rawValue)"
        return TLSFolder(descriptor, path: lasting, named: path)
    }
}

/// A folder of certificates that stays open.
final class TLSFolder: Sendable {
    private let descriptor: FileDescriptor
    /// Leads to it as long as the value lives.
    let path: String
    /// What messages call it.
    let name: String

    init(_ descriptor: consuming FileDescriptor, path: String, named name: String) {
        self.descriptor = descriptor
        self.path = path
        self.name = name
    }
}
