import Glibc
import NetworkProbes
import Replay
import System
import Testing
import Transport

/// All that measures time or shares the loop's clock runs one after another.
@Suite("Over the loopback", .serialized, .timeLimit(.minutes(1)))
enum Loopback {
    /// A running server that plays `steps` on every connection.
    static func serve(
        _ steps: [Script.Step], address: ReplayServer.Address = .ipv4Loopback
    ) throws -> ReplayServer {
        let server = try ReplayServer(Script(everyConnection: .init(steps)), address: address)
        try server.start()
        return server
    }

    /// Where nobody listens any more.
    static func deadAddress() throws -> SocketAddress {
        let server = try ReplayServer(Script())
        server.stop()
        return SocketAddress(ipv4: 0x7F00_0001, port: server.port)
    }

    @NetworkActor
    static func connect(
        _ server: ReplayServer, within limit: Duration = .seconds(5)
    ) async throws(TransportError) -> TCPStream {
        try await TCPStream.connect(
            to: server.socketAddress, options: .init(), until: Deadline(.connect, in: limit))
    }
}

extension ReplayServer {
    var socketAddress: SocketAddress {
        switch address {
        case .ipv4Loopback: SocketAddress(ipv4: 0x7F00_0001, port: port)
        case .ipv6Loopback:
            SocketAddress(literal: "::1", port: port) ?? SocketAddress(ipv4: 0, port: 0)
        case .unix(let path): SocketAddress(unixSocket: path) ?? SocketAddress(ipv4: 0, port: 0)
        }
    }
}

extension ByteStream {
    /// Receives until `count` octets are there, or the end.
    @NetworkActor
    func receive(
        _ count: Int, within limit: Duration = .seconds(5)
    ) async throws(TransportError) -> [UInt8] {
        let buffer = try ReceiveBuffer()
        var octets: [UInt8] = []
        while octets.count < count {
            let got = try await receive(
                into: buffer, atMost: count - octets.count, until: Deadline(.idle, in: limit))
            guard got > 0 else { break }
            buffer.read { span in span.withUnsafeBufferPointer { octets.append(contentsOf: $0) } }
            buffer.consume(got)
        }
        return octets
    }

    @NetworkActor
    func receiveText(_ count: Int, within limit: Duration = .seconds(5)) async throws(TransportError)
        -> String
    {
        String(decoding: try await receive(count, within: limit), as: UTF8.self)
    }
}

/// A head that a replay server takes as a request.
let someHead = Array("GET / HTTP/1.1\r\n\r\n".utf8)

/// A mark that threads share.
final class Flag: Sendable {
    private let value = Lock(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
    /// A step of a script that sets it.
    var step: Script.Step {
        .check { _ in
            self.set()
            return nil
        }
    }
}
