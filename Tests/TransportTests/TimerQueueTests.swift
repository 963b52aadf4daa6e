import System
import Testing

@testable import Transport

@Suite("The queue of timers")
struct TimerQueueTests {
    private final class Owner: Expiring {
        let number: Int
        init(_ number: Int) { self.number = number }
        func expire(at now: Instant) -> Instant? { nil }
    }

    /// A small generator, so that a failure can be repeated.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test("gives entries in the order of their instants", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func isInOrder(seed: UInt64) {
        var generator = Generator(state: seed)
        var queue = TimerQueue()
        var sorted: [Int64] = []
        for _ in 0..<2000 {
            if Bool.random(using: &generator) || sorted.isEmpty {
                let value = Int64.random(in: 0..<500, using: &generator)
                queue.add(Instant(nanoseconds: value), Owner(Int(value)))
                sorted.insert(value, at: sorted.firstIndex { $0 > value } ?? sorted.count)
            } else {
                #expect(queue.earliest == Instant(nanoseconds: sorted[0]))
                let owner = queue.next(dueAt: .distantFuture) as? Owner
                #expect(owner?.number == Int(sorted.removeFirst()))
            }
        }
        while let first = sorted.first {
            #expect((queue.next(dueAt: .distantFuture) as? Owner)?.number == Int(first))
            sorted.removeFirst()
        }
        #expect(queue.earliest == nil && queue.next(dueAt: .distantFuture) == nil)
    }

    @Test func givesNothingBeforeItsTime() {
        var queue = TimerQueue()
        queue.add(Instant(nanoseconds: 10), Owner(1))
        #expect(queue.next(dueAt: Instant(nanoseconds: 9)) == nil)
        #expect(queue.next(dueAt: Instant(nanoseconds: 10)) != nil)
    }
}

@Suite("A deadline")
struct DeadlineTests {
    @Test func theEarlierCounts() {
        let early = Deadline(.idle, at: Instant(nanoseconds: 1), duration: .seconds(1))
        let late = Deadline(.total, at: Instant(nanoseconds: 2), duration: .seconds(2))
        #expect(Deadline.earlier(early, late) == early)
        #expect(Deadline.earlier(late, early) == early)
        #expect(Deadline.earlier(.never, late) == late)
    }

    @Test func farAwayIsNever() {
        #expect(Deadline(.total, in: .seconds(Int64.max)).instant == .distantFuture)
    }
}
