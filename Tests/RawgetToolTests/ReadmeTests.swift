import Glibc
import RawgetTool
import Replay
import TestSupport
import Testing

@Suite("The README's commands")
struct ReadmeTests {
    /// The block of shell behind the heading "Five commands", without comments.
    private static let commands: [String] = {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
            .joined(separator: "/")
        let file = open("\(root)/README.md", O_RDONLY)
        defer { close(file) }
        let lines = String(decoding: contents(ofDescriptor: file), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        return lines.drop { $0 != "## Five commands" }.drop { $0 != "```sh" }.dropFirst().prefix {
            $0 != "```"
        }
        .map { String($0.prefix { $0 != "#" }) }
    }()

    @Test("are five, and work as they stand")
    func work() async throws {
        let server = try serve { request in
            let content = [UInt8](repeating: 0x78, count: 2000)
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n"
            return request.method == "HEAD" ? [.send(head)] : [.send(head), .send(content)]
        }
        let folder = TemporaryFolder()
        #expect(Self.commands.count == 5)
        for command in Self.commands {
            let words = command.split(separator: " ").map { word in
                word.hasPrefix("http://HOST/")
                    ? "http://\(server.authority)/\(word.dropFirst("http://HOST/".count))" : String(word)
            }
            #expect(words.first == "rawget")
            let run = await rawget(Array(words.dropFirst()), in: folder)
            #expect(run.exit == 0 && run.errors.isEmpty, "\(command): \(run.errors)")
        }
        #expect(folder.names == ["a.iso", "archive.zip", "b.iso", "disk.iso", "page.html"])
    }
}
