public import HTTPMessage

/// Stored responses in memory, up to a number of octets; what was used longest ago goes first.
///
/// Looking up, storing, using and removing one take the same time however many are stored. Content is shared with those
/// who received it, never copied.
public final class MemoryStore: CacheStore {
    /// The part of its capacity that Apple's URLCache lets one object have.
    public static let urlCacheFraction = 0.05

    /// Octets that all objects may have together, their fields and keys counted. Lowering it removes no more than what
    /// does not fit any longer.
    public var capacity: Int {
        didSet {
            capacity = max(0, capacity)
            makeRoom(for: 0)
        }
    }

    /// The part of the capacity that one object may have, from 0 to 1. It is asked when something is stored: what is
    /// larger and there already stays.
    public var maximumObjectFraction: Double

    /// Responses that are stored under one key; with more the one used longest ago goes. Without such a limit each new
    /// value of a field in Vary would make every look-up of the key longer.
    public let maximumVariants: Int

    /// Octets in use, content, fields and keys together; never more than `capacity`.
    public private(set) var usage = 0

    private struct Entry {
        let key: CacheKey
        let response: StoredResponse
        let size: Int
    }

    private var entries = RecencyList<Entry>()
    /// What is stored under a key, beside its number in `entries`: a look-up touches no more memory than it must.
    private var variants: [CacheKey: [Variant]] = [:]

    private struct Variant {
        let response: StoredResponse
        let number: Int
    }

    /// An empty store. By default one object may have all of the capacity, and a key 32 responses.
    public init(capacity: Int, maximumObjectFraction: Double = 1, maximumVariants: Int = 32) {
        self.capacity = max(0, capacity)
        self.maximumObjectFraction = maximumObjectFraction
        self.maximumVariants = max(1, maximumVariants)
    }

    /// Stored responses.
    public var count: Int { entries.count }

    /// `maximumObjectFraction` of `capacity`.
    public var maximumObjectSize: Int {
        if maximumObjectFraction >= 1 { return capacity }
        // Below 1, so the product is below 2^63; what is no number is above nothing.
        return maximumObjectFraction > 0 ? Int(Double(capacity) * maximumObjectFraction) : 0
    }

    /// All that is stored under a key, in the order in which it was stored.
    public func responses(for key: CacheKey) -> [StoredResponse] {
        variants[key]?.map(\.response) ?? []
    }

    /// The response is the last to go; nothing happens when it is not here any more.
    public func noteUse(of response: StoredResponse, for key: CacheKey) {
        if let number = number(of: response, for: key) { entries.noteUse(of: number) }
    }

    /// Stores a response, in the place of `old` where that is given, and removes what was used longest ago until it fits.
    /// False where it is larger than one object may be; then nothing but `old` is removed.
    @discardableResult
    public func insert(
        _ response: StoredResponse, for key: CacheKey, replacing old: StoredResponse?
    ) -> Bool {
        if let old { remove(old, for: key) }
        remove(response, for: key)
        let (size, overflows) = response.size.addingReportingOverflow(key.size)
        guard !overflows, size <= maximumObjectSize else { return false }
        if let others = variants[key], others.count >= maximumVariants,
            let last = others.min(by: { entries.lastUse(of: $0.number) < entries.lastUse(of: $1.number) })
        {
            remove(last.number)
        }
        makeRoom(for: size)
        let number = entries.insert(Entry(key: key, response: response, size: size))
        variants[key, default: []].append(Variant(response: response, number: number))
        usage += size
        return true
    }

    /// Removes one.
    public func remove(_ response: StoredResponse, for key: CacheKey) {
        if let number = number(of: response, for: key) { remove(number) }
    }

    /// Removes all under a key.
    public func removeAll(for key: CacheKey) {
        for variant in variants[key] ?? [] { remove(variant.number) }
    }

    /// Removes all that came, or was last validated, at or after a date. Looks at each.
    public func removeAll(since date: HTTPDate) {
        for variant in variants.values.joined() where variant.response.responseTime.date >= date {
            remove(variant.number)
        }
    }

    /// Removes all.
    public func removeAll() {
        entries = RecencyList()
        variants = [:]
        usage = 0
    }

    private func number(of response: StoredResponse, for key: CacheKey) -> Int? {
        variants[key]?.first { $0.response === response }?.number
    }

    /// Removes what was used longest ago until `size` octets more, which are no more than the capacity, fit.
    private func makeRoom(for size: Int) {
        while usage > capacity - size, let last = entries.leastRecent { remove(last) }
    }

    private func remove(_ number: Int) {
        guard let entry = entries[number] else { return }
        entries.remove(number)
        usage -= entry.size
        // An empty list of a key would stay for good.
        if variants[entry.key]?.count == 1 {
            variants[entry.key] = nil
        } else {
            variants[entry.key]?.removeAll { $0.number == number }
        }
    }
}
