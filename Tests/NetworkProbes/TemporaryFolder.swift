public import Glibc
public import System

/// A folder of a test's own, removed with all that is in it when nobody holds it any more.
public final class TemporaryFolder: Sendable {
    /// Its absolute path.
    public let path: String
    /// The folder, open.
    public let descriptor: Int32

    /// An empty folder. Traps where none can be made: no test can go on then.
    public init(in parent: String = TemporaryFolder.place) {
        var template = Array("\(parent)/rawget-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { preconditionFailure("no folder in \(parent): errno \(errno)") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }

    deinit {
        close(descriptor)
        TemporaryFolder.remove(path)
    }

    /// Where temporary files go.
    public static var place: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    /// The path of a name in the folder.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Writes a file.
    public func write(_ octets: [UInt8], to name: String, permissions: UInt32 = 0o644) {
        let file = Glibc.open(path(of: name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, permissions)
        precondition(file >= 0, "cannot write \(name): errno \(errno)")
        defer { close(file) }
        var written = 0
        while written < octets.count {
            let count = octets[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            precondition(count > 0, "cannot write \(name): errno \(errno)")
            written += count
        }
    }

    /// Writes a file of text.
    public func write(_ text: String, to name: String, permissions: UInt32 = 0o644) {
        write(Array(text.utf8), to: name, permissions: permissions)
    }

    /// The octets of a file; `nil` where there is none.
    public func octets(of name: String) -> [UInt8]? {
        let file = Glibc.open(path(of: name), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return NetworkProbes.contents(ofDescriptor: file)
    }

    /// A file as text; `nil` where there is none.
    public func text(of name: String) -> String? {
        octets(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Opens a file for reading and writing, made when it is not there. Throws the failed call.
    public func open(_ name: String, flags: Int32? = nil) throws(SystemError) -> FileDescriptor {
        try File.open(name, in: descriptor, flags: flags ?? O_RDWR | O_CREAT)
    }

    /// The octets of a file. Throws where there is none.
    public func contents(of name: String) throws(SystemError) -> [UInt8] {
        let file = try open(name, flags: O_RDONLY)
        return try File.contents(of: file.rawValue, limit: 1 << 30)
    }

    /// Moves a file, replacing what stands there.
    public func rename(_ name: String, to newName: String) {
        _ = Glibc.rename(path(of: name), path(of: newName))
    }

    /// Waits until something of that name is there; false after five seconds.
    public func waitForFile(_ name: String) -> Bool {
        for _ in 0..<1000 {
            if status(of: name) != nil { return true }
            usleep(5000)
        }
        return false
    }

    /// Makes a folder in the folder.
    public func makeFolder(_ name: String) { mkdir(path(of: name), 0o755) }

    /// Makes a symbolic link.
    public func link(_ name: String, to destination: String) { symlink(destination, path(of: name)) }

    /// What the system knows of a name, links not followed; `nil` where there is nothing.
    public func status(of name: String) -> stat? {
        var status = stat()
        return lstat(path(of: name), &status) == 0 ? status : nil
    }

    /// All names in the folder, sorted.
    public var names: [String] { TemporaryFolder.names(in: path).sorted() }

    private static func names(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func remove(_ path: String) {
        for name in names(in: path) {
            let inner = "\(path)/\(name)"
            if unlink(inner) != 0 { remove(inner) }
        }
        rmdir(path)
    }
}

/// All octets of an open file from its beginning.
public func contents(ofDescriptor file: Int32) -> [UInt8] {
    var octets: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = pread(file, &chunk, chunk.count, off_t(octets.count)), count > 0 {
        octets.append(contentsOf: chunk[0..<count])
    }
    return octets
}

/// An open file without a name: what a test gives out as a standard stream and reads afterwards.
public final class NamelessFile: Sendable {
    /// The file, open for reading and writing.
    public let descriptor: Int32

    /// A file with this content, to be read from its beginning.
    public init(_ octets: [UInt8] = []) {
        var template = Array("\(TemporaryFolder.place)/rawget-test-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        precondition(descriptor >= 0, "no temporary file: errno \(errno)")
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        if !octets.isEmpty {
            precondition(write(descriptor, octets, octets.count) == octets.count)
            lseek(descriptor, 0, Int32(SEEK_SET))
        }
    }

    deinit { close(descriptor) }

    /// All it holds.
    public var octets: [UInt8] { contents(ofDescriptor: descriptor) }
    /// The same as text.
    public var text: String { String(decoding: octets, as: UTF8.self) }
}
