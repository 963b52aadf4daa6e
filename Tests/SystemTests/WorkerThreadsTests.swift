import Glibc
import System
import Testing

@Suite("Threads for work that may block")
struct WorkerThreadsTests {
    /// What the work of a test says, and a wait for it.
    private final class Notes: Sendable {
        let all = Monitor([Int]())

        func append(_ number: Int) {
            all.withLock { $0.append(number) }
            all.notifyAll()
        }

        /// Everything, once there are `count`.
        func wait(for count: Int) -> [Int]? {
            all.wait(until: .now + .seconds(30)) { $0.count >= count ? $0 : nil }
        }
    }

    /// Holds work up until it is opened.
    private final class Gate: Sendable {
        let isOpen = Monitor(false)

        func open() {
            isOpen.withLock { $0 = true }
            isOpen.notifyAll()
        }

        func pass() { isOpen.wait { $0 ? () : nil } }
    }

    @Test func workThatBlocksHoldsUpNoOther() {
        let pool = WorkerThreads()
        let notes = Notes()
        let gate = Gate()
        for number in 0..<16 {
            pool.run {
                notes.append(number)
                gate.pass()
            }
        }
        #expect(notes.wait(for: 16)?.sorted() == Array(0..<16))
        #expect(pool.threadCount == 16)
        gate.open()
    }

    @Test func oneThreadDoesItInOrder() {
        let pool = WorkerThreads(maximum: 1)
        let notes = Notes()
        for number in 0..<1000 { pool.run { notes.append(number) } }
        #expect(notes.wait(for: 1000) == Array(0..<1000))
        #expect(pool.threadCount == 1)
    }

    @Test("no more threads than allowed run", arguments: [-1, 0, 1, 3])
    func maximum(maximum: Int) {
        let pool = WorkerThreads(maximum: maximum)
        let notes = Notes()
        let atWork = Lock((now: 0, most: 0))
        for number in 0..<200 {
            pool.run {
                atWork.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                sched_yield()
                atWork.withLock { $0.now -= 1 }
                notes.append(number)
            }
        }
        #expect(notes.wait(for: 200) != nil)
        #expect(atWork.withLock { $0.most } <= max(1, maximum))
    }

    @Test func anIdleThreadIsUsedAgain() {
        let pool = WorkerThreads()
        let threads = Lock(Set<pthread_t>())
        let notes = Notes()
        for number in 0..<50 {
            pool.run {
                threads.withLock { _ = $0.insert(pthread_self()) }
                notes.append(number)
            }
            _ = notes.wait(for: number + 1)
        }
        // A thread may not be idle again when the next work comes; some time it is.
        #expect(threads.withLock { $0.count } < 50)
    }

    @Test func idleThreadsEnd() {
        let pool = WorkerThreads(idleTime: .milliseconds(5))
        let notes = Notes()
        pool.run { notes.append(1) }
        #expect(notes.wait(for: 1) == [1])
        let limit = Instant.now + .seconds(30)
        while pool.threadCount > 0, Instant.now < limit { usleep(1000) }
        #expect(pool.threadCount == 0)
        pool.run { notes.append(2) }
        #expect(notes.wait(for: 2) == [1, 2])
    }

    @Test func noWorkIsLostWhileThreadsEnd() {
        let pool = WorkerThreads(maximum: 2, idleTime: .zero)
        let notes = Notes()
        for number in 0..<2000 { pool.run { notes.append(number) } }
        #expect(notes.wait(for: 2000)?.count == 2000)
    }

    @Test func whereThereIsNoThreadTheCallerDoesIt() {
        let pool = WorkerThreads { _ in false }
        let thread = Lock<pthread_t?>(nil)
        pool.run { thread.withLock { $0 = pthread_self() } }
        #expect(thread.withLock { $0 } == pthread_self())
        #expect(pool.threadCount == 0)
    }

    @Test func whereThereIsNoFurtherThreadWorkWaitsForThoseThereAre() {
        let started = Lock(0)
        let pool = WorkerThreads { pool in
            let isFirst = started.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst && startThread(for: pool)
        }
        let notes = Notes()
        let gate = Gate()
        pool.run {
            gate.pass()
            notes.append(0)
        }
        for number in 1..<10 { pool.run { notes.append(number) } }
        #expect(notes.all.withLock { $0 } == [])
        gate.open()
        #expect(notes.wait(for: 10) == Array(0..<10))
        #expect(pool.threadCount == 1)
    }
}
