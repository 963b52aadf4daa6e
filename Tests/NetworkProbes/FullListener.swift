import Glibc
import System

/// A listening socket on the loopback whose queue is full: a connection to it gets no answer, as from a host that drops
/// what it is sent.
public final class FullListener: Sendable {
    /// Where it listens.
    public let port: UInt16
    private let listener: FileDescriptor
    private let fillers: [Int32]

    /// Listens, at a free port of 127.0.0.1 unless told where, and connects to itself until the queue is full.
    public init(on address: UInt32 = 0x7F00_0001, port wanted: UInt16 = 0) throws {
        let own = try LoopbackListener(on: address, port: wanted, backlog: 0)
        port = own.port
        listener = own.descriptor
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = address.bigEndian
        name.sin_port = port.bigEndian
        var made: [Int32] = []
        for _ in 0..<4 {
            let filler = socket(AF_INET, kind | Int32(SOCK_NONBLOCK.rawValue), 0)
            _ = withAddress(&name) { connect(filler, $0, $1) }
            made.append(filler)
        }
        fillers = made
    }

    deinit { for filler in fillers { close(filler) } }
}

// Safety: every socket address begins with the layout of `sockaddr`, and the length passed is its own.
private func withAddress(_ name: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32)
    -> Int32
{
    withUnsafePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
