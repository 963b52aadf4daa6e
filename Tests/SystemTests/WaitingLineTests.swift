import System
import Testing

@Suite("A waiting line")
struct WaitingLineTests {
    @Test(
        "lets them leave in the order in which they came, long or short", arguments: [0, 1, 31, 32, 33, 1000])
    func order(count: Int) {
        var line = WaitingLine<Int>()
        var left: [Int] = []
        for number in 0..<count {
            line.append(2 * number)
            line.append(2 * number + 1)
            line.takeFirst().map { left.append($0) }
        }
        #expect(line.count == count)
        #expect(line.first == (count == 0 ? nil : count))
        while let number = line.takeFirst() { left.append(number) }
        #expect(left == Array(0..<2 * count))
        #expect(line.isEmpty)
    }

    @Test func allLeaveInOrder() {
        var line = WaitingLine<Int>()
        for number in 0..<50 { line.append(number) }
        #expect(line.takeFirst() == 0)
        #expect(line.takeAll() == Array(1..<50))
        #expect(line.isEmpty && line.takeFirst() == nil)
        line.append(7)
        #expect(line.takeFirst() == 7)
    }

    @Test func whatHasLeftIsNotKept() {
        final class Thing {}
        var line = WaitingLine<Thing>()
        weak var thing: Thing?
        do {
            let first = Thing()
            thing = first
            line.append(first)
            line.append(Thing())
        }
        #expect(thing != nil)
        _ = line.takeFirst()
        #expect(thing == nil && line.count == 1)
    }
}
