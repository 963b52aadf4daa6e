import Glibc
import System
import Transport

/// A private folder for files of a moment.
@NetworkActor
final class ScratchFolder {
    /// The folder.
    let descriptor: FileDescriptor
    /// Its path, relative to the invocation's folder unless it begins with a slash.
    let path: String
    private let parent: FileDescriptor
    private let name: String

    /// A folder in the one for temporary files (`TMPDIR`, else `/tmp`) whose name begins with `rawget-` and `purpose`.
    init(_ invocation: Invocation, for purpose: String) throws(SystemError) {
        let place = ScratchFolder.place(invocation)
        parent = try File.open(place, in: invocation.directory, flags: O_RDONLY | O_DIRECTORY)
        var generator = SystemRandomNumberGenerator()
        name = "rawget-\(purpose)-\(String(generator.next() as UInt64, radix: 16))"
        path = "\(place)/\(name)"
        try File.makeFolder(name, in: parent.rawValue, permissions: 0o700)
        descriptor = try File.open(name, in: parent.rawValue, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    /// The folder for temporary files.
    static func place(_ invocation: Invocation) -> String {
        invocation.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    }

    /// The octets of a file in the folder; `nil` when there is none.
    func contents(of file: String) -> [UInt8]? {
        guard let open = try? File.open(file, in: descriptor.rawValue, flags: O_RDONLY | O_NOFOLLOW) else {
            return nil
        }
        return try? File.contents(of: open.rawValue, limit: 1 << 24)
    }

    /// Makes a file.
    func write(_ octets: [UInt8], to file: String) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        let open = try File.open(file, in: descriptor.rawValue, flags: flags, permissions: 0o600)
        try File.write(octets.span, to: open.rawValue)
    }

    /// Removes the folder with all in it.
    func remove() {
        // Where that fails somebody else has a hand in it; nothing of ours depends on it.
        try? File.removeTree(name, in: parent.rawValue)
    }
}
