import Glibc

/// What the replay server asks of the system: plain sockets, shared with nothing that is under test.
enum ReplaySocket {
    /// The outcome of waiting for a descriptor.
    enum Readiness { case ready, timedOut, stopped }

    /// A listening socket and the port it got (0 for a Unix socket).
    static func listener(on address: ReplayServer.Address) throws(ReplayError) -> (
        socket: Int32, port: UInt16
    ) {
        let family =
            switch address {
            case .ipv4Loopback: AF_INET
            case .ipv6Loopback: AF_INET6
            case .unix: AF_UNIX
            }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw ReplayError(call: "socket", errno: errno) }
        do throws(ReplayError) {
            try bindSocket(descriptor, to: address)
            guard listen(descriptor, 1024) == 0 else { throw ReplayError(call: "listen", errno: errno) }
            return (descriptor, port(of: descriptor, family: family))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// A pipe whose reading end reports a hang-up to everyone who waits, once the writing end is closed.
    static func stopPipe() throws(ReplayError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ReplayError(call: "pipe", errno: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Waits until `descriptor` has one of `events` (or an error), `stop` hangs up, or `limit` is over; for ever
    /// without one. A descriptor of -1 only waits.
    static func wait(
        for descriptor: Int32, _ events: Int32, stop: Int32, within limit: Duration?
    ) -> Readiness {
        let clock = ContinuousClock()
        let deadline = limit.map { clock.now + $0 }
        while true {
            var entries = [
                pollfd(fd: stop, events: 0, revents: 0),
                pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
            ]
            let left = deadline.map { milliseconds(clock.now.duration(to: $0)) } ?? -1
            let count = poll(&entries, 2, left)
            if count < 0 { continue }  // EINTR; nothing else can happen to a valid array
            if entries[0].revents != 0 { return .stopped }
            if entries[1].revents != 0 { return .ready }
            if let deadline, clock.now >= deadline { return .timedOut }
        }
    }

    /// Rounded up, so that no wait spins through its last millisecond.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        guard duration > .zero else { return 0 }
        let (seconds, attoseconds) = duration.components
        let milliseconds =
            min(seconds, 86_400) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(milliseconds)
    }

    private static func bindSocket(
        _ descriptor: Int32, to address: ReplayServer.Address
    ) throws(ReplayError) {
        let result: Int32
        switch address {
        case .ipv4Loopback:
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            result = bindName(descriptor, name)
        case .ipv6Loopback:
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_addr.__in6_u.__u6_addr8.15 = 1
            result = bindName(descriptor, name)
        case .unix(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            let fits = withUnsafeMutableBytes(of: &name.sun_path) { bytes in
                guard path.utf8.count < bytes.count else { return false }
                bytes.copyBytes(from: path.utf8)
                return true
            }
            guard fits else { throw ReplayError(call: "bind", errno: ENAMETOOLONG) }
            result = bindName(descriptor, name)
        }
        guard result == 0 else { throw ReplayError(call: "bind", errno: errno) }
    }

    // Safety: every socket address begins with the layout of `sockaddr`, and the length passed is its own.
    private static func bindName<Name>(_ descriptor: Int32, _ name: Name) -> Int32 {
        withUnsafeBytes(of: name) { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return bind(
                descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }

    // Safety: the kernel writes at most `length` octets, the size of the storage.
    private static func port(of descriptor: Int32, family: Int32) -> UInt16 {
        guard family != AF_UNIX else { return 0 }
        var name = sockaddr_in6()  // the larger one; the port stands at the same place in both
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &name) { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return UInt16(bigEndian: name.sin6_port)
    }
}
