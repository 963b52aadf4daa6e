import RawgetTool
import Replay
import System
import TestSupport
import Testing

@Suite("Fixtures/README.md")
struct GrammarTests {
    private static let text: String = {
        guard
            let file = try? File.open("\(Collection.folder)/README.md", in: File.workingDirectory, flags: 0),
            let octets = try? File.contents(of: file.rawValue, limit: 1 << 20)
        else { return "" }
        return String(decoding: octets, as: UTF8.self)
    }()

    /// What stands in the blocks of a kind.
    private static func blocks(_ kind: String) -> [String] {
        var blocks: [String] = []
        var block: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```" {
                if let block { blocks.append(block) }
                block = nil
            } else if line == "```\(kind)" {
                block = ""
            } else {
                block?.append("\(line)\n")
            }
        }
        return blocks
    }

    static let examples = blocks("wire")

    @Test("its examples run, and pass", arguments: examples)
    func passes(text: String) async throws {
        let result = try await result(of: text)
        #expect(result.hasPassed, "\(text)\(result.text)")
    }

    @Test("its commands name options that are there")
    func commands() async throws {
        let lines = Self.blocks("sh").flatMap { $0.split(separator: "\n") }
        #expect(lines.count >= 4)
        for line in lines {
            let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
            #expect(words.first == "rawget")
            for word in words where word.hasPrefix("--") {
                let help = await rawget(
                    [words[1].hasPrefix("-") ? "--help" : words[1], "--help"], in: TemporaryFolder())
                let all = await rawget(["--help"], in: TemporaryFolder())
                #expect((help.text + all.text).contains(word), "\(line)")
            }
        }
    }

    @Test(
        "there are examples of every kind of line",
        arguments: [
            "blob ", "server ", "file ", "clock ", "$ ", "load ", "with ", "connection", "> ", ">~ ", ">! ",
            ">= ",
            ">> ", "< ", "<| ", "<< ", "! ", "= ",
        ])
    func kinds(start: String) {
        #expect(Self.examples.contains { $0.split(separator: "\n").contains { $0.hasPrefix(start) } })
    }
}
