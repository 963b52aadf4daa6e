package import HTTPMessage

/// One response of which something was stored: what it was, what became of it, and its octets.
final class Memory {
    let message: Message
    let key: URI
    /// What it may say now. More than one where the RFC leaves it to the cache whether something updates it.
    var heads: [Head]
    /// What it said before it was updated, as long as an exchange that began then may go on with it.
    var past: [Head] = []
    /// The numbers of all heads that it ever had.
    private(set) var identifiers: Set<Int>
    private var strongDates: Set<Int64> = []
    /// What it said when it came.
    let first: Head
    /// Where its octets begin in the representation.
    let start: UInt64
    let octets: [UInt8]
    /// The length of the representation, where that is known.
    let length: UInt64?

    init(_ message: Message, content: [UInt8], isWhole: Bool, declaredLength: UInt64?, order: Int) {
        self.message = message
        key = message.original.uri.withoutUserinfoAndFragment
        first = Head(message, order: order)
        heads = [first]
        identifiers = [message.identifier]
        octets = content
        if message.status == 206, let range = message.contentRange {
            start = range.offsets?.lowerBound ?? 0
            length = range.completeLength
        } else {
            start = 0
            length = isWhole ? UInt64(content.count) : declaredLength
        }
    }

    func retire(_ head: Head, at order: Int) {
        var head = head
        noteStrongDate(head)
        head.replaced = order
        past.append(head)
    }

    /// Whether its octets are those that a head speaks of: their strong validator is the same.
    func isOfRepresentation(_ head: Head, of memory: Memory) -> Bool {
        guard first.status == 200, mayAnswer(.get) else { return false }
        if first.sharesStrongValidator(with: head) { return true }
        guard head.tags.isEmpty, let modified = head.modified else { return false }
        return hasBeenStrong(modified) && memory.hasBeenStrong(modified)
    }

    /// An update with a later Date makes a strong validator of a Last-Modified (RFC 9110, section 8.8.2.2), and one with an
    /// earlier Date takes nothing back of what was put together by it.
    private func hasBeenStrong(_ modified: Int64) -> Bool {
        strongDates.contains(modified) || heads.contains { $0.tags.isEmpty && $0.strongModified == modified }
    }

    private func noteStrongDate(_ head: Head) {
        if head.tags.isEmpty, let modified = head.strongModified { strongDates.insert(modified) }
    }

    /// Forgets what can answer no more: what a store has no longer, while no exchange is under way.
    func keepOnly(_ stored: Set<Int>) {
        heads.forEach(noteStrongDate)
        identifiers.formUnion(heads.map(\.identifier))
        heads.removeAll { !stored.contains($0.identifier) }
        past = []
    }

    /// All octets of the representation are here.
    var isComplete: Bool { start == 0 && length == UInt64(octets.count) }

    var method: HTTPMethod { message.original.method }

    /// Whether its method lets it answer a request of another (RFC 9110, sections 9.3.1 to 9.3.3).
    func mayAnswer(_ method: HTTPMethod) -> Bool {
        switch method {
        case .get: self.method == .get || self.method == .post
        case .head: true
        default: false
        }
    }

    func octet(at offset: UInt64) -> UInt8? {
        guard offset >= start, offset - start < UInt64(octets.count) else { return nil }
        return octets[Int(offset - start)]
    }
}

/// An answer that a cache gives, or begins to give.
package struct Answer {
    package let status: Int
    package let fields: HTTPFields
    let lines: [FieldText.Line]
    /// Its field X-Id.
    let identifier: Int?
    /// Where in the representation its octets begin.
    package var offset: UInt64
    package var octets: [UInt8]
    /// The origin's content follows: the length of both, where it is told.
    package var combinedLength: UInt64?

    package init(_ status: Int, _ fields: HTTPFields, _ octets: [UInt8] = [], offset: UInt64 = 0) {
        self.status = status
        self.fields = fields
        lines = FieldText.lines(fields)
        identifier = lines.first { $0.name == Message.identifierField }.flatMap { Int($0.value) }
        self.offset = offset
        self.octets = octets
    }

    func values(_ name: String) -> [String] { lines.filter { $0.name == name }.map(\.value) }

    /// Its Age: `nil` where there is none, or no single number.
    var age: Int128? {
        let values = values("age")
        return values.count == 1 ? FieldText.seconds(values[0]) : nil
    }
}

/// On what ground an answer is given.
package enum Ground: Hashable {
    /// The origin was not asked.
    case lookup
    /// The origin was not asked, but will be (RFC 5861, section 3).
    case lookupThenValidation
    /// The origin answered 304: the message of that number.
    case validated(Int)
    /// The origin answered with that status, 500 or above.
    case error(Int, wasValidation: Bool)
    /// The origin could not be reached.
    case failure
    /// The origin sent a part, the message of that number, which completes what is stored.
    case completed(Int)

    var isValidated: Bool {
        switch self {
        case .validated, .completed: true
        default: false
        }
    }
}
