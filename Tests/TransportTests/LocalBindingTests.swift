import Glibc
import NetworkProbes
import Replay
import System
import Testing

@testable import Transport

extension Loopback {
    @Suite("Where connections begin")
    struct LocalBindingTests {
        private static func localHost(_ end: LocalEnd, to server: ReplayServer) async throws -> String? {
            let target = server.socketAddress
            return try await onLoop { () async throws -> String? in
                var options = TCPStream.Options()
                options.localEnd = end
                let stream = try await TCPStream.connect(
                    to: target, options: options, until: Deadline(.connect, in: .seconds(5)))
                defer { stream.close() }
                return stream.localAddress?.host
            }
        }

        private static func end(_ kind: LocalBinding.Kind, _ name: String) async throws -> LocalEnd {
            try await onLoop {
                try await LocalBinding(kind, name).localEnd(until: Deadline(.resolve, in: .seconds(5)))
            }
        }

        @Test("an interface has its addresses")
        func interface() async throws {
            for kind in [LocalBinding.Kind.interface, .either] {
                let end = try await Self.end(kind, "lo")
                #expect(end.interface == "lo")
                #expect(end.addresses.map(\.host).contains("127.0.0.1"))
                #expect(end.addresses.allSatisfy { $0.host.hasPrefix("127.") || $0.isIPv6 })
            }
        }

        @Test("a name that is to be a host is no interface, and one that is to be an interface no host")
        func kinds() async throws {
            #expect(try await Self.end(.host, "127.0.0.2").interface == nil)
            #expect(try await Self.end(.either, "127.0.0.2").addresses.map(\.host) == ["127.0.0.2"])
            for (kind, name) in [
                (LocalBinding.Kind.interface, "127.0.0.2"), (.interface, "localhost"), (.host, ""),
            ] {
                let error = await #expect(throws: TransportError.self) { _ = try await Self.end(kind, name) }
                guard case .notBound = error?.reason else {
                    Issue.record("\(name): \(String(describing: error))")
                    continue
                }
            }
        }

        @Test("where the system refuses the interface, one of its addresses is taken, of the wanted family")
        func fallsBack() async throws {
            let server = try serve([.stall])
            let six = try #require(SocketAddress(literal: "::1", port: 0))
            let end = LocalEnd(
                interface: "nosuch0", addresses: [six, SocketAddress(ipv4: 0x7F00_0005, port: 7)])
            #expect(try await Self.localHost(end, to: server) == "127.0.0.5")
        }

        @Test("an address of another machine is refused by bind, one of another family otherwise")
        func refuses() async throws {
            let server = try serve([.stall])
            let foreign = LocalEnd(addresses: [SocketAddress(ipv4: 0xC000_0201, port: 0)])
            let error = await #expect(throws: TransportError.self) {
                _ = try await Self.localHost(foreign, to: server)
            }
            #expect(error?.refusalToBind == SystemError(call: "bind", errno: EADDRNOTAVAIL))
            let six = LocalEnd(addresses: [try #require(SocketAddress(literal: "::1", port: 0))])
            #expect(!six.reaches(server.socketAddress))
            let other = await #expect(throws: TransportError.self) {
                _ = try await Self.localHost(six, to: server)
            }
            #expect(other?.refusalToBind == nil)
            #expect(other?.errno == EAFNOSUPPORT)
        }
    }
}
