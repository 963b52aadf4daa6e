import HTTPMessage
import Testing

@testable import HTTPCache

@Suite("Stored responses in memory, by chance and by the thousands")
struct MemoryStoreModelTests {
    /// The same store as an array, in the order of use; all that it does, it does by looking at each.
    private struct Model {
        var rows: [(key: Int, response: StoredResponse, size: Int, stored: Int)] = []
        var capacity: Int
        var fraction = 1.0
        let variants: Int
        var count = 0

        var usage: Int { rows.reduce(0) { $0 + $1.size } }

        func responses(_ key: Int) -> [StoredResponse] {
            rows.filter { $0.key == key }.sorted { $0.stored < $1.stored }.map(\.response)
        }

        mutating func use(_ response: StoredResponse) {
            guard let index = rows.firstIndex(where: { $0.response === response }) else { return }
            rows.append(rows.remove(at: index))
        }

        mutating func shrink() { while usage > capacity { rows.removeFirst() } }

        mutating func insert(_ response: StoredResponse, _ key: Int, _ old: StoredResponse?) -> Bool {
            rows.removeAll { $0.response === old || $0.response === response }
            let size = response.size + MemoryStoreTests.key(key).size
            guard Double(size) <= Double(capacity) * min(fraction, 1) else { return false }
            if rows.filter({ $0.key == key }).count == variants,
                let index = rows.firstIndex(where: { $0.key == key })
            {
                rows.remove(at: index)
            }
            count += 1
            rows.append((key, response, size, count))
            shrink()
            return true
        }
    }

    /// SplitMix64: the same numbers each time.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    @Test("do as an array would", arguments: 1...20 as ClosedRange<UInt64>)
    func agrees(seed: UInt64) {
        var random = Generator(state: seed)
        var model = Model(capacity: 20_000, variants: 3)
        let store = MemoryStore(capacity: 20_000, maximumVariants: 3)
        for step in 0..<1_000 {
            let key = Int.random(in: 0..<12, using: &random)
            let one = model.rows.randomElement(using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<55:
                let length = Int.random(in: 0..<(step % 50 == 0 ? 25_000 : 3_000), using: &random)
                let response = MemoryStoreTests.stored(length, at: Int64(step))
                let old =
                    Bool.random(using: &random) ? model.responses(key).randomElement(using: &random) : nil
                let isStored = model.insert(response, key, old)
                #expect(store.insert(response, for: MemoryStoreTests.key(key), replacing: old) == isStored)
            case 55..<85:
                guard let one else { continue }
                model.use(one.response)
                store.noteUse(of: one.response, for: MemoryStoreTests.key(one.key))
            case 85..<91:
                guard let one else { continue }
                model.rows.removeAll { $0.response === one.response }
                store.remove(one.response, for: MemoryStoreTests.key(one.key))
            case 91..<94:
                model.rows.removeAll { $0.key == key }
                store.removeAll(for: MemoryStoreTests.key(key))
            case 94..<95:
                let date = HTTPDate(secondsSinceEpoch: Int64(step - 20))
                model.rows.removeAll { $0.response.responseTime.date >= date }
                store.removeAll(since: date)
            case 95..<98:
                model.capacity = Int.random(in: 0..<30_000, using: &random)
                model.shrink()
                store.capacity = model.capacity
            default:
                model.fraction = Double.random(in: 0.05..<1.5, using: &random)
                store.maximumObjectFraction = model.fraction
            }
            #expect(store.usage == model.usage)
            #expect(store.usage <= store.capacity)
            #expect(store.count == model.rows.count)
            for key in 0..<12 {
                let found = store.responses(for: MemoryStoreTests.key(key))
                #expect(found.map(ObjectIdentifier.init) == model.responses(key).map(ObjectIdentifier.init))
            }
        }
    }

    @Test func takeNoLongerHoweverManyThereAre() {
        let keys = (0..<100_000 + 2_000).map(MemoryStoreTests.key)
        let responses = (0..<keys.count).map { _ in MemoryStoreTests.stored(0) }
        // The median of five, since others use the machine, too.
        let few = (0..<5).map { _ in time(of: 1_000, keys, responses) }.sorted()[2]
        let many = (0..<5).map { _ in time(of: 100_000, keys, responses) }.sorted()[2]
        #expect(many < few * 3, "\(many) with 100,000 stored, \(few) with 1,000")
    }

    /// How long 2,000 rounds take of storing one, which removes another, looking one up, and using it, where so many
    /// are stored.
    private func time(of count: Int, _ keys: [CacheKey], _ responses: [StoredResponse]) -> Duration {
        let size = responses[0].size + keys[0].size
        let store = MemoryStore(capacity: count * size)
        for index in 0..<count { store.insert(responses[index], for: keys[index], replacing: nil) }
        let time = ContinuousClock().measure {
            for index in 0..<2_000 {
                store.insert(responses[count + index], for: keys[count + index], replacing: nil)
                // One from the middle of those that are there.
                let middle = count / 2 + index % (count / 4)
                for response in store.responses(for: keys[middle]) {
                    store.noteUse(of: response, for: keys[middle])
                }
            }
        }
        #expect(store.count == count && store.usage == store.capacity)
        return time
    }
}
