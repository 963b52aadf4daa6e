import CLinux
import Glibc

extension File {
    /// The names in an open folder but `.` and `..`, sorted by their octets. A name that is not UTF-8 gives EILSEQ.
    public static func names(in folder: Int32) throws(SystemError) -> [String] {
        try namesAsOctets(in: folder).map { (name) throws(SystemError) in
            guard let text = String(validating: name, as: UTF8.self) else {
                throw SystemError(call: "readdir", errno: EILSEQ)
            }
            return text
        }
    }

    /// Removes what stands at `path`: a file, a link itself, or a folder with all in it. Nothing there is fine.
    public static func removeTree(_ path: String, in folder: Int32) throws(SystemError) {
        try removeTree(Array(path.utf8), in: folder, depth: 0)
    }

    /// Makes a symbolic link.
    public static func makeLink(_ path: String, to target: String, in folder: Int32) throws(SystemError) {
        _ = try retrying("symlink") { symlinkat(target, folder, path) }
    }

    /// The folders that `path` leads through, the outermost first; what stands behind the last slash is none of them.
    public static func foldersOnTheWay(to path: String) -> [String] {
        var folders: [String] = []
        var index = path.utf8.startIndex
        while let slash = path.utf8[index...].firstIndex(of: 0x2F) {
            // Of several slashes in a row, and at the beginning, only what stands before them counts.
            if slash > index { folders.append(String(path[..<slash])) }
            index = path.utf8.index(after: slash)
        }
        return folders
    }

    private static func removeTree(_ name: [UInt8], in folder: Int32, depth: Int) throws(SystemError) {
        let path = name.map(CChar.init(bitPattern:)) + [0]
        if unlinkat(folder, path, 0) == 0 { return }
        let code = errno
        if code == ENOENT { return }
        guard code == EISDIR || code == EPERM else { throw SystemError(call: "unlink", errno: code) }
        guard depth < 1000 else { throw SystemError(call: "unlink", errno: ELOOP) }
        do {
            let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
            let inner = FileDescriptor(
                owning: try retrying("open") { clinux_openat(folder, path, flags, 0) })
            for name in try namesAsOctets(in: inner.rawValue) {
                try removeTree(name, in: inner.rawValue, depth: depth + 1)
            }
        }
        _ = try retrying("rmdir") { unlinkat(folder, path, AT_REMOVEDIR) }
    }

    /// Calls `body` with each name in an open folder but `.` and `..`, and whether it is known to be a regular file's, until
    /// it returns false.
    public static func forEachName(
        in folder: Int32, _ body: (_ name: [UInt8], _ isRegular: Bool) -> Bool
    ) throws(SystemError) {
        // A descriptor of its own: reading moves its position, and `closedir` closes it.
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let own = try retrying("open") { clinux_openat(folder, ".", flags, 0) }
        guard let stream = fdopendir(own) else {
            let code = errno
            close(own)
            throw SystemError(call: "fdopendir", errno: code)
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            // Safety: the system ends each name by a NUL within the entry's own array.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name == [0x2E] || name == [0x2E, 0x2E] { continue }
            guard body(name, Int(entry.pointee.d_type) == Int(DT_REG)) else { return }
        }
    }

    /// The names in an open folder but `.` and `..`, whatever octets they are of, sorted.
    public static func namesAsOctets(in folder: Int32) throws(SystemError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        try forEachName(in: folder) { name, _ in
            names.append(name)
            return true
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
