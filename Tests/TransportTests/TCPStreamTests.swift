import Glibc
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("A stream over a socket")
    struct TCPStreamTests {
        // MARK: Connecting

        @Test(arguments: [ReplayServer.Address.ipv4Loopback, .ipv6Loopback])
        func connectsOverIP(address: ReplayServer.Address) async throws {
            let server = try serve([.expectHead, .send("hello")], address: address)
            let text = try await onLoop { () async throws -> String in
                let stream = try await connect(server)
                defer { stream.close() }
                #expect(stream.remoteAddress == server.socketAddress)
                #expect(stream.localAddress?.host == server.socketAddress.host)
                _ = try await stream.send(someHead, from: 0, until: .never)
                return try await stream.receiveText(100)
            }
            #expect(text == "hello")
            #expect(openSockets(to: server.port) == 0)
        }

        @Test func connectsOverAUnixSocket() async throws {
            let folder = TemporaryFolder()
            let server = try serve([.expectHead, .send("hello")], address: .unix(folder.path + "/s"))
            let text = try await onLoop { () async throws -> String in
                let stream = try await connect(server)
                defer { stream.close() }
                #expect(stream.localAddress == nil)
                #expect(stream.isQuiet)
                _ = try await stream.send(someHead, from: 0, until: .never)
                return try await stream.receiveText(100)
            }
            #expect(text == "hello")
        }

        @Test func tellsWhichAddressRefusedAndWhy() async throws {
            let address = try deadAddress()
            let failure = SystemError(call: "connect", errno: ECONNREFUSED)
            await #expect(
                throws: TransportError(.notConnected([.init(address: address, failure: .system(failure))]))
            ) {
                try await onLoop {
                    _ = try await TCPStream.connect(
                        to: address, options: .init(), until: Deadline(.connect, in: .seconds(5)))
                }
            }
            #expect(openSockets(to: address.port) == 0)
        }

        @Test func aMissingUnixSocketIsNotConnected() async throws {
            let address = try #require(SocketAddress(unixSocket: "/nonexistent/socket"))
            let failure = SystemError(call: "connect", errno: ENOENT)
            await #expect(
                throws: TransportError(.notConnected([.init(address: address, failure: .system(failure))]))
            ) {
                try await onLoop {
                    _ = try await TCPStream.connect(to: address, options: .init(), until: .never)
                }
            }
        }

        @Test func aConnectionWithoutAnswerTimesOut() async throws {
            let listener = try FullListener()
            let before = openSockets(to: listener.port)
            let limit = Duration.milliseconds(50)
            await #expect(throws: TransportError(.timedOut(.connect, after: limit))) {
                try await onLoop {
                    _ = try await TCPStream.connect(
                        to: SocketAddress(ipv4: 0x7F00_0001, port: listener.port), options: .init(),
                        until: Deadline(.connect, in: limit))
                }
            }
            #expect(openSockets(to: listener.port) == before)
        }

        // MARK: Cancellation

        @Test func aBlockedConnectIsCancelledAtOnce() async throws {
            let listener = try FullListener()
            let before = openSockets(to: listener.port)
            let time = try await medianOfThree(under: .milliseconds(10)) {
                try await Self.timeToCancel {
                    _ = try await TCPStream.connect(
                        to: SocketAddress(ipv4: 0x7F00_0001, port: listener.port), options: .init(),
                        until: .never)
                }
            }
            #expect(time < .milliseconds(10))
            #expect(openSockets(to: listener.port) == before)
        }

        @Test func aBlockedReceiveIsCancelledAtOnce() async throws {
            let server = try serve([.stall])
            let time = try await medianOfThree(under: .milliseconds(10)) {
                try await Self.timeToCancel {
                    let stream = try await connect(server)
                    defer { stream.close() }
                    _ = try await stream.receive(1)
                }
            }
            #expect(time < .milliseconds(10))
            #expect(openSockets(to: server.port) == 0)
        }

        /// From the cancellation of a task that waits until its end.
        private static func timeToCancel(
            _ body: @escaping @Sendable @NetworkActor () async throws -> Void
        ) async throws -> Duration {
            try await within {
                let task = Task { () -> TransportError? in
                    do {
                        try await NetworkActor.run { try await body() }
                        return nil
                    } catch { return error as? TransportError }
                }
                // Long enough to be blocked; a task that is not yet ends as fast.
                _ = try await onLoop { await NetworkActor.loop.sleep(until: .now + .milliseconds(20)) }
                let start = Instant.now
                task.cancel()
                let error = await task.value
                #expect(error == TransportError(.cancelled))
                return Instant.now - start
            }
        }

        // MARK: Receiving

        @Test func goesOnAfterAShortReceive() async throws {
            let server = try serve([.send("a"), .expectHead, .send("b"), .expectHead, .send("c")])
            let text = try await onLoop { () async throws -> String in
                let stream = try await connect(server)
                defer { stream.close() }
                var text = try await stream.receiveText(1)
                for _ in 0..<2 {
                    _ = try await stream.send(someHead, from: 0, until: .never)
                    let buffer = try ReceiveBuffer()
                    let count = try await stream.receive(
                        into: buffer, atMost: 1000, until: Deadline(.idle, in: .seconds(5)))
                    #expect(count == 1)
                    text += buffer.read { String(decoding: [$0[0]], as: UTF8.self) }
                }
                return text
            }
            #expect(text == "abc")
        }

        @Test func silenceTimesOut() async throws {
            let server = try serve([.send("hello"), .stall])
            await #expect(throws: TransportError(.timedOut(.idle, after: .milliseconds(50)))) {
                try await onLoop {
                    let stream = try await connect(server)
                    defer { stream.close() }
                    // Taking all that is there leaves the mark of readiness standing.
                    #expect(try await stream.receiveText(5) == "hello")
                    _ = try await stream.receive(1, within: .milliseconds(50))
                }
            }
        }

        @Test func aResetIsAFailureToReceive() async throws {
            let server = try serve([.expectHead, .reset])
            let failure = SystemError(call: "recv", errno: ECONNRESET)
            await #expect(throws: TransportError(.receiveFailed(failure))) {
                try await onLoop {
                    let stream = try await connect(server)
                    defer { stream.close() }
                    _ = try await stream.send(someHead, from: 0, until: .never)
                    _ = try await stream.receive(1)
                }
            }
        }

        @Test func sendsToAPeerThatHasClosedItsSide() async throws {
            let server = try serve([.send("bye"), .halfClose, .expectHead])
            try await onLoop {
                let stream = try await connect(server)
                defer { stream.close() }
                #expect(try await stream.receiveText(100) == "bye")
                _ = try await stream.send(someHead, from: 0, until: .never)
            }
            #expect(server.waitForRequests(1))
        }

        @Test func closingEndsAWaitAndMayBeRepeated() async throws {
            let server = try serve([.stall])
            await #expect(throws: TransportError(.closed)) {
                try await onLoop {
                    let stream = try await connect(server)
                    let task = Task(executorPreference: NetworkActor.loop) {
                        try await stream.receive(1)
                    }
                    await NetworkActor.loop.yield()
                    stream.close()
                    stream.close()
                    #expect(!stream.isQuiet && stream.localAddress == nil)
                    _ = try await task.value
                }
            }
        }

        // MARK: Quiet

        @Test func isQuietUntilSomethingComes() async throws {
            let server = try serve([.expectHead, .send("unasked"), .stall])
            try await onLoop {
                let stream = try await connect(server)
                defer { stream.close() }
                #expect(stream.isQuiet)
                _ = try await stream.send(someHead, from: 0, until: .never)
                #expect(await eventually { !stream.isQuiet })
                #expect(try await stream.receiveText(7) == "unasked")
                #expect(stream.isQuiet)
            }
        }

        @Test func isNotQuietOnceThePeerHasClosed() async throws {
            let server = try serve([.close])
            try await onLoop {
                let stream = try await connect(server)
                defer { stream.close() }
                #expect(await eventually { !stream.isQuiet })
            }
        }

        // MARK: Bulk content

        @Test func slowContentIsNotSilence() async throws {
            let trickle: [Script.Step] = (0..<5).flatMap { _ in [.send("x"), .pause(.milliseconds(80))] }
            let server = try serve(trickle + [.stall])
            try await onLoop {
                let stream = try await connect(server)
                defer { stream.close() }
                let buffer = try ReceiveBuffer()
                for round in 0..<5 {
                    stream.expectBulk(1 << 20)
                    let start = Instant.now
                    let count = try await stream.receive(
                        into: buffer, atMost: 1000, until: Deadline(.idle, in: .milliseconds(500)))
                    #expect(count == 1)
                    // Shown soon after it came, not at the end of the limit.
                    if round > 0 { #expect(Instant.now - start < .milliseconds(300)) }
                }
            }
        }

        @Test func aLimitShorterThanThePatienceSeesWhatIsThere() async throws {
            let flag = Flag()
            let server = try serve([.expectHead, .send("x"), flag.step, .stall])
            try await onLoop {
                let stream = try await connect(server)
                defer { stream.close() }
                stream.expectBulk(1 << 20)
                _ = try await stream.send(someHead, from: 0, until: .never)
                #expect(await eventually { flag.isSet })
                #expect(try await stream.receiveText(1, within: .milliseconds(10)) == "x")
            }
        }

        @Test func bulkThatStallsTimesOut() async throws {
            let server = try serve([.send("x"), .stall])
            await #expect(throws: TransportError(.timedOut(.idle, after: .milliseconds(60)))) {
                try await onLoop {
                    let stream = try await connect(server)
                    defer { stream.close() }
                    stream.expectBulk(1 << 20)
                    _ = try await stream.receive(2, within: .milliseconds(60))
                }
            }
        }

        @Test func anEndBelowTheMarkIsSeenAtOnce() async throws {
            let server = try serve([.send("abc"), .close])
            let text = try await onLoop { () async throws -> String in
                let stream = try await connect(server)
                defer { stream.close() }
                stream.expectBulk(1 << 20)
                return try await stream.receiveText(100)
            }
            #expect(text == "abc")
        }
    }
}
