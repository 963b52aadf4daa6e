import HTTPClient
import HTTPMessage
import System

/// Paths that stand for a descriptor which is open already. Opening what such a link leads to would begin at the
/// start of a file that others are writing, and replacing it would tear it from them.
enum OpenDescriptor {
    /// The number that a path stands for; `nil` where it is an ordinary one.
    static func number(of path: String) -> Int32? {
        switch path {
        case "/dev/stdin": return 0
        case "/dev/stdout": return 1
        case "/dev/stderr": return 2
        default: break
        }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            let digits = path.utf8.dropFirst(folder.utf8.count)
            guard let first = digits.first, digits.allSatisfy(\.isDigit),
                first != 0x30 || digits.count == 1
            else { return nil }
            return Int32(Substring(digits))
        }
        return nil
    }
}

extension Invocation {
    /// The descriptor that `path` stands for; `nil` where it is an ordinary path. Throws `writeFailed` where nobody
    /// has handed on such a descriptor: one of that number may be a socket of this process.
    func openDescriptor(named path: String) throws(TransferError) -> Int32? {
        switch OpenDescriptor.number(of: path) {
        case nil: return nil
        case 0: return standardInput
        case 1: return standardOutput
        case 2: return standardError
        case let number?:
            guard File.isInherited(number) else {
                throw TransferError(
                    .writeFailed, during: .store, "could not write \(path): descriptor \(number) is not open")
            }
            return number
        }
    }
}
