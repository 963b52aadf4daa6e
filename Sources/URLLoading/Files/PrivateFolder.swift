import Download
import Glibc
import HTTPClient
import System

/// A folder for temporary files that nobody else can write to (D22).
///
/// Its files are reached through the open folder: whatever becomes of the path meanwhile, they are in the folder that
/// was looked at.
final class PrivateFolder: Sendable {
    /// Its absolute path, without a slash at its end.
    let path: String
    private let opened: FileDescriptor

    /// The open folder, lent.
    var descriptor: Int32 { opened.rawValue }

    /// Opens the folder at `path`; where `isMade`, what is missing of it is made, for the user alone. Throws
    /// `writeFailed` where it belongs to somebody else, others may write to it, or its last name is a link.
    init(path: String, isMade: Bool = true) throws(TransferError) {
        try TransferError.checkPath(path)
        // With a slash at its end it would lead through a link.
        let name = path.utf8.lastIndex { $0 != 0x2F }.map { String(path[...$0]) } ?? "/"
        let status: File.Status
        do throws(SystemError) {
            if isMade {
                for made in File.foldersOnTheWay(to: "\(name)/") {
                    try File.makeFolder(made, in: File.workingDirectory, permissions: 0o700)
                }
            }
            opened = try File.open(
                name, in: File.workingDirectory, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            status = try File.status(of: opened.rawValue)
            self.path =
                name.hasPrefix("/")
                ? name : try File.destination(ofLink: "/proc/self/fd/\(opened.rawValue)", in: opened.rawValue)
        } catch {
            throw PrivateFolder.refusal(of: name, PrivateFolder.cause(error), error.errno)
        }
        guard status.owner == File.ownUser else {
            throw PrivateFolder.refusal(of: name, "it belongs to another user")
        }
        guard status.permissions & 0o022 == 0 else {
            throw PrivateFolder.refusal(of: name, "others than its owner may write to it")
        }
    }

    /// Makes an empty file for the user alone, under a name that nobody can foresee. Throws `writeFailed`.
    func makeFile(extension suffix: String = "tmp") throws(TransferError) -> TemporaryFile {
        var tries = 8
        while true {
            let name = TemporaryFile.freshName(suffix)
            do throws(SystemError) {
                let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
                let file = try File.open(name, in: descriptor, flags: flags, permissions: 0o600)
                return try TemporaryFile(name, in: self, file)
            } catch {
                tries -= 1
                guard error.errno == EEXIST, tries > 0 else {
                    throw TransferError(writing: "\(path)/\(name)", error)
                }
            }
        }
    }

    /// How long a temporary file stays that nobody writes to.
    static let keepingTime: Int64 = 30 * 24 * 60 * 60

    /// Removes what programs that were killed, and resume data that nobody has used, have left here long ago.
    func sweep(now: Int64 = WallClock.system.secondsSinceEpoch) {
        // What cannot be looked at, or removed, is in nobody's way.
        let names = (try? File.names(in: descriptor)) ?? []
        for name in names where TemporaryFile.isName(ofPath: name) {
            guard let found = try? File.status(of: name, in: descriptor, followsLinks: false),
                found.kind == .regular, found.modified < now - PrivateFolder.keepingTime
            else { continue }
            try? File.remove(name, in: descriptor)
        }
    }

    private static func refusal(of path: String, _ cause: String, _ errno: Int32? = nil) -> TransferError {
        TransferError(
            .writeFailed, during: .store, "could not use \(path) as the folder for temporary files: \(cause)",
            errno: errno)
    }

    private static func cause(_ error: SystemError) -> String {
        switch error.errno {
        case ENOENT: "there is no such folder"
        case ENOTDIR, ELOOP, EEXIST: "it, or what leads to it, is no folder, or it is a link"
        default: TransferError.cause(error)
        }
    }
}
