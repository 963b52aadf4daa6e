import Glibc
import System

/// The file of `--record`: it replaces what had its name, when it is whole.
enum RecordFile {
    /// Writes the file, for its owner alone: exchanges are private. Throws the call that failed.
    static func write(_ octets: [UInt8], to path: String, in folder: Int32) throws(SystemError) {
        var target = path
        var status = try File.status(of: path, in: folder, followsLinks: false)
        // A link leads to the file that is replaced.
        var links = 0
        while status?.kind == .symbolicLink, links < 40 {
            let destination = try File.destination(ofLink: target, in: folder)
            target = destination.hasPrefix("/") ? destination : parent(of: target) + destination
            status = try File.status(of: target, in: folder, followsLinks: false)
            links += 1
        }
        if status?.kind == .folder { throw SystemError(call: "open", errno: EISDIR) }
        if status?.kind == .special {
            let file = try File.open(target, in: folder, flags: O_WRONLY | O_NOCTTY | O_NONBLOCK)
            return try File.write(octets.span, to: file.rawValue)
        }
        let (part, file) = try openPart(of: target, in: folder)
        do throws(SystemError) {
            try File.write(octets.span, to: file.descriptor.rawValue)
            try File.rename(part, to: target, in: folder)
        } catch {
            // The first failure is the one to tell.
            try? File.remove(part, in: folder)
            throw error
        }
    }

    private final class Part {
        let descriptor: FileDescriptor
        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    private static func openPart(
        of target: String, in folder: Int32
    ) throws(SystemError) -> (String, Part) {
        for number in 0..<1000 {
            let name = number == 0 ? "\(target).part" : "\(target).\(number).part"
            do throws(SystemError) {
                let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
                return (name, Part(try File.open(name, in: folder, flags: flags, permissions: 0o600)))
            } catch {
                guard error.errno == EEXIST else { throw error }
            }
        }
        throw SystemError(call: "open", errno: EEXIST)
    }

    /// The folder, with its slash.
    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(path[...slash])
    }
}
