import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

@testable import HTTPClient

extension Loopback {
    @Suite("Transfers over TLS (RFC 9110, section 4.2.2; RFC 9112, section 9.8)")
    struct SecureTransferTests {
        private let authority: TestAuthority
        private let identity: TestIdentity

        init() throws {
            authority = try TestAuthority()
            identity = try authority.issue(TestCertificate(["fixture.test"], addresses: ["127.0.0.1"]))
        }

        private func serve(
            _ change: (inout TLSService) -> Void = { _ in },
            _ handler: @escaping @Sendable (RecordedRequest) -> [Script.Step]
        ) throws -> ReplayServer {
            var service = TLSService(identity)
            change(&service)
            let server = try ReplayServer(tls: service, handler: handler)
            try server.start()
            return server
        }

        private func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> Client {
            let trusted = TLSFile(octets: authority.certificatePEM)
            return Loopback.client {
                $0.tls.trust = .authorities(files: [trusted], folders: [])
                change(&$0)
            }
        }

        private func request(
            _ server: ReplayServer, _ method: HTTPMethod = .get, _ path: String = "/", content: [UInt8]? = nil
        ) throws -> HTTPRequest {
            HTTPRequest(method, try URI(parsing: "https://\(server.authority)\(path)"), content: content)
        }

        private func noise(_ count: Int) -> [UInt8] {
            var state: UInt64 = 7
            return (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
        }

        // MARK: Connections

        @Test("one connection serves many requests, tickets or not", arguments: [true, false])
        func keepsConnections(sendsTickets: Bool) async throws {
            let server = try serve({ $0.sendsTickets = sendsTickets }) { _ in [Loopback.ok] }
            let client = client()
            for number in 0..<20 {
                let outcome = try await client.outcome(of: request(server, number % 2 == 0 ? .get : .post))
                #expect(outcome.text == "ok" && outcome.report?.connection == 1)
            }
            #expect(server.connectionCount == 1 && server.requests.count == 20)
        }

        @Test("events and timings tell of the handshake")
        func tells() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let outcome = try await client().outcome(of: request(server))
            let place = try #require(outcome.story.firstIndex(of: "secured"))
            #expect(outcome.story[place - 1] == "connected" && outcome.story[place + 1] == "requestHead")
            let timings = try #require(outcome.report?.timings)
            let (connected, secured) = (try #require(timings.connected), try #require(timings.secured))
            #expect(connected < secured && secured <= timings.ready ?? .now)
            let handshake = try #require(server.handshakes.first)
            #expect(handshake.version == "TLSv1.3" && handshake.offeredProtocols == ["http/1.1"])
            #expect(handshake.serverName == nil, "an address is no name (RFC 6066, section 3)")
        }

        @Test(
            "the server sees the name asked for, wherever the connection leads",
            arguments: ["fixture.test", "Fixture.TEST", "fixture.test."])
        func serverName(host: String) async throws {
            let server = try serve { _ in [Loopback.ok] }
            let client = client {
                $0.addressMap.detours = [
                    .init(fromHost: nil, fromPort: nil, toHost: "127.0.0.1", toPort: server.port)
                ]
            }
            let outcome = try await client.outcome(of: HTTPRequest(.get, URI(parsing: "https://\(host)/")))
            #expect(outcome.text == "ok", "\(String(describing: outcome.error))")
            #expect(server.handshakes.map(\.serverName) == ["fixture.test"])
        }

        @Test("the next connection resumes the session", arguments: [TLSService.Version.tls12, .tls13])
        func resumes(version: TLSService.Version) async throws {
            let server = try serve({ ($0.minimumVersion, $0.maximumVersion) = (version, version) }) { _ in
                [Loopback.ok, .close]
            }
            let client = client()
            for _ in 0..<3 { #expect(try await client.outcome(of: request(server)).text == "ok") }
            _ = try await self.client().outcome(of: request(server))
            #expect(server.handshakes.map(\.isResumed) == [false, true, true, false])
        }

        @Test("an idle connection that the server has closed is not used")
        func idleEnd() async throws {
            let server = try serve { _ in [Loopback.ok, .close] }
            let client = client()
            for _ in 0..<3 {
                #expect(try await client.outcome(of: request(server, .post)).text == "ok")
                #expect(server.waitForConnectionsToEnd(server.connectionCount))
            }
            #expect(server.requests.count == 3)
        }

        // MARK: Ends

        private static let head = "HTTP/1.1 200 OK\r\n"

        @Test(
            "an end without close_notify is a failure where something may be missing, and only there",
            arguments: [
                (head + "Content-Length: 5\r\n\r\nhello", nil, "hello"),
                (head + "Content-Length: 6\r\n\r\nhello", "incompleteContent", "hello"),
                (head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", nil, "hello"),
                (head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "incompleteContent", "hello"),
                (head + "\r\nhello", "receiveFailed", "hello"), (head, "receiveFailed", ""),
                ("", "emptyReply", ""),
            ] as [(String, String?, String)])
        func cut(answer: String, code: String?, content: String) async throws {
            let server = try serve { _ in [.send(answer), .closeWithoutNotify] }
            let outcome = try await client().outcome(of: request(server, .post))
            #expect(outcome.code?.name == code, "\(String(describing: outcome.error))")
            #expect(outcome.text == content)
        }

        @Test("content that ends with its connection is whole with a close_notify")
        func closeNotify() async throws {
            let server = try serve { _ in [.send(Self.head + "\r\nhello"), .close] }
            let outcome = try await client().outcome(of: request(server))
            #expect(outcome.text == "hello" && outcome.error == nil)
        }

        @Test("what is no TLS in the middle of content breaks it")
        func unprotected() async throws {
            let server = try serve { _ in
                [
                    .send(Self.head + "Content-Length: 100\r\n\r\nhello"),
                    .sendUnprotected(Array("HTTP/1.1 200 OK".utf8)), .stall,
                ]
            }
            let outcome = try await client().outcome(of: request(server))
            #expect(outcome.code == .receiveFailed && outcome.text == "hello")
            #expect(outcome.error?.detail.contains("5 of 100 octets received") ?? false)
        }

        @Test("a handshake that stalls ends with the time to connect, and can be cancelled")
        func stalls() async throws {
            let server = try serve({ $0.fault = .stallAfterClientHello }) { _ in [Loopback.ok] }
            var options = TransferOptions()
            options.connectTimeout = .milliseconds(200)
            let outcome = try await client().outcome(of: request(server), options: options)
            #expect(outcome.code == .timedOut && outcome.error?.phase == .tls)
            let transfer = await client().send(try request(server), into: TestSink())
            #expect(server.waitForConnections(2))
            await transfer.cancel()
            await #expect(throws: TransferError.self) { try await transfer.finish() }
            #expect(server.waitForConnectionsToEnd(2))
        }

        // MARK: Content

        @Test(
            "large content both ways, in pieces and with new keys",
            arguments: [TLSService.Version.tls12, .tls13], [1000, 100_000])
        func largeContent(version: TLSService.Version, piece: Int) async throws {
            let octets = noise(3_000_000)
            let server = try serve({ ($0.minimumVersion, $0.maximumVersion) = (version, version) }) {
                request in
                var steps: [Script.Step] = [
                    .pieces(of: piece), .send(Self.head + "Content-Length: \(request.content.count)\r\n\r\n"),
                ]
                let half = request.content.count / 2
                steps.append(.send(Array(request.content[..<half])))
                if version == .tls13 { steps.append(.updateKeys) }
                return steps + [.send(Array(request.content[half...]))]
            }
            let client = client()
            for _ in 0..<2 {
                let outcome = try await client.outcome(of: request(server, .post, content: octets))
                #expect(outcome.content == octets, "\(String(describing: outcome.error))")
            }
            #expect(server.connectionCount == 1)
            #expect(server.requests.allSatisfy { $0.content == octets })
        }

        @Test("an alert that ends the sending is the reason given")
        func alertWhileSending() async throws {
            let server = try serve({ $0.clientAuthority = authority.certificatePEM }) { _ in [Loopback.ok] }
            let outcome = try await client().outcome(
                of: request(server, .post, content: noise(16_000_000)))
            #expect(outcome.code == .tlsFailed, "\(String(describing: outcome.error))")
            #expect(outcome.error?.detail.contains("certificate_required") ?? false)
            #expect(server.requests.isEmpty)
        }
    }
}
