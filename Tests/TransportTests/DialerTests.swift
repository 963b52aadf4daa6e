import Glibc
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Trying addresses")
    struct DialerTests {
        @NetworkActor
        private final class Log {
            var entries: [String] = []
        }

        @NetworkActor
        private static func dial(
            _ addresses: [SocketAddress], within limit: Duration = .seconds(5), _ log: Log? = nil
        ) async throws(TransportError) -> SocketAddress? {
            let dialer = Dialer(delay: .milliseconds(50)) { event in
                switch event {
                case .trying(let address): log?.entries.append("trying \(address.port)")
                case .failed(let attempt): log?.entries.append("failed \(attempt.address.port)")
                }
            }
            let stream = try await dialer.open(addresses, until: Deadline(.connect, in: limit))
            defer { stream.close() }
            return stream.remoteAddress
        }

        private static let refused = TransportError.Attempt.Failure.system(
            SystemError(call: "connect", errno: ECONNREFUSED))

        @Test func goesOnToTheSecondAddress() async throws {
            let dead = try deadAddress()
            let server = try serve([.stall])
            let entries = try await onLoop { () async throws -> [String] in
                let log = Log()
                #expect(try await Self.dial([dead, server.socketAddress], log) == server.socketAddress)
                return log.entries
            }
            #expect(
                entries == ["trying \(dead.port)", "failed \(dead.port)", "trying \(server.port)"])
        }

        @Test func tellsOfEveryAddressThatFailed() async throws {
            let dead = [try deadAddress(), try deadAddress()]
            let attempts = dead.map { TransportError.Attempt(address: $0, failure: Self.refused) }
            await #expect(throws: TransportError(.notConnected(attempts))) {
                try await onLoop { _ = try await Self.dial(dead) }
            }
        }

        @Test("silence and a refusal are a time-out, of which the observer hears both")
        func silenceThenRefusal() async throws {
            let listener = try FullListener()
            let silent = SocketAddress(ipv4: 0x7F00_0001, port: listener.port)
            let dead = try deadAddress()
            let limit = Duration.milliseconds(300)
            let log = Log()
            await #expect(throws: TransportError(.timedOut(.connect, after: limit))) {
                try await onLoop { _ = try await Self.dial([silent, dead], within: limit, log) }
            }
            #expect(
                await log.entries == [
                    "trying \(silent.port)", "trying \(dead.port)", "failed \(dead.port)",
                    "failed \(silent.port)",
                ])
        }

        @Test("silence to the end is a time-out with the whole limit", arguments: [1, 2, 3])
        func silenceTimesOut(count: Int) async throws {
            let listener = try FullListener()
            let silent = SocketAddress(ipv4: 0x7F00_0001, port: listener.port)
            let limit = Duration.milliseconds(90)
            await #expect(throws: TransportError(.timedOut(.connect, after: limit))) {
                try await onLoop {
                    _ = try await Self.dial([SocketAddress](repeating: silent, count: count), within: limit)
                }
            }
        }

        @Test func noTimeTriesNothingForLong() async throws {
            let listener = try FullListener()
            let silent = SocketAddress(ipv4: 0x7F00_0001, port: listener.port)
            await #expect(throws: TransportError(.timedOut(.connect, after: .zero))) {
                try await onLoop { _ = try await Self.dial([silent, silent], within: .zero) }
            }
        }
    }
}
