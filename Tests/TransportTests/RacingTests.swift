import Glibc
import NetworkProbes
import Replay
import System
import Testing

@testable import Transport

private func ipv4(_ last: UInt32, port: UInt16 = 1) -> SocketAddress {
    SocketAddress(ipv4: 0x7F00_0000 + last, port: port)
}

extension Loopback {
    @Suite("Racing addresses (RFC 8305)")
    struct RacingTests {
        @NetworkActor
        private final class Log {
            var tried: [UInt16] = []
            var failed: [UInt16] = []
        }

        /// A port on 127.0.0.1 that never answers.
        private static func silent(_ listener: FullListener) -> SocketAddress { ipv4(1, port: listener.port) }

        @Test("families take turns, the first one's first (section 4)")
        func alternates() throws {
            let six = try (1...3).map { try #require(SocketAddress(literal: "::\($0)", port: 1)) }
            let four = (1...3).map { ipv4($0) }
            typealias Row = (given: [SocketAddress], wanted: [SocketAddress])
            let rows: [Row] = [
                ([], []), ([four[0]], [four[0]]), (four, four), (six, six),
                (six + four, [six[0], four[0], six[1], four[1], six[2], four[2]]),
                (four + six, [four[0], six[0], four[1], six[1], four[2], six[2]]),
                ([six[0], six[1], four[0]], [six[0], four[0], six[1]]),
                ([four[0], six[0], six[1], six[2]], [four[0], six[0], six[1], six[2]]),
                ([four[0], four[1], four[2], six[0]], [four[0], six[0], four[1], four[2]]),
            ]
            for row in rows { #expect(Dialer.alternating(row.given) == row.wanted) }
        }

        @Test("a silent address keeps the next one waiting for 250 ms and no longer (section 5)")
        func waitsForTheDelay() async throws {
            let listener = try FullListener()
            let server = try serve([.stall])
            let target = server.socketAddress
            var times: [Duration] = []
            for _ in 0..<3 {
                times.append(
                    try await onLoop { () async throws -> Duration in
                        let start = Instant.now
                        let stream = try await Dialer().open(
                            [Self.silent(listener), target], until: Deadline(.connect, in: .seconds(5)))
                        defer { stream.close() }
                        #expect(stream.remoteAddress == target)
                        return Instant.now - start
                    })
            }
            let median = times.sorted()[1]
            #expect(median >= .milliseconds(249))
            #expect(median < .milliseconds(400) * patience, "\(times)")
            #expect(openSockets(to: listener.port) == 4)  // the listener's own
        }

        @Test("an address that refuses keeps nobody waiting")
        func refusalsTakeNoTime() async throws {
            let dead = try (0..<5).map { _ in try deadAddress() }
            let server = try serve([.stall])
            let target = server.socketAddress
            let log = try await onLoop { () async throws -> Log in
                let log = Log()
                // The delay is longer than the test may last.
                let dialer = Dialer(delay: .seconds(100)) { event in
                    if case .trying(let address) = event { log.tried.append(address.port) }
                    if case .failed(let attempt) = event { log.failed.append(attempt.address.port) }
                }
                try await dialer.open(dead + [target], until: Deadline(.connect, in: .seconds(200))).close()
                return log
            }
            #expect(await log.tried == dead.map(\.port) + [target.port])
            #expect(await log.failed == dead.map(\.port))
        }

        @Test("a refusal starts the next attempt at once while another goes on")
        func refusalDuringARace() async throws {
            let listener = try FullListener()
            let dead = try deadAddress()
            let server = try serve([.stall])
            let target = server.socketAddress
            let time = try await onLoop { () async throws -> Duration in
                let start = Instant.now
                let dialer = Dialer(delay: .milliseconds(200))
                // One delay for the silent address; the refusal costs none.
                let stream = try await dialer.open(
                    [Self.silent(listener), dead, target], until: Deadline(.connect, in: .seconds(5)))
                #expect(stream.remoteAddress == target)
                stream.close()
                return Instant.now - start
            }
            #expect(time < .milliseconds(390) * patience)
        }

        @Test("all that failed are named, in the order of their start")
        func namesAll() async throws {
            let dead = try (0..<3).map { _ in try deadAddress() }
            let refused = TransportError.Attempt.Failure.system(
                SystemError(call: "connect", errno: ECONNREFUSED))
            // A multicast address: there is no way to connect to it.
            let unreachable = try #require(SocketAddress(literal: "ff02::1", port: 1))
            let error = await #expect(throws: TransportError.self) {
                try await onLoop {
                    _ = try await Dialer().open(
                        dead + [unreachable], until: Deadline(.connect, in: .seconds(5)))
                }
            }
            guard case .notConnected(let attempts) = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(attempts.map(\.address) == [dead[0], unreachable, dead[1], dead[2]])
            #expect(attempts.filter { $0.address != unreachable }.allSatisfy { $0.failure == refused })
            #expect(attempts[1].failure != refused)
        }

        @Test("the deadline ends all attempts at once")
        func deadlineEndsAll() async throws {
            let listener = try FullListener()
            let addresses = [SocketAddress](repeating: Self.silent(listener), count: 4)
            let limit = Duration.milliseconds(120)
            await #expect(throws: TransportError(.timedOut(.connect, after: limit))) {
                try await onLoop {
                    _ = try await Dialer(delay: .milliseconds(10)).open(
                        addresses, until: Deadline(.connect, in: limit))
                }
            }
            #expect(openSockets(to: listener.port) == 4)
        }

        @Test("cancelling ends all attempts and leaves no descriptor")
        func cancels() async throws {
            let listener = try FullListener()
            let addresses = [SocketAddress](repeating: Self.silent(listener), count: 5)
            let outcome = try await onLoop { () async -> TransportError.Reason? in
                let log = Log()
                let task = Task(executorPreference: NetworkActor.loop) { () async -> TransportError.Reason? in
                    await Self.reason(addresses, log)
                }
                while log.tried.count < 4 { await NetworkActor.loop.yield() }
                #expect(openSockets(to: listener.port) == 8)
                task.cancel()
                let reason = await task.value
                #expect(openSockets(to: listener.port) == 4)
                return reason
            }
            #expect(outcome == .cancelled)
        }

        @NetworkActor
        private static func reason(_ addresses: [SocketAddress], _ log: Log) async -> TransportError.Reason? {
            let dialer = Dialer(delay: .milliseconds(20)) { event in
                if case .trying(let address) = event { log.tried.append(address.port) }
            }
            do throws(TransportError) {
                try await dialer.open(addresses, until: .never).close()
                return nil
            } catch { return error.reason }
        }

        @Test("of two that connect, one is given out and the other closed")
        func closesTheSecond() async throws {
            // Both listen with a full queue that one accept opens again, so both connect in the same turn.
            let server = try serve([.stall])
            let target = server.socketAddress
            for _ in 0..<50 {
                try await onLoop {
                    let dialer = Dialer(delay: .zero)
                    let stream = try await dialer.open(
                        [target, target, target], until: Deadline(.connect, in: .seconds(5)))
                    stream.close()
                }
            }
            #expect(try await onLoop { await eventually { openSockets(to: target.port) == 0 } })
        }

        @Test("a race starts no thread")
        func startsNoThread() async throws {
            let listener = try FullListener()
            let server = try serve([.stall])
            let target = server.socketAddress
            try await onLoop {
                // What runs before the race has all the threads it needs by now; others may end meanwhile.
                let before = Set(names(in: "/proc/self/task"))
                let dialer = Dialer(delay: .milliseconds(20)) { event in
                    if case .trying = event {
                        // The server's thread for a connection comes with the connection, which is the last attempt.
                        #expect(Set(names(in: "/proc/self/task")).subtracting(before).isEmpty)
                    }
                }
                let silent = Self.silent(listener)
                try await dialer.open(
                    [silent, silent, silent, target], until: Deadline(.connect, in: .seconds(5))
                ).close()
            }
        }
    }
}
