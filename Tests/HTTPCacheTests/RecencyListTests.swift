import Testing

@testable import HTTPCache

@Suite("The order of use")
struct RecencyListTests {
    @Test func givesTheNumbersOfRemovedElementsAgain() {
        var list = RecencyList<Int>()
        let first = (0..<3).map { list.insert($0) }
        list.remove(first[1])
        list.remove(first[0])
        let again = (3..<6).map { list.insert($0) }
        #expect(Set(again.prefix(2)) == Set(first.prefix(2)))
        #expect(!first.contains(again[2]))
        #expect(list.count == 4)
        #expect([first[2]] + again == drained(&list))
    }

    @Test func isInTheOrderOfUse() {
        var list = RecencyList<Int>()
        let numbers = (0..<4).map { list.insert($0) }
        for index in [0, 2, 2, 3, 0] { list.noteUse(of: numbers[index]) }
        #expect(list.lastUse(of: numbers[1]) < list.lastUse(of: numbers[2]))
        #expect(drained(&list) == [1, 2, 3, 0].map { numbers[$0] })
        #expect(list.leastRecent == nil && list.count == 0)
    }

    /// Removes all, the one used longest ago first.
    private func drained(_ list: inout RecencyList<Int>) -> [Int] {
        var numbers: [Int] = []
        while let number = list.leastRecent {
            numbers.append(number)
            list.remove(number)
        }
        return numbers
    }
}
