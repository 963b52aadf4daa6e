import Download
import Glibc
import HTTPClient
import System

// How a file comes to its name whole.
extension File {
    /// Makes a file beside `target`, has it filled, and gives it that name when it is whole. What fails leaves nothing
    /// behind, and what stood at `target` as it was. `permissions` where they are
    /// not to be those of any new file.
    static func place(
        at target: String, replacing: Bool, permissions: UInt32?,
        fill: (_ descriptor: Int32) throws(SystemError) -> Void
    ) throws(SystemError) {
        let aside = OutputFile.split(target).parent + TemporaryFile.freshName("tmp")
        let file = try open(aside, in: workingDirectory, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        do throws(SystemError) {
            if let permissions { try? setPermissions(permissions, of: file.rawValue) }
            try fill(file.rawValue)
            // Some file systems hold a failed write back until then.
            try file.closeReportingErrors()
            try rename(aside, to: target, replacing: replacing)
        } catch {
            // What cannot be removed is in nobody's way.
            try? remove(aside, in: workingDirectory)
            throw error
        }
    }

    /// Renames at once; where something stands at `target` that must not be replaced, EEXIST.
    static func rename(_ path: String, to target: String, replacing: Bool) throws(SystemError) {
        if replacing {
            try rename(path, to: target, in: workingDirectory)
        } else {
            try renameWithoutReplacing(path, to: target, in: workingDirectory)
        }
    }

    /// Whether a file can take the name `target`, links not followed. Returns the permissions of the file that it
    /// replaces, which the new one gets; `nil` where there is none. Throws `writeFailed`.
    static func permissions(at target: String, replacing: Bool) throws(TransferError) -> UInt32? {
        try TransferError.checkPath(target)
        do throws(SystemError) {
            guard let found = try status(of: target, in: workingDirectory, followsLinks: false) else {
                return nil
            }
            guard replacing else { throw SystemError(call: "rename", errno: EEXIST) }
            switch found.kind {
            case .symbolicLink: return nil
            case .folder: throw SystemError(call: "rename", errno: EISDIR)
            case .regular:
                // Renaming asks only for the folder's rights: the file's own count too, as if it were written.
                guard isWritable(target, in: workingDirectory) else {
                    throw SystemError(call: "rename", errno: EACCES)
                }
                return found.permissions & 0o777
            case .special: break
            }
        } catch {
            throw TransferError(writing: target, error)
        }
        throw TransferError(
            .writeFailed, during: .store,
            "could not write \(target): something else than a file has that name")
    }
}
