import System
import Testing

@testable import HTTPClient

@Suite("A transfer is held to a speed (--limit-rate)")
struct RatePacerTests {
    private let start = Instant(nanoseconds: 5_000_000_000)

    /// The octets that come in `time` where every read gives all it may, each pause ends `lateness` too late and a read
    /// takes a microsecond.
    private func octets(at rate: UInt64, in time: Duration, lateness: Duration = .zero) -> Double {
        var pacer = RatePacer(octetsPerSecond: rate, at: start)
        var now = start
        var octets = 0.0
        while now < start + time {
            pacer.count(pacer.portion, at: now)
            octets += Double(pacer.portion)
            now = now + .microseconds(1)
            if let end = pacer.pauseEnd(at: now) { now = end + lateness }
        }
        return octets
    }

    @Test(
        "in the long run the rate is the one asked for",
        arguments: [
            (1000, Duration.zero), (1000, .milliseconds(100)), (100_000, .milliseconds(4)), (333_333, .zero),
            (7_777_777, .milliseconds(90)), (100_000_000, .milliseconds(1)),
        ] as [(UInt64, Duration)])
    func longRun(rate: UInt64, lateness: Duration) {
        let seconds = 200
        let expected = Double(rate) * Double(seconds)
        let octets = octets(at: rate, in: .seconds(seconds), lateness: lateness)
        // What was read last is paid for afterwards.
        #expect(abs(octets - expected) <= expected * 0.01)
    }

    @Test("small reads lose nothing by rounding")
    func smallReads() {
        var pacer = RatePacer(octetsPerSecond: 3_000_000_000, at: start)
        // A third of a nanosecond each.
        for _ in 0..<3_000_000 { pacer.count(1, at: start) }
        #expect(pacer.pauseEnd(at: start) == start + .milliseconds(1))
    }

    @Test("what was not read in a second is made up for by a quarter of it at most")
    func burst() {
        var pacer = RatePacer(octetsPerSecond: 1000, at: start)
        let later = start + .seconds(60)
        pacer.count(250, at: later)
        #expect(pacer.pauseEnd(at: later) == nil)
        pacer.count(10, at: later)
        #expect(pacer.pauseEnd(at: later) == later + .milliseconds(10))
    }

    @Test("a pause that was asked for is no credit at all")
    func restart() {
        var pacer = RatePacer(octetsPerSecond: 1000, at: start)
        let later = start + .seconds(60)
        pacer.restart(at: later)
        pacer.count(10, at: later)
        #expect(pacer.pauseEnd(at: later) == later + .milliseconds(10))
        // Nor does it forgive what is not yet paid for.
        pacer.restart(at: later + .milliseconds(4))
        #expect(pacer.pauseEnd(at: later + .milliseconds(4)) == later + .milliseconds(10))
    }

    @Test(
        "portions are a tenth of a second, from 1 KiB to 1 MiB",
        arguments: [
            (0, 1024), (1, 1024), (10_239, 1024), (10_250, 1025), (1_000_000, 100_000),
            (10_485_760, 1_048_576), (10_485_770, 1_048_576), (.max, 1_048_576),
        ] as [(UInt64, Int)])
    func portions(rate: UInt64, portion: Int) {
        #expect(RatePacer(octetsPerSecond: rate, at: start).portion == portion)
    }

    @Test("the greatest rate never waits, the least waits long")
    func extremes() {
        var fast = RatePacer(octetsPerSecond: .max, at: start)
        for _ in 0..<100 { fast.count(.max, at: start) }
        // 100 times 2^63 octets, less a few, at 2^64 a second, less one.
        let end = fast.pauseEnd(at: start) ?? start
        #expect(end - start > .milliseconds(49_999) && end - start <= .seconds(50))
        fast = RatePacer(octetsPerSecond: .max, at: start)
        fast.count(1 << 20, at: start)
        #expect(fast.pauseEnd(at: start) == nil)

        for rate in [0, 1] as [UInt64] {
            var slow = RatePacer(octetsPerSecond: rate, at: start)
            slow.count(1024, at: start)
            #expect(slow.pauseEnd(at: start) == start + .seconds(1024))
            slow.count(.max, at: start)
            slow.count(.max, at: start)
            #expect(slow.pauseEnd(at: start) == .distantFuture)
        }
        var idle = RatePacer(octetsPerSecond: 5, at: Instant(nanoseconds: .min))
        idle.count(0, at: Instant(nanoseconds: .min))
        idle.count(-1, at: Instant(nanoseconds: .max))
        #expect(idle.pauseEnd(at: Instant(nanoseconds: .max)) == nil)
    }
}
