import Glibc
import Replay
import TestSupport
import Testing

@Suite("Standard input of a fixture", .timeLimit(.minutes(1)))
struct FixtureInputTests {
    private func text(_ input: String, _ arguments: String, _ expected: [String]) -> [UInt8] {
        let lines =
            ["# Why"] + (input.isEmpty ? [] : [input]) + ["$ rawget \(arguments) http://fixture.test/x"]
            + expected
            + ["< HTTP/1.1 204 No Content", "<", "= exit 0", ""]
        return Array(lines.joined(separator: "\n").utf8)
    }

    @Test(
        "is a pipe, a regular file, or the null device",
        arguments: [
            (
                "input = \"hi\\n\"", "-T -",
                ["> PUT /x HTTP/1.1", "> Transfer-Encoding: chunked", ">> \"hi\\n\""]
            ),
            ("input = \"\"", "-T -", ["> PUT /x HTTP/1.1", "> Transfer-Encoding: chunked"]),
            ("input file = \"hi\\n\"", "-T -", ["> PUT /x HTTP/1.1", "> Content-Length: 3", ">> \"hi\\n\""]),
            ("", "-T -", ["> PUT /x HTTP/1.1", "> Transfer-Encoding: chunked"]),
            ("input = \"hi\"", "-T .", ["> PUT /x HTTP/1.1", "> Transfer-Encoding: chunked", ">> \"hi\""]),
            ("input = \"hi\"", "-d @-", ["> POST /x HTTP/1.1", "> Content-Length: 2", ">> \"hi\""]),
            (#"input = "header = \"X: y\"""#, "-o - -K -", ["> GET /x HTTP/1.1", "> X: y"]),
        ])
    func kinds(input: String, arguments: String, expected: [String]) async throws {
        #expect(try await problems(playing: text(input, arguments, expected)) == [])
        // The other kind is told apart.
        if arguments == "-T -", input.hasPrefix("input") {
            let other =
                input.hasPrefix("input file")
                ? "input" + input.dropFirst(10) : "input file" + input.dropFirst(5)
            #expect(try await problems(playing: text(other, arguments, expected)) != [])
        }
    }

    @Test(
        "may be longer than a pipe holds",
        arguments: [("-T -", "PUT"), ("-d @-", "POST"), ("--data-binary @-", "POST")])
    func long(arguments: String, method: String) async throws {
        let data = "repeat 3000000 \"x\""
        let expected = ["> \(method) /x HTTP/1.1", ">> \(data)"]
        #expect(try await problems(playing: text("input = \(data)", arguments, expected)) == [])
    }

    @Test("need not be read")
    func unread() async throws {
        let expected = ["> GET /x HTTP/1.1"]
        #expect(try await problems(playing: text("input = generated 3M seed 1", "-o -", expected)) == [])
    }
}
