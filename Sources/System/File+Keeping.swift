import Glibc

// What makes octets stay where they were put.
extension File {
    /// The user whose rights the process has.
    public static var ownUser: UInt32 { geteuid() }

    /// What the kernel calls the time since the machine was started: as long as it is the same, what was written to files
    /// is there, whatever became of the process. Empty where the kernel does not tell.
    public static let bootIdentifier: String = {
        do {
            let file = try open("/proc/sys/kernel/random/boot_id", in: workingDirectory, flags: O_RDONLY)
            let octets = try contents(of: file.rawValue, limit: 256)
            return String(decoding: octets.prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
        } catch {
            return ""
        }
    }()

    /// The permissions that a file made by this process gets where nobody asks for others. The call that asks for them
    /// also sets them for all threads, so the kernel's account of the process is read; where there is none, only the
    /// owner may read and write.
    public static var permissionsOfNewFiles: UInt32 {
        let file = try? open("/proc/self/status", in: workingDirectory, flags: O_RDONLY)
        guard let file, let octets = try? contents(of: file.rawValue, limit: 1 << 16) else { return 0o600 }
        let line = octets.split(separator: 0x0A).first { $0.starts(with: "Umask:".utf8) }
        let digits = (line ?? []).dropFirst("Umask:".utf8.count).filter { $0 > 0x20 }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 8).map { 0o666 & ~$0 } ?? 0o600
    }

    /// Moves the descriptor's position to `offset` octets from the file's start.
    public static func seek(to offset: UInt64, in descriptor: Int32) throws(SystemError) {
        guard let offset = Int(exactly: offset) else { throw SystemError(call: "lseek", errno: EFBIG) }
        _ = try retrying("lseek") { lseek(descriptor, offset, SEEK_SET) }
    }

    /// Makes a file of `octets`, in the place of what stands at `path`: whole, or not at all. What is no regular file is
    /// written to as it is.
    public static func replace(_ path: String, by octets: [UInt8], in folder: Int32) throws(SystemError) {
        let status = try status(of: path, in: folder, followsLinks: true)
        guard status.map({ $0.kind == .regular }) ?? true else {
            let file = try open(path, in: folder, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY)
            return try write(octets.span, to: file.rawValue)
        }
        let aside = "\(path).new"
        try? remove(aside, in: folder)
        let file = try open(aside, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        do throws(SystemError) {
            try write(octets.span, to: file.rawValue)
            try file.closeReportingErrors()
            try rename(aside, to: path, in: folder)
        } catch {
            // What cannot be removed is in nobody's way.
            try? remove(aside, in: folder)
            throw error
        }
    }

    /// Waits until a descriptor that never blocks takes octets.
    public static func waitUntilWritable(_ descriptor: Int32) {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wait, 1, -1)
    }

    /// Cuts the file behind its first `length` octets; the descriptor's position stays.
    public static func truncate(_ descriptor: Int32, to length: UInt64) throws(SystemError) {
        guard let length = Int(exactly: length) else { throw SystemError(call: "ftruncate", errno: EFBIG) }
        _ = try retrying("ftruncate") { ftruncate(descriptor, length) }
    }

    /// Claims the open file until the descriptor is closed, however that comes about. False when somebody else has it.
    public static func claim(_ descriptor: Int32) throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try retrying("flock") { flock(descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            // A file system without locks cannot keep two processes apart.
            if error.errno == ENOLCK || error.errno == ENOTSUP || error.errno == EINVAL { return true }
            guard error.errno == EWOULDBLOCK else { throw error }
            return false
        }
    }

    /// Waits until what was written, and how long the file is, is on its device. This may take seconds: not for the loop.
    public static func synchronizeContent(of descriptor: Int32) throws(SystemError) {
        _ = try retrying("fdatasync") { fdatasync(descriptor) }
    }

    /// The same, and all else that is known of the file; of a folder, the names in it.
    public static func synchronize(_ descriptor: Int32) throws(SystemError) {
        _ = try retrying("fsync") { fsync(descriptor) }
    }
}
