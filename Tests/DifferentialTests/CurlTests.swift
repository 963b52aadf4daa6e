import System
import TestSupport
import Testing

@testable import RawgetTool

@Suite("The same command by curl and by rawget --as-curl")
struct CurlTests {
    private static func known() throws -> KnownDifferences {
        let path = "\(Comparing.folder)/curl-differences.txt"
        let file = try File.open(path, in: File.workingDirectory, flags: 0)
        return try KnownDifferences(
            String(decoding: try File.contents(of: file.rawValue, limit: 1 << 20), as: UTF8.self))
    }

    @Test(
        "both send, print, write and end alike, but for what is listed with a reason",
        .enabled(if: Comparing.hasCurl, "there is no curl"))
    func agree() async throws {
        let known = try Self.known()
        let comparisons = try await Comparing.all()
        for comparison in comparisons {
            let expected = known.entry(for: comparison.name)?.kinds ?? []
            let more = comparison.kinds.subtracting(expected).map(\.rawValue).sorted()
            #expect(
                more.isEmpty, "\(comparison.name) differs in what is not listed: \(more)\(comparison.text)")
            let less = expected.subtracting(comparison.kinds).map(\.rawValue).sorted()
            #expect(less.isEmpty, "\(comparison.name) is listed, but no longer differs: \(less)")
        }
        for entry in known.entries {
            #expect(
                comparisons.contains { $0.name == entry.path }, "\(entry.path) is listed, but was not run")
        }
        let commands = comparisons.reduce(0) { $0 + $1.commands }
        #expect(commands >= 200, "only \(commands) command lines were compared")
    }
}
