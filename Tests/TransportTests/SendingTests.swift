import Glibc
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Sending (RFC 9112, section 9.5)")
    struct SendingTests {
        private static let large = [UInt8](repeating: 0x61, count: 24 << 20)

        /// Sends all; answers with the offset at which the peer spoke, if it did.
        @NetworkActor
        private static func send(
            _ octets: [UInt8], to stream: TCPStream, idle: Duration = .seconds(5)
        ) async throws -> Int? {
            var sent = 0
            while sent < octets.count {
                switch try await stream.send(octets, from: sent, until: Deadline(.idle, in: idle)) {
                case .sent(let offset): sent = offset
                case .peerSpeaks(let offset): return offset
                }
            }
            return nil
        }

        @Test func stopsWhenThePeerSpeaks() async throws {
            let server = try serve([.expectHead, .send("early"), .stall])
            try await onLoop {
                let stream = try await connect(server)
                defer { stream.close() }
                let offset = try await Self.send(someHead + Self.large, to: stream)
                #expect(offset != nil)
                #expect(try await stream.receiveText(5) == "early")
            }
        }

        @Test func stopsWhenThePeerCloses() async throws {
            let server = try serve([.expectHead, .send("early"), .reset])
            try await onLoop {
                let stream = try await connect(server)
                defer { stream.close() }
                do {
                    let offset = try await Self.send(someHead + Self.large, to: stream)
                    #expect(offset != nil)
                } catch let error as TransportError {
                    guard case .sendFailed = error.reason else { throw error }
                }
            }
        }

        @Test("a reset that another call was told of is no end in order", arguments: [false, true])
        func brokenBefore(isLookedAt: Bool) async throws {
            let server = try serve([.expectHead, .send("hel"), .pause(.milliseconds(50)), .reset])
            let failure = SystemError(call: "recv", errno: ECONNRESET)
            await #expect(throws: TransportError(.receiveFailed(failure))) {
                try await onLoop {
                    let stream = try await connect(server)
                    defer { stream.close() }
                    _ = try await Self.send(someHead, to: stream)
                    #expect(try await stream.receiveText(3) == "hel")
                    // The loop must not see the reset before the call does.
                    usleep(300_000)
                    if isLookedAt {
                        #expect(!stream.isQuiet)
                    } else {
                        await #expect(throws: TransportError.self) {
                            _ = try await Self.send(someHead, to: stream)
                        }
                    }
                    _ = try await stream.receive(1)
                }
            }
        }

        @Test func oldReadinessIsNotTakenForAnAnswer() async throws {
            let server = try serve([
                .send("hello"), .expectHead, .pause(.milliseconds(50)), .expectContent(.octets(24 << 20)),
                .send("thanks"),
            ])
            try await onLoop {
                let stream = try await connect(server)
                defer { stream.close() }
                // A receive that got all it asked for: that nothing is left shows only at the next one.
                #expect(try await stream.receiveText(5) == "hello")
                let offset = try await Self.send(someHead + Self.large, to: stream)
                #expect(offset == nil)
                #expect(try await stream.receiveText(6) == "thanks")
            }
        }

        @Test func aSlowReaderIsNotSilentAsLongAsItReads() async throws {
            let reading: [Script.Step] = (1...24).flatMap { count in
                [.expectContent(.octets(1 << 20)), .pause(.milliseconds(40))]
            }
            let server = try serve([.expectHead] + reading + [.send("thanks")])
            try await onLoop {
                let stream = try await connect(server)
                defer { stream.close() }
                let offset = try await Self.send(
                    someHead + Self.large, to: stream, idle: .milliseconds(400))
                #expect(offset == nil)
                #expect(try await stream.receiveText(6) == "thanks")
            }
        }

        @Test func aPeerThatReadsNothingTimesOut() async throws {
            let server = try serve([.expectHead, .stall])
            await #expect(throws: TransportError(.timedOut(.idle, after: .milliseconds(100)))) {
                try await onLoop {
                    let stream = try await connect(server)
                    defer { stream.close() }
                    _ = try await Self.send(someHead + Self.large, to: stream, idle: .milliseconds(100))
                }
            }
        }
    }
}
