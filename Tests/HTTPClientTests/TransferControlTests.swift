import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Pausing, resuming and cancelling")
    struct TransferControlTests {
        /// How a transfer is started: in a task of the client's, or in its caller's.
        enum Start: CaseIterable { case sent, inline }

        /// A transfer and the task that waits for it.
        @NetworkActor
        private static func start(
            _ start: Start, _ client: Client, _ request: HTTPRequest, _ sink: TestSink,
            _ hooks: TransferHooks = TransferHooks()
        ) -> (transfer: Transfer, end: Task<Result<TransferReport, TransferError>, Never>) {
            let transfer =
                start == .sent
                ? client.send(request, into: sink, hooks: hooks)
                : client.transfer(request, into: sink, hooks: hooks)
            let end = Task(executorPreference: NetworkActor.loop) { await Self.end(of: transfer) }
            return (transfer, end)
        }

        @NetworkActor
        private static func end(of transfer: Transfer) async -> Result<TransferReport, TransferError> {
            do throws(TransferError) { return .success(try await transfer.finish()) } catch {
                return .failure(error)
            }
        }

        private static func code(_ result: Result<TransferReport, TransferError>) -> TransferError.Code? {
            if case .failure(let error) = result { error.code } else { nil }
        }

        private static let length = 64 << 20

        /// Content that no buffer between holds, and whether all of it was sent.
        private func bulkServer() throws -> (server: ReplayServer, isSent: Lock<Bool>) {
            let isSent = Lock(false)
            let block = [UInt8](repeating: 7, count: 1 << 20)
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.length)\r\n\r\n"),
                .sendRepeated(block, times: 64),
                .check { _ in
                    isSent.withLock { $0 = true }
                    return nil
                }, .stall,
            ])
            return (server, isSent)
        }

        @Test(arguments: Start.allCases)
        func aPauseHoldsTheSenderUp(_ start: Start) async throws {
            let (server, isSent) = try bulkServer()
            try await onLoop {
                let sink = TestSink(keepsContent: false)
                let client = client { $0.idleTimeout = .milliseconds(150) }
                let (transfer, end) = Self.start(start, client, try server.request(), sink)
                #expect(await eventually { sink.count > 0 })
                transfer.pause()
                await NetworkActor.loop.yield()
                let count = sink.count
                // Longer than the limit of silence: time in a pause is not idle time.
                _ = await NetworkActor.loop.sleep(until: .now + .milliseconds(300))
                #expect(sink.count <= count + (2 << 20) && !isSent.withLock { $0 })
                #expect(transfer.isPaused)
                transfer.resume()
                #expect(Self.code(await end.value) == nil)
                #expect(sink.count == Self.length)
            }
        }

        @Test(arguments: Start.allCases)
        func aSinkCanPause(_ start: Start) async throws {
            let (server, _) = try bulkServer()
            try await onLoop {
                let sink = TestSink(keepsContent: false)
                sink.demand = { piece in piece % 8 == 0 ? .pause : .more }
                let (transfer, end) = Self.start(start, client(), try server.request(), sink)
                let waker = Task(executorPreference: NetworkActor.loop) { await Self.keepGoing(transfer) }
                #expect(Self.code(await end.value) == nil)
                waker.cancel()
                #expect(sink.count == Self.length && sink.trailers != nil)
            }
        }

        /// Resumes a transfer whenever it is paused.
        @NetworkActor
        private static func keepGoing(_ transfer: Transfer) async {
            while !Task.isCancelled {
                if transfer.isPaused { transfer.resume() }
                _ = await NetworkActor.loop.sleep(until: .now + .milliseconds(1))
            }
        }

        @Test(arguments: Start.allCases)
        func aPauseBeforeTheStartHoldsTheAnswerBack(_ start: Start) async throws {
            let server = try serve { _ in [Loopback.ok] }
            try await onLoop {
                let sink = TestSink()
                let (transfer, end) = Self.start(start, client(), try server.request(), sink)
                transfer.pause()
                _ = await NetworkActor.loop.sleep(until: .now + .milliseconds(30))
                #expect(sink.begun == nil)
                transfer.resume()
                #expect(Self.code(await end.value) == nil)
            }
        }

        @Test func aSinkThatThrowsEndsTheTransfer() async throws {
            let (server, _) = try bulkServer()
            try await onLoop {
                let sink = TestSink(keepsContent: false)
                let full = TransferError(.writeFailed, during: .store, "no space")
                sink.demand = { (piece) throws(TransferError) in
                    if piece == 3 { throw full }
                    return .more
                }
                let (_, end) = Self.start(.sent, client(), try server.request(), sink)
                guard case .failure(let error) = await end.value else {
                    Issue.record("the transfer went on")
                    return
                }
                #expect(error == full && sink.pieces == 3 && sink.trailers == nil)
            }
            #expect(openSockets(to: server.port) == 0)
        }

        // MARK: Cancelling

        /// Where a transfer is when it is cancelled.
        enum Place: CaseIterable { case connecting, inLine, awaitingHead, inContent, paused, inHook, finding }

        @Test("cancelling ends it at once, wherever it is", arguments: Place.allCases, Start.allCases)
        func cancelling(at place: Place, _ start: Start) async throws {
            let listener = try FullListener()
            let server = try serve(
                place == .awaitingHead || place == .inLine
                    ? [.expectHead, .stall]
                    : [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello"), .stall])
            let time = try await medianOfThree(under: .milliseconds(10)) {
                try await onLoop {
                    let client = client { $0.maximumConnectionsPerHost = 1 }
                    let sink = TestSink()
                    var hooks = TransferHooks()
                    if place == .inHook {
                        hooks.didReceive = { _ in
                            // Cancelled with the task where the transfer has one of its own.
                            try? await Task.sleep(for: .milliseconds(20))
                            return true
                        }
                    }
                    var request = try server.request()
                    if place == .connecting {
                        request.uri = try URI(parsing: "http://127.0.0.1:\(listener.port)/")
                    }
                    if place == .finding { request.uri = try URI(parsing: "http://host.invalid/") }
                    var first: Transfer?
                    if place == .inLine { first = client.send(request, into: TestSink()) }
                    let (transfer, end) = Self.start(start, client, request, sink, hooks)
                    if place == .paused { _ = await eventually { transfer.contentReceived > 0 } }
                    if place == .paused { transfer.pause() }
                    if place != .finding {
                        _ = await NetworkActor.loop.sleep(until: .now + .milliseconds(15))
                    } else {
                        await NetworkActor.loop.yield()
                        await NetworkActor.loop.yield()
                    }
                    let instant = Instant.now
                    transfer.cancel()
                    let code = Self.code(await end.value)
                    let time = Instant.now - instant
                    #expect(code == .cancelled || (place == .finding && code == .notResolved))
                    first?.cancel()
                    if let first { _ = await Self.end(of: first) }
                    // A hook is waited for: what it does is its own.
                    return place == .inHook ? max(.zero, time - .milliseconds(10)) : time
                }
            }
            #expect(time < .milliseconds(10))
            #expect(openSockets(to: server.port) == 0)
        }

        @Test(arguments: Start.allCases)
        func cancellingBeforeTheStartSendsNothing(_ start: Start) async throws {
            let server = try serve { _ in [Loopback.ok] }
            try await onLoop {
                let client = client()
                _ = try await client.transfer(try server.request(), into: TestSink()).run()
                let (transfer, end) = Self.start(start, client, try server.request(), TestSink())
                transfer.cancel()
                #expect(Self.code(await end.value) == .cancelled)
            }
            #expect(server.requests.count == 1)
        }

        @Test func cancellingTheCallersTaskEndsAnInlineTransfer() async throws {
            let server = try serve([.expectHead, .stall])
            try await onLoop {
                let (_, end) = Self.start(.inline, client(), try server.request(), TestSink())
                _ = await NetworkActor.loop.sleep(until: .now + .milliseconds(15))
                end.cancel()
                #expect(Self.code(await end.value) == .cancelled)
            }
            #expect(openSockets(to: server.port) == 0)
        }

        @Test func cancellingWhatIsOverChangesNothing() async throws {
            let server = try serve { _ in [Loopback.ok] }
            try await onLoop {
                let client = client()
                let transfer = client.send(try server.request(), into: TestSink())
                _ = try await transfer.finish()
                transfer.cancel()
                _ = try await transfer.finish()
                #expect(client.idleConnectionCount == 1)
            }
        }

        @Test func aTransferThatIsOverIsLetGo() async throws {
            let server = try serve { _ in [Loopback.ok] }
            try await onLoop {
                weak var sink: TestSink?
                weak var transfer: Transfer?
                do {
                    let ownSink = TestSink()
                    sink = ownSink
                    let own = client().send(try server.request(), into: ownSink)
                    transfer = own
                    _ = try await own.finish()
                }
                #expect(await eventually { sink == nil && transfer == nil })
            }
        }
    }
}
