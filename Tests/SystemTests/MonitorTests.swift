import System
import Testing

@Suite("A lock with a condition")
struct MonitorTests {
    @Test func aThreadWaitsUntilItFindsWhatItWaitsFor() {
        let monitor = Monitor([Int]())
        for number in 0..<3 {
            WorkerThreads.shared.run {
                monitor.withLock { $0.append(number) }
                monitor.notifyAll()
            }
        }
        let sum = monitor.wait { $0.count == 3 ? $0.reduce(0, +) : nil }
        #expect(sum == 3)
    }

    @Test func theWaitTakesWhatItFinds() {
        let monitor: Monitor<Int?> = Monitor(7)
        #expect(monitor.wait { $0.take() } == 7)
        #expect(monitor.withLock { $0 } == nil)
    }

    @Test func aWaitEndsAtItsDeadline() {
        let monitor = Monitor(0)
        let deadline = Instant.now + .milliseconds(10)
        #expect(monitor.wait(until: deadline) { $0 > 0 ? $0 : nil } == nil)
        #expect(Instant.now >= deadline)
        #expect(monitor.wait(until: Instant(nanoseconds: -1)) { $0 > 0 ? $0 : nil } == nil)
    }

    @Test func whatIsThereIsFoundAfterTheDeadlineToo() {
        let monitor = Monitor(1)
        #expect(monitor.wait(until: Instant(nanoseconds: 0)) { $0 > 0 ? $0 : nil } == 1)
    }

    @Test func isGivenBackWhenTheBodyThrows() {
        struct Refusal: Error, Equatable {}
        let monitor = Monitor(1)
        #expect(throws: Refusal()) { try monitor.withLock { (_) throws(Refusal) in throw Refusal() } }
        #expect(monitor.withLock { $0 } == 1)
    }
}
