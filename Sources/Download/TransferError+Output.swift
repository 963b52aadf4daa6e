import Glibc
package import HTTPClient
package import System
import Transport

extension TransferError {
    /// Why what was received could not be handed on to a descriptor, which is called `name`.
    init(putting error: TransportError, to name: String) {
        switch error.reason {
        case .targetFailed(let cause): self.init(storing: name, cause)
        case .timedOut(_, let time):
            self.init(
                .timedOut, during: .store,
                "the reader of \(name) did not take everything within \(time.inSeconds.formattedSeconds)")
        default: self.init(.cancelled, during: .store, "cancelled")
        }
    }

    /// A file that could not be written, with what to do about it.
    init(storing path: String, _ error: SystemError, kept part: String? = nil) {
        let advice =
            switch error.errno {
            case ENOENT: " (--create-dirs makes it)"
            case ENAMETOOLONG, EISDIR: " (-o gives another)"
            default: ""
            }
        let rest = part.map { "; what was received is kept in \($0)" } ?? ""
        self.init(writing: path, error)
        detail += advice + rest
    }

    /// A file that could not be written, and why.
    package init(writing path: String, _ error: SystemError) {
        let cause =
            switch error.errno {
            case ENOENT: "its folder does not exist"
            case EEXIST: "a file of that name exists and is not replaced"
            case ESTALE: "its part was moved or replaced by another program"
            case EISDIR: "a folder of that name exists"
            default: TransferError.cause(error)
            }
        self.init(.writeFailed, during: .store, "could not write \(path): \(cause)", errno: error.errno)
    }

    /// A file here that could not be read, and why.
    package init(reading path: String, _ error: SystemError) {
        let cause =
            switch error.errno {
            case ENOENT: "there is no such file"
            case EISDIR: "it is a folder"
            default: TransferError.cause(error)
            }
        self.init(.readFailed, during: .store, "could not read \(path): \(cause)", errno: error.errno)
    }

    /// Refuses what no system call can take for a path: it would end at the NUL, and be another.
    package static func checkPath(_ path: String) throws(TransferError) {
        guard path.isEmpty || path.utf8.contains(0) else { return }
        let fault = path.isEmpty ? "is empty" : "has a NUL in it"
        throw TransferError(.writeFailed, during: .store, "the path of a file \(fault)", errno: EINVAL)
    }

    /// Why a call on a file failed, in words for a person.
    package static func cause(_ error: SystemError) -> String {
        switch error.errno {
        case ENOSPC: "no space is left on the device"
        case EDQUOT: "the disk quota is used up"
        case EACCES, EPERM: "permission denied"
        case ENAMETOOLONG: "the name is too long"
        case EROFS: "the file system is read-only"
        case ENOTDIR: "part of its path is no folder"
        case EFBIG: "the file would be larger than is allowed"
        case EPIPE: "the reader has closed the pipe"
        case ENXIO: "nobody reads from the pipe"
        case EMFILE, ENFILE: "too many files are open"
        case EILSEQ: "a link on its path leads to a name that is not UTF-8"
        case ELOOP: "too many symbolic links"
        default: error.explanation
        }
    }
}
