/// When each key was invalidated last, by a count: what was asked for before that must not be stored behind it, since it
/// may tell of what was there before (RFC 9111, section 4.4).
struct Invalidations {
    /// How many there were.
    private(set) var count: UInt64 = 0
    /// All keys count as invalidated at this one: there was one of everything, or it is not known any more of which keys
    /// the earlier ones were.
    private var floor: UInt64 = 0
    // By hash, as a key may be long: where two have the same, one more response is not stored. When the newer half is
    // full the older one is given up for the floor.
    private var newer: [Int: UInt64] = [:]
    private var older: [Int: UInt64] = [:]

    /// Keys that are told apart at most; those of a thousand unsafe requests are not all waited for.
    static let mostKeys = 1000

    /// The responses of a key are invalidated.
    mutating func add(_ key: CacheKey) {
        count += 1
        newer[key.hashValue] = count
        guard newer.count >= Invalidations.mostKeys / 2 else { return }
        floor = max(floor, older.values.max() ?? 0)
        older = newer
        newer = [:]
    }

    /// All responses are invalidated.
    mutating func addAll() {
        count += 1
        floor = count
        newer = [:]
        older = [:]
    }

    /// Whether a key was invalidated when there had been `number` already.
    func contains(_ key: CacheKey, after number: UInt64) -> Bool {
        guard number < count else { return false }
        let hash = key.hashValue
        return number < max(floor, newer[hash] ?? 0, older[hash] ?? 0)
    }
}
