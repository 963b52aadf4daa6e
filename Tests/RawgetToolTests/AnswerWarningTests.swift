import Glibc
import RawgetTool
import Replay
import TestSupport
import Testing

@Suite("What a person is told of an answer")
struct AnswerWarningTests {
    private let folder = TemporaryFolder()

    private func run(_ head: String, _ arguments: [String]) async throws -> ToolRun {
        let server = try serve([.send("HTTP/1.1 \(head)\r\nContent-Length: 2\r\n\r\nok")])
        return await rawget(arguments + ["http://\(server.authority)/f"], in: folder)
    }

    @Test("an error answer under a name that was asked for")
    func errorAnswer() async throws {
        let run = try await run("404 Not Found", ["-o", "page"])
        #expect(run.exit == 0)
        #expect(run.errors.contains("warning: the server answered 404 Not Found: page holds its answer"))
    }

    @Test("an error answer on standard output; nothing with -s, -I or as curl")
    func errorAnswerToStandardOutput() async throws {
        let run = try await run("404 Not Found", ["-o", "-"])
        #expect(run.exit == 0 && run.text == "ok")
        #expect(
            run.errors.contains("warning: the server answered 404 Not Found: what was written is its answer"))
        for arguments in [["-s"], ["--as-curl"], ["-I"]] {
            let quiet = try await self.run("404 Not Found", arguments + ["-o", "-"])
            #expect(quiet.exit == 0 && quiet.errors.isEmpty, "\(quiet.errors)")
        }
    }

    @Test("--fail-with-body says once that it is one")
    func failWithBody() async throws {
        let run = try await run("404 Not Found", ["--fail-with-body", "-o", "page"])
        #expect(run.exit == 22 && folder.text(of: "page") == "ok")
        #expect(run.errors.split(separator: "\n").count == 1 && !run.errors.contains("warning"))
    }

    @Test("a range that the server ignored")
    func ignoredRange() async throws {
        let run = try await run("200 OK", ["-r", "0-0", "-o", "-"])
        #expect(run.exit == 0 && run.text == "ok")
        #expect(run.errors.contains("bytes=0-0 was asked for, and the server sent everything"))
    }

    @Test("a coding that nobody asked for")
    func coding() async throws {
        let run = try await run("200 OK\r\nContent-Encoding: gzip", [])
        #expect(run.errors.contains("has the coding gzip"))
    }

    @Test("nothing with -s, and nothing as curl", arguments: [["-s"], ["--as-curl"]])
    func silence(first: [String]) async throws {
        let run = try await run("404 Not Found\r\nContent-Encoding: gzip", first + ["-o", "page"])
        #expect(run.exit == 0 && run.errors.isEmpty)
    }

    @Test("the head of a part is no part that is missing")
    func headOfPart() async throws {
        let server = try serve([
            .send(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/100\r\nContent-Length: 10\r\n\r\n")
        ])
        let run = await rawget(["-I", "-r", "0-9", "http://\(server.authority)/f"], in: folder)
        #expect(run.exit == 0)
        #expect(run.text.contains("Content-Range: bytes 0-9/100"))
    }

    @Test(
        "an option of curl's that is missing is told to be",
        arguments: ["-F", "--proxytunnel", "--digest", "--netrc"])
    func laterOptions(option: String) async throws {
        let run = await rawget([option, "http://127.0.0.1/"], in: folder)
        #expect(run.exit == 2)
        #expect(run.errors.contains("\(option) is not part of this version"))
    }

    @Test("a request that cannot be sent is not the address's fault")
    func advice() async throws {
        let run = await rawget(["-H", "Content-Length: 5", "http://127.0.0.1:9/"], in: folder)
        #expect(run.exit == 2)
        #expect(!run.errors.contains("Check the address"))
    }

    @Test("the name that the server chose stands in the closing line")
    func savedName() async throws {
        let server = try serve([
            .send(
                "HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=rates.txt\r\nContent-Length: 2\r\n\r\nok"
            )
        ])
        let run = await rawget(["http://\(server.authority)/cd"], in: folder, terminals: [.errors])
        #expect(run.errors.contains("rates.txt  2 B"))
    }
}
