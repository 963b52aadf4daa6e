import Download
import Glibc
public import HTTPClient
import System

/// What a program does with a file that a download has left at a temporary location (D9, D22).
///
/// The calls return when they are done, which may take a while where a file system ends between the two places. Paths
/// are relative to the working directory unless they begin with a slash; a link at the target is replaced, not followed.
public enum DownloadedFile {
    /// Moves a file to `target`. There it is whole or not at all: over file systems it is copied beside the target,
    /// brought to its device and renamed, and then removed here.
    ///
    /// A temporary file gets the permissions of the file that it replaces, or those of any new file; others keep
    /// theirs. Without `replacing` a file that stands at `target` is an error. Throws `readFailed` and `writeFailed`.
    public static func move(
        _ path: String, to target: String, replacing: Bool = true
    ) throws(TransferError) {
        let source = try Source.open(path)
        let permissions = source.permissions(
            replacing: try File.permissions(at: target, replacing: replacing))
        do throws(SystemError) {
            if source.isTemporary {
                // A file system without permissions has none to set.
                try? File.setPermissions(permissions, of: source.descriptor.rawValue)
            }
            return try File.rename(path, to: target, replacing: replacing)
        } catch {
            guard error.errno == EXDEV else { throw TransferError(writing: target, error) }
        }
        try moveOver(path, to: target, replacing: replacing)
    }

    /// Copies a file to `target`, where it is whole or not at all. Permissions and errors are those of `move`.
    public static func copy(
        _ path: String, to target: String, replacing: Bool = true
    ) throws(TransferError) {
        let source = try Source.open(path)
        let replaced = try File.permissions(at: target, replacing: replacing)
        let permissions = source.permissions(replacing: replaced)
        do throws(SystemError) {
            try File.place(at: target, replacing: replacing, permissions: permissions) {
                (file) throws(SystemError) in
                try source.copy(to: file)
                // The name is given to what is on its device: a crash leaves no half file that looks whole.
                try File.synchronizeContent(of: file)
            }
        } catch {
            throw error.call == "pread"
                ? TransferError(reading: path, error) : TransferError(writing: target, error)
        }
    }

    /// Removes a file; nothing there is fine. Throws `writeFailed`.
    public static func remove(_ path: String) throws(TransferError) {
        try TransferError.checkPath(path)
        do throws(SystemError) { try File.remove(path, in: File.workingDirectory) } catch {
            guard error.errno != ENOENT else { return }
            let cause = error.errno == EISDIR ? "it is a folder" : TransferError.cause(error)
            throw TransferError(
                .writeFailed, during: .store, "could not remove \(path): \(cause)", errno: error.errno)
        }
    }

    /// Moves a file to where no renaming leads.
    static func moveOver(_ path: String, to target: String, replacing: Bool) throws(TransferError) {
        try copy(path, to: target, replacing: replacing)
        try remove(path)
    }
}

/// The file that is moved or copied.
private struct Source: ~Copyable {
    let descriptor: FileDescriptor
    let status: File.Status
    /// Whether a download made it for itself alone, for the time being.
    let isTemporary: Bool

    /// Opens the file at `path`. Throws `readFailed`.
    static func open(_ path: String) throws(TransferError) -> Source {
        try TransferError.checkPath(path)
        do throws(SystemError) { return try Source(path) } catch {
            guard error.errno != ELOOP else {
                throw TransferError(
                    .readFailed, during: .store, "could not read \(path): it is a link, or no file",
                    errno: error.errno)
            }
            throw TransferError(reading: path, error)
        }
    }

    private init(_ path: String) throws(SystemError) {
        let opened = try File.open(
            path, in: File.workingDirectory, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        let status = try File.status(of: opened.rawValue)
        guard status.kind != .folder else { throw SystemError(call: "open", errno: EISDIR) }
        guard status.kind == .regular else { throw SystemError(call: "open", errno: ELOOP) }
        descriptor = opened
        self.status = status
        isTemporary = TemporaryFile.isName(ofPath: path) && status.permissions == 0o600
    }

    /// What the file is to have at its target.
    func permissions(replacing replaced: UInt32?) -> UInt32 {
        isTemporary ? replaced ?? File.permissionsOfNewFiles : status.permissions & 0o777
    }

    /// Writes all of it, and its date.
    func copy(to target: Int32) throws(SystemError) {
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var offset: UInt64 = 0
        while true {
            let count = try File.read(
                into: &buffer, buffer.count, at: offset, from: descriptor.rawValue)
            guard count > 0 else { break }
            try File.write(buffer.span.extracting(first: count), to: target)
            offset += UInt64(count)
        }
        // A date that the file system cannot keep is no reason to fail.
        try? File.setModified(status.modified, of: target)
    }
}
