import HTTPClient
import NetworkProbes
import Replay
import System
import TestSupport

@testable import RawgetTool

/// What the clients did with one fixture.
struct Comparison: Sendable {
    /// The fixture.
    var name: String
    /// How many commands both of them ran.
    var commands = 0
    /// In what they did not do the same, by kind.
    var kinds: Set<KnownDifferences.Kind> = []
    /// For people.
    var text = ""

    /// Compares what the commands of both did, one by one.
    mutating func add(_ ours: [FixtureObservation], _ theirs: [FixtureObservation], keepsOrder: Bool) {
        // A command that only one of them came to is compared with none, which is no agreement.
        if ours.count != theirs.count {
            kinds.insert(.outcome)
            text += "\nrawget ran \(ours.count) commands, curl \(theirs.count)"
        }
        for (left, right) in zip(ours, theirs) {
            commands += 1
            let differences = Behaviour(left, keepsOrder: keepsOrder)
                .differences(from: Behaviour(right, keepsOrder: keepsOrder))
            kinds.formUnion(differences.map(\.kind))
            guard !differences.isEmpty else { continue }
            text += "\n\(left.arguments.joined(separator: " "))"
            text += differences.map { "\n\($0)" }.joined()
        }
    }
}

/// Runs the fixtures that curl can run, by both clients.
enum Comparing {
    /// Where they lie.
    static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/Fixtures"
    /// Where programs are looked for.
    private static let programs = "/usr/local/bin:/usr/bin:/bin"
    private static let limit = Duration.seconds(10)
    private static let jobs = 8

    /// Whether there is a curl.
    static let hasCurl: Bool = {
        let folder = TemporaryFolder()
        let path = folder.path
        return (try? FixtureClient("curl", invocation(path))) != nil
    }()

    private static func invocation(_ temporary: String) -> Invocation {
        var invocation = Invocation(
            arguments: [], directory: -1, standardInput: -1, standardOutput: -1, standardError: -1)
        invocation.environment = { $0 == "TMPDIR" ? temporary : $0 == "PATH" ? programs : nil }
        return invocation
    }

    /// All fixtures with their paths below the folder.
    static func fixtures() throws -> [(name: String, fixture: Fixture)] {
        try FixtureFiles(folder: File.workingDirectory).entries([folder]).map { entry in
            (String(entry.name.dropFirst(folder.count + 1)), try entry.content.get())
        }
    }

    /// Compares all that curl can run, several at once.
    static func all() async throws -> [Comparison] {
        let temporary = TemporaryFolder()
        let call = invocation(temporary.path)
        let other = try FixtureClient("curl", call)
        let fixtures = try fixtures().filter { other.refusal(of: $0.fixture) == nil }
        return try await withThrowingTaskGroup(of: Comparison.self) { group in
            var waiting = fixtures[...]
            var comparisons: [Comparison] = []
            for next in waiting.prefix(jobs) { group.addTask { try await compare(next, call) } }
            waiting = waiting.dropFirst(jobs)
            while let comparison = try await group.next() {
                comparisons.append(comparison)
                if let next = waiting.popFirst() { group.addTask { try await compare(next, call) } }
            }
            return comparisons.sorted { $0.name < $1.name }
        }
    }

    private static func compare(
        _ subject: (name: String, fixture: Fixture), _ call: Invocation
    ) async throws -> Comparison {
        let ours = try await FixtureRunner(observing: call, limit: limit, client: nil).run(subject.fixture)
        let theirs = try await FixtureRunner(observing: call, limit: limit, client: "curl").run(
            subject.fixture)
        var comparison = Comparison(name: subject.name)
        if !theirs.problems.isEmpty {
            comparison.kinds.insert(.outcome)
            comparison.text += theirs.problems.map { "\noutcome, line \($0.line): \($0.message)" }.joined()
        }
        let keepsOrder = !subject.fixture.servers.contains { $0.takesAnyOrder || $0.takesAnyConnection }
        comparison.add(ours.observations, theirs.observations, keepsOrder: keepsOrder)
        return comparison
    }
}
