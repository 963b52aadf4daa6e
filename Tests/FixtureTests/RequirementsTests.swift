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

    @Test("every section has as many rows as it has requirements, and so have both RFCs")
    func isComplete() {
        var totals: [String: Int] = [:]
        for heading in table.headings {
            let rows = heading.rows.filter { RequirementTable.counted.contains($0.keyword) }
            guard let rfc = heading.key.prefixMatch(of: /RFC 911[02]/)?.0 else { continue }
            #expect(rows.count == heading.count ?? 0, "\(heading.key)")
            totals[String(rfc), default: 0] += rows.count
        }
        // Counted in the text of the RFCs, without their notes on notation; of RFC 9110 sections 4.2, 4.3, 5 to 8, 9.2,
        // 9.3, 10, 11, 12.5 and 13 to 15.
        #expect(totals == ["RFC 9112": 115, "RFC 9110": 300])
    }

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
        for row in table.rows {
            for proof in row.proofs {
                switch proof {
                case .fixture(let name):
                    #expect(fixtures.contains(name[...]), "line \(row.line): no fixture \(name)")
                case .test(let suite, let function):
                    #expect(
                        tests.contains(suite: suite, function: function),
                        "line \(row.line): no test \(suite).\(function)")
                case .notOurs, .pending: break
                }
            }
        }
    }

    @Test("what waits for an option is shown as soon as there is that option")
    func pendingOptionsAreMissing() {
        for row in table.rows {
            for case .pending(let option) in row.proofs {
                let name = String(option.dropFirst(2))
                #expect(OptionTable.option(named: name) == nil, "line \(row.line): \(option) is there")
                let isPromised = LaterOptions.contains(name: name) || name == "cache-policy"
                #expect(isPromised, "line \(row.line): nobody has promised \(option)")
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

    /// A function is of the type that begins in the line before it which is not indented.
    private mutating func add(_ source: String) {
        var suite = ""
        for line in source.split(separator: "\n") {
            if let type = line.prefixMatch(of: /(?:final )?(?:struct|extension|class|enum) ([A-Za-z0-9]+)/) {
                suite = String(type.1)
            } else if let function = line.firstMatch(of: /^\s+(?:@Test(?:\(.*\))? )?func ([A-Za-z0-9]+)[(<]/)
            {
                names.insert("\(suite).\(function.1)")
            }
        }
    }

    /// Whether there is that test.
    func contains(suite: String, function: String) -> Bool { names.contains("\(suite).\(function)") }
}
