import Examples
import Glibc
import RawgetTool
import Replay
import System
import TestSupport
import Testing

@Suite("The examples of Sources/Examples", .serialized, .timeLimit(.minutes(1)))
struct ExampleTests {
    /// What an example has checked.
    private final class Checks: Sendable {
        private let state = Lock((held: 0, failed: [String]()))

        var held: Int { state.withLock { $0.held } }
        var failed: [String] { state.withLock { $0.failed } }

        func note(_ what: String, _ holds: Bool) {
            state.withLock { state in
                if holds { state.held += 1 } else { state.failed.append(what) }
            }
        }
    }

    private let folder = TemporaryFolder()

    private func run(
        _ example: Example, _ answer: @escaping @Sendable (RecordedRequest) -> [Script.Step]
    ) async throws -> Checks {
        let server = try serve(answer)
        let checks = Checks()
        let stage = try ExampleStage(
            server, in: folder.path, say: { _ in }, check: { checks.note($0, $1) })
        await example.run(on: stage)
        return checks
    }

    @Test("each holds against the demo's server", arguments: Example.all)
    func holds(_ example: Example) async throws {
        let checks = try await run(example) { DemoServer.answer($0) }
        #expect(checks.failed.isEmpty)
        #expect(checks.held > 0)
    }

    @Test("each says so where a server has nothing", arguments: Example.all)
    func fails(_ example: Example) async throws {
        let checks = try await run(example) { _ in answer("404 Not Found", [], "") }
        #expect(!checks.failed.isEmpty)
    }

    @Test("each has a row in the README, in the order of the tour")
    func rows() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
            .joined(separator: "/")
        let readme = open("\(root)/README.md", O_RDONLY)
        defer { close(readme) }
        let rows = String(decoding: contents(ofDescriptor: readme), as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("](Sources/Examples/") }
        #expect(rows.count == Example.all.count)
        for (row, example) in zip(rows, Example.all) {
            #expect(row.hasPrefix("| \(example.numbers) | "))
            let path = row.split(separator: "](").last?.prefix { $0 != ")" } ?? ""
            #expect(access("\(root)/\(path)", R_OK) == 0, "\(path)")
        }
    }
}
