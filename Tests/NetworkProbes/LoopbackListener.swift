import Glibc
import System

/// A listening socket on the loopback, and what all who have one need of it.
struct LoopbackListener: ~Copyable {
    let descriptor: FileDescriptor
    let port: UInt16

    /// Listens with a queue of `backlog`, on a free port of 127.0.0.1 unless told where. `flags` go with the socket's type.
    init(
        on address: UInt32 = 0x7F00_0001, port wanted: UInt16 = 0, backlog: Int32 = 4, flags: Int32 = 0
    ) throws {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | flags
        descriptor = FileDescriptor(owning: socket(AF_INET, kind, 0))
        let number = descriptor.rawValue
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = address.bigEndian
        name.sin_port = wanted.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = withUnsafeMutablePointer(to: &name) { pointer in
            // Safety: every socket address begins with the layout of `sockaddr`, and the length passed is its own.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                let isDone =
                    bind(number, name, length) == 0 && listen(number, backlog) == 0
                    && getsockname(number, name, &length) == 0
                return isDone ? 0 : errno
            }
        }
        guard failure == 0 else { throw SystemError(call: "listen", errno: failure) }
        port = UInt16(bigEndian: name.sin_port)
    }
}
