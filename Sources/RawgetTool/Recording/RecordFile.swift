import Download
import Glibc
import System

/// The file of `--record`: it replaces what had its name before the run, when it is whole, but nothing else.
struct RecordFile {
    /// As given.
    let path: String
    private let folder: Int32
    /// What had the name before the run.
    private let former: FileIdentity?

    /// The file, before the run.
    init(_ path: String, in folder: Int32) {
        self.path = path
        self.folder = folder
        former = (try? LinkChain(path, in: folder))?.status.map { FileIdentity($0) }
    }

    /// Writes the file, for its owner alone: exchanges are private. What the run has left at its place, of which `left`
    /// is known, stays; then the file gets a number. Returns its path. Throws the call that failed.
    func write(_ octets: [UInt8], sparing left: Set<FileIdentity>) throws(SystemError) -> String {
        let chain = try LinkChain(path, in: folder)
        switch chain.status?.kind {
        case .folder: throw SystemError(call: "open", errno: EISDIR)
        case .special:
            let file = try File.open(chain.target, in: folder, flags: O_WRONLY | O_NOCTTY | O_NONBLOCK)
            try File.write(octets.span, to: file.rawValue)
            return path
        case .regular, .symbolicLink, nil: break
        }
        let (part, file) = try openPart(of: chain.target)
        do throws(SystemError) {
            try File.write(octets.span, to: file.descriptor.rawValue)
            if let status = chain.status, FileIdentity(status) == former, !left.contains(FileIdentity(status))
            {
                try File.rename(part, to: chain.target, in: folder)
                return path
            }
            return try name(part, chain.target)
        } catch {
            // The first failure is the one to tell.
            try? File.remove(part, in: folder)
            throw error
        }
    }

    /// Gives the part the first name that nothing has.
    private func name(_ part: String, _ target: String) throws(SystemError) -> String {
        for number in 0..<1000 {
            let ending = number == 0 ? "" : ".\(number)"
            do throws(SystemError) {
                try File.renameWithoutReplacing(part, to: target + ending, in: folder)
                // Through a link the number stands behind another name than the given one.
                return number == 0 ? path : target + ending
            } catch {
                guard error.errno == EEXIST else { throw error }
            }
        }
        throw SystemError(call: "rename", errno: EEXIST)
    }

    private final class Part {
        let descriptor: FileDescriptor
        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    private func openPart(of target: String) throws(SystemError) -> (String, Part) {
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
}
