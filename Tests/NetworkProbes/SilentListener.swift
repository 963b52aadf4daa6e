import Glibc
import System

/// A listener on the loopback that answers nobody: the kernel takes the connections, and what the first brought is looked
/// at when the client is done with it.
public final class SilentListener: Sendable {
    /// Where it listens.
    public let port: UInt16
    private let listener: FileDescriptor

    /// Listens on a free port of 127.0.0.1.
    public init() throws {
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        listener = FileDescriptor(owning: socket(AF_INET, kind, 0))
        let number = listener.rawValue
        // Without an address it gets a port on all of them.
        guard listen(number, 4) == 0 else { throw SystemError(call: "listen", errno: errno) }
        var name = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &name) { pointer in
            // Safety: every socket address begins with the layout of `sockaddr`, and the length passed is its own.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &length) }
        }
        port = UInt16(bigEndian: name.sin_port)
    }

    /// What the first connection brought and whether it ended in order, not by a reset; `nil` while it has not ended.
    public func firstConnection() -> (octets: [UInt8], isInOrder: Bool)? {
        let connection = FileDescriptor(owning: accept(listener.rawValue, nil, nil))
        guard connection.rawValue >= 0 else { return nil }
        var octets: [UInt8] = []
        var portion = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection.rawValue, &portion, portion.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                octets += portion[..<count]
            } else if count == 0 {
                return (octets, true)
            } else {
                return errno == EAGAIN ? nil : (octets, false)
            }
        }
    }
}
