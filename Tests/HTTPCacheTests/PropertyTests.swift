import CacheModel
import HTTPCache
import Testing

@Suite("Random sequences, judged by a second model of RFC 9111")
struct PropertyTests {
    /// A store to begin with, and how many steps are made with it.
    struct Kind: Sendable, CustomTestStringConvertible {
        var name: String
        var steps: Int
        var make: @Sendable () -> any CacheStore

        var testDescription: String { name }

        static let all = [
            Kind(name: "keeps all", steps: 8_000) { ArrayStore() },
            Kind(name: "keeps one", steps: 3_000) { ArrayStore(limit: 1) },
            Kind(name: "keeps three", steps: 3_000) { ArrayStore(limit: 3) },
            Kind(name: "has room for two", steps: 3_000) { MemoryStore(capacity: 2_000) },
            Kind(name: "has room for six, and two variants", steps: 3_000) {
                MemoryStore(capacity: 6_000, maximumVariants: 2)
            },
        ]
    }

    /// How often each must happen in the sequences of a store that keeps all; a third of what is usual.
    static let floors: [(Event, Int)] = [
        (.requests, 5_000), (.forwards, 4_000), (.hits, 250), (.freshHits, 180), (.staleHits, 60),
        (.hitsWhileRevalidating, 10), (.hitsByHeuristics, 30), (.hitsByExpires, 10), (.headHits, 20),
        (.partHits, 12), (.partsOfParts, 4), (.unsatisfiedHits, 4), (.notModifiedHits, 6),
        (.hitsOfErrors, 30),
        (.hitsByPolicy, 50), (.hitsOfPosts, 2), (.hitsThroughHeads, 8), (.hitsAfterUpdates, 60),
        (.hitsOfVariants, 70), (.hitsWithNames, 15), (.notStored, 25), (.generated504, 6),
        (.onlyIfCached504, 50), (.validations, 500), (.validationsOfMany, 150), (.notModified, 250),
        (.revalidated, 180), (.staleOnFailure, 25), (.completions, 3), (.combinedHits, 4), (.sendAgain, 20),
        (.stored, 700), (.storedParts, 35), (.storedCut, 15), (.invalidations, 130),
        (.backgroundValidations, 10),
    ]

    @Test("No answer is one that RFC 9111 forbids, whatever the store forgets", arguments: Kind.all)
    func neverForbidden(kind: Kind) {
        let outcome = Campaign(kind.make).run(seed: 1, steps: kind.steps)
        #expect(outcome.findings.isEmpty, "\(outcome.findings[0])")
        #expect(outcome.coverage[.hits] > kind.steps / 40)
        guard kind.name == "keeps all" else { return }
        for (event, floor) in PropertyTests.floors {
            #expect(outcome.coverage[event] >= floor, "\(event): \(outcome.coverage[event])")
        }
        // What is fresh, fits and is stored is hardly ever asked for again.
        #expect(outcome.coverage[.needlessForwards] * 50 < outcome.coverage[.hits])
    }

    @Test func sameSeedGivesTheSameSequences() {
        let campaign = Campaign { ArrayStore() }
        let outcomes = [0, 1].map { _ in campaign.run(seed: 3, steps: 400).coverage.description }
        #expect(outcomes[0] == outcomes[1])
    }
}
