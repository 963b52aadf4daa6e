import CLinux
import Glibc

/// What the replay server asks of the system: plain sockets, shared with nothing that is under test.
enum ReplaySocket {
    /// The outcome of waiting for a descriptor.
    enum Readiness { case ready, timedOut, stopped }

    /// What becomes of those who connect to a socket.
    enum Reception {
        case listening
        /// Nobody listens, and nobody else gets the port.
        case refusing
        /// One connection fits into the queue; it must be filled.
        case filling
    }

    /// A socket at an address and the port it got (0 for a Unix socket): a free one unless told which.
    static func listener(
        on address: ReplayServer.Address, port wanted: UInt16 = 0, _ reception: Reception = .listening
    ) throws(ReplayError) -> (socket: Int32, port: UInt16) {
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
            if wanted != 0 {
                // Connections of a server that stopped a moment ago must not keep its port.
                var one: Int32 = 1
                setsockopt(
                    descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
            }
            try bindSocket(descriptor, to: address, port: wanted)
            let isListening =
                switch reception {
                case .listening: listen(descriptor, 1024) == 0
                case .refusing: true
                case .filling: listen(descriptor, 0) == 0
                }
            guard isListening else { throw ReplayError(call: "listen", errno: errno) }
            return (descriptor, port(of: descriptor, family: family))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Begins to connect to a port of a loopback address and does not wait for the outcome; -1 where no socket is left.
    static func beginConnecting(to address: ReplayServer.Address, port: UInt16) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address == .ipv6Loopback ? AF_INET6 : AF_INET, kind, 0)
        guard descriptor >= 0 else { return -1 }
        _ =
            address == .ipv6Loopback
            ? withName(ipv6Name(port)) { connect(descriptor, $0, $1) }
            : withName(ipv4Name(port)) { connect(descriptor, $0, $1) }
        return descriptor
    }

    /// A connection that has arrived; -1 and `errno` when there is none.
    static func accept(from listener: Int32) -> Int32 { clinux_accept(listener) }

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
        _ descriptor: Int32, to address: ReplayServer.Address, port: UInt16
    ) throws(ReplayError) {
        let result: Int32
        switch address {
        case .ipv4Loopback:
            result = withName(ipv4Name(port)) { bind(descriptor, $0, $1) }
        case .ipv6Loopback:
            result = withName(ipv6Name(port)) { bind(descriptor, $0, $1) }
        case .unix(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            let fits = withUnsafeMutableBytes(of: &name.sun_path) { bytes in
                guard path.utf8.count < bytes.count else { return false }
                bytes.copyBytes(from: path.utf8)
                return true
            }
            guard fits else { throw ReplayError(call: "bind", errno: ENAMETOOLONG) }
            result = withName(name) { bind(descriptor, $0, $1) }
        }
        guard result == 0 else { throw ReplayError(call: "bind", errno: errno) }
    }

    // Safety: every socket address begins with the layout of `sockaddr`, and the length passed is its own.
    private static func withName<Name>(
        _ name: Name, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeBytes(of: name) { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }

    private static func ipv4Name(_ port: UInt16) -> sockaddr_in {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        name.sin_port = port.bigEndian
        return name
    }

    private static func ipv6Name(_ port: UInt16) -> sockaddr_in6 {
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_addr.__in6_u.__u6_addr8.15 = 1
        name.sin6_port = port.bigEndian
        return name
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
