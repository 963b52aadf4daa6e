import CLinux
import Glibc

/// Calls on files, each relative to an open folder: nothing here knows a working directory.
///
/// All throw the failed call with its `errno`.
public enum File {
    /// How many descriptors this process may have open.
    public static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// What kind of thing a name stands for.
    public enum Kind: Hashable, Sendable {
        case regular
        case folder
        case symbolicLink
        /// A device, pipe or socket.
        case special
    }

    /// What the system knows of a file.
    public struct Status: Hashable, Sendable {
        /// What it is.
        public var kind: Kind
        /// In octets.
        public var size: UInt64
        /// Permission bits.
        public var permissions: UInt32
        /// The number of the device it lies on.
        public var device: UInt64
        /// The file's number on its device.
        public var inode: UInt64
        /// Seconds since the epoch.
        public var modified: Int64
        /// The nanoseconds of that second.
        public var modifiedNanoseconds: Int
        /// The number of the user it belongs to.
        public var owner: UInt32

        init(_ status: stat) {
            switch status.st_mode & S_IFMT {
            case S_IFREG: kind = .regular
            case S_IFDIR: kind = .folder
            case S_IFLNK: kind = .symbolicLink
            default: kind = .special
            }
            size = UInt64(max(0, status.st_size))
            permissions = status.st_mode & 0o7777
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            modified = Int64(status.st_mtim.tv_sec)
            modifiedNanoseconds = Int(status.st_mtim.tv_nsec)
            owner = status.st_uid
        }
    }

    /// The folder that stands for "relative to the working directory" in the system's calls. Nobody
    /// below the executable decides for it, but as the default that a caller may replace.
    public static let workingDirectory = AT_FDCWD

    /// Opens `path` relative to `folder`. `flags` as in open(2); the descriptor is closed on exec.
    public static func open(
        _ path: String, in folder: Int32, flags: Int32, permissions: UInt32 = 0o666
    ) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try retrying("open") { clinux_openat(folder, path, flags, permissions) })
    }

    /// What `path` stands for; `nil` when there is nothing of that name.
    public static func status(
        of path: String, in folder: Int32, followsLinks: Bool
    ) throws(SystemError) -> Status? {
        var status = stat()
        let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
        guard fstatat(folder, path, &status, flags) != 0 else { return Status(status) }
        let code = errno
        if code == ENOENT { return nil }
        throw SystemError(call: "stat", errno: code)
    }

    /// What an open descriptor stands for.
    public static func status(of descriptor: Int32) throws(SystemError) -> Status {
        var status = stat()
        _ = try retrying("fstat") { fstat(descriptor, &status) }
        return Status(status)
    }

    /// The path that a symbolic link holds.
    public static func destination(ofLink path: String, in folder: Int32) throws(SystemError) -> String {
        var octets = [CChar](repeating: 0, count: 4096)
        let count = try retrying("readlink") { readlinkat(folder, path, &octets, octets.count) }
        let path = octets.prefix(count).map(UInt8.init(bitPattern:))
        // Repaired it would be another path.
        guard let text = String(validating: path, as: UTF8.self) else {
            throw SystemError(call: "readlink", errno: EILSEQ)
        }
        return text
    }

    /// Renames, replacing what stood at `newPath`, at once.
    public static func rename(_ path: String, to newPath: String, in folder: Int32) throws(SystemError) {
        _ = try retrying("rename") { renameat(folder, path, folder, newPath) }
    }

    /// Renames unless something stands at `newPath`: then EEXIST.
    public static func renameWithoutReplacing(
        _ path: String, to newPath: String, in folder: Int32
    ) throws(SystemError) {
        do {
            _ = try retrying("rename") { clinux_rename_noreplace(folder, path, folder, newPath) }
        } catch {
            // File systems without that flag: a second name is made, which fails where one stands.
            guard error.errno == EINVAL || error.errno == ENOSYS else { throw error }
            _ = try retrying("link") { linkat(folder, path, folder, newPath, 0) }
            try remove(path, in: folder)
        }
    }

    /// Removes a file's name.
    public static func remove(_ path: String, in folder: Int32) throws(SystemError) {
        _ = try retrying("unlink") { unlinkat(folder, path, 0) }
    }

    /// Makes a folder; one that stands there already is fine.
    public static func makeFolder(
        _ path: String, in folder: Int32, permissions: UInt32 = 0o777
    ) throws(SystemError) {
        do { _ = try retrying("mkdir") { mkdirat(folder, path, permissions) } } catch {
            guard error.errno == EEXIST else { throw error }
        }
    }

    /// Removes an empty folder.
    public static func removeFolder(_ path: String, in folder: Int32) throws(SystemError) {
        _ = try retrying("rmdir") { unlinkat(folder, path, AT_REMOVEDIR) }
    }

    /// Sets the time of last modification, in seconds since the epoch.
    public static func setModified(_ seconds: Int64, of descriptor: Int32) throws(SystemError) {
        // UTIME_OMIT, which Swift cannot import: the time of last access stays as it is.
        let times = [
            timespec(tv_sec: 0, tv_nsec: 0x3FFF_FFFE), timespec(tv_sec: Int(seconds), tv_nsec: 0),
        ]
        _ = try retrying("futimens") { futimens(descriptor, times) }
    }

    /// Sets the permission bits.
    public static func setPermissions(_ permissions: UInt32, of descriptor: Int32) throws(SystemError) {
        _ = try retrying("fchmod") { fchmod(descriptor, permissions) }
    }

    /// Writes all of `octets` at the descriptor's position; short writes are gone on with. A descriptor that never
    /// blocks is waited for.
    public static func write(_ octets: Span<UInt8>, to descriptor: Int32) throws(SystemError) {
        var written = 0
        while written < octets.count {
            let count = try writeSome(octets.extracting(droppingFirst: written), to: descriptor)
            written += count
            if count == 0 { waitUntilWritable(descriptor) }
        }
    }

    /// Writes as many of `octets` as the descriptor takes now: 0 when it never blocks and is full.
    public static func writeSome(_ octets: Span<UInt8>, to descriptor: Int32) throws(SystemError) -> Int {
        guard !octets.isEmpty else { return 0 }
        var code: Int32 = 0
        // Safety: the buffer is lent for this call and only read.
        let count = octets.withUnsafeBufferPointer { buffer in
            var result: Int
            repeat {
                result = Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                code = errno
            } while result < 0 && code == EINTR
            return result
        }
        if count > 0 { return count }
        if count < 0 && code == EAGAIN { return 0 }
        throw SystemError(call: "write", errno: count == 0 ? EIO : code)
    }

    /// Whether the file at `path` may be written, by the rights of the process (as root always).
    public static func isWritable(_ path: String, in folder: Int32) -> Bool {
        faccessat(folder, path, W_OK, AT_EACCESS) == 0
    }

    /// Reads a whole file of at most `limit` octets; a larger one gives EFBIG. A descriptor that never blocks is
    /// waited for.
    public static func contents(of descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count: Int
            do throws(SystemError) {
                count = try retrying("read") { Glibc.read(descriptor, &chunk, chunk.count) }
            } catch {
                guard error.errno == EAGAIN else { throw error }
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&wait, 1, -1)
                continue
            }
            guard count > 0 else { return octets }
            guard octets.count + count <= limit else { throw SystemError(call: "read", errno: EFBIG) }
            octets.append(contentsOf: chunk[0..<count])
        }
    }
}
