import Glibc

extension File {
    /// Whether `descriptor` is open and was handed to this process: its own are closed on exec, all of them.
    public static func isInherited(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) == 0 }

    /// Writes all of `octets`; a descriptor that never blocks is waited for, until `interruption` has something to
    /// read: then EINTR is thrown.
    public static func write(
        _ octets: Span<UInt8>, to descriptor: Int32, unless interruption: Int32?
    ) throws(SystemError) {
        var written = 0
        while written < octets.count {
            let count = try writeSome(octets.extracting(droppingFirst: written), to: descriptor)
            written += count
            guard count == 0 else { continue }
            // A negative descriptor is passed over.
            var waits = [
                pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: interruption ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&waits, 2, -1)
            guard waits[1].revents == 0 else { throw SystemError(call: "write", errno: EINTR) }
        }
    }

    /// Writes octets that may get lost: in pieces of at most 4096 octets, each only when `descriptor` takes it within
    /// `limit` of being asked. False when it did not, or is closed; what was written before stays written.
    public static func offer(_ octets: Span<UInt8>, to descriptor: Int32, within limit: Duration) -> Bool {
        let milliseconds = Int32(clamping: limit / .milliseconds(1) > 0 ? Int(limit / .milliseconds(1)) : 0)
        // Safety: the buffer is lent for this call and only read.
        return octets.withUnsafeBufferPointer { buffer in
            var written = 0
            while written < buffer.count {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                let count = poll(&wait, 1, milliseconds)
                if count < 0, errno == EINTR { continue }
                guard count > 0, wait.revents & Int16(POLLOUT) != 0 else { return false }
                // A pipe that is ready has room for so many.
                let size = min(4096, buffer.count - written)
                let result = Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, size)
                let code = errno
                if result > 0 {
                    written += result
                } else if result == 0 || code != EINTR && code != EAGAIN {
                    return false
                }
            }
            return true
        }
    }
}
