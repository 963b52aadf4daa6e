import Glibc
import System
import Testing
import URLLoading

@Suite("A queue of transfers")
struct TransferQueueTests {
    /// What was done, and a wait for it.
    final class Notes: Sendable {
        private let all = Monitor([String]())

        var words: [String] { all.withLock { $0 } }

        func append(_ word: String) {
            all.withLock { $0.append(word) }
            all.notifyAll()
        }

        /// Whether there are `count` before long.
        func reach(_ count: Int) -> Bool {
            all.wait(until: .now + .seconds(30)) { $0.count >= count ? true : nil } ?? false
        }
    }

    /// Ends when it is told to.
    final class Operation: TransferOperation {
        private let name: String
        private let notes: Notes
        private let whenFinished = Lock<(@Sendable () -> Void)?>(nil)

        init(_ name: String, _ notes: Notes) {
            self.name = name
            self.notes = notes
        }

        func begin(whenFinished: @escaping @Sendable () -> Void) {
            self.whenFinished.withLock { $0 = whenFinished }
            notes.append("begin \(name)")
        }

        func cancel() {
            notes.append("cancel \(name)")
            finish()
        }

        func finish() { whenFinished.withLock { $0 }?() }
    }

    /// Is over before `begin` returns.
    final class Instantaneous: TransferOperation {
        let notes: Notes
        let number: Int

        init(_ number: Int, _ notes: Notes) {
            self.number = number
            self.notes = notes
        }

        func begin(whenFinished: @escaping @Sendable () -> Void) {
            notes.append("\(number)")
            whenFinished()
        }

        func cancel() {}
    }

    // MARK: Blocks

    @Test func aSerialQueueKeepsTheOrderAndOverlapsNothing() {
        let queue = TransferQueue(name: "serial", maxConcurrentOperationCount: 1)
        // No lock: the thread sanitizer sees where two blocks would run at once.
        nonisolated(unsafe) var numbers: [Int] = []
        for number in 0..<10_000 { queue.addOperation { numbers.append(number) } }
        queue.waitUntilAllOperationsAreFinished()
        #expect(numbers == Array(0..<10_000))
        #expect(queue.operationCount == 0)
    }

    @Test("no more run at once than allowed", arguments: [-3, 0, 1, 2, 4])
    func limit(limit: Int) {
        let queue = TransferQueue(maxConcurrentOperationCount: limit)
        #expect(queue.maxConcurrentOperationCount == max(1, limit))
        let atWork = Lock((now: 0, most: 0))
        for _ in 0..<500 {
            queue.addOperation {
                atWork.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                sched_yield()
                atWork.withLock { $0.now -= 1 }
            }
        }
        queue.waitUntilAllOperationsAreFinished()
        #expect((1...max(1, limit)).contains(atWork.withLock { $0.most }))
    }

    @Test func blocksThatBlockRunAtOnceUpToTheLimit() {
        let queue = TransferQueue(maxConcurrentOperationCount: 16)
        let met = Monitor(0)
        for _ in 0..<16 {
            queue.addOperation {
                met.withLock { $0 += 1 }
                met.notifyAll()
                // Each waits for all the others.
                _ = met.wait(until: .now + .seconds(30)) { $0 == 16 ? () : nil }
            }
        }
        queue.waitUntilAllOperationsAreFinished()
        #expect(met.withLock { $0 } == 16)
    }

    @Test func aBlockMayAddBlocksToItsOwnQueue() {
        let queue = TransferQueue(maxConcurrentOperationCount: 1)
        let notes = Notes()
        queue.addOperation {
            queue.addOperation {
                notes.append("inner")
                queue.addOperation { notes.append("innermost") }
            }
            notes.append("outer")
        }
        queue.waitUntilAllOperationsAreFinished()
        #expect(notes.words == ["outer", "inner", "innermost"])
    }

    @Test func manyThreadsMayAdd() async {
        let queue = TransferQueue()
        let count = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 { queue.addOperation { count.withLock { $0 += 1 } } }
                }
            }
        }
        queue.waitUntilAllOperationsAreFinished()
        #expect(count.withLock { $0 } == 1600)
    }

    // MARK: Suspension and limits

    @Test func whileSuspendedNothingBeginsAndWhatRunsGoesOn() {
        let queue = TransferQueue()
        let notes = Notes()
        let running = Operation("a", notes)
        queue.addOperation(running)
        queue.isSuspended = true
        queue.addOperation { notes.append("block") }
        queue.addOperation(Operation("b", notes))
        #expect(queue.isSuspended && queue.operationCount == 3)
        running.finish()
        #expect(queue.operationCount == 2)
        #expect(notes.words == ["begin a"])
        queue.isSuspended = false
        #expect(notes.reach(3))
        #expect(Set(notes.words) == ["begin a", "block", "begin b"])
        queue.cancelAllOperations()
        queue.waitUntilAllOperationsAreFinished()
    }

    @Test func aHigherLimitTakesEffectAtOnce() {
        let queue = TransferQueue(maxConcurrentOperationCount: 1)
        let notes = Notes()
        for name in ["a", "b", "c", "d"] { queue.addOperation(Operation(name, notes)) }
        #expect(notes.words == ["begin a"])
        queue.maxConcurrentOperationCount = 3
        #expect(notes.words == ["begin a", "begin b", "begin c"])
        queue.cancelAllOperations()
        #expect(queue.operationCount == 0)
    }

    // MARK: Operations

    @Test func anOperationKeepsItsPlaceUntilItIsOver() {
        let queue = TransferQueue(maxConcurrentOperationCount: 1)
        let notes = Notes()
        let first = Operation("a", notes)
        queue.addOperation(first)
        queue.addOperation(Operation("b", notes))
        queue.addOperation(Operation("c", notes))
        first.finish()
        first.finish()
        // Said twice, it would have let "c" begin beside "b".
        #expect(notes.words == ["begin a", "begin b"])
        #expect(queue.operationCount == 2)
        queue.cancelAllOperations()
    }

    @Test func operationsThatEndAtOnceNeedNoStack() {
        let queue = TransferQueue(maxConcurrentOperationCount: 1)
        let notes = Notes()
        queue.isSuspended = true
        for number in 0..<10_000 { queue.addOperation(Instantaneous(number, notes)) }
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(notes.words == (0..<10_000).map(String.init))
    }

    @Test func blocksAndOperationsShareTheOrder() {
        let queue = TransferQueue(maxConcurrentOperationCount: 1)
        let notes = Notes()
        queue.isSuspended = true
        for number in 0..<300 {
            if number % 3 == 0 {
                queue.addOperation(Instantaneous(number, notes))
            } else {
                queue.addOperation { notes.append("\(number)") }
            }
        }
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(notes.words == (0..<300).map(String.init))
    }

    @Test func cancellingTellsAllAndBeginsNoneThatWaits() {
        let queue = TransferQueue(maxConcurrentOperationCount: 2)
        let notes = Notes()
        for name in ["a", "b", "c", "d"] { queue.addOperation(Operation(name, notes)) }
        queue.addOperation { notes.append("block") }
        queue.cancelAllOperations()
        #expect(notes.words == ["begin a", "begin b", "cancel a", "cancel b", "cancel c", "cancel d"])
        #expect(queue.operationCount == 0)
        queue.waitUntilAllOperationsAreFinished()
        // It can be used as before.
        queue.addOperation { notes.append("after") }
        #expect(notes.reach(7))
        #expect(notes.words.last == "after")
    }

    @Test func operationsAreReleasedWhenTheyAreOver() {
        let queue = TransferQueue(maxConcurrentOperationCount: 1)
        let notes = Notes()
        weak var running: Operation?
        weak var waiting: Operation?
        do {
            let operations = (Operation("a", notes), Operation("b", notes))
            (running, waiting) = operations
            queue.addOperation(operations.0)
            queue.addOperation(operations.1)
        }
        #expect(running != nil && waiting != nil)
        queue.cancelAllOperations()
        #expect(waiting == nil)
        #expect(queue.operationCount == 0)
    }

    @Test func operationsOfAQueueThatNobodyHasAreCancelled() {
        let notes = Notes()
        do {
            let queue = TransferQueue()
            queue.isSuspended = true
            queue.addOperation(Operation("a", notes))
        }
        #expect(notes.words == ["cancel a"])
    }

    // MARK: The main queue

    @Test func theMainQueueRunsOnTheMainActorInOrder() async {
        #expect(TransferQueue.main.maxConcurrentOperationCount == 1)
        TransferQueue.main.maxConcurrentOperationCount = 5
        #expect(TransferQueue.main.maxConcurrentOperationCount == 1)
        let notes = Notes()
        let thread = await MainActor.run { pthread_self() }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            for number in 0..<100 {
                TransferQueue.main.addOperation { notes.append("\(number) \(pthread_self() == thread)") }
            }
            TransferQueue.main.addOperation(Instantaneous(100, notes))
            TransferQueue.main.addOperation { done.resume() }
        }
        #expect(notes.words == (0..<100).map { "\($0) true" } + ["100"])
    }
}
