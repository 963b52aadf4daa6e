import Replay
import Testing

@testable import RawgetTool

@Suite("Every option of the command")
struct OptionTests {
    /// Spellings that no run with curl can be compared by, each with its reason.
    private static let incomparable: [String: String] = [
        "--as-curl": "it is what makes the command comparable",
        "--help": "each shows its own options",
        "-h": "each shows its own options",
        "--version": "each shows its own version",
        "-V": "each shows its own version",
    ]
    /// Those that curl 7.88 lacks; a fixture of this command alone shows them.
    private static let own: Set<String> = [
        "--cache-policy", "--checksum", "--chunk-size", "--keepalive-cnt", "--no-resume",
        "--no-sync", "--record", "--resume", "--resume-overlap", "--sync",
    ]

    private static func used(where isMeant: (Fixture) -> Bool) throws -> UsedOptions {
        var used = UsedOptions()
        for (_, fixture) in try Comparing.fixtures() where isMeant(fixture) {
            for run in fixture.runs {
                if case .command(let words) = run.action { used.add(words) }
            }
        }
        return used
    }

    @Test("is used in every spelling by a fixture that curl runs as well")
    func areCompared() throws {
        let used = try Self.used { fixture in
            fixture.runs.allSatisfy {
                if case .command(let words) = $0.action {
                    words.dropFirst().first == "--as-curl"
                } else {
                    false
                }
            }
        }
        for option in OptionTable.options {
            for spelling in option.spellings
            where Self.incomparable[spelling] == nil && !Self.own.contains(spelling) {
                #expect(used.spellings.contains(spelling), "no fixture compares \(spelling)")
            }
        }
    }

    @Test("that curl lacks is used by a fixture")
    func areShown() throws {
        let used = try Self.used { _ in true }
        for spelling in Self.own { #expect(used.spellings.contains(spelling), "no fixture uses \(spelling)") }
    }

    @Test("the lists of exceptions name options that are there")
    func exceptionsAreAlive() {
        let all = Set(OptionTable.options.flatMap(\.spellings))
        #expect(Set(Self.incomparable.keys).union(Self.own).subtracting(all).isEmpty)
    }

    @Test("spellings are found in bundles, behind arguments, and nowhere else")
    func findsSpellings() {
        var used = UsedOptions()
        used.add([
            "rawget", "--as-curl", "-sSo", "-k", "-d-v", "--no-fail", "--header", "-i", "-", "http://x/",
        ])
        #expect(used.spellings == ["--as-curl", "-s", "-S", "-o", "-d", "--no-fail", "--header"])
    }
}
