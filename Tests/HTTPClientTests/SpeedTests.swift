import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

@testable import HTTPClient

@Suite("A transfer keeps to its speed or ends")
struct SpeedGuardTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private let limit = SpeedLimit(octetsPerSecond: 100, for: .seconds(8))

    /// Whether it was too slow after each second, when so many octets came in it.
    private func verdicts(_ counts: [Int]) -> [Bool] {
        var guardian = SpeedGuard(limit, at: start)
        return counts.enumerated().map { second, count in
            guardian.count(count)
            return guardian.isTooSlow(at: start + .seconds(second + 1))
        }
    }

    @Test("nothing is said before the time is over")
    func patience() {
        #expect(verdicts([0, 0, 0, 0, 0, 0, 0, 0]) == [Bool](repeating: false, count: 7) + [true])
    }

    @Test("the mean over the time counts, exactly the limit is enough")
    func mean() {
        #expect(verdicts([800, 0, 0, 0, 0, 0, 0, 0]).last == false)
        #expect(verdicts([799, 0, 0, 0, 0, 0, 0, 0]).last == true)
    }

    @Test("what lies further back does not")
    func window() {
        #expect(verdicts([1_000_000, 100, 100, 100, 100, 100, 100, 100, 100]).last == false)
        #expect(verdicts([1_000_000, 100, 100, 100, 100, 100, 100, 100, 99]).last == true)
    }

    @Test("a rest that was wanted begins the time anew")
    func restart() {
        var guardian = SpeedGuard(limit, at: start)
        guardian.restart(at: start + .seconds(100))
        let verdicts = [107, 108].map { guardian.isTooSlow(at: start + .seconds($0)) }
        #expect(verdicts == [false, true])
    }

    @Test("a wait of years is over at once")
    func longSleep() {
        var guardian = SpeedGuard(limit, at: start)
        let isTooSlow = guardian.isTooSlow(at: start + .seconds(3_000_000_000))
        #expect(isTooSlow)
    }
}

extension Loopback {
    @Suite("A limit of speed over the wire")
    struct SpeedTests {
        private func options(_ speed: UInt64, _ time: Duration) -> TransferOptions {
            var options = TransferOptions()
            options.speedLimit = SpeedLimit(octetsPerSecond: speed, for: time)
            return options
        }

        @Test("ends a transfer that stands still, with what came")
        func stall() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"), .stall,
            ])
            let outcome = try await client().outcome(
                of: server.request(), options: options(1_000, .milliseconds(80)))
            #expect(outcome.code == .timedOut && outcome.text == "hello")
            #expect(
                outcome.error?.detail
                    == "the transfer from 127.0.0.1 port \(server.port) made less than 1000 octets a second for 0.08 s; 5 of 100 octets received"
            )
        }

        @Test("ends one that trickles")
        func trickle() async throws {
            var steps: [Script.Step] = [
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n"),
            ]
            for _ in 0..<500 { steps += [.send("x"), .pause(.milliseconds(10))] }
            let server = try serve(steps)
            let outcome = try await client().outcome(
                of: server.request(), options: options(10_000, .milliseconds(80)))
            #expect(outcome.code == .timedOut && outcome.error?.phase == .content)
        }

        @Test("leaves the idle limit in force")
        func idle() async throws {
            let server = try serve([.expectHead, .stall])
            var options = options(1, .seconds(60))
            options.idleTimeout = .milliseconds(60)
            let outcome = try await client().outcome(of: server.request(), options: options)
            #expect(outcome.error?.detail.contains("was silent for 0.06 s") == true)
        }

        @Test("lets pass what is fast enough, however long it takes")
        func fast() async throws {
            var steps: [Script.Step] = [
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 8000\r\n\r\n"),
            ]
            for _ in 0..<80 { steps += [.sendGenerated(seed: 1, count: 100), .pause(.milliseconds(10))] }
            let server = try serve(steps)
            let outcome = try await client().outcome(
                of: server.request(), options: options(1, .milliseconds(500)))
            #expect(outcome.error == nil && outcome.content.count == 8000)
        }
    }
}
