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
        let made = try LoopbackListener(flags: Int32(SOCK_NONBLOCK.rawValue))
        port = made.port
        listener = made.descriptor
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
