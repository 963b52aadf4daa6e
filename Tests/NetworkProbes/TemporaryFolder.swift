import Glibc
public import System

/// A folder of a test's own, removed with what is in it.
public final class TemporaryFolder: Sendable {
    /// Its path.
    public let path: String
    /// An open descriptor of it.
    public var descriptor: Int32 { folder.rawValue }
    private let folder: FileDescriptor

    /// A new, empty folder.
    public init() throws {
        var template = Array("/tmp/rawget-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", errno: errno) }
        path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        folder = try File.open(path, in: File.workingDirectory, flags: O_RDONLY | O_DIRECTORY)
    }

    deinit {
        for name in names(in: path) where (try? File.remove(name, in: descriptor)) == nil {
            try? File.removeFolder(name, in: descriptor)
        }
        try? File.removeFolder(path, in: File.workingDirectory)
    }

    /// Opens a file in it for reading and writing, made when it is not there.
    public func open(_ name: String, flags: Int32? = nil) throws(SystemError) -> FileDescriptor {
        try File.open(name, in: descriptor, flags: flags ?? O_RDWR | O_CREAT)
    }

    /// The whole content of a file in it.
    public func contents(of name: String) throws(SystemError) -> [UInt8] {
        let file = try File.open(name, in: descriptor, flags: O_RDONLY)
        return try File.contents(of: file.rawValue, limit: 1 << 30)
    }
}
