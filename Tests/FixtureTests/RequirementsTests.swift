import Replay
import System
import Testing

@testable import RawgetTool

@Suite("The table of requirements")
struct RequirementsTests {
    private static let table: RequirementTable = {
        let path = "\(Collection.folder)/requirements.txt"
        guard let file = try? File.open(path, in: File.workingDirectory, flags: 0),
            let octets = try? File.contents(of: file.rawValue, limit: 1 << 20)
        else { return RequirementTable("") }
        return RequirementTable(String(decoding: octets, as: UTF8.self))
    }()
    private var table: RequirementTable { RequirementsTests.table }

    @Test("every row says whom it binds, what it asks for and what shows it")
    func isWhole() {
        #expect(table.faults.isEmpty, "\(table.faults.joined(separator: "\n"))")
        #expect(table.headings.allSatisfy { !$0.rows.isEmpty })
    }

    @Test(
        "has a row for each requirement of each section",
        arguments: [
            (
                "RFC 9112", counts9112,
                ["MUST": 64, "MUST NOT": 21, "RECOMMENDED": 1, "SHOULD": 24, "SHOULD NOT": 5]
            ),
            ("RFC 9110", counts9110, ["MUST": 115, "MUST NOT": 69, "SHOULD": 85, "SHOULD NOT": 31]),
            ("RFC 9111", counts9111, ["MUST": 26, "MUST NOT": 38, "SHOULD": 16, "SHOULD NOT": 2]),
        ])
    func isComplete(rfc: String, counts: String, keywords: [String: Int]) {
        let headings = table.headings.filter { $0.key.hasPrefix("\(rfc), section ") }
        var told: [Substring] = []
        var found: [String: Int] = [:]
        for heading in headings {
            let rows = heading.rows.filter { RequirementTable.counted.contains($0.keyword) }
            #expect(rows.count == heading.count ?? 0, "\(heading.key)")
            if rows.count > 0 {
                told.append("\(heading.key.dropFirst("\(rfc), section ".count)):\(rows.count)")
            }
            for row in rows { found[row.keyword, default: 0] += 1 }
        }
        #expect(told == counts.split(whereSeparator: \.isWhitespace))
        #expect(found == keywords)
    }

    /// Keywords in each section, counted in the text of the RFC, without its notes on notation.
    private static let counts9112 = """
        2.2:9 2.3:2 3:3 3.2:6 3.2.1:2 3.2.2:6 3.2.3:1 3.2.4:2 4:2 5.1:2 5.2:4 6.1:11 6.2:1 6.3:13 7.1:3
        7.1.1:1 7.1.2:2 7.2:1 7.3:4 7.4:2 8:1 9.2:4 9.3:6 9.3.2:5 9.5:5 9.6:10 9.7:1 9.8:5 10.1:1
        """
    /// The same of sections 4.2, 4.3, 5 to 8, 9.2, 9.3, 10, 11, 12.5 and 13 to 15.
    private static let counts9110 = """
        4.2.1:2 4.2.2:3 4.2.3:1 4.2.4:2 4.3.4:8 5.1:2 5.3:2 5.4:1 5.5:4 5.6.1.1:1 5.6.1.2:2 5.6.3:5
        5.6.4:3 5.6.7:4 6:1 6.2:5 6.5.1:3 6.5.2:1 6.6.1:4 6.6.2:1 7.1:1 7.2:2 7.4:2 7.5:1 7.6:2 7.6.1:4
        7.6.2:4 7.6.3:6 7.7:4 7.8:9 8.3:1 8.3.3:1 8.4:2 8.4.1.1:1 8.4.1.3:1 8.6:10 8.7:2 8.8.1:1
        8.8.2.1:5 8.8.3:1 8.8.3.1:1 9.2.1:2 9.2.2:3 9.3.1:2 9.3.2:4 9.3.3:1 9.3.4:8 9.3.5:3 9.3.6:6
        9.3.7:3 9.3.8:4 10.1.1:10 10.1.2:3 10.1.3:5 10.1.4:1 10.1.5:6 10.2.1:2 10.2.2:1 10.2.4:2 11.2:1
        11.4:2 11.5:1 11.6.1:2 11.6.2:1 11.7.1:1 12.5.1:2 12.5.3:2 12.5.4:1 12.5.5:3 13.1.1:3 13.1.2:5
        13.1.3:7 13.1.4:6 13.1.5:8 13.2.1:5 13.2.2:1 14.1.2:1 14.2:6 14.3:1 14.4:6 14.5:1 15:2 15.2:3
        15.2.2:1 15.3.1:1 15.3.6:1 15.3.7:4 15.3.7.1:1 15.3.7.2:8 15.3.7.3:3 15.4:2 15.4.1:2 15.4.2:1
        15.4.3:1 15.4.5:3 15.4.8:2 15.4.9:1 15.5:2 15.5.2:2 15.5.4:1 15.5.6:1 15.5.7:1 15.5.8:1
        15.5.10:1 15.5.14:1 15.5.17:1 15.5.20:1 15.5.22:1 15.6:2 15.6.6:1
        """
    /// The same of sections 1.2.2 and 3 to 5.
    private static let counts9111 = """
        1.2.2:1 3:1 3.1:3 3.2:2 3.3:3 3.4:1 3.5:1 4:5 4.1:2 4.2:4 4.2.2:1 4.2.3:1 4.2.4:2 4.3.1:2 4.3.2:5
        4.3.3:1 4.3.4:2 4.3.5:4 4.4:2 5.1:2 5.2:1 5.2.1.1:1 5.2.1.2:1 5.2.1.3:1 5.2.1.5:4 5.2.1.7:1
        5.2.2:1 5.2.2.1:1 5.2.2.2:4 5.2.2.3:2 5.2.2.4:2 5.2.2.5:5 5.2.2.6:1 5.2.2.7:3 5.2.2.8:1
        5.2.2.10:2 5.2.3:1 5.2.4:1 5.3:4
        """

    @Test("what must not be done is said without another negation")
    func negatesOnce() {
        let negation = /(?:no|nor|not|never|does not|[a-z]+s (?:no|nothing|none))\s.*/
        let twice = table.rows.filter {
            $0.keyword.hasSuffix("NOT") && $0.words.wholeMatch(of: negation) != nil
        }
        #expect(twice.map(\.line) == [])
    }

    @Test("every fixture and every test that is named exists")
    func namesAreAlive() throws {
        let fixtures = Set(Collection.names.map { $0.dropLast(".wire".count) })
        let tests = try TestNames(below: "\(Collection.root)/Tests")
        var dead: [String] = []
        for row in table.rows {
            for proof in row.proofs {
                switch proof {
                case .fixture(let name):
                    if !fixtures.contains(name[...]) { dead.append("\(row.line): fixture \(name)") }
                case .test(let suite, let function):
                    if !tests.contains(suite: suite, function: function) {
                        dead.append("\(row.line): test \(suite).\(function)")
                    }
                case .notOurs, .pending: break
                }
            }
        }
        #expect(dead == [])
    }

    @Test("what waits for an option is shown as soon as there is that option")
    func pendingOptionsAreMissing() {
        for row in table.rows {
            for case .pending(let option) in row.proofs {
                let name = String(option.dropFirst(2))
                #expect(OptionTable.option(named: name) == nil, "line \(row.line): \(option) is there")
                #expect(LaterOptions.contains(name: name), "line \(row.line): nobody has promised \(option)")
            }
        }
    }

    @Test("every fixture is named by a row")
    func namesAllFixtures() {
        let named = Set(table.rows.flatMap(\.proofs))
        let missing = Collection.names.filter {
            !named.contains(.fixture(String($0.dropLast(".wire".count))))
        }
        #expect(missing.isEmpty)
    }

    @Test("every section that a fixture's reason names is in it", arguments: Collection.names)
    func hasAllSections(name: String) throws {
        let keys = Set(table.headings.map(\.key))
        let sections = try Collection.fixture(name).sections
        #expect(!sections.isEmpty, "\(name) names no section")
        #expect(sections.subtracting(keys).isEmpty, "\(name)")
    }

    @Test("sections are found in reasons however they are listed")
    func findsSections() throws {
        let text = """
            # One (RFC 9110, sections 4.2.3, 5 and 14.1.2; RFC 3986, appendix B), two (D20, RFC 8996), three: see curl's
            # manual.
            $ rawget --version
            = exit 0

            """
        #expect(
            try FixtureParser.parse(Array(text.utf8)).sections == [
                "RFC 9110, section 4.2.3", "RFC 9110, section 5", "RFC 9110, section 14.1.2",
                "RFC 3986, appendix B", "D20", "RFC 8996", "curl's manual",
            ])
    }

    @Test(
        "what is no row, no heading or no proof is told",
        arguments: [
            "MUST | client | early | a/b", "RFC 9112\n", "D1: One\nMUST | client | | a/b",
            "D1: One\nWILL | client | do | a/b", "D1: One\nMUST | client | do | a", "D1: One\nD1: Again",
            "D1: One\nMUST | client | do | not ours: ", "D1: One\nMUST | client | do | a/b, pending: --later",
            "D1: One\nMUST | client | do | test Suite",
            "D1: One\nMUST | client | do | not ours: none",
            "D1: One\nMUST | client | do | a/b\nMUST | client | do | a/c",
        ])
    func tellsFaults(text: String) {
        #expect(!RequirementTable(text).faults.isEmpty)
    }
}

/// The tests of this package, found in their sources.
private struct TestNames {
    /// `SUITE.FUNCTION` each.
    private var names: Set<String> = []

    init(below folder: String) throws {
        for target in entries(in: folder) where target.hasSuffix("Tests") {
            for name in entries(in: "\(folder)/\(target)") where name.hasSuffix(".swift") {
                let path = "\(folder)/\(target)/\(name)"
                let file = try File.open(path, in: File.workingDirectory, flags: 0)
                let octets = try File.contents(of: file.rawValue, limit: 1 << 20)
                add(String(decoding: octets, as: UTF8.self))
            }
        }
    }

    /// A test is a function behind `@Test`. It is of the type or extension that begins in the line before it which is not
    /// indented, and of the type in that, if there is one.
    private mutating func add(_ source: String) {
        var suites: [Substring] = []
        var isTest = false
        for line in source.split(separator: "\n") {
            if let type = line.prefixMatch(
                of: /(\s*)(?:final )?(?:struct|extension|class|enum) ([A-Za-z0-9]+)/)
            {
                suites = type.1.isEmpty ? [type.2] : Array(suites.prefix(1)) + [type.2]
            }
            if line.contains("@Test") { isTest = true }
            if line.contains(".disabled(") { isTest = false }
            guard isTest, let function = line.firstMatch(of: /\bfunc ([A-Za-z0-9]+)[(<]/) else { continue }
            for suite in suites { names.insert("\(suite).\(function.1)") }
            isTest = false
        }
    }

    /// Whether there is that test.
    func contains(suite: String, function: String) -> Bool { names.contains("\(suite).\(function)") }
}
