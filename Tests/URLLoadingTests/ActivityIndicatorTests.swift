import System
import Testing
import URLLoading

@Suite("The sign of activity, in real time (D24)", .timeLimit(.minutes(1)))
struct ActivityIndicatorTests {
    /// The next `count` values of a stream.
    private func take(_ count: Int, of stream: AsyncStream<Bool>) async -> [Bool] {
        var values: [Bool] = []
        for await value in stream {
            values.append(value)
            if values.count == count { break }
        }
        return values
    }

    @Test func appearsAndGoesAwayByItself() async {
        let indicator = ActivityIndicator(
            activationDelay: .milliseconds(30), completionDelay: .milliseconds(20))
        indicator.isEnabled = true
        var changes = indicator.visibilityChanges.makeAsyncIterator()
        #expect(await changes.next() == false)
        let beginning = Instant.now
        indicator.incrementActivityCount()
        #expect(await changes.next() == true)
        #expect(indicator.isVisible && Instant.now - beginning >= .milliseconds(30))
        let end = Instant.now
        indicator.decrementActivityCount()
        #expect(indicator.isVisible || Instant.now - end >= .milliseconds(20))
        #expect(await changes.next() == false)
        #expect(!indicator.isVisible && Instant.now - end >= .milliseconds(20))
    }

    @Test func isOffUntilItIsTurnedOn() async {
        let indicator = ActivityIndicator(activationDelay: .milliseconds(20))
        #expect(!indicator.isEnabled && !ActivityIndicator.shared.isEnabled)
        #expect(ActivityIndicator.shared.activationDelay == .seconds(1))
        #expect(ActivityIndicator.shared.completionDelay == .milliseconds(170))
        indicator.incrementActivityCount()
        #expect(indicator.activityCount == 1)
        let changes = indicator.visibilityChanges
        indicator.isEnabled = true
        #expect(await take(2, of: changes) == [false, true])
        indicator.isEnabled = false
        #expect(!indicator.isVisible)
    }

    @Test func eachStreamBeginsWithWhatIsToBeSeenAndTheBlockHearsChangesInOrder() async {
        let indicator = ActivityIndicator(activationDelay: .zero, completionDelay: .zero)
        indicator.isEnabled = true
        let heard = Monitor([Bool]())
        indicator.setVisibilityChangeBlock { isVisible in
            heard.withLock { $0.append(isVisible) }
            heard.notifyAll()
        }
        let early = indicator.visibilityChanges
        indicator.incrementActivityCount()
        let late = indicator.visibilityChanges
        for _ in 0..<5 {
            indicator.decrementActivityCount()
            indicator.incrementActivityCount()
        }
        let alternating = (0..<11).map { $0 % 2 == 0 }
        #expect(heard.wait(until: .now + .seconds(30)) { $0.count == 11 ? $0 : nil } == alternating)
        #expect(await take(12, of: early) == [false] + alternating)
        #expect(await take(11, of: late) == alternating)
        indicator.setVisibilityChangeBlock(nil)
        indicator.decrementActivityCount()
        #expect(heard.withLock { $0.count } == 11)
    }

    @Test func aReaderWhoDoesNotReadKeepsTheNewest() async {
        let indicator = ActivityIndicator(activationDelay: .zero, completionDelay: .zero)
        indicator.isEnabled = true
        let changes = indicator.visibilityChanges
        for _ in 0..<100 {
            indicator.incrementActivityCount()
            indicator.decrementActivityCount()
        }
        #expect(await take(16, of: changes) == (0..<16).map { $0 % 2 == 0 })
    }

    @Test func streamsEndWithTheIndicator() async {
        var indicator: ActivityIndicator? = ActivityIndicator()
        let changes = indicator?.visibilityChanges
        indicator = nil
        var values: [Bool] = []
        if let changes { for await value in changes { values.append(value) } }
        #expect(values == [false])
    }

    @Test func manyThreadsMayCount() async {
        let indicator = ActivityIndicator(activationDelay: .milliseconds(1), completionDelay: .zero)
        indicator.isEnabled = true
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        indicator.incrementActivityCount()
                        indicator.decrementActivityCount()
                    }
                }
            }
        }
        #expect(indicator.activityCount == 0)
        indicator.decrementActivityCount()
        #expect(indicator.activityCount == 0)
        #expect(await take(1, of: indicator.visibilityChanges).count == 1)
    }

    @Test("the block may use the indicator and is called on the queue given")
    func blockOnQueue() {
        let indicator = ActivityIndicator(activationDelay: .zero, completionDelay: .zero)
        indicator.isEnabled = true
        let queue = TransferQueue(maxConcurrentOperationCount: 1)
        queue.isSuspended = true
        let heard = Lock<[Bool]>([])
        indicator.setVisibilityChangeBlock(
            { isVisible in
                let holds = indicator.isVisible == isVisible
                heard.withLock { $0.append(holds) }
            }, queue: queue)
        indicator.incrementActivityCount()
        #expect(queue.operationCount == 1)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(heard.withLock { $0 } == [true])
        indicator.setVisibilityChangeBlock(nil)
    }
}
