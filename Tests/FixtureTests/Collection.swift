import NetworkProbes
import RawgetTool
import Replay
import System
import TestSupport

/// The fixtures of this repository.
enum Collection {
    /// Where they lie.
    static let folder = "\(root)/Fixtures"
    /// The repository.
    static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        .joined(separator: "/")

    /// Their paths below the folder, sorted.
    static let names: [String] = {
        var names: [String] = []
        for area in entries(in: folder).sorted() where !area.contains(".") {
            names += entries(in: "\(folder)/\(area)").sorted().filter { $0.hasSuffix(".wire") }
                .map { "\(area)/\($0)" }
        }
        return names
    }()

    /// The same in groups: one after another they would mostly wait.
    static let handfuls = stride(from: 0, to: names.count, by: 40).map {
        Array(names[$0..<min($0 + 40, names.count)])
    }

    /// The octets of one.
    static func octets(_ name: String) throws -> [UInt8] {
        let file = try File.open("\(folder)/\(name)", in: File.workingDirectory, flags: 0)
        return try File.contents(of: file.rawValue, limit: 16 << 20)
    }

    /// One, read.
    static func fixture(_ name: String) throws -> Fixture { try FixtureParser.parse(try octets(name)) }
}

/// What a fixture's text came to.
func result(of text: String, limit: Duration = .seconds(30)) async throws -> FixtureRunner.Result {
    await result(of: try FixtureParser.parse(Array(text.utf8)), limit: limit)
}

extension FixtureRunner.Result {
    /// Line by line what was not as it should be.
    var text: String { problems.map { "\($0.line): \($0.message)" }.joined(separator: "\n") }
}

/// The names in a folder, sorted.
func entries(in folder: String) -> [String] {
    guard let open = try? File.open(folder, in: File.workingDirectory, flags: 0) else { return [] }
    return (try? File.names(in: open.rawValue)) ?? []
}
