/// Where another client is known to do otherwise, and why: lines of `PATH [KIND...]: REASON`.
struct KnownDifferences {
    /// In what it does so.
    enum Kind: String, CaseIterable {
        /// The fixture fails with it.
        case outcome
        /// What this command does and what the other client does: the requests, the output, the files, the exit code.
        case request, output, files, exit
    }

    /// One line.
    struct Entry {
        /// The fixture; it counts from any folder on.
        var path: String
        var kinds: Set<Kind>
        var reason: String
    }

    let entries: [Entry]

    /// Reads lines; blank ones and those that begin with `#` mean nothing. A line without a kind means `outcome`. Throws
    /// at a line that has no reason or an unknown kind.
    init(_ text: String) throws(UsageError) {
        var entries: [Entry] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let colon = line.firstIndex(of: ":") else {
                throw UsageError("--known: a line has no reason: \(String(line).escapedForTerminal)")
            }
            let reason = line[line.index(after: colon)...].drop(while: { $0 == " " })
            guard !reason.isEmpty else {
                throw UsageError("--known: a line has no reason: \(String(line).escapedForTerminal)")
            }
            let words = line[..<colon].split(separator: " ")
            var kinds: Set<Kind> = []
            for word in words.dropFirst() {
                guard let kind = Kind(rawValue: String(word)) else {
                    throw UsageError(
                        "--known: \"\(String(word).escapedForTerminal)\" is none of "
                            + Kind.allCases.map(\.rawValue).joined(separator: ", "))
                }
                kinds.insert(kind)
            }
            entries.append(
                Entry(
                    path: String(words.first ?? ""), kinds: kinds.isEmpty ? [.outcome] : kinds,
                    reason: String(reason)))
        }
        self.entries = entries
    }

    /// What is known of the fixture `name`.
    func entry(for name: String) -> Entry? {
        entries.first { name == $0.path || name.hasSuffix("/\($0.path)") }
    }

    /// Why the fixture `name` is expected to fail; `nil`: it is not.
    func failureReason(for name: String) -> String? {
        entry(for: name).flatMap { $0.kinds.contains(.outcome) ? $0.reason : nil }
    }
}
