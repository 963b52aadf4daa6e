import Replay
import RawgetTool
import TestSupport
import Testing

@Suite("The fixtures of this repository")
struct CollectionTests {
    @Test("pass, run through the command in this process, a handful at once", arguments: Collection.handfuls)
    func pass(names: [String]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names {
                group.addTask {
                    let result = await result(of: try Collection.fixture(name), limit: .seconds(120))
                    #expect(result.problems.isEmpty, "\(name)\n\(result.text)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("says why it exists, with a section of an RFC or a document's number", arguments: Collection.names)
    func hasReason(name: String) throws {
        let reason = try Collection.fixture(name).reason.joined(separator: " ")
        let citesSection =
            reason.contains("RFC ") && (reason.contains("section") || reason.contains("appendix"))
        let citesDocument = (1...27).contains { reason.contains("(D\($0)") || reason.contains(" D\($0)") }
        let citesOther = reason.contains("RFC 8996") || reason.contains("curl's manual")
        #expect(citesSection || citesDocument || citesOther, "\(name): \(reason)")
    }

    @Test("there are at least a hundred, in areas of their own")
    func areMany() {
        #expect(Collection.names.count >= 100)
        #expect(Set(Collection.names.map { $0.split(separator: "/")[0] }).count >= 10)
    }

    @Test("a fixture is written as the printer would have it read again", arguments: Collection.names)
    func printsAndReadsBack(name: String) throws {
        let fixture = try Collection.fixture(name)
        let again = try FixtureParser.parse(FixturePrinter.text(of: fixture))
        #expect(again.withoutLines == fixture.withoutLines)
    }

    /// `.ci/run` has the whole collection checked by the release build.
    @Test("check comes to the same of every sixth area, several at once in another order")
    func checkAgrees() async throws {
        let areas = Set(Collection.names.map { String($0.prefix { $0 != "/" }) }).sorted()
        let chosen = areas.indices.filter { $0 % 6 == 0 }.map { areas[$0] }
        let names = Collection.names.filter { name in chosen.contains { name.hasPrefix("\($0)/") } }
        let folder = TemporaryFolder()
        let run = await rawget(
            ["check", "--shuffle", "7", "--time-limit", "120", "--as-json"]
                + chosen.map { "\(Collection.folder)/\($0)" }, in: folder)
        #expect(run.exit == 0, "\(run.text)\(run.errors)")
        let lines = run.text.split(separator: "\n")
        #expect(names.count > 50 && lines.count == names.count + 1)
        for name in names {
            #expect(
                lines.contains { $0.contains("/\(name)\"") && $0.contains("\"result\":\"passed\"") },
                "\(name)")
        }
        #expect(lines.last?.contains("\"passed\":\(names.count),\"failed\":0") == true)
    }
}
