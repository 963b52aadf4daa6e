import Glibc

/// Where a connection leads: an IP address with its port, or a Unix socket's path.
public struct SocketAddress: Hashable, Sendable {
    private enum Form: Hashable, Sendable {
        case ipv4(UInt32, port: UInt16)
        case ipv6([UInt8], port: UInt16, scope: UInt32)
        case unix(String)
    }

    private let form: Form

    /// An IPv4 address, its four octets as one number, the first in the highest place.
    public init(ipv4 address: UInt32, port: UInt16) { form = .ipv4(address, port: port) }

    /// An IPv6 address of 16 octets; `nil` for any other count.
    public init?(ipv6 octets: [UInt8], port: UInt16, scope: UInt32 = 0) {
        guard octets.count == 16 else { return nil }
        form = .ipv6(octets, port: port, scope: scope)
    }

    /// A Unix socket. `nil` when `path` is empty, too long (108 octets with its end), or holds a NUL.
    public init?(unixSocket path: String) {
        guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
        form = .unix(path)
    }

    /// An address literal as inet_pton(3) reads it; `nil` for anything else.
    public init?(literal text: String, port: UInt16) {
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        if inet_pton(AF_INET, text, &ipv4) == 1 {
            form = .ipv4(UInt32(bigEndian: ipv4.s_addr), port: port)
        } else if inet_pton(AF_INET6, text, &ipv6) == 1 {
            form = .ipv6(withUnsafeBytes(of: &ipv6) { Array($0) }, port: port, scope: 0)
        } else {
            return nil
        }
    }

    /// Reads what the system filled in; `nil` for a family other than IPv4 and IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        // Safety: the family names the structure behind the pointer.
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                SocketAddress(
                    ipv4: UInt32(bigEndian: pointer.pointee.sin_addr.s_addr),
                    port: UInt16(bigEndian: pointer.pointee.sin_port))
            }
        case AF_INET6:
            form = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                var octets = pointer.pointee.sin6_addr
                return .ipv6(
                    withUnsafeBytes(of: &octets) { Array($0) },
                    port: UInt16(bigEndian: pointer.pointee.sin6_port), scope: pointer.pointee.sin6_scope_id)
            }
        default: return nil
        }
    }

    /// The address with another port; a Unix socket has none and stays as it is.
    public func with(port: UInt16) -> SocketAddress {
        switch form {
        case .ipv4(let address, _): SocketAddress(.ipv4(address, port: port))
        case .ipv6(let octets, _, let scope): SocketAddress(.ipv6(octets, port: port, scope: scope))
        case .unix: self
        }
    }

    private init(_ form: Form) { self.form = form }

    var family: Int32 {
        switch form {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Whether it is an IPv4 address.
    public var isIPv4: Bool { family == AF_INET }
    /// Whether it is an IPv6 address.
    public var isIPv6: Bool { family == AF_INET6 }

    /// The address without its port; the path of a Unix socket.
    public var host: String {
        switch form {
        case .ipv4: return octets.map(String.init).joined(separator: ".")
        case .ipv6(let octets, _, _):
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            // Safety: 16 octets in, a buffer of the length the call asks for out.
            guard inet_ntop(AF_INET6, octets, &text, socklen_t(text.count)) != nil else { return "?" }
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        case .unix(let path): return path
        }
    }

    /// The port; 0 for a Unix socket.
    public var port: UInt16 {
        switch form {
        case .ipv4(_, let port), .ipv6(_, let port, _): port
        case .unix: 0
        }
    }

    /// The octets of the address, in the order of the wire: 4, 16, or none for a Unix socket.
    package var octets: [UInt8] {
        switch form {
        case .ipv4(let address, _):
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: address >> UInt32($0)) }
        case .ipv6(let octets, _, _): octets
        case .unix: []
        }
    }

    /// The interface that a link-local IPv6 address belongs to, by its number; 0 where none is said.
    package var scope: UInt32 {
        if case .ipv6(_, _, let scope) = form { scope } else { 0 }
    }

    /// Lends the address as the system's calls want it.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let length = fill(&storage)
        // Safety: sockaddr_storage is large enough and aligned for every address family.
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    private func fill(_ storage: inout sockaddr_storage) -> socklen_t {
        withUnsafeMutableBytes(of: &storage) { bytes in
            switch form {
            case .ipv4(let address, let port):
                var value = sockaddr_in()
                value.sin_family = sa_family_t(AF_INET)
                value.sin_port = port.bigEndian
                value.sin_addr.s_addr = address.bigEndian
                bytes.storeBytes(of: value, as: sockaddr_in.self)
                return socklen_t(MemoryLayout<sockaddr_in>.size)
            case .ipv6(let octets, let port, let scope):
                var value = sockaddr_in6()
                value.sin6_family = sa_family_t(AF_INET6)
                value.sin6_port = port.bigEndian
                value.sin6_scope_id = scope
                withUnsafeMutableBytes(of: &value.sin6_addr) { $0.copyBytes(from: octets) }
                bytes.storeBytes(of: value, as: sockaddr_in6.self)
                return socklen_t(MemoryLayout<sockaddr_in6>.size)
            case .unix(let path):
                bytes.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
                let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
                for (index, octet) in path.utf8.enumerated() { bytes[start + index] = octet }
                return socklen_t(start + path.utf8.count + 1)
            }
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `192.0.2.1:80`, `[2001:db8::1]:80`, or the path.
    public var description: String {
        switch form {
        case .ipv4: "\(host):\(port)"
        case .ipv6: "[\(host)]:\(port)"
        case .unix(let path): path
        }
    }
}
