import Glibc
public import HTTPClient
import System

/// Writes content to a file piece by piece, from whichever thread has it (D5, D8).
///
/// A piece is with the system when its call returns, and is not kept here: memory stays flat, whatever the file's size.
/// Calls may wait for the disk, and wait for one another.
public final class FileWriter: Sendable {
    /// The file's path, as it was given.
    public let path: String
    private let state: Lock<State>

    private struct State {
        /// `nil` once it is closed.
        var file: Int32?
        var offset: UInt64
    }

    /// Makes an empty file; one that is there is emptied. `path` is relative to the open folder `folder`, by default to
    /// the working directory. Throws `writeFailed`.
    public convenience init(creating path: String, in folder: Int32? = nil) throws(TransferError) {
        try self.init(path, folder, flags: O_TRUNC)
    }

    /// Goes on behind what is there of a file, which is made if it is missing: `offset` tells how much that is (D8).
    /// Throws `writeFailed`.
    public convenience init(appendingTo path: String, in folder: Int32? = nil) throws(TransferError) {
        try self.init(path, folder, flags: 0)
    }

    private init(_ path: String, _ folder: Int32?, flags: Int32) throws(TransferError) {
        try TransferError.checkPath(path)
        self.path = path
        do throws(SystemError) {
            // A pipe that nobody reads is refused: waiting for a reader could take for ever.
            let file = try File.open(
                path, in: folder ?? File.workingDirectory,
                flags: O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | flags)
            let status = try File.status(of: file.rawValue)
            let length = status.kind == .regular ? status.size : 0
            if length > 0 { try File.seek(to: length, in: file.rawValue) }
            state = Lock(State(file: file.release(), offset: length))
        } catch {
            throw TransferError(writing: path, error)
        }
    }

    deinit {
        // Who wants to know whether closing failed closes.
        if let file = state.withLock({ $0.file.take() }) { _ = FileDescriptor(owning: file) }
    }

    /// Where the next octet goes: octets that are in the file.
    public var offset: UInt64 { state.withLock { $0.offset } }

    /// Writes octets behind those that are there. Throws `writeFailed`; then `offset` tells how many were written.
    public func write(_ octets: [UInt8]) throws(TransferError) { try write(octets.span) }

    /// Writes octets behind those that are there. Throws `writeFailed`; then `offset` tells how many were written.
    public func write(_ octets: Span<UInt8>) throws(TransferError) {
        // The lock is held while the system writes: pieces come one behind the other.
        try use { (file, offset) throws(SystemError) in
            var written = 0
            while written < octets.count {
                let count = try File.writeSome(octets.extracting(droppingFirst: written), to: file)
                written += count
                offset += UInt64(count)
                if count == 0 { File.waitUntilWritable(file) }
            }
        }
    }

    /// Waits until all that was written is on its device. Throws `writeFailed`.
    public func synchronize() throws(TransferError) {
        try use { (file, _) throws(SystemError) in
            do throws(SystemError) { try File.synchronize(file) } catch {
                // A pipe or a terminal has no device.
                guard error.errno == EINVAL || error.errno == EROFS else { throw error }
            }
        }
    }

    /// Closes the file; once more is fine. Throws `writeFailed` where only now the system tells that it failed.
    public func close() throws(TransferError) {
        guard let file = state.withLock({ $0.file.take() }) else { return }
        do throws(SystemError) { try FileDescriptor(owning: file).closeReportingErrors() } catch {
            throw TransferError(writing: path, error)
        }
    }

    private func use(
        _ body: (_ file: Int32, _ offset: inout UInt64) throws(SystemError) -> Void
    ) throws(TransferError) {
        try state.withLock { (state) throws(TransferError) in
            guard let file = state.file else {
                throw TransferError(
                    .writeFailed, during: .store, "could not write \(path): its writer is closed",
                    errno: EBADF)
            }
            do throws(SystemError) { try body(file, &state.offset) } catch {
                throw TransferError(writing: path, error)
            }
        }
    }
}
