import Glibc
import System

/// Where connections are to begin, as a person says it.
public struct LocalBinding: Hashable, Sendable {
    /// What the name is of.
    public enum Kind: Hashable, Sendable {
        /// A network interface.
        case interface
        /// An address of this machine, or a host name that stands for one.
        case host
        /// An interface if there is one of that name, else a host.
        case either
    }

    /// What the name is of.
    public var kind: Kind
    /// The name, or the address in text.
    public var name: String

    /// A binding to what `name` is.
    public init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    /// Finds the interface or the addresses meant. Throws `notBound`, `timedOut`, `cancelled`.
    @NetworkActor
    public func localEnd(until deadline: Deadline) async throws(TransportError) -> LocalEnd {
        if kind != .host, if_nametoindex(name) != 0 {
            return LocalEnd(interface: name, addresses: LocalEnd.addresses(ofInterface: name))
        }
        guard kind != .interface else { throw TransportError(.notBound("there is no interface \(name)")) }
        if let address = SocketAddress(literal: name, port: 0) { return LocalEnd(addresses: [address]) }
        do throws(TransportError) {
            return LocalEnd(
                addresses: try await Resolver.addresses(of: name, port: 0, family: .any, until: deadline))
        } catch {
            guard case .notResolved(let words) = error.reason else { throw error }
            let what = kind == .either ? "\(name) is no interface and no host" : "\(name) is no host"
            throw TransportError(.notBound("\(what): \(words)"))
        }
    }
}

/// Where connections begin.
public struct LocalEnd: Hashable, Sendable {
    /// The interface that octets must go through.
    public var interface: String?
    /// Addresses of this machine, of which the first of the wanted family is taken.
    public var addresses: [SocketAddress]

    /// An end at an interface, or at addresses.
    public init(interface: String? = nil, addresses: [SocketAddress]) {
        self.interface = interface
        self.addresses = addresses
    }

    /// Whether a connection to `address` can begin here, as far as families go.
    public func reaches(_ address: SocketAddress) -> Bool {
        address.family == AF_UNIX || addresses.contains { $0.family == address.family }
    }

    /// Binds a socket: to the interface where the system permits that, else to an address. Throws the refusal of
    /// `bind`; where there is no address of the family, what `connect` would say.
    func bind(_ descriptor: Int32, family: Int32) throws(SystemError) {
        if let interface, isBound(descriptor, to: interface) { return }
        guard let address = addresses.first(where: { $0.family == family })?.with(port: 0) else {
            throw SystemError(call: "connect", errno: EAFNOSUPPORT)
        }
        // The port is chosen when it connects, and need then be unlike others only for that peer.
        TCPStream.setsockopt(Int32(IPPROTO_IP), 24, 1, descriptor)  // IP_BIND_ADDRESS_NO_PORT
        guard address.withSockaddr({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
            throw SystemError(call: "bind", errno: errno)
        }
    }

    /// Older kernels permit it to the superuser alone.
    private func isBound(_ descriptor: Int32, to interface: String) -> Bool {
        let name = Array(interface.utf8)
        return setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, name, socklen_t(name.count)) == 0
    }

    static func addresses(ofInterface name: String) -> [SocketAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: [SocketAddress] = []
        var next = list
        // Safety: the list is the system's, ends with nil, and is freed after the loop; names end by a NUL.
        while let entry = next {
            if String(cString: entry.pointee.ifa_name) == name, let address = entry.pointee.ifa_addr,
                let found = SocketAddress(address)
            {
                addresses.append(found)
            }
            next = entry.pointee.ifa_next
        }
        return addresses
    }
}
