/// Elements in the order of their last use; each operation takes the same time, however many there are.
///
/// A ring of links between the slots of an array: no element is an object of its own, nothing is freed one by one, and
/// no number is given twice while its element is there.
struct RecencyList<Element> {
    private struct Slot {
        var element: Element?
        /// The slot used next after this one; of the head, the one used longest ago.
        var newer: Int
        /// The slot used last before this one; of the head, the one used last. Of a free slot, the next free one.
        var older: Int
        var lastUse: UInt64 = 0
    }

    // The head of the ring is slot 0, which has no element: an end of the list is a slot like any other.
    private var slots = [Slot(element: nil, newer: 0, older: 0)]
    private var firstFree = 0  // the head is never free: 0 is none
    private var uses: UInt64 = 0
    private(set) var count = 0

    /// The element with that number, which is there.
    subscript(number: Int) -> Element? { slots[number].element }

    /// The number of the element that was used longest ago; `nil` when there is none.
    var leastRecent: Int? { count == 0 ? nil : slots[0].newer }

    /// When the element was used, on a clock that counts uses.
    func lastUse(of number: Int) -> UInt64 { slots[number].lastUse }

    /// Adds an element, used now. Returns its number, which stays the same until it is removed.
    mutating func insert(_ element: Element) -> Int {
        let number: Int
        if firstFree != 0 {
            number = firstFree
            firstFree = slots[number].older
            slots[number].element = element
        } else {
            number = slots.count
            slots.append(Slot(element: element, newer: 0, older: 0))
        }
        count += 1
        link(number)
        return number
    }

    /// The element with that number is used.
    mutating func noteUse(of number: Int) {
        unlink(number)
        link(number)
    }

    /// Removes the element with that number.
    mutating func remove(_ number: Int) {
        unlink(number)
        slots[number].element = nil
        slots[number].older = firstFree
        firstFree = number
        count -= 1
    }

    private mutating func link(_ number: Int) {
        uses &+= 1
        let last = slots[0].older
        slots[number].older = last
        slots[number].newer = 0
        slots[number].lastUse = uses
        slots[last].newer = number
        slots[0].older = number
    }

    private mutating func unlink(_ number: Int) {
        let (newer, older) = (slots[number].newer, slots[number].older)
        slots[older].newer = newer
        slots[newer].older = older
    }
}
