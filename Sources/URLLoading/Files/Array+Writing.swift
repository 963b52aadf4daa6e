import Download
import Glibc
public import HTTPClient
import System

extension [UInt8] {
    /// What a file holds, `maximumLength` octets at most: 256 MiB. Throws `readFailed`, and `tooLarge` past that.
    public init(
        contentsOfFile path: String, maximumLength: Int = Int(CollectedContent.defaultMaximumLength)
    ) throws(TransferError) {
        try TransferError.checkPath(path)
        do throws(SystemError) {
            let file = try File.open(
                path, in: File.workingDirectory, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
            self = try File.contents(of: file.rawValue, limit: maximumLength)
        } catch {
            guard error.errno != EFBIG else {
                throw TransferError(
                    .tooLarge, during: .prepare, "\(path) has more than the \(maximumLength) octets allowed")
            }
            throw TransferError(reading: path, error)
        }
    }

    /// Writes the octets to a file, in the place of one that stands there (D3). A link is followed.
    ///
    /// `atomically`: under a name of its own beside it, which is changed when all is written: nobody sees a half file,
    /// and what fails leaves the old one. Else the file is emptied and written. What is no regular file is written as
    /// it is. The call returns when it is done. Throws `writeFailed`.
    public func write(toFile path: String, atomically: Bool) throws(TransferError) {
        try TransferError.checkPath(path)
        let target: String?
        do throws(SystemError) {
            let found = try File.status(of: path, in: File.workingDirectory, followsLinks: true)
            let isPlaced = atomically && found?.kind != .special
            target = isPlaced ? try OutputFile.resolve(path, in: File.workingDirectory) : nil
        } catch {
            throw TransferError(writing: path, error)
        }
        let permissions = try target.map { (target) throws(TransferError) in
            try File.permissions(at: target, replacing: true)
        }
        do throws(SystemError) {
            guard let target else { return try writeInPlace(path) }
            try File.place(at: target, replacing: true, permissions: permissions ?? nil) {
                (file) throws(SystemError) in
                try File.write(span, to: file)
            }
        } catch {
            throw TransferError(writing: path, error)
        }
    }

    private func writeInPlace(_ path: String) throws(SystemError) {
        // A pipe that nobody reads is refused: waiting for a reader could take for ever.
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOCTTY
        let file = try File.open(path, in: File.workingDirectory, flags: flags)
        try File.write(span, to: file.rawValue)
        try file.closeReportingErrors()
    }
}
