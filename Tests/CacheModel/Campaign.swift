package import HTTPCache

/// Many random sequences, one after the other, until so many steps are made or one is found that shows a forbidden answer.
package struct Campaign {
    /// A sequence that shows a fault, as short as it could be made.
    package struct Finding: CustomStringConvertible {
        /// The seed of the sequence.
        package var seed: UInt64
        package var complaint: String
        package var transcript: [String]

        package var description: String {
            "sequence \(seed): \(complaint)\n" + transcript.map { "    \($0)\n" }.joined()
        }
    }

    /// What a campaign has seen.
    package struct Outcome {
        package var steps = 0
        package var coverage = Coverage()
        package var findings: [Finding] = []
    }

    /// Steps of one sequence.
    package static let length = 40

    private let makeStore: () -> any CacheStore

    /// Sequences that each begin with a store of their own.
    package init(_ makeStore: @escaping () -> any CacheStore) { self.makeStore = makeStore }

    /// Runs the sequences that follow from `seed`. Stops at the first finding, or goes on to `most` different ones.
    package func run(seed: UInt64, steps: Int, most: Int = 1) -> Outcome {
        var outcome = Outcome()
        var seeds = SplitMix64(seed: seed)
        while outcome.steps < steps {
            let seed = seeds.next()
            let walk = self.walk(seed, Campaign.steps(of: seed), isTold: false)
            outcome.steps += Campaign.length
            outcome.coverage.add(walk.coverage)
            guard let complaint = walk.complaint else { continue }
            let kind = Campaign.kind(complaint)
            guard !outcome.findings.contains(where: { Campaign.kind($0.complaint) == kind }) else { continue }
            outcome.findings.append(shrink(seed, kind))
            if outcome.findings.count >= most { break }
        }
        return outcome
    }

    /// Runs one sequence again and tells it.
    package func finding(of seed: UInt64) -> Finding? {
        walk(seed, Campaign.steps(of: seed), isTold: false).complaint.map { shrink(seed, Campaign.kind($0)) }
    }

    private static func steps(of seed: UInt64) -> [UInt64] {
        var random = SplitMix64(seed: ~seed)
        return (0..<length).map { _ in random.next() }
    }

    private func walk(_ seed: UInt64, _ steps: [UInt64], isTold: Bool) -> Walk {
        let walk = Walk(seed: seed, store: makeStore(), isTold: isTold)
        for step in steps {
            walk.step(step)
            if walk.complaint != nil { break }
        }
        return walk
    }

    /// The rule that is broken, without the numbers of the case.
    private static func kind(_ complaint: String) -> String {
        var kind = complaint.filter { !$0.isNumber }
        if let section = complaint.lastIndex(of: "(") {
            kind = String(kind.prefix(12)) + complaint[section...]
        }
        return kind
    }

    /// Leaves out steps, as long as the same rule is broken.
    private func shrink(_ seed: UInt64, _ kind: String) -> Finding {
        var steps = Campaign.steps(of: seed)
        func isFound(_ steps: [UInt64]) -> Bool {
            self.walk(seed, steps, isTold: false).complaint.map { Campaign.kind($0) == kind } ?? false
        }
        var size = steps.count / 2
        while size > 0 {
            var start = 0
            while start < steps.count {
                var fewer = steps
                fewer.removeSubrange(start..<min(start + size, steps.count))
                if isFound(fewer) { steps = fewer } else { start += size }
            }
            size /= 2
        }
        let walk = self.walk(seed, steps, isTold: true)
        return Finding(seed: seed, complaint: walk.complaint ?? "", transcript: walk.transcript)
    }
}
