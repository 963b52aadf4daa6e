import CLinux
import Glibc
import System

/// A connected stream socket, over TCP or in the file system.
@NetworkActor
public final class TCPStream: ByteStream {
    private let channel: Channel
    private let descriptor: Int32
    /// Octets that must have arrived before the kernel wakes us; 1 outside of bulk content.
    private var lowWater: Int32 = 1
    /// The peer's last octet was taken, and then its end: it says nothing more.
    private var hasTakenEnd = false
    /// A call that took nothing told of a broken connection. The kernel tells only once: what it then calls the end of the
    /// stream may be a reset.
    private var isBroken = false

    /// The address connected to.
    public let remoteAddress: SocketAddress?

    init(_ channel: Channel, remote: SocketAddress) {
        self.channel = channel
        descriptor = channel.rawValue
        remoteAddress = remote
    }

    /// A stream that nobody closed, such as an idle one whose client went: the loop's table would keep it open.
    deinit {
        let channel = channel
        if NetworkActor.loop.isOnLoop {
            channel.close()
        } else {
            NetworkActor.loop.call { channel.close() }
        }
    }

    /// Opens a connection to one address.
    public static func connect(
        to address: SocketAddress, options: Options, until deadline: Deadline
    ) async throws(TransportError) -> TCPStream {
        let attempt: ConnectionAttempt
        do throws(SystemError) {
            attempt = try ConnectionAttempt(to: address, options: options)
        } catch {
            throw TransportError(.notConnected([.init(address: address, failure: .system(error))]))
        }
        switch await attempt.outcome(until: deadline.instant) {
        case .connected(let stream): return stream
        case .failed(let error):
            throw TransportError(.notConnected([.init(address: address, failure: .system(error))]))
        case .undecided(let outcome):
            attempt.close()
            throw TransportError(outcome, deadline)
        }
    }

    /// Sets an option of a socket; what the kernel does not know stays as it is.
    nonisolated static func setsockopt(_ level: Int32, _ option: Int32, _ value: Int32, _ descriptor: Int32) {
        var value = value
        _ = Glibc.setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// This side's address; `nil` once closed. Asks the kernel each time.
    public var localAddress: SocketAddress? {
        guard channel.isOpen else { return nil }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            // Safety: sockaddr_storage is large enough and aligned for every address family.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &length) == 0 ? SocketAddress(address) : nil
            }
        }
    }

    // MARK: Receiving

    /// One `recv` into the buffer, waiting only when the kernel has nothing.
    public func receive(
        into buffer: ReceiveBuffer, atMost limit: Int, until deadline: Deadline
    ) async throws(TransportError) -> Int {
        while true {
            guard channel.isOpen else { throw TransportError(.closed) }
            if channel.isLatched(.readable) {
                if let count = try receiveAtHand(into: buffer, atMost: limit) { return count }
            } else {
                try await waitUntilReadable(deadline)
            }
        }
    }

    /// One `recv` into the buffer.
    public func receiveAtHand(
        into buffer: ReceiveBuffer, atMost limit: Int
    ) throws(TransportError) -> Int? {
        guard channel.isOpen else { throw TransportError(.closed) }
        while true {
            var code: Int32 = 0
            var wanted = 0
            let count = buffer.fill(atMost: limit) { room in
                wanted = room.count
                let result = recv(descriptor, room.baseAddress, room.count, 0)
                code = result < 0 ? errno : 0
                return max(result, 0)
            }
            if code == 0 {
                if count < wanted && !channel.sawHangUp { channel.clear(.readable) }
                if count == 0, wanted > 0 { try takeEnd(of: "recv") }
                return count
            }
            if code == EAGAIN {
                channel.clear(.readable)
                return nil
            }
            guard code == EINTR else {
                throw TransportError(.receiveFailed(SystemError(call: "recv", errno: code)))
            }
        }
    }

    /// The end of what the peer sends, which a reset is not that a sending was told of.
    private func takeEnd(of call: String) throws(TransportError) {
        if isBroken, !hasTakenEnd {
            throw TransportError(.receiveFailed(SystemError(call: call, errno: ECONNRESET)))
        }
        hasTakenEnd = true
    }

    /// Longest wait for a full portion of bulk content; then whatever has come is taken.
    private static let bulkPatience = Duration.milliseconds(20)

    private func waitUntilReadable(_ deadline: Deadline) async throws(TransportError) {
        if lowWater > 1 {
            // A low-water mark hides slow progress, from the meter and from the idle limit: it holds for a moment only.
            let soon = Instant.now + TCPStream.bulkPatience
            if soon < deadline.instant {
                let outcome = await channel.wait(for: .readable, until: soon)
                if outcome == .ready { return }
                guard outcome == .timedOut else { throw TransportError(outcome, deadline) }
            }
            // The kernel signals what is there already as soon as the mark is lowered.
            setLowWater(1)
        }
        let outcome = await channel.wait(for: .readable, until: deadline.instant)
        guard outcome == .ready else { throw TransportError(outcome, deadline) }
    }

    /// Looks without taking: anything but "nothing yet" means that the stream is not idle.
    public var isQuiet: Bool { channel.isOpen && !channel.sawHangUp && !hasSomethingToRead() }

    /// Octets, an end or an error. The latch may be older than the last receive, which took all there was.
    private func hasSomethingToRead() -> Bool {
        var octet: UInt8 = 0
        let result = recv(descriptor, &octet, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        guard result < 0 else { return true }
        let code = errno
        if code != EAGAIN { isBroken = true }
        return code != EAGAIN
    }

    /// The latch: set by the kernel's edge, cleared by a call that took all there was.
    public var mayHaveInput: Bool { channel.isLatched(.readable) }

    /// Octets that have arrived and were not taken.
    private var unreadCount: Int32 {
        var count: Int32 = 0
        return clinux_unread_octets(descriptor, &count) == 0 ? count : 0
    }

    /// Raises the low-water mark to what is certain to come, at most 256 KiB.
    public func expectBulk(_ octets: UInt64) {
        setLowWater(Int32(min(UInt64(256 << 10), max(octets, 1))))
    }

    private func setLowWater(_ value: Int32) {
        guard value != lowWater else { return }
        lowWater = value
        TCPStream.setsockopt(SOL_SOCKET, SO_RCVLOWAT, value, descriptor)
    }

    // MARK: Sending

    /// Sends until all is out, or until the peer says something while the kernel takes no more.
    public func send(
        _ octets: [UInt8], from offset: Int, until deadline: Deadline
    ) async throws(TransportError) -> SendResult {
        var sent = offset
        while sent < octets.count {
            guard channel.isOpen else { throw TransportError(.closed) }
            let result = octets.withUnsafeBytes { bytes in
                // Safety: `sent` is below the count, which is above 0.
                Glibc.send(
                    descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            let code = errno
            if result >= 0 {
                sent += result
            } else if code == EAGAIN {
                channel.clear(.writable)
                // What went out was progress: the next wait has a deadline of its own.
                if sent > offset { return .sent(upTo: sent) }
                let outcome = await channel.wait(for: [.readable, .writable], until: deadline.instant)
                guard outcome == .ready else { throw TransportError(outcome, deadline) }
                if channel.isLatched(.readable) {
                    if !hasTakenEnd, hasSomethingToRead() { return .peerSpeaks(at: sent) }
                    channel.clear(.readable)
                }
            } else if code != EINTR {
                isBroken = true
                throw TransportError(.sendFailed(SystemError(call: "send", errno: code)))
            }
        }
        return .sent(upTo: sent)
    }

    /// One `send`, whatever becomes of it.
    public func sendAtOnce(_ octets: [UInt8]) {
        guard channel.isOpen, !octets.isEmpty else { return }
        _ = Glibc.send(descriptor, octets, octets.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    /// Closes the socket; a task that waits on it is told.
    public func close() { channel.close() }

    // MARK: Splicing

    /// A socket can always try; the target may refuse.
    public var canSplice: Bool { true }

    /// Moves octets through the loop's pipe, which is empty again when this returns.
    public func splice(
        to target: Int32, at offset: Int64?, atMost count: UInt64, until deadline: Deadline
    ) async throws(TransportError) -> SpliceResult {
        let loop = NetworkActor.loop
        if loop.pipe == nil {
            do { loop.pipe = try SplicePipe() } catch { return .refused(moved: 0, leftover: []) }
        }
        while true {
            guard channel.isOpen else { throw TransportError(.closed) }
            guard channel.isLatched(.readable) else {
                try await waitUntilReadable(deadline)
                continue
            }
            guard let pipe = loop.pipe.take() else { return .refused(moved: 0, leftover: []) }
            let wanted = Int(min(UInt64(pipe.capacity), count))
            let taken = clinux_splice(descriptor, pipe.input.rawValue, nil, wanted)
            let code = errno
            if taken <= 0 {
                loop.pipe = consume pipe
                if taken == 0 {
                    try takeEnd(of: "splice")
                    return .endOfStream
                }
                switch code {
                case EAGAIN: channel.clear(.readable)
                case EINTR: break
                case EINVAL: return .refused(moved: 0, leftover: [])
                default: throw TransportError(.receiveFailed(SystemError(call: "splice", errno: code)))
                }
                continue
            }
            // Small segments fill the pipe's places before its octets: less than wanted may not have been all, and no
            // edge follows when the peer's window is shut. Under a low-water mark a wait for more is worth asking.
            if taken < wanted, lowWater > 1, !channel.sawHangUp, unreadCount < lowWater {
                channel.clear(.readable)
            }
            switch TCPStream.drain(pipe, of: taken, to: target, at: offset) {
            case .moved(let moved):
                loop.pipe = consume pipe
                return .moved(moved)
            case .refused(let moved):
                // What is in the pipe belongs to the file: it is handed back, and the pipe is empty again.
                let leftover = pipe.drain(taken - moved)
                loop.pipe = consume pipe
                return .refused(moved: moved, leftover: leftover)
            case .failed(let error):
                // The pipe holds octets of a transfer that is over: it is thrown away with them.
                throw TransportError(.targetFailed(error))
            }
        }
    }

    private enum Drained {
        case moved(Int)
        case refused(Int)
        case failed(SystemError)
    }

    /// Empties the pipe into the target, before anything else may use it.
    private static func drain(
        _ pipe: borrowing SplicePipe, of taken: Int, to target: Int32, at offset: Int64?
    ) -> Drained {
        var written = 0
        while written < taken {
            var position = (offset ?? 0) + Int64(written)
            let result =
                offset == nil
                ? clinux_splice(pipe.output.rawValue, target, nil, taken - written)
                : clinux_splice(pipe.output.rawValue, target, &position, taken - written)
            let code = errno
            if result > 0 {
                written += result
            } else if result == 0 {
                return .failed(SystemError(call: "splice", errno: EIO))
            } else if code == EINVAL || code == EAGAIN {
                // Opened for appending, a terminal, a file system without splice, a full pipe.
                return .refused(written)
            } else if code != EINTR {
                return .failed(SystemError(call: "splice", errno: code))
            }
        }
        return .moved(written)
    }
}
