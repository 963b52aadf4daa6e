/// The command line cannot be obeyed.
struct UsageError: Error, Hashable, Sendable {
    /// One sentence for a person, without a full stop, text of the command line made safe for a terminal.
    var message: String
    /// The exit code: 2, or 26 for a file that cannot be read.
    var exit: Int32

    /// The error with this message.
    init(_ message: String, exit: Int32 = 2) {
        self.message = message
        self.exit = exit
    }
}

/// The nearest of some names, for "did you mean".
enum NearestName {
    /// The name that takes the fewest changes of single letters to become `wanted`; `nil` when none is near.
    static func of(_ wanted: String, among names: [String]) -> String? {
        var best: (name: String, distance: Int)?
        for name in names {
            let distance = distance(Array(wanted.utf8), Array(name.utf8))
            if distance < best?.distance ?? .max { best = (name, distance) }
        }
        guard let best, best.distance <= max(1, wanted.utf8.count / 3) else { return nil }
        return best.name
    }

    /// Letters inserted, removed, replaced or swapped with their neighbour.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard !left.isEmpty else { return right.count }
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            row.reserveCapacity(right.count + 1)
            for j in right.indices {
                var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
