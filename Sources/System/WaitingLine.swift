/// Elements that leave in the order in which they came; both ends cost the same however long it is.
package struct WaitingLine<Element> {
    /// What has left is `nil`, until enough has left for moving the rest to be worth it.
    private var places: [Element?] = []
    private var head = 0

    /// Below this many places nothing is moved.
    private static var leastMoved: Int { 32 }

    /// An empty line.
    package init() {}

    package var count: Int { places.count - head }

    package var isEmpty: Bool { head == places.count }

    /// Who is next.
    package var first: Element? { isEmpty ? nil : places[head] }

    package mutating func append(_ element: Element) { places.append(element) }

    /// Lets the first one leave.
    package mutating func takeFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            places[head] = nil
            head += 1
            if head >= WaitingLine.leastMoved, head * 2 >= places.count {
                places.removeFirst(head)
                head = 0
            }
        }
        return places[head]
    }

    /// Lets those leave, wherever they stand.
    package mutating func removeAll(where mustLeave: (Element) -> Bool) {
        places = takeAll().filter { !mustLeave($0) }
    }

    /// Lets all leave, first one first.
    package mutating func takeAll() -> [Element] {
        defer {
            places = []
            head = 0
        }
        return places[head...].compactMap { $0 }
    }
}

extension WaitingLine: Sendable where Element: Sendable {}
