import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Connections kept (RFC 9112, section 9.3)")
    struct KeepAliveTests {
        @Test func manyRequestsUseOneConnection() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let client = client()
            for number in 0..<50 {
                let outcome = try await client.outcome(of: server.request(.get, "/\(number)"))
                #expect(outcome.text == "ok" && outcome.report?.connection == 1)
                #expect(outcome.report?.connectionsOpened == (number == 0 ? 1 : 0))
            }
            #expect(server.connectionCount == 1 && server.requests.count == 50)
            #expect(await client.idleConnectionCount == 1)
        }

        @Test("who keeps none says so with every request", arguments: [true, false])
        func noneKept(byNumber: Bool) async throws {
            let server = try serve { _ in [Loopback.ok] }
            let client = client {
                if byNumber { $0.maximumIdleConnections = 0 } else { $0.idleConnectionLifetime = .zero }
            }
            for _ in 0..<2 {
                #expect(
                    try await client.outcome(of: server.request(fields: ["Connection": "x"])).text == "ok")
            }
            #expect(server.connectionCount == 2)
            for request in server.requests {
                #expect(request.fields.filter { $0.name == "Connection" }.map(\.value) == ["x", "close"])
            }
            #expect(server.requests.count == 2)
        }

        @Test func twoClientsShareNothing() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let (first, second) = (client(), client())
            _ = try await first.outcome(of: server.request())
            _ = try await second.outcome(of: server.request())
            #expect(server.connectionCount == 2)
            await first.closeIdleConnections()
            #expect(await first.idleConnectionCount == 0)
            #expect(await second.idleConnectionCount == 1)
        }

        /// What follows a response unasked is no answer to the next request, however the content was taken.
        @Test(arguments: [300_000, 65_536 - 42, 10])
        func octetsBehindAResponseEndTheConnection(length: Int) async throws {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
            let padding = [UInt8](repeating: 0x78, count: length)
            let evil = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL".utf8)
            let server = try serve { request in
                request.target == "/first" ? [.send(Array(head.utf8) + padding + evil)] : [Loopback.ok]
            }
            let client = client()
            for splices in [false, true] {
                // At once behind each other on the loop: that is when a kept connection looks fresh.
                let text = try await onLoop {
                    let null = FileDescriptor(owning: open("/dev/null", O_WRONLY))
                    let first = TestSink(keepsContent: false)
                    if splices { first.target = SpliceTarget(descriptor: null.rawValue) }
                    _ = try await client.transfer(try server.request(.get, "/first"), into: first).run()
                    let second = TestSink()
                    _ = try await client.transfer(try server.request(.get, "/second"), into: second).run()
                    return String(decoding: second.octets, as: UTF8.self)
                }
                #expect(text == "ok")
            }
        }

        @Test func aRequestThatAsksToCloseIsTheLastOfItsConnection() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let client = client()
            for _ in 0..<2 {
                _ = try await client.outcome(of: server.request(fields: ["Connection": "x, Close"]))
            }
            #expect(server.connectionCount == 2)
        }

        @Test func oneThatIsIdleTooLongIsClosedThoughNobodyAsksForIt() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let client = client { $0.idleConnectionLifetime = .milliseconds(50) }
            _ = try await client.outcome(of: server.request())
            #expect(server.waitForConnectionsToEnd(1, within: .seconds(5)))
            #expect(await client.idleConnectionCount == 0)
        }

        @Test func aClientThatIsLetGoLeavesNoneOpen() async throws {
            let server = try serve { _ in [Loopback.ok] }
            try await onLoop { _ = try await client().transfer(try server.request(), into: TestSink()).run() }
            #expect(server.waitForConnectionsToEnd(1, within: .seconds(2)))
        }

        @Test(
            "a connection that ended or spoke unasked is not used again",
            arguments: [
                [Script.Step.close], [.send("HTTP/1.1 408 Request Timeout\r\n\r\n"), .stall], [.reset],
            ])
        func notQuiet(ending: [Script.Step]) async throws {
            let server = try serve([.expectHead, Loopback.ok] + ending)
            let client = client()
            let first = try await client.outcome(of: server.request(.post))
            // A reset may overtake the answer: then nothing was kept at all.
            if first.error == nil {
                _ = try await onLoop { await NetworkActor.loop.sleep(until: .now + .milliseconds(30)) }
            }
            let second = try await client.outcome(of: server.request(.post))
            #expect(second.report?.connectionsOpened == 1 || second.code == .receiveFailed)
            #expect(!second.story.contains("reusing") && !second.story.contains("resending"))
        }

        @Test func theLifetimeOfAnIdleConnectionEnds() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let client = client { $0.idleConnectionLifetime = .zero }
            for _ in 0..<3 { _ = try await client.outcome(of: server.request()) }
            #expect(server.connectionCount == 3)
        }

        // MARK: Sending again (RFC 9112, section 9.3.1)

        /// The second request of each connection gets `ending`.
        private func dyingServer(_ ending: [Script.Step]) throws -> ReplayServer {
            try serve(
                Script(
                    [.init([.expectHead, Loopback.ok, .expectHead] + ending)],
                    others: .init([.expectHead, .expectContent(.declared), Loopback.ok], isRepeating: true)))
        }

        @Test(arguments: [[Script.Step.close], [.reset]])
        func aSafeRequestGoesOutOnceMore(ending: [Script.Step]) async throws {
            let server = try dyingServer(ending)
            let client = client()
            _ = try await client.outcome(of: server.request())
            let outcome = try await client.outcome(of: server.request())
            #expect(outcome.error == nil && outcome.text == "ok")
            #expect(outcome.report?.connectionsOpened == 1 && outcome.report?.connection == 2)
            #expect(
                outcome.story == [
                    "reusing", "requestHead", "requestSent", "connectionClosed", "resending", "connecting",
                    "connected", "requestHead", "requestSent", "response", "contentReceived",
                    "connectionKept",
                ])
            #expect(server.requests.count == 3)
        }

        @Test func aRequestWithEffectsDoesNot() async throws {
            let server = try dyingServer([.close])
            let client = client()
            _ = try await client.outcome(of: server.request())
            let outcome = try await client.outcome(of: server.request(.post, content: [1, 2, 3]))
            #expect(outcome.code == .emptyReply)
            #expect(server.requests.count == 2)
        }

        @Test func notOnceAnythingOfTheResponseCame() async throws {
            let server = try dyingServer([.send("HTTP/1.1 1"), .close])
            let client = client()
            _ = try await client.outcome(of: server.request())
            let outcome = try await client.outcome(of: server.request())
            #expect(outcome.code == .receiveFailed)
            #expect(server.requests.count == 2)
        }

        @Test func notOnAFreshConnection() async throws {
            let server = try serve([.expectHead, .close])
            let outcome = try await client().outcome(of: server.request())
            #expect(outcome.code == .emptyReply)
            #expect(server.connectionCount == 1)
        }

        @Test func notTwice() async throws {
            let server = try serve(
                Script([.init([.expectHead, Loopback.ok, .expectHead])], others: .init([.expectHead])))
            let client = client()
            _ = try await client.outcome(of: server.request())
            let outcome = try await client.outcome(of: server.request())
            #expect(outcome.code == .emptyReply)
            #expect(server.requests.count == 3)
        }

        // MARK: The limit per host

        @Test func requestsBeyondTheLimitWaitInOrder() async throws {
            let server = try serve { _ in [.pause(.milliseconds(2)), Loopback.ok] }
            let client = client { $0.maximumConnectionsPerHost = 2 }
            try await onLoop {
                let transfers = try (0..<20).map { number in
                    client.send(try server.request(.get, "/\(number)"), into: TestSink())
                }
                for transfer in transfers { _ = try await transfer.finish() }
            }
            #expect(server.connectionCount == 2)
            // Two at a time: neighbours may change places, not more.
            let order = server.requests.compactMap { Int($0.target.dropFirst()) }
            for (place, number) in order.enumerated() { #expect(abs(place - number) <= 2) }
        }

        @Test func whoFailsOrGivesUpLeavesItsPlace() async throws {
            let server = try serve { request in
                switch request.target {
                case "/cut": [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1"), .close]
                case "/stall": [.stall]
                default: [Loopback.ok]
                }
            }
            let client = client { $0.maximumConnectionsPerHost = 1 }
            try await onLoop {
                var waiting: [Transfer] = []
                let stalled = client.send(try server.request(.get, "/stall"), into: TestSink())
                for number in 0..<6 {
                    let path = number % 2 == 0 ? "/cut" : "/fine"
                    waiting.append(client.send(try server.request(.get, path), into: TestSink()))
                }
                var options = TransferOptions()
                options.totalTimeout = .milliseconds(20)
                let timed = client.send(try server.request(), into: TestSink(), options: options)
                let dropped = client.send(try server.request(), into: TestSink())
                await NetworkActor.loop.yield()
                dropped.cancel()
                await #expect { _ = try await timed.finish() } throws: {
                    ($0 as? TransferError)?.code == .timedOut
                }
                await #expect { _ = try await dropped.finish() } throws: {
                    ($0 as? TransferError)?.code == .cancelled
                }
                stalled.cancel()
                for (number, transfer) in waiting.enumerated() {
                    do throws(TransferError) {
                        _ = try await transfer.finish()
                        #expect(number % 2 == 1)
                    } catch { #expect(number % 2 == 0 && error.code == .incompleteContent) }
                }
                let last = client.send(try server.request(), into: TestSink())
                _ = try await last.finish()
            }
        }

        @Test func aHostThatCannotBeReachedLeaksNoPlace() async throws {
            let uri = try URI(parsing: "http://127.0.0.1:\(try Loopback.deadPort())/")
            let client = client { $0.maximumConnectionsPerHost = 1 }
            for _ in 0..<3 {
                let outcome = try await client.outcome(of: HTTPRequest(uri))
                #expect(outcome.code == .couldNotConnect && outcome.error?.errno == 111)
            }
        }
    }
}
