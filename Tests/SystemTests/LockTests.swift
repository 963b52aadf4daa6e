import System
import Testing

@Suite("A lock")
struct LockTests {
    @Test func isHeldByOneAtATime() async {
        let counter = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1000 { counter.withLock { $0 += 1 } } }
            }
        }
        #expect(counter.withLock { $0 } == 8000)
    }

    @Test func isGivenBackWhenTheBodyThrows() {
        struct Refusal: Error, Equatable {}
        let lock = Lock(1)
        #expect(throws: Refusal()) { try lock.withLock { (_) throws(Refusal) in throw Refusal() } }
        #expect(lock.withLock { $0 } == 1)
    }
}
