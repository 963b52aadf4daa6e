import Glibc
import System

/// A connection on its way to one address.
@NetworkActor
struct ConnectionAttempt {
    /// What has become of it.
    enum Outcome {
        case connected(TCPStream)
        /// The address refused; nothing is open any more.
        case failed(SystemError)
        /// The wait ended before that; the attempt can be asked again, and must be closed.
        case undecided(WaitOutcome)
    }

    let address: SocketAddress
    private let channel: Channel

    /// Makes a socket and begins to connect it. Throws what the system refused at once.
    init(to address: SocketAddress, options: TCPStream.Options) throws(SystemError) {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = FileDescriptor(
            owning: try retrying("socket") { Glibc.socket(address.family, kind, 0) })
        if address.family != AF_UNIX { try options.apply(to: socket.rawValue, family: address.family) }
        let result = address.withSockaddr { Glibc.connect(socket.rawValue, $0, $1) }
        let code = errno
        // EAGAIN is a Unix socket whose queue is full: there is nothing to wait on.
        if result != 0 && code != EINPROGRESS && code != EINTR {
            throw SystemError(call: "connect", errno: code)
        }
        self.address = address
        channel = try NetworkActor.loop.register(socket)
        if result == 0 { channel.latch(.writable) }
    }

    /// Waits until the connection stands or has failed, or `deadline`, or cancellation.
    func outcome(until deadline: Instant) async -> Outcome {
        let outcome = await channel.wait(for: .writable, until: deadline)
        guard outcome == .ready else { return .undecided(outcome) }
        // Between the edge and this turn the attempt may have been given up, its number be another's.
        guard channel.isOpen else { return .undecided(.closed) }
        let code = pendingError
        guard code == 0 else {
            channel.close()
            return .failed(SystemError(call: "connect", errno: code))
        }
        return .connected(TCPStream(channel, remote: address))
    }

    /// Gives the attempt up; a task that waits for its outcome is told.
    func close() { channel.close() }

    private var pendingError: Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(channel.rawValue, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }
}

extension TCPStream {
    /// How a socket is set up before it connects.
    public struct Options: Hashable, Sendable {
        /// Time without traffic after which the kernel probes the peer, and between probes; `nil` leaves keep-alive
        /// probes off.
        public var keepAlive: Duration?
        /// How many probes go unanswered before the connection is given up; `nil` leaves it to the kernel (9).
        public var keepAliveCount: Int?
        /// Where connections begin; `nil` leaves it to the kernel.
        public var localEnd: LocalEnd?

        /// Options with keep-alive probes after a minute of silence, unless told otherwise.
        public init(keepAlive: Duration? = .seconds(60)) { self.keepAlive = keepAlive }

        /// Sets a socket of IP up. Throws when it cannot begin where it is told to.
        func apply(to descriptor: Int32, family: Int32) throws(SystemError) {
            let tcp = Int32(IPPROTO_TCP)
            // Requests are small and go out whole: waiting for more to send only delays them.
            setsockopt(tcp, TCP_NODELAY, 1, descriptor)
            if let time = keepAlive {
                let seconds = Int32(clamping: max(1, time.components.seconds))
                setsockopt(SOL_SOCKET, SO_KEEPALIVE, 1, descriptor)
                setsockopt(tcp, TCP_KEEPIDLE, seconds, descriptor)
                setsockopt(tcp, TCP_KEEPINTVL, seconds, descriptor)
                if let count = keepAliveCount {
                    setsockopt(tcp, TCP_KEEPCNT, Int32(clamping: max(1, count)), descriptor)
                }
            }
            try localEnd?.bind(descriptor, family: family)
        }
    }
}
