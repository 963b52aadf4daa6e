import RawgetTool
import Replay
import TestSupport

/// Runs a fixture's text as `rawget check` does, and tells what was not as it says.
func problems(playing text: [UInt8]) async throws -> [String] {
    let fixture: Fixture
    do { fixture = try FixtureParser.parse(text) } catch {
        return error.problems.map { "line \($0.line): \($0.message)" }
    }
    let result = await result(of: fixture)
    return result.problems.map { "line \($0.line): \($0.message)" }
}

/// All octets of data.
func octets(_ content: FixtureContent) -> [UInt8] {
    var all: [UInt8] = []
    content.forEachPart { all += $0 }
    return all
}
