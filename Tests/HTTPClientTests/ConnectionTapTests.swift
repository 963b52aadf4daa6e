import Glibc
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

@testable import HTTPClient

/// Writes down what taps are told: what happened, octets of one direction in one piece.
@NetworkActor
private final class TapLog {
    /// A line for each event; `A` before those of the first connection, `B` before those of the second.
    private(set) var lines: [String] = []
    private var count = 0

    nonisolated init() {}

    func tap(_ origin: Origin) -> any ConnectionTap {
        defer { count += 1 }
        return Tap(self, count == 0 ? "A" : "B", origin)
    }

    func add(_ name: String, _ text: String) {
        let kind = text.prefix(2)
        if kind == "> " || kind == "< ", let last = lines.last, last.hasPrefix("\(name) \(kind)") {
            lines[lines.count - 1] = last + text.dropFirst(2)
        } else {
            lines.append("\(name) \(text)")
        }
    }

    private final class Tap: ConnectionTap {
        let log: TapLog
        let name: String
        let origin: Origin

        init(_ log: TapLog, _ name: String, _ origin: Origin) {
            (self.log, self.name, self.origin) = (log, name, origin)
        }

        func opened(_ remote: SocketAddress?) {
            log.add(name, "opened \(remote?.host ?? "-") for \(origin.scheme) \(origin.host)")
        }
        func secured(_ summary: TLSSummary) { log.add(name, "secured \(summary.version)") }
        func failed(_ error: TransportError) {
            switch error.reason {
            case .notConnected: log.add(name, "not connected")
            case .tlsFailed(let failure): log.add(name, "no TLS \(failure.kind)")
            default: log.add(name, "failed")
            }
        }
        func sent(_ octets: ArraySlice<UInt8>) {
            log.add(name, "> " + String(decoding: octets, as: UTF8.self))
        }
        func received(_ octets: Span<UInt8>) {
            log.add(name, "< " + octets.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        }
        func ended() { log.add(name, "ended") }
        func broke(_ error: TransportError) {
            log.add(name, "broke \(error.reason == .cutShort ? "cut" : "")")
        }
        func closed() { log.add(name, "closed") }
    }
}

extension Loopback {
    @Suite("A tap of connections")
    struct ConnectionTapTests {
        private let log = TapLog()

        private func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> Client {
            Loopback.client {
                $0.tap = { [log] origin in log.tap(origin) }
                change(&$0)
            }
        }

        private func request(_ server: ReplayServer, _ scheme: String = "http", _ path: String = "/") throws
            -> HTTPRequest
        {
            HTTPRequest(.get, try URI(parsing: "\(scheme)://\(server.authority)\(path)"))
        }

        private func sent(_ server: ReplayServer, _ path: String = "/") -> String {
            "> GET \(path) HTTP/1.1\r\nHost: \(server.authority)\r\n\r\n"
        }

        @Test("is told what goes out and what arrives, in order", arguments: [Int.max, 1])
        func order(pieces: Int) async throws {
            let server = try serve { request in
                [.pieces(of: pieces), .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\(request.target)")]
            }
            let client = client()
            for path in ["/1", "/2"] { _ = try await client.outcome(of: request(server, "http", path)) }
            await client.closeIdleConnections()
            let lines = await log.lines
            #expect(
                lines == [
                    "A opened 127.0.0.1 for http 127.0.0.1",
                    "A " + sent(server, "/1"), "A < HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/1",
                    "A " + sent(server, "/2"), "A < HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/2",
                    "A closed",
                ])
        }

        @Test("is told all of content that goes out in parts")
        func content() async throws {
            let server = try serve([.expectHead, .expectContent(.declared), Loopback.ok, .stall])
            let content = Pattern.octets(300_000)
            let request = try server.request(.put, "/", content: content)
            _ = try await client().outcome(of: request)
            let lines = await log.lines
            let text = try #require(lines.dropFirst().first)
            #expect(text.hasPrefix("A > PUT / HTTP/1.1\r\n"))
            #expect(text.hasSuffix("\r\n\r\n" + String(decoding: content, as: UTF8.self)))
        }

        @Test("hears what is said under TLS in clear, and how it ends", arguments: [true, false])
        func secured(hasNotify: Bool) async throws {
            let authority = try TestAuthority()
            let identity = try authority.issue(TestCertificate([], addresses: ["127.0.0.1"]))
            let server = try ReplayServer(
                Script(
                    everyConnection: .init([
                        .expectHead, .send("HTTP/1.1 200 OK\r\n\r\nall"),
                        hasNotify ? .close : .closeWithoutNotify,
                    ])), tls: TLSService(identity))
            try server.start()
            let client = client {
                $0.tls.trust = .authorities(files: [TLSFile(octets: authority.certificatePEM)], folders: [])
            }
            _ = try await client.outcome(of: request(server, "https"))
            let lines = await log.lines
            #expect(
                lines == [
                    "A opened 127.0.0.1 for https 127.0.0.1", "A secured TLSv1.3", "A " + sent(server),
                    "A < HTTP/1.1 200 OK\r\n\r\nall", hasNotify ? "A ended" : "A broke cut", "A closed",
                ])
        }

        @Test("is told when nobody listens, and when TLS fails")
        func failures() async throws {
            let port = try deadPort()
            _ = try await client().outcome(
                of: HTTPRequest(.get, try URI(parsing: "http://127.0.0.1:\(port)/")))
            #expect(await log.lines == ["A not connected"])
            let identity = try TestAuthority().issue(TestCertificate([], addresses: ["127.0.0.1"]))
            let server = try ReplayServer(tls: TLSService(identity)) { _ in [] }
            try server.start()
            _ = try await client().outcome(of: request(server, "https"))
            #expect(
                await log.lines.dropFirst() == [
                    "B opened 127.0.0.1 for https 127.0.0.1", "B no TLS peerCertificate",
                ])
        }

        @Test("is told of a reset")
        func reset() async throws {
            let server = try serve([.expectHead, .reset])
            _ = try await client().outcome(of: request(server))
            #expect(
                await log.lines == [
                    "A opened 127.0.0.1 for http 127.0.0.1", "A " + sent(server), "A broke ", "A closed",
                ])
        }

        @Test("is told what made the client give a kept connection up", arguments: [true, false])
        func unasked(closes: Bool) async throws {
            let server = try ReplayServer(
                Script([
                    .init([.expectHead, Loopback.ok, closes ? .close : .send("more"), .stall]),
                    .init([.expectHead, Loopback.ok, .stall]),
                ]))
            try server.start()
            let client = client()
            // A request that must not be sent twice looks at the connection before.
            let post = try server.request(.post)
            _ = try await client.outcome(of: server.request())
            // What the server does behind its answer may take its time: until it is there nothing follows.
            while await !log.lines.contains("B opened 127.0.0.1 for http 127.0.0.1") {
                _ = try await client.outcome(of: post)
            }
            let first = await log.lines.filter { $0.hasPrefix("A ") }
            #expect(first.last == "A closed")
            if closes {
                // A request that was on its way when the server closed is answered by a reset.
                #expect(["A ended", "A broke "].contains(first.dropLast().last))
            } else {
                #expect(first.dropLast().last?.hasSuffix("more") ?? false)
            }
        }

        @Test("where nobody listens content is spliced as ever, else it is not", arguments: [true, false])
        func splicing(isTapped: Bool) async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 1500000\r\n\r\n"),
                .send(Pattern.octets(1_500_000)), .stall,
            ])
            let client = isTapped ? client() : Loopback.client()
            let spliced = try await onLoop {
                let null = FileDescriptor(owning: open("/dev/null", O_WRONLY))
                let sink = TestSink(keepsContent: false)
                sink.target = SpliceTarget(descriptor: null.rawValue)
                _ = try await client.transfer(try server.request(), into: sink).run()
                #expect(sink.count == 1_500_000)
                return sink.spliced
            }
            #expect((spliced > 0) == !isTapped)
        }
    }
}
