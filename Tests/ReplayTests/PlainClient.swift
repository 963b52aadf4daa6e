import Glibc
import Replay

/// A blocking socket with a guard of five seconds: the other side of the server under test.
final class PlainClient {
    private(set) var socket: Int32

    convenience init?(_ server: ReplayServer) { self.init(server.address, port: server.port) }

    /// A client of whatever listens at a port of the loopback.
    convenience init?(port: UInt16, host: String = "127.0.0.1") {
        self.init(host == "::1" ? .ipv6Loopback : .ipv4Loopback, port: port)
    }

    private init?(_ address: ReplayServer.Address, port: UInt16) {
        let family =
            switch address {
            case .ipv4Loopback: AF_INET
            case .ipv6Loopback: AF_INET6
            case .unix: AF_UNIX
            }
        socket = Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var storage = [UInt8](repeating: 0, count: 128)
        storage[0] = UInt8(truncatingIfNeeded: family)
        var length = 16
        if case .unix(let path) = address {
            storage.replaceSubrange(2..<2 + path.utf8.count, with: path.utf8)
            length = 3 + path.utf8.count
        } else {
            storage[2] = UInt8(port >> 8)
            storage[3] = UInt8(port & 0xFF)
            if family == AF_INET {
                storage.replaceSubrange(4..<8, with: [127, 0, 0, 1])
            } else {
                storage[23] = 1
                length = 28
            }
        }
        let result = storage.withUnsafeBytes {
            connect(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(length))
        }
        guard result == 0 else { return nil }
    }

    deinit { close() }

    func close() {
        if socket >= 0 { _ = Glibc.close(socket) }
        socket = -1
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ octets: [UInt8]) {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func endSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Closes so that the peer gets a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Up to `count` octets, fewer at the end of the stream.
    func receive(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < count {
            var buffer = [UInt8](repeating: 0, count: min(65_536, count - octets.count))
            let received = recv(socket, &buffer, buffer.count, 0)
            guard received > 0 else { break }
            octets += buffer[..<received]
        }
        return octets
    }

    func receiveText(_ count: Int) -> String { String(decoding: receive(count), as: UTF8.self) }

    /// 0 at the end of the stream, else the error number of the receive that failed.
    func receiveEnd() -> Int32 {
        var octet: UInt8 = 0
        while true {
            let count = recv(socket, &octet, 1, 0)
            if count == 0 { return 0 }
            if count < 0 { return errno }
        }
    }
}
