import Glibc
import System

/// A server for one connection that sends as much as the client takes: what it could send, and whether it is held up, can
/// be seen while it does.
public final class PouringServer: Sendable {
    /// Where it listens.
    public let port: UInt16
    private let listener: FileDescriptor
    private let state = Lock(State())
    private let head: [UInt8]
    private let content: [UInt8]

    private struct State {
        var sent = 0
        var isHeldUp = false
        var isStopped = false
    }

    /// A server on a free port of 127.0.0.1 that answers the first request with `head` and `content`.
    public init(head: String, content: [UInt8]) throws {
        self.head = Array(head.utf8)
        self.content = content
        let made = try LoopbackListener()
        port = made.port
        listener = made.descriptor
        var thread = pthread_t()
        let reference = Unmanaged.passRetained(self)
        let code = pthread_create(&thread, nil, pour, reference.toOpaque())
        guard code == 0 else {
            reference.release()
            throw SystemError(call: "pthread_create", errno: code)
        }
        pthread_detach(thread)
    }

    /// Octets of content that the kernel took so far.
    public var sent: Int { state.withLock { $0.sent } }

    /// The client takes nothing: its window, and the kernel's buffers, are full.
    public var isHeldUp: Bool { state.withLock { $0.isHeldUp } }

    /// Ends it.
    public func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(listener.rawValue, Int32(SHUT_RDWR))
    }

    fileprivate func serve() {
        let connection = FileDescriptor(owning: accept(listener.rawValue, nil, nil))
        guard connection.rawValue >= 0 else { return }
        var request: [UInt8] = []
        var portion = [UInt8](repeating: 0, count: 4096)
        while !request.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let count = recv(connection.rawValue, &portion, portion.count, 0)
            guard count > 0 else { return }
            request += portion[..<count]
        }
        _ = send(connection.rawValue, head, head.count, Int32(MSG_NOSIGNAL))
        guard sendAll(content, to: connection.rawValue) else { return }
        // Until the client has seen the end.
        while recv(connection.rawValue, &portion, portion.count, 0) > 0 {}
    }

    private func sendAll(_ piece: [UInt8], to connection: Int32) -> Bool {
        var rest = piece[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { octets in
                send(
                    connection, octets.baseAddress, min(octets.count, 65_536),
                    Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
                state.withLock { state in
                    state.sent += count
                    state.isHeldUp = false
                }
                continue
            }
            guard errno == EAGAIN, !state.withLock({ $0.isStopped }) else { return false }
            var wait = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
            // A moment is no hold-up.
            if poll(&wait, 1, 200) == 0 { state.withLock { $0.isHeldUp = true } }
        }
        return true
    }
}

/// What the server's thread runs; a free function, since a closure written in isolated code traps there.
private func pour(_ reference: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let reference else { return nil }
    // Safety: retained for this thread when it was started.
    Unmanaged<PouringServer>.fromOpaque(reference).takeRetainedValue().serve()
    return nil
}
