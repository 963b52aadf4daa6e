import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing

@testable import HTTPClient
@testable import Transport

extension Loopback {
    @Suite("The addresses of a host")
    struct AddressTests {
        /// Answers `localhost`'s addresses in this order to every name, and counts.
        private final class Names: Sendable {
            let asked = Lock<[String]>([])
            let addresses: [SocketAddress]

            init(_ literals: [String]) {
                addresses = literals.compactMap { SocketAddress(literal: $0, port: 0) }
            }

            var asking: Resolver.Asking {
                { host, _ in
                    self.asked.withLock { $0.append(host) }
                    return .addresses(self.addresses)
                }
            }
        }

        private static func load(
            _ client: Client, _ url: String
        ) async throws(TransferError) -> HTTPResponse {
            guard let uri = try? URI(parsing: url) else {
                throw TransferError(.badURI, during: .prepare, url)
            }
            return try await client.content(for: HTTPRequest(.get, uri)).0
        }

        private static func server() throws -> ReplayServer {
            let server = try ReplayServer { _ in
                [.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), .close]
            }
            try server.start()
            return server
        }

        @Test("are asked for once in their lifetime, whatever the port and the case of letters")
        func areRemembered() async throws {
            let (server, other) = (try Self.server(), try Self.server())
            let names = Names(["127.0.0.1"])
            var configuration = ClientConfiguration()
            configuration.asking = names.asking
            let client = Client(configuration)
            for url in ["a.test:\(server.port)", "A.test:\(other.port)", "a.test:\(server.port)/2"] {
                #expect(try await Self.load(client, "http://\(url)").status == .ok)
            }
            #expect(names.asked.withLock { $0 } == ["a.test"])
            #expect(server.connectionCount == 2)
            // Another client knows nothing of it, nor does one that is told to remember nothing.
            configuration.addressLifetime = .zero
            let forgetful = Client(configuration)
            for _ in 0..<2 { _ = try await Self.load(forgetful, "http://a.test:\(server.port)/") }
            #expect(names.asked.withLock { $0 }.count == 3)
        }

        @Test("are asked for again when none of them takes a connection")
        func areForgotten() async throws {
            let server = try Self.server()
            let names = Names(["127.0.0.9"])
            var configuration = ClientConfiguration()
            configuration.asking = names.asking
            let client = Client(configuration)
            for _ in 0..<2 {
                await #expect(throws: TransferError.self) {
                    _ = try await Self.load(client, "http://a.test:\(server.port)/")
                }
            }
            #expect(names.asked.withLock { $0 } == ["a.test", "a.test"])
        }

        @Test("are raced: a refused first family costs nothing")
        func areRaced() async throws {
            let server = try Self.server()
            var configuration = ClientConfiguration()
            configuration.asking = Names(["::1", "127.0.0.1"]).asking
            configuration.connectionAttemptDelay = .seconds(100)
            #expect(try await Self.load(Client(configuration), "http://a.test:\(server.port)/").status == .ok)
        }

        @Test("are not asked for where the caller gives them")
        func areGiven() async throws {
            let server = try Self.server()
            let names = Names(["127.0.0.9"])
            var configuration = ClientConfiguration()
            configuration.asking = names.asking
            configuration.addressMap.entries = [
                .init(
                    host: "a.test", port: nil,
                    addresses: [SocketAddress(ipv4: 0x7F00_0001, port: server.port)])
            ]
            #expect(try await Self.load(Client(configuration), "http://a.test:\(server.port)/").status == .ok)
            #expect(names.asked.withLock { $0 }.isEmpty)
        }
    }
}
