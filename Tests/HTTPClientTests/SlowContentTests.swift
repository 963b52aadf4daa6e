import Glibc
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

@testable import HTTPClient

extension Loopback {
    @Suite("Content that is long in coming, and a server that has answered (RFC 9112, section 9.5)")
    struct SlowContentTests {
        /// Sends "hello", and then nothing for as long as the transfer takes.
        private func trickle(
            to server: ReplayServer, idle: Duration = .seconds(60)
        ) async throws -> (text: String, code: TransferError.Code?, detail: String, took: Duration) {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            let (input, output) = (ends[0], ends[1])
            defer {
                close(input)
                close(output)
            }
            let request = try server.request(.put, "/up")
            let client = client { $0.idleTimeout = idle }
            let start = Instant.now
            let result = try await onLoop { () async throws -> (String, TransferError?) in
                #expect(write(output, "hello", 5) == 5)  // "5 CRLF hello CRLF" are ten octets
                let content = try DescriptorContent(lending: input, named: "the pipe")
                var options = TransferOptions()
                options.expectsContinueAbove = nil
                let sink = CollectedContent()
                var failure: TransferError?
                do throws(TransferError) {
                    _ = try await client.transfer(request, content: content, into: sink, options: options)
                        .run()
                } catch { failure = error }
                return (String(decoding: sink.octets, as: UTF8.self), failure)
            }
            #expect(await client.idleConnectionCount == 0)
            return (result.0, result.1?.code, result.1?.detail ?? "", .now - start)
        }

        private static func answer(_ fields: String = "") -> Script.Step {
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\(fields)\r\nok")
        }

        @Test(
            "a reset ends the transfer at once, an end of what it sends after a silence",
            arguments: [(Script.Step.close, 300), (.halfClose, 300), (.reset, 60_000)])
        func closed(end: Script.Step, idle: Int) async throws {
            let server = try serve([.expectHead, .expectContent(.octets(10)), Self.answer(), end, .stall])
            let result = try await trickle(to: server, idle: .milliseconds(idle))
            #expect(result.text == "ok" && result.code == .sendFailed && result.took < .seconds(5))
            #expect(
                result.detail.hasSuffix(
                    "answered 200 and closed the connection after 5 octets of the content"))
        }

        @Test(
            "it is no failure where the server had said that it closes",
            arguments: [Script.Step.close, .stall])
        func announced(end: Script.Step) async throws {
            let server = try serve([
                .expectHead, .expectContent(.octets(10)), Self.answer("Connection: close\r\n"), end,
            ])
            let result = try await trickle(to: server)
            #expect(result.text == "ok" && result.code == nil && result.took < .seconds(5))
        }

        @Test("the end of what it sends does not end what it takes (RFC 9112, section 9.6)")
        func halfClosed() async throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            let (input, output) = (ends[0], ends[1])
            defer { close(input) }
            let server = try serve([
                .expectHead, .expectContent(.octets(10)), Self.answer(), .halfClose,
                .expectContent(.octets(10)), .expectContent(.octets(10)), .expectContent(.octets(5)),
            ])
            let request = try server.request(.put, "/up")
            let client = client()
            let sent = try await onLoop { () async throws -> UInt64 in
                let content = try DescriptorContent(lending: input, named: "the pipe")
                var options = TransferOptions()
                options.expectsContinueAbove = nil
                let transfer = client.transfer(
                    request, content: content, into: CollectedContent(), options: options)
                let writer = Task(executorPreference: NetworkActor.loop) {
                    for _ in 0..<3 {
                        #expect(write(output, "hello", 5) == 5)
                        _ = await NetworkActor.loop.sleep(until: .now + .milliseconds(500))
                    }
                    close(output)
                }
                let sent = try await transfer.run().contentSent
                await writer.value
                return sent
            }
            #expect(sent == 15 && server.complaints.isEmpty)
        }

        @Test("a silence on both sides ends it, too")
        func silent() async throws {
            let server = try serve([.expectHead, .expectContent(.octets(10)), Self.answer(), .stall])
            let result = try await trickle(to: server, idle: .milliseconds(300))
            #expect(result.text == "ok" && result.code == .timedOut && result.took < .seconds(5))
            #expect(
                result.detail.hasSuffix("nothing more of the content went out for 0.3 s: 5 octets were sent"))
        }
    }
}
