import Replay

/// What `Fixtures/requirements.txt` says: which requirement is shown by what.
struct RequirementTable {
    /// A section of a document and the requirements in it.
    struct Heading {
        /// The section, as reasons of fixtures name it: `RFC 9112, section 2.2`, `D20`, `curl's manual`.
        var key: String
        /// How many requirements the section holds; `nil` where that is not counted.
        var count: Int?
        /// Its rows.
        var rows: [Row] = []
    }

    /// A requirement.
    struct Row {
        /// Where it stands.
        var line: Int
        /// The keyword of RFC 2119, or OPEN.
        var keyword: String
        /// Whom it binds.
        var whom: String
        /// What is asked for.
        var words: String
        /// What shows that it is met, or why nothing does.
        var proofs: [Proof]
    }

    /// What stands in the last column.
    enum Proof: Hashable {
        /// A fixture, by area and name.
        case fixture(String)
        /// A test, by its suite and its function.
        case test(suite: String, function: String)
        /// Why it does not bind this client.
        case notOurs(String)
        /// The option, with its hyphens, that is missing yet.
        case pending(String)
    }

    /// The headings in order.
    private(set) var headings: [Heading] = []
    /// What is no table, line by line.
    private(set) var faults: [String] = []

    /// All rows.
    var rows: [Row] { headings.flatMap(\.rows) }

    /// Reads the table.
    init(_ text: String) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.contains("|") {
                add(line, at: index + 1)
            } else {
                begin(line, at: index + 1)
            }
        }
    }

    /// What a heading's keyword may be: those that count, and those that do not.
    static let counted: Set = ["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "RECOMMENDED"]
    private static let uncounted: Set = ["MAY", "OPEN"]

    private mutating func begin(_ line: Substring, at number: Int) {
        guard let match = line.wholeMatch(of: /(.+?): (.+?)(?:, ([0-9]+))?/) else {
            faults.append("\(number): a heading without a title")
            return
        }
        let key = String(match.1)
        if headings.contains(where: { $0.key == key }) { faults.append("\(number): \(key) comes twice") }
        headings.append(Heading(key: key, count: match.3.flatMap { Int($0) }))
    }

    private mutating func add(_ line: Substring, at number: Int) {
        let columns = line.split(separator: "|", omittingEmptySubsequences: false).map {
            String($0.drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed())
        }
        guard !headings.isEmpty, columns.count == 4, !columns.contains("") else {
            faults.append("\(number): a row needs a heading and four columns that say something")
            return
        }
        guard RequirementTable.counted.union(RequirementTable.uncounted).contains(columns[0]) else {
            faults.append("\(number): \(columns[0]) is no keyword")
            return
        }
        let isThere = headings[headings.count - 1].rows.contains {
            [$0.keyword, $0.whom, $0.words] == columns.dropLast()
        }
        if isThere { faults.append("\(number): the row comes twice") }
        let proofs = RequirementTable.proofs(columns[3])
        if proofs.isEmpty {
            faults.append("\(number): \(columns[3]) is neither a fixture nor a test nor a reason")
        }
        headings[headings.count - 1].rows.append(
            Row(line: number, keyword: columns[0], whom: columns[1], words: columns[2], proofs: proofs))
    }

    /// What a last column says; empty when it cannot be understood.
    private static func proofs(_ text: String) -> [Proof] {
        if let reason = text.wholeMatch(of: /not ours: ([a-z].* .+)/) { return [.notOurs(String(reason.1))] }
        if let option = text.wholeMatch(of: /pending: (--[a-z0-9-]+)/) { return [.pending(String(option.1))] }
        var proofs: [Proof] = []
        for name in text.split(separator: ", ") {
            if let test = name.wholeMatch(of: /test ([A-Za-z0-9]+)\.([A-Za-z0-9]+)/) {
                proofs.append(.test(suite: String(test.1), function: String(test.2)))
            } else if name.wholeMatch(of: /[a-z0-9-]+\/[a-z0-9.-]+/) != nil {
                proofs.append(.fixture(String(name)))
            } else {
                return []
            }
        }
        return proofs
    }
}

extension Fixture {
    /// The sections that its reason names, as headings of the table are spelled.
    var sections: Set<String> {
        let reason = reason.joined(separator: " ")
        var sections: Set<String> = []
        let citation =
            /(RFC [0-9]+)(?:, (section|appendix|appendices)s? ([0-9A-Z.]+(?:(?:,? and |, )[0-9A-Z.]+)*))?/
        for match in reason.matches(of: citation) {
            guard let kind = match.2, let numbers = match.3 else {
                sections.insert(String(match.1))
                continue
            }
            for number in numbers.matches(of: /[0-9A-Z]+(?:\.[0-9]+)*/) {
                sections.insert("\(match.1), \(kind.hasPrefix("a") ? "appendix" : kind) \(number.0)")
            }
        }
        for match in reason.matches(of: /\b(D[0-9]+)\b/) { sections.insert(String(match.1)) }
        if reason.contains("curl's manual") { sections.insert("curl's manual") }
        return sections
    }
}
