import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Time-outs")
    struct TimeoutTests {
        @Test func connecting() async throws {
            let listener = try FullListener()
            let before = openSockets(to: listener.port)
            let client = client { $0.connectTimeout = .milliseconds(60) }
            let request = HTTPRequest(try URI(parsing: "http://127.0.0.1:\(listener.port)/"))
            let outcome = try await client.outcome(of: request)
            #expect(outcome.code == .timedOut && outcome.error?.phase == .connect)
            #expect(
                outcome.error?.detail == "no connection to 127.0.0.1 port \(listener.port) within 0.06 s")
            #expect(openSockets(to: listener.port) == before)
        }

        @Test func aTransfersOwnLimitToConnectGoesFirst() async throws {
            let listener = try FullListener()
            var options = TransferOptions()
            options.connectTimeout = .milliseconds(60)
            let request = HTTPRequest(try URI(parsing: "http://127.0.0.1:\(listener.port)/"))
            let outcome = try await client().outcome(of: request, options: options)
            #expect(outcome.error?.detail.hasSuffix("within 0.06 s") == true)
        }

        @Test func everyAddressIsNamedInTheError() async throws {
            let (first, second) = (try Loopback.deadPort(), try Loopback.deadPort())
            let client = client {
                $0.addressMap.entries = [
                    .init(
                        host: "example.test", port: 80,
                        addresses: [first, second].map { SocketAddress(ipv4: 0x7F00_0001, port: $0) })
                ]
            }
            let outcome = try await client.outcome(of: HTTPRequest(try URI(parsing: "http://example.test/")))
            #expect(outcome.code == .couldNotConnect && outcome.error?.errno == 111)
            #expect(
                outcome.error?.detail
                    == "could not connect to example.test port 80: 127.0.0.1:\(first): Connection refused; 127.0.0.1:\(second): Connection refused"
            )
        }

        private static let idle: @Sendable (inout ClientConfiguration) -> Void = {
            $0.idleTimeout = .milliseconds(80)
        }

        @Test func silenceBeforeTheHead() async throws {
            let server = try serve([.expectHead, .stall])
            let outcome = try await client(Self.idle).outcome(of: server.request())
            #expect(outcome.code == .timedOut && outcome.error?.phase == .firstByte)
            #expect(outcome.error?.detail == "127.0.0.1 port \(server.port) was silent for 0.08 s")
        }

        @Test("silence inside content", arguments: [1000, 1_000_000])
        func silenceInsideContent(length: Int) async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhello"), .stall,
            ])
            let outcome = try await client(Self.idle).outcome(of: server.request())
            #expect(outcome.code == .timedOut && outcome.error?.phase == .content)
            #expect(
                outcome.error?.detail
                    == "127.0.0.1 port \(server.port) was silent for 0.08 s; 5 of \(length) octets received")
            #expect(outcome.text == "hello")
        }

        @Test func slowContentIsNotSilence() async throws {
            let trickle: [Script.Step] = (0..<8).flatMap { _ in [.pause(.milliseconds(60)), .send("x")] }
            let server = try serve(
                [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 300008\r\n\r\n")] + trickle
                    + [.send(Pattern.octets(300_000)), .stall])
            let outcome = try await client { $0.idleTimeout = .milliseconds(400) }.outcome(
                of: server.request())
            #expect(outcome.error == nil && outcome.content.count == 300_008)
        }

        @Test func aPeerThatReadsSlowlyIsNotSilent() async throws {
            let reading: [Script.Step] = (0..<20).flatMap { _ in
                [.expectContent(.octets(1 << 20)), .pause(.milliseconds(40))]
            }
            let server = try serve([.expectHead] + reading + [Loopback.ok])
            let content = [UInt8](repeating: 1, count: 20 << 20)
            let outcome = try await client { $0.idleTimeout = .milliseconds(400) }.outcome(
                of: server.request(.post, content: content))
            #expect(outcome.error == nil && outcome.text == "ok")
        }

        @Test(
            "the whole transfer, wherever it is",
            arguments: [
                [], [.send("HTTP/1.1 200 OK\r\n")],
                [.send("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\nhello")],
            ] as [[Script.Step]])
        func wholeTransfer(steps: [Script.Step]) async throws {
            let server = try serve([.expectHead] + steps + [.stall])
            var options = TransferOptions()
            options.totalTimeout = .milliseconds(60)
            let outcome = try await client().outcome(of: server.request(), options: options)
            #expect(outcome.code == .timedOut)
            #expect(
                outcome.error?.detail.hasPrefix(
                    "the transfer from 127.0.0.1 port \(server.port) was not done within 0.06 s") == true)
        }

        @Test("a server that is given up sees the connection end in order")
        func closingInOrder() async throws {
            let listener = try SilentListener()
            var options = TransferOptions()
            options.totalTimeout = .milliseconds(60)
            let request = HTTPRequest(try URI(parsing: "http://127.0.0.1:\(listener.port)/"))
            let outcome = try await client().outcome(of: request, options: options)
            #expect(outcome.code == .timedOut)
            let connection = try #require(listener.firstConnection())
            #expect(connection.isInOrder && connection.octets.starts(with: Array("GET / HTTP/1.1".utf8)))
        }

        /// Content that is always there never makes the transfer wait, and no wait means no timer.
        @Test("the whole transfer, although content never stops", arguments: [false, true])
        func endlessContent(splices: Bool) async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\n\r\n"),
                .sendRepeated([UInt8](repeating: 1, count: 1 << 20), times: 1 << 20),
            ])
            var options = TransferOptions()
            options.totalTimeout = .milliseconds(150)
            let limited = options
            let folder = TemporaryFolder()
            let time = try await onLoop { () async throws -> Duration in
                let null = try File.open("/dev/null", in: folder.descriptor, flags: 1)
                let sink = TestSink(keepsContent: false)
                if splices { sink.target = SpliceTarget(descriptor: null.rawValue) }
                let start = Instant.now
                await #expect { () async throws in
                    _ = try await client().transfer(try server.request(), into: sink, options: limited).run()
                } throws: { ($0 as? TransferError)?.code == .timedOut }
                return Instant.now - start
            }
            #expect(time >= .milliseconds(150) && time < .milliseconds(1000))
        }

        @Test func waitingForAConnectionCounts() async throws {
            let server = try serve([.expectHead, .stall])
            let client = client { $0.maximumConnectionsPerHost = 1 }
            try await onLoop {
                let first = client.send(try server.request(), into: TestSink())
                var options = TransferOptions()
                options.totalTimeout = .milliseconds(40)
                let second = client.send(try server.request(), into: TestSink(), options: options)
                await #expect { _ = try await second.finish() } throws: {
                    ($0 as? TransferError)?.code == .timedOut
                }
                first.cancel()
                await #expect(throws: TransferError.self) { _ = try await first.finish() }
            }
        }

        // MARK: The limit of content

        @Test(
            "more content than allowed",
            arguments: [
                "Content-Length: 11\r\n\r\nhello world", "\r\nhello world",
                "Transfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n",
            ])
        func tooMuch(answer: String) async throws {
            let server = try serve([.expectHead, .send("HTTP/1.1 200 OK\r\n" + answer), .stall])
            var options = TransferOptions()
            options.maximumContentLength = 10
            let outcome = try await client().outcome(of: server.request(), options: options)
            #expect(outcome.code == .tooLarge)
            #expect(outcome.error?.detail.contains("10") == true)
            #expect(outcome.content.count <= 10)
            #expect(openSockets(to: server.port) == 0)
        }

        @Test func asMuchAsAllowed() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"), .stall,
            ])
            var options = TransferOptions()
            options.maximumContentLength = 10
            let outcome = try await client().outcome(of: server.request(), options: options)
            #expect(outcome.text == "0123456789")
        }

        @Test func undeclaredContentIsNotSplicedPastTheLimit() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .send(Pattern.octets(2_000_000)),
            ])
            let folder = TemporaryFolder()
            try await onLoop {
                let file = try folder.open("a")
                let sink = TestSink()
                sink.target = SpliceTarget(descriptor: file.rawValue)
                var options = TransferOptions()
                options.maximumContentLength = 100_000
                let limited = options
                await #expect {
                    _ = try await client().transfer(try server.request(), into: sink, options: limited).run()
                } throws: { ($0 as? TransferError)?.code == .tooLarge }
                #expect(try File.status(of: file.rawValue).size <= 100_000)
            }
        }

        @Test func collectedContentHasALimit() async throws {
            let server = try serve { request in
                request.target == "/declared"
                    ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world")]
                    : [
                        .send(
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n"
                        )
                    ]
            }
            let client = client()
            for path in ["/declared", "/chunked"] {
                let request = try server.request(.get, path)
                let whole = try await within { try await client.content(for: request, maximumLength: 11) }
                #expect(whole.content.count == 11)
                await #expect {
                    _ = try await within { try await client.content(for: request, maximumLength: 10) }
                } throws: { ($0 as? TransferError)?.code == .tooLarge }
            }
        }
    }
}
