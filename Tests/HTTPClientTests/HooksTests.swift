import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Hooks")
    struct HooksTests {
        @Test func theRequestCanBeChangedBeforeItIsSent() async throws {
            let server = try serve { _ in [Loopback.ok] }
            var hooks = TransferHooks()
            hooks.willSend = { request, redirect in
                guard redirect == nil else { return nil }
                var request = request
                request.fields.append("X-Added", "yes")
                return request
            }
            let outcome = try await client().outcome(of: server.request(), hooks: hooks)
            #expect(outcome.report?.request.fields["X-Added"] == "yes")
            #expect(server.requests.first?.value(of: "X-Added") == "yes")
        }

        @Test func theRequestCanBeRefused() async throws {
            let server = try serve { _ in [Loopback.ok] }
            var hooks = TransferHooks()
            hooks.willSend = { _, _ in nil }
            let outcome = try await client().outcome(of: server.request(), hooks: hooks)
            #expect(outcome.code == .cancelled && outcome.error?.phase == .prepare)
            #expect(server.connectionCount == 0)
        }

        @Test func theResponseCanBeRefused() async throws {
            let server = try serve { _ in [Loopback.ok] }
            var hooks = TransferHooks()
            hooks.didReceive = { $0.status != .ok }
            let outcome = try await client().outcome(of: server.request(), hooks: hooks)
            #expect(outcome.code == .cancelled && outcome.content.isEmpty && !outcome.hasEnded)
            #expect(openSockets(to: server.port) == 0)
        }

        @Test func nothingIsReadWhileOneIsOut() async throws {
            let sent = Lock(false)
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n"),
                .sendRepeated([UInt8](repeating: 1, count: 1 << 20), times: 64),
                .check { _ in
                    sent.withLock { $0 = true }
                    return nil
                }, .stall,
            ])
            try await onLoop {
                let sink = TestSink(keepsContent: false)
                var hooks = TransferHooks()
                // On a thread that is not the loop's, and longer than it takes to fill every buffer between.
                hooks.didReceive = { _ in
                    try? await Task.sleep(for: .milliseconds(150))
                    let count = await sink.count
                    return count == 0 && !sent.withLock { $0 }
                }
                let report = try await client().transfer(
                    try server.request(), into: sink, hooks: hooks
                ).run()
                #expect(report.contentOctets == 64 << 20 && sink.count == 64 << 20)
            }
        }

        @Test func timeInAHookIsNotIdleTime() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
                .pause(.milliseconds(200)), .send("hello"), .stall,
            ])
            var hooks = TransferHooks()
            hooks.didReceive = { _ in
                try? await Task.sleep(for: .milliseconds(180))
                return true
            }
            let client = client { $0.idleTimeout = .milliseconds(120) }
            let outcome = try await client.outcome(of: server.request(), hooks: hooks)
            #expect(outcome.text == "hello")
        }
    }
}
