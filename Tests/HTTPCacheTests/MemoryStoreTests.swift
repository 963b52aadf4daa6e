import HTTPMessage
import Testing

@testable import HTTPCache

@Suite("Stored responses in memory")
struct MemoryStoreTests {
    /// Octets that one without content takes under a key of this suite.
    private static let fixed = stored(0).size + key(0).size

    static func key(_ number: Int) -> CacheKey {
        let digits = String(number)
        let path = String(repeating: "0", count: 6 - digits.count) + digits
        guard let uri = try? URI(parsing: "http://h/\(path)") else { preconditionFailure("a URI") }
        return CacheKey(uri)
    }

    static func stored(
        _ content: StoredContent, at date: Int64 = 0, fields: HTTPFields = [:]
    ) -> StoredResponse {
        let time = CacheTime(date: HTTPDate(secondsSinceEpoch: date), uptime: 0)
        let (response, control) = (HTTPResponse(status: .ok, fields: fields), CacheControl(in: fields))
        guard let uri = try? URI(parsing: "http://h/") else { preconditionFailure("a URI") }
        let draft = StoredResponse.Draft(
            response: response, requestTime: time, responseTime: time,
            selecting: SelectingFields(fields, of: response, for: HTTPRequest(uri)), rules: [:],
            freshness: Freshness(of: response, control, receivedAt: time.date), initialAge: 0)
        return StoredResponse(draft, content)
    }

    static func stored(_ length: Int, at date: Int64 = 0, fields: HTTPFields = [:]) -> StoredResponse {
        let octets = Array(repeating: UInt8(0x61), count: length)
        return stored(StoredContent(whole: octets), at: date, fields: fields)
    }

    /// Which of `responses` are stored under the keys of their numbers.
    private func present(_ responses: [StoredResponse], in store: MemoryStore) -> [Int] {
        responses.indices.filter { index in
            store.responses(for: Self.key(index)).contains { $0 === responses[index] }
        }
    }

    private func filled(capacity: Int, _ responses: [StoredResponse]) -> MemoryStore {
        let store = MemoryStore(capacity: capacity)
        for (number, response) in responses.enumerated() {
            store.insert(response, for: Self.key(number), replacing: nil)
        }
        return store
    }

    @Test func countsContentFieldsAndKeys() {
        let bare = filled(capacity: 1 << 20, [Self.stored(0)]).usage
        let content = filled(capacity: 1 << 20, [Self.stored(1000)]).usage
        #expect(content == bare + 1000)
        // The line has "ETag: ", four octets more and CRLF.
        let fields = filled(capacity: 1 << 20, [Self.stored(0, fields: ["ETag": "\"ab\""])]).usage
        #expect(fields == bare + 12)
        #expect(bare == Self.fixed)
        #expect(Self.fixed == Self.stored(0).size + "h/000000".utf8.count)
    }

    @Test func removesWhatWasUsedLongestAgo() {
        let responses = (0..<5).map { _ in Self.stored(100) }
        let store = filled(capacity: 3 * (Self.fixed + 100), Array(responses[..<3]))
        store.noteUse(of: responses[0], for: Self.key(0))
        store.insert(responses[3], for: Self.key(3), replacing: nil)
        #expect(present(responses, in: store) == [0, 2, 3])
        // A look-up is no use.
        _ = store.responses(for: Self.key(2))
        store.insert(responses[4], for: Self.key(4), replacing: nil)
        #expect(present(responses, in: store) == [0, 3, 4])
        #expect(store.count == 3)
    }

    @Test func removesAsManyAsANewOneNeeds() {
        let responses =
            (0..<4).map { _ in Self.stored(100) } + [Self.stored(2 * (Self.fixed + 100) - Self.fixed)]
        let store = filled(capacity: 4 * (Self.fixed + 100), responses)
        #expect(present(responses, in: store) == [2, 3, 4])
        #expect(store.usage == store.capacity)
    }

    @Test("takes what fits to the octet", arguments: [(0, true), (1, false)])
    func fits(excess: Int, isStored: Bool) {
        let store = MemoryStore(capacity: Self.fixed + 100)
        let response = Self.stored(100 + excess)
        #expect(store.insert(response, for: Self.key(0), replacing: nil) == isStored)
        #expect(store.usage == (isStored ? Self.fixed + 100 : 0))
        #expect(present([response], in: store) == (isStored ? [0] : []))
    }

    @Test("gives one object no more than its part", arguments: Self.fractions)
    func limitsObjects(fraction: Double, capacity: Int, size: Int) {
        #expect(MemoryStore(capacity: capacity, maximumObjectFraction: fraction).maximumObjectSize == size)
    }

    static let fractions: [(Double, Int, Int)] = [
        (1, 1 << 20, 1 << 20), (0.05, 1 << 20, 52428), (0.5, 1001, 500), (0, 1000, 0), (-1, 1000, 0),
        (2, 1000, 1000), (.nan, 1000, 0), (.infinity, 1000, 1000), (-.infinity, 1000, 0),
        (1, .max, .max), (1.0.nextDown, 1 << 62, (1 << 62) - 512), (0.5, .max, 1 << 62),
        (1, -1, 0), (1, .min, 0), (0.5, 0, 0),
    ]

    @Test func hasThePartOfURLCacheAsAPreset() {
        let store = MemoryStore(
            capacity: 20 * (Self.fixed + 100), maximumObjectFraction: MemoryStore.urlCacheFraction)
        #expect(store.insert(Self.stored(100), for: Self.key(0), replacing: nil))
        #expect(!store.insert(Self.stored(101), for: Self.key(1), replacing: nil))
    }

    @Test func refusesWhatIsTooLargeAndKeepsTheRest() {
        let responses = (0..<3).map { _ in Self.stored(100) }
        let store = filled(capacity: 3 * (Self.fixed + 100), responses)
        store.maximumObjectFraction = 0.5
        // What is there stays, though a lower part would not have let it in.
        store.maximumObjectFraction = 0.1
        #expect(!store.insert(Self.stored(100), for: Self.key(3), replacing: nil))
        #expect(present(responses, in: store) == [0, 1, 2])
    }

    @Test func replacesOneAndRemovesItEvenWhereTheNewOneHasNoRoom() {
        let (old, other, new) = (Self.stored(10), Self.stored(20), Self.stored(30))
        let store = MemoryStore(capacity: 10_000)
        store.insert(old, for: Self.key(0), replacing: nil)
        store.insert(other, for: Self.key(0), replacing: nil)
        store.insert(new, for: Self.key(0), replacing: old)
        #expect(store.responses(for: Self.key(0)).map(\.content.count) == [20, 30])
        #expect(store.usage == 2 * Self.fixed + 50)
        #expect(!store.insert(Self.stored(20_000), for: Self.key(0), replacing: other))
        #expect(store.responses(for: Self.key(0)).map(\.content.count) == [30])
        // One that is gone already is no hindrance.
        #expect(store.insert(old, for: Self.key(0), replacing: other))
        #expect(store.responses(for: Self.key(0)).map(\.content.count) == [30, 10])
    }

    @Test func storesNoResponseTwice() {
        let response = Self.stored(10)
        let store = MemoryStore(capacity: 10_000)
        store.insert(response, for: Self.key(0), replacing: nil)
        store.insert(response, for: Self.key(0), replacing: nil)
        store.insert(response, for: Self.key(0), replacing: response)
        #expect(store.count == 1)
        #expect(store.usage == Self.fixed + 10)
    }

    @Test func keepsSoManyResponsesUnderAKey() {
        let variants = (0..<5).map { Self.stored($0) }
        let store = MemoryStore(capacity: 1 << 20, maximumVariants: 3)
        let other = Self.stored(9)
        store.insert(other, for: Self.key(1), replacing: nil)
        for variant in variants[..<3] { store.insert(variant, for: Self.key(0), replacing: nil) }
        store.noteUse(of: variants[0], for: Self.key(0))
        store.insert(variants[3], for: Self.key(0), replacing: nil)
        #expect(store.responses(for: Self.key(0)).map(\.content.count) == [0, 2, 3])
        // In the place of another it needs no room.
        store.insert(variants[4], for: Self.key(0), replacing: variants[3])
        #expect(store.responses(for: Self.key(0)).map(\.content.count) == [0, 2, 4])
        #expect(store.responses(for: Self.key(1)).count == 1)
        #expect(MemoryStore(capacity: 1).maximumVariants == 32)
        #expect(MemoryStore(capacity: 1, maximumVariants: -5).maximumVariants == 1)
    }

    @Test func removesOneAllOfAKeyAndAll() {
        let responses = (0..<6).map { Self.stored($0) }
        let store = MemoryStore(capacity: 1 << 20)
        for (index, response) in responses.enumerated() {
            store.insert(response, for: Self.key(index / 3), replacing: nil)
        }
        store.remove(responses[1], for: Self.key(0))
        store.remove(responses[1], for: Self.key(0))
        // Not under this key.
        store.remove(responses[0], for: Self.key(1))
        #expect(store.responses(for: Self.key(0)).map(\.content.count) == [0, 2])
        #expect(store.usage == 5 * Self.fixed + 14)
        store.removeAll(for: Self.key(0))
        #expect(store.responses(for: Self.key(0)).isEmpty)
        #expect(store.usage == 3 * Self.fixed + 12)
        store.removeAll()
        #expect(store.usage == 0 && store.count == 0 && store.responses(for: Self.key(1)).isEmpty)
        #expect(store.insert(responses[0], for: Self.key(0), replacing: nil))
        #expect(store.usage == Self.fixed)
    }

    @Test func removesWhatCameSinceADate() {
        let responses = [5, 99, 100, 101, 7, 4000].map { Self.stored(1, at: $0) }
        let store = filled(capacity: 1 << 20, responses)
        store.removeAll(since: HTTPDate(secondsSinceEpoch: 100))
        #expect(present(responses, in: store) == [0, 1, 4])
        #expect(store.usage == 3 * (Self.fixed + 1))
    }

    @Test func aLowerCapacityRemovesNoMoreThanMust() {
        let responses = (0..<4).map { _ in Self.stored(100) }
        let one = Self.fixed + 100
        let store = filled(capacity: 10 * one, responses)
        store.noteUse(of: responses[0], for: Self.key(0))
        store.capacity = 4 * one
        #expect(present(responses, in: store) == [0, 1, 2, 3])
        store.capacity = 4 * one - 1
        #expect(present(responses, in: store) == [0, 2, 3])
        store.capacity = one
        #expect(present(responses, in: store) == [0])
        // As before a request (D18): what is there has room still.
        store.capacity = one
        store.capacity = 10 * one
        #expect(present(responses, in: store) == [0])
        store.capacity = -1
        #expect(store.capacity == 0 && store.usage == 0 && store.count == 0)
    }

    @Test func letsGoOfWhatItRemoves() {
        let store = MemoryStore(capacity: 1 << 20)
        weak let gone: StoredResponse? = {
            let response = Self.stored(100)
            store.insert(response, for: Self.key(0), replacing: nil)
            return response
        }()
        #expect(gone != nil)
        store.removeAll(for: Self.key(0))
        #expect(gone == nil)
    }

    @Test func sharesContentWithThoseWhoReceivedIt() throws {
        let octets = Array(repeating: UInt8(0x61), count: 1000)
        let given = StoredContent(whole: octets)
        let store = MemoryStore(capacity: 1 << 20)
        store.insert(Self.stored(given), for: Self.key(0), replacing: nil)
        let found = try #require(store.responses(for: Self.key(0)).first?.content.extents.first?.octets)
        #expect(address(of: found) == address(of: octets))
    }

    private func address(of octets: [UInt8]) -> UInt {
        octets.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}
