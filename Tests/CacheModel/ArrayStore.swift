package import HTTPCache
package import HTTPMessage

/// The plainest store: a list for each key. With a limit it forgets the oldest of all, so that evictions happen at the
/// least likely moments.
package final class ArrayStore: CacheStore {
    private var kept: [(key: CacheKey, response: StoredResponse)] = []
    private let limit: Int

    /// Room for so many responses.
    package init(limit: Int = .max) { self.limit = limit }

    package func responses(for key: CacheKey) -> [StoredResponse] {
        kept.filter { $0.key == key }.map(\.response)
    }

    package func noteUse(of response: StoredResponse, for key: CacheKey) {}

    @discardableResult
    package func insert(_ response: StoredResponse, for key: CacheKey, replacing old: StoredResponse?) -> Bool
    {
        let place = kept.firstIndex { $0.response === old }
        guard limit > 0 else {
            if let place { kept.remove(at: place) }
            return false
        }
        if let place {
            kept[place] = (key, response)
        } else {
            kept.append((key, response))
        }
        while kept.count > limit { kept.removeFirst() }
        return kept.contains { $0.response === response }
    }

    package func remove(_ response: StoredResponse, for key: CacheKey) {
        kept.removeAll { $0.key == key && $0.response === response }
    }

    package func removeAll(for key: CacheKey) { kept.removeAll { $0.key == key } }

    package func removeAll(since date: HTTPDate) {
        kept.removeAll { $0.response.responseTime.date >= date }
    }

    package func removeAll() { kept = [] }

    package var maximumObjectSize: Int { .max }

    package var usage: Int { kept.reduce(0) { $0 + $1.response.size } }
}
