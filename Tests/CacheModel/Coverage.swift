/// What has happened in random sequences: a test that never saw a hit proves nothing.
package enum Event: String, CaseIterable, Sendable {
    case requests, forwards, hits, freshHits, staleHits, hitsWhileRevalidating, hitsByHeuristics,
        hitsByExpires
    case headHits, partHits, partsOfParts, unsatisfiedHits, notModifiedHits, hitsOfErrors, hitsByPolicy
    case hitsOfPosts, hitsThroughHeads, hitsAfterUpdates, hitsOfVariants, hitsWithNames, immutableReloads
    case hitsAfterForeignInvalidation, hugeAges, notStored, generated504, onlyIfCached504
    case validations, validationsOfMany, notModified, revalidated, staleIfError, staleOnFailure
    case completions, combinedHits, sendAgain, stored, storedParts, storedCut, invalidations,
        backgroundValidations
    case needlessForwards
}

/// How often each happened.
package struct Coverage: Sendable {
    private var counts: [Event: Int] = [:]

    package init() {}

    package subscript(event: Event) -> Int {
        get { counts[event, default: 0] }
        set { counts[event] = newValue }
    }

    mutating func add(_ other: Coverage) {
        for event in Event.allCases { self[event] += other[event] }
    }
}

extension Coverage: CustomStringConvertible {
    package var description: String {
        Event.allCases.map { "\($0.rawValue) \(self[$0])" }.joined(separator: ", ")
    }
}
