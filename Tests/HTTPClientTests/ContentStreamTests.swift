import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

@testable import HTTPClient

extension Loopback {
    @Suite("Content for a consumer elsewhere")
    struct ContentStreamTests {
        private static let content = GeneratedContent(seed: 9)

        private func head(_ length: Int) -> Script.Step {
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
        }

        @Test(arguments: [0, 1, 3_000_000])
        func bringsAllInOrder(count: Int) async throws {
            let server = try serve([
                .expectHead, head(count), .sendGenerated(seed: 9, count: UInt64(count)), .stall,
            ])
            let request = try server.request()
            let client = client()
            let octets = try await within {
                let (response, content) = try await client.response(for: request)
                #expect(response.status == .ok)
                var octets: [UInt8] = []
                for try await piece in content { octets += piece }
                return octets
            }
            #expect(octets.count == count && Self.content.matches(octets))
            #expect(await client.idleConnectionCount == 1)
        }

        @Test func joinsSmallPieces() async throws {
            let isSent = Lock(false)
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .sendRepeated(Array("1\r\nx\r\n".utf8), times: 20_000), .send("0\r\n\r\n"),
                .check { _ in
                    isSent.withLock { $0 = true }
                    return nil
                }, .stall,
            ])
            let request = try server.request()
            let client = client()
            let pieces = try await within {
                let (_, content) = try await client.response(for: request)
                _ = try await onLoop { await eventually { isSent.withLock { $0 } } }
                var pieces: [Int] = []
                for try await piece in content { pieces.append(piece.count) }
                return pieces
            }
            #expect(pieces.reduce(0, +) == 20_000 && pieces.count < 20)
        }

        @Test func aConsumerThatWaitsHoldsTheServerUp() async throws {
            let isSent = Lock(false)
            let block = [UInt8](repeating: 1, count: 1 << 20)
            let server = try serve([
                .expectHead, head(64 << 20), .sendRepeated(block, times: 64),
                .check { _ in
                    isSent.withLock { $0 = true }
                    return nil
                }, .stall,
            ])
            let request = try server.request()
            let client = client { $0.idleTimeout = .milliseconds(150) }
            let count = try await within {
                let (_, content) = try await client.response(for: request)
                _ = try await onLoop { await NetworkActor.loop.sleep(until: .now + .milliseconds(250)) }
                #expect(!isSent.withLock { $0 })
                var count = 0
                for try await piece in content {
                    // No piece, and so no more than one beside the limit, is larger than what is received at once.
                    #expect(piece.count <= 2 * ContentStream.capacity)
                    count += piece.count
                }
                return count
            }
            #expect(count == 64 << 20)
        }

        @Test func endingEarlyCancelsAndCloses() async throws {
            let server = try serve([
                .expectHead, head(64 << 20), .sendGenerated(seed: 9, count: 64 << 20), .stall,
            ])
            let request = try server.request()
            let client = client()
            try await within { try await Self.takeOne(client, request) }
            let isClosed = server.waitForConnectionsToEnd(1, within: .seconds(5))
            #expect(isClosed)
            #expect(openSockets(to: server.port) == 0)
        }

        private static func takeOne(_ client: Client, _ request: HTTPRequest) async throws {
            let (_, content) = try await client.response(for: request)
            for try await piece in content {
                #expect(!piece.isEmpty)
                break
            }
        }

        @Test func aHeadThatNobodyFollowsCancelsToo() async throws {
            let server = try serve([.expectHead, head(99), .stall])
            let request = try server.request()
            let client = client()
            let status = try await within { try await client.response(for: request).response.status }
            #expect(status == .ok)
            #expect(server.waitForConnectionsToEnd(1, within: .seconds(5)))
        }

        @Test func anErrorComesBehindTheContentBeforeIt() async throws {
            let server = try serve([.expectHead, head(10), .send("hello"), .close])
            let request = try server.request()
            let client = client()
            let (text, code) = try await within { () async throws -> (String, TransferError.Code?) in
                let (_, content) = try await client.response(for: request)
                var octets: [UInt8] = []
                var iterator = content.makeAsyncIterator()
                do throws(TransferError) {
                    while let piece = try await iterator.next() { octets += piece }
                    return (String(decoding: octets, as: UTF8.self), nil)
                } catch { return (String(decoding: octets, as: UTF8.self), error.code) }
            }
            #expect(text == "hello" && code == .incompleteContent)
        }

        @Test func anErrorBeforeTheHeadIsThrownAtOnce() async throws {
            let server = try serve([.expectHead, .close])
            let request = try server.request()
            let client = client()
            await #expect { _ = try await within { try await client.response(for: request) } } throws: {
                ($0 as? TransferError)?.code == .emptyReply
            }
        }

        @Test("cancelling the consumer ends the transfer", arguments: [true, false])
        func cancelledConsumer(isBeforeHead: Bool) async throws {
            let server = try serve([.expectHead] + (isBeforeHead ? [] : [head(99)]) + [.stall])
            let request = try server.request()
            let client = client()
            let code = try await within { () async -> TransferError.Code? in
                let task = Task { () async -> TransferError.Code? in
                    do throws(TransferError) {
                        let (_, content) = try await client.response(for: request)
                        var iterator = content.makeAsyncIterator()
                        _ = try await iterator.next()
                        return nil
                    } catch { return error.code }
                }
                _ = server.waitForRequests(1)
                task.cancel()
                return await task.value
            }
            #expect(code == .cancelled)
            #expect(server.waitForConnectionsToEnd(1, within: .seconds(5)))
        }

        @Test func nothingOfItIsLeftInMemory() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let request = try server.request()
            let client = client()
            try await onLoop {
                weak var buffer: ContentBuffer?
                do {
                    let own = ContentBuffer()
                    buffer = own
                    own.follow(client.send(request, into: own))
                    _ = try await own.response()
                    let stream = ContentStream(own)
                    for try await _ in stream {}
                }
                #expect(await eventually { buffer == nil })
            }
        }
    }
}
