import TestSupport
import Testing

@testable import RawgetTool

/// One answer of a batch, as values to compare.
struct AnswerLine {
    /// In their order.
    let members: [JSONValue.Member]

    /// The answer of a line. Throws where that is no object.
    init(_ line: Substring) throws {
        guard case .object(let members) = try JSONReader.value(of: Array(line.utf8)) else { throw NoAnswer() }
        self.members = members
    }

    private struct NoAnswer: Error {}

    /// The value at a path such as `error.exit`, as JSON; nothing where there is none.
    subscript(path: String) -> String {
        var value = JSONValue.object(members)
        for name in path.split(separator: ".") {
            guard case .object(let members) = value, let member = members.first(where: { $0.name == name })
            else { return "" }
            value = member.value
        }
        return JSONPrinter.text(of: value)
    }
}

/// The answers of a batch that ends as it should.
func batch(
    _ lines: [String], options: [String] = [], in folder: TemporaryFolder
) async throws -> [AnswerLine] {
    let run = await rawget(["batch"] + options, in: folder, input: lines.joined(separator: "\n"))
    #expect(run.exit == 0 && run.errors.isEmpty, "\(run.errors)")
    #expect(run.output.isEmpty || run.output.last == 0x0A)
    return try run.text.split(separator: "\n").map(AnswerLine.init)
}
