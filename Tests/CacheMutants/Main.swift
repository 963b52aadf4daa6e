import CacheModel
import Glibc
import HTTPCache

// Runs the model of RFC 9111 on the cache with one fault in it, or with none:
//
//     CacheMutants NUMBER STEPS
//
// The result is 0 where the model complained, 1 where it did not. For the number 0 it is the other way round.

@main
struct Main {
    /// Steps between which the kind of store changes.
    private static let share = 4_000

    static func main() {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard numbers.count == 2 else { return exit(2, "usage: CacheMutants NUMBER STEPS") }
        activeMutant = numbers[0]
        var steps = 0
        var seed: UInt64 = 9111
        while steps < numbers[1] {
            // A store that forgets makes faults visible that replacing hides, and the other way round.
            let limit = seed % 4 == 0 ? 2 : Int.max
            let outcome = Campaign { ArrayStore(limit: limit) }.run(seed: seed, steps: share)
            if let finding = outcome.findings.first {
                let isMutant = activeMutant != 0
                let text = isMutant ? finding.complaint : finding.description
                return exit(isMutant ? 0 : 1, "after \(steps + outcome.steps) steps: \(text)")
            }
            steps += outcome.steps
            seed += 1
        }
        exit(activeMutant == 0 ? 0 : 1, "no complaint in \(steps) steps")
    }

    private static func exit(_ status: Int32, _ text: String) {
        print(text)
        Glibc.exit(status)
    }
}
