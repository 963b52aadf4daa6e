import Glibc

/// Sole owner of an open descriptor; closes it when the value goes out of scope.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The number, lent for a call; never closed by whoever reads it.
    public let rawValue: Int32

    /// Takes over `rawValue`.
    public init(owning rawValue: Int32) { self.rawValue = rawValue }

    // Linux has freed the number even when close(2) reports EINTR: never retry.
    deinit { _ = close(rawValue) }

    /// Gives the number away, open.
    public consuming func release() -> Int32 {
        let number = rawValue
        discard self
        return number
    }

    /// Closes, and reports what only closing tells: some file systems hold back a failed write until then.
    public consuming func closeReportingErrors() throws(SystemError) {
        let number = release()
        if close(number) != 0 {
            let code = errno
            if code != EINTR { throw SystemError(call: "close", errno: code) }
        }
    }

    /// A second descriptor of the same open file, closed on exec.
    public static func duplicate(_ number: Int32) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try retrying("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 3) })
    }
}
