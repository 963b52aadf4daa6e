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
        let escape = Array("a\u{1B}]0;b".utf8)
        #expect(try await run(answer("200 OK", [], escape), terminals: [.output]).output == escape)
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

    @Test("with -Z the exit code is the last failure's, whatever succeeds after it")
    func parallelFailure() async throws {
        let server = try serve { $0.target == "/bad" ? answer("404 Not Found") : answer() }
        let base = "http://\(server.authority)"
        let arguments = ["--as-curl", "-Z", "--parallel-max", "1", "-f", "\(base)/bad", "\(base)/good"]
        let run = await rawget(arguments, in: folder)
        #expect(run.exit == 22 && run.text == "content")
        #expect(
            await ChildProcess("curl", Array(arguments.dropFirst()) + ["-s"], in: folder.path).ending()
                == .exit(22))
    }

    @Test("-f with -i or -I: the head of an error is printed, as by curl", arguments: ["-i", "-I"])
    func headOfFailure(option: String) async throws {
        let server = try serve {
            let head = "HTTP/1.1 404 Not Found\r\nContent-Length: 8\r\n\r\n"
            return [.send($0.method == "HEAD" ? head : head + "not here")]
        }
        let url = "http://\(server.authority)/file"
        let run = await rawget(["--as-curl", "-sf", option, url], in: folder)
        #expect(run.exit == 22 && run.errors.isEmpty)
        #expect(run.text == "HTTP/1.1 404 Not Found\r\nContent-Length: 8\r\n\r\n")
    }

    @Test("what is not newer than -z says counts as 304, though the server sent it")
    func unchanged() async throws {
        let dated = answer("200 OK", ["Last-Modified: Mon, 01 Jan 2001 00:00:00 GMT"], "content")
        let later = "Fri, 01 Jan 2010 00:00:00 GMT"
        for (condition, text) in [
            (later, "304 0"), ("-" + later, "content200 7"), ("Mon, 01 Jan 2001 00:00:00 GMT", "304 0"),
            ("-Mon, 01 Jan 2001 00:00:00 GMT", "304 0"), ("Mon, 01 Jan 1999 00:00:00 GMT", "content200 7"),
        ] {
            let run = try await run(dated, ["-z", condition, "-w", "%{http_code} %{size_download}"])
            #expect(run.exit == 0 && run.text == text && run.errors.isEmpty, "\(condition)")
        }
        let undated = try await self.run(answer(), ["-z", later, "-w", "%{http_code}"])
        #expect(undated.text == "content200")
        folder.write("old", to: "f")
        #expect(try await run(dated, ["-z", later, "-o", "f"]).exit == 0)
        #expect(folder.text(of: "f") == "old")
    }

    @Test("a range whose end is before its beginning is sent as typed")
    func reversedRange() async throws {
        let server = try serve(answer())
        let url = "http://\(server.authority)/"
        #expect(await rawget(["--as-curl", "-r", "10-5", url], in: folder).text == "content")
        #expect(server.requests.first?.value(of: "Range") == "bytes=10-5")
        let own = await rawget(["-r", "10-5", url], in: folder)
        #expect(own.exit == 2 && own.errors.contains("the last octet of \"10-5\" is before the first"))
        #expect(server.requests.count == 1)
    }

    @Test("%{scheme} is in capitals, only here")
    func scheme() async throws {
        #expect(try await run(answer(), ["-w", "%{scheme}"]).text == "contentHTTP")
        let server = try serve(answer())
        let run = await rawget(["-o", "f", "-w", "%{scheme}", "http://\(server.authority)/"], in: folder)
        #expect(run.text == "http")
    }
}
