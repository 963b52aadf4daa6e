import Replay
import TestSupport
import Testing

@Suite("The defaults of --as-curl")
struct AsCurlTests {
    private let folder = TemporaryFolder()

    private func run(
        _ steps: [Script.Step], _ arguments: [String] = [], terminals: Terminals = [], path: String = "/file"
    ) async throws -> ToolRun {
        let server = try serve(steps)
        return await rawget(
            ["--as-curl"] + arguments + ["http://\(server.authority)\(path)"], in: folder,
            terminals: terminals)
    }

    @Test("content goes to standard output, of error answers too, and they are no failure")
    func toStandardOutput() async throws {
        let good = try await run(answer())
        #expect(good.exit == 0 && good.text == "content" && good.errors.isEmpty)
        let bad = try await run(answer("404 Not Found", [], "not here"))
        #expect(bad.exit == 0 && bad.text == "not here" && bad.errors.isEmpty)
        #expect(folder.names.isEmpty)
    }

    @Test("a redirect is delivered without a word")
    func redirect() async throws {
        let run = try await run(answer("302 Found", ["Location: /x"], "moved"))
        #expect(run.exit == 0 && run.text == "moved" && run.errors.isEmpty)
    }

    @Test("-f is exit 22 without content")
    func fail() async throws {
        let run = try await run(answer("404 Not Found", [], "not here"), ["-f"])
        #expect(run.exit == 22 && run.text.isEmpty)
    }

    @Test("the exit code is the last transfer's")
    func lastCounts() async throws {
        let server = try serve { $0.target == "/bad" ? [.close] : answer() }
        let base = "http://\(server.authority)"
        #expect(await rawget(["--as-curl", "\(base)/bad", "\(base)/good"], in: folder).exit == 0)
        #expect(await rawget(["--as-curl", "\(base)/good", "\(base)/bad"], in: folder).exit == 52)
    }

    @Test("a server's name that is taken is exit 23")
    func nameTaken() async throws {
        folder.write("old", to: "server.txt")
        let named = ["Content-Disposition: attachment; filename=server.txt"]
        let run = try await run(answer("200 OK", named, "new"), ["-OJ"])
        #expect(run.exit == 23)
        #expect(folder.names == ["server.txt"])
        #expect(folder.text(of: "server.txt") == "old")
    }

    @Test("-o replaces, also what the same run wrote")
    func replaces() async throws {
        let server = try serve { answer("200 OK", [], $0.target) }
        let base = "http://\(server.authority)"
        let run = await rawget(["--as-curl", "-o", "x", "\(base)/1", "-o", "x", "\(base)/2"], in: folder)
        #expect(run.exit == 0)
        #expect(folder.names == ["x"])
        #expect(folder.text(of: "x") == "/2")
    }

    @Test("a NUL is kept off a terminal, unless -o - asks for it")
    func binary() async throws {
        let content = Array("a\u{0}b".utf8)
        let refused = try await run(answer("200 OK", [], content), terminals: [.output])
        #expect(refused.exit == 23)
        #expect(refused.output.isEmpty)
        #expect(refused.errors.contains("binary"))
        #expect(
            try await run(answer("200 OK", [], content), ["-o", "-"], terminals: [.output]).output == content)
        #expect(try await run(answer("200 OK", [], content)).output == content)
        #expect(try await run(answer(), terminals: [.output]).text == "content")
    }

    @Test("being called curl is the same", arguments: ["curl", "/usr/bin/curl"])
    func calledCurl(_ name: String) async throws {
        let server = try serve(answer())
        let run = await rawget(["http://\(server.authority)/"], in: folder, called: name)
        #expect(run.exit == 0 && run.text == "content")
        #expect(server.requests.first?.value(of: "User-Agent")?.hasPrefix("curl/") == true)
    }

    @Test("words like demo are URLs")
    func words() async throws {
        let server = try serve(answer())
        let run = await rawget(
            ["--as-curl", "--connect-to", "::127.0.0.1:\(server.port)", "demo"], in: folder)
        #expect(run.exit == 0 && run.text == "content")
        #expect(server.requests.first?.value(of: "Host") == "demo")
    }
}
