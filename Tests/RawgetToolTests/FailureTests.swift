import Glibc
import Replay
import TestSupport
import Testing

@Suite("What the command does when something fails")
struct FailureTests {
    private let folder = TemporaryFolder()

    private func run(_ steps: [Script.Step], _ arguments: [String] = [], path: String = "/file") async throws
        -> ToolRun
    {
        let server = try serve(steps)
        return await rawget(arguments + ["http://\(server.authority)\(path)"], in: folder)
    }

    @Test(
        "an error answer without an output of its own is not saved; its beginning is shown",
        arguments: [400, 404, 500, 503])
    func errorAnswer(_ status: Int) async throws {
        let run = try await run(answer("\(status) So What", ["Content-Type: text/plain"], "line 1\nline 2"))
        #expect(run.exit == 22)
        #expect(run.errors.contains("(22)"))
        #expect(run.errors.contains("the server answered \(status) So What\n    line 1\n    line 2\n"))
        #expect(folder.names.isEmpty)
    }

    @Test("nothing of an error answer can move a terminal's cursor")
    func escapes() async throws {
        let run = try await run(
            answer(
                "404 \u{1B}[2J\u{9B}", ["Content-Type: text/html"],
                "\u{1B}]0;title\u{7}\u{9B}2J\r\u{202E}x\u{0}"))
        #expect(run.exit == 22)
        for octet in run.errors.utf8 where octet < 0x20 && octet != 0x0A || octet == 0x7F {
            Issue.record("octet \(octet) in \(run.errors.debugDescription)")
        }
        for scalar in run.errors.unicodeScalars
        where (0x80...0x9F).contains(scalar.value) || scalar.value == 0x202E {
            Issue.record("scalar \(scalar.value) in \(run.errors.debugDescription)")
        }
    }

    @Test("what is no text is not shown")
    func binaryErrorAnswer() async throws {
        let run = try await run(answer("404 Not Found", ["Content-Type: image/png"], "PNG"))
        #expect(!run.errors.contains("PNG"))
    }

    @Test("an error answer is saved where an output is named", arguments: [["-o", "file"], ["-O"]])
    func savedErrorAnswer(_ arguments: [String]) async throws {
        let run = try await run(answer("404 Not Found", [], "not here"), arguments)
        #expect(run.exit == 0)
        #expect(folder.text(of: "file") == "not here")
    }

    @Test("-f saves nothing, --fail-with-body does; both exit with 22")
    func fail() async throws {
        let without = try await run(answer("404 Not Found", [], "not here"), ["-f", "-o", "none"])
        #expect(without.exit == 22)
        #expect(without.errors.contains("404"))
        #expect(folder.names.isEmpty)
        let with = try await run(answer("404 Not Found", [], "not here"), ["--fail-with-body", "-o", "some"])
        #expect(with.exit == 22)
        #expect(folder.text(of: "some") == "not here")
    }

    @Test("a long error answer costs its connection, not its time")
    func longErrorAnswer() async throws {
        let run = try await run([
            .send("HTTP/1.1 404 Not Found\r\nContent-Length: 1000000000000\r\n\r\nbeginning"), .stall,
        ])
        #expect(run.exit == 22)
        #expect(folder.names.isEmpty)
    }

    @Test(
        "a redirect is delivered with a warning that names the Location",
        arguments: [301, 302, 303, 307, 308])
    func redirect(_ status: Int) async throws {
        let run = try await run(
            answer("\(status) Moved", ["Location: http://elsewhere.test/\u{1B}x"], "gone"),
            ["--no-location", "-o", "f"])
        #expect(run.exit == 0)
        #expect(run.errors.contains("warning: \(status) Moved: the answer points to http://elsewhere.test/"))
        #expect(!run.errors.contains("\u{1B}"))
        #expect(folder.text(of: "f") == "gone")
    }

    @Test(
        "failures have curl's exit codes and say what was wrong",
        arguments: [
            ([.close], 52, "without"),
            ([.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close], 18, "9"),
            ([.send("SSH-2.0-OpenSSH\r\n"), .close], 1, "no head, as HTTP/0.9"),
            ([.send("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n")], 8, ""),
            ([.reset], 56, ""),
        ] as [([Script.Step], Int32, String)])
    func exits(_ steps: [Script.Step], _ exit: Int32, _ words: String) async throws {
        let run = try await run(steps, ["-o", "g"])
        #expect(run.exit == exit, "\(run.errors)")
        #expect(run.errors.contains("(\(exit))"))
        #expect(run.errors.contains(words))
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(folder.status(of: "g") == nil)
    }

    @Test("a cut download keeps its part and says where")
    func part() async throws {
        let run = try await run([.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close])
        #expect(run.exit == 18)
        #expect(run.errors.contains("what was received is kept in file.part"))
        #expect(folder.names.count == 2 && folder.names[0].hasPrefix(".rawget-"))
        #expect(folder.text(of: "file.part") == "abc")
    }

    @Test("a port that refuses is exit 7 and told with its address")
    func refused() async throws {
        let server = try serve(answer())
        let authority = server.authority
        server.stop()
        let run = await rawget(["http://\(authority)/"], in: folder)
        #expect(run.exit == 7)
        #expect(run.errors.contains(authority))
        #expect(run.errors.contains("refused"))
    }

    @Test("a name without an address is exit 6")
    func unresolvable() async throws {
        let run = await rawget(["--connect-timeout", "20", "http://nowhere.invalid/"], in: folder)
        #expect(run.exit == 6 || run.exit == 28)  // a machine without a network may wait for its name server
        #expect(run.errors.contains("nowhere.invalid"))
    }

    @Test(
        "time-outs are exit 28 and told with their length",
        arguments: [["-m", "0.2"], ["--max-time", "0.2"]])
    func timeout(_ arguments: [String]) async throws {
        let run = try await run([.stall], arguments)
        #expect(run.exit == 28)
        #expect(run.errors.contains("0.2 s"))
    }

    @Test("a connection that nobody accepts is given up after --connect-timeout")
    func connectTimeout() async throws {
        // 192.0.2.0/24 is for documents (RFC 5737): packets to it are dropped, or refused where there is no network.
        let run = await rawget(["--connect-timeout", "0.2", "http://192.0.2.1/"], in: folder)
        #expect(run.exit == 28 || run.exit == 7)
    }

    @Test("--max-filesize refuses more, declared or not", arguments: [true, false])
    func maximumSize(_ isDeclared: Bool) async throws {
        let content = [UInt8](repeating: 65, count: 3000)
        let steps = isDeclared ? answer("200 OK", [], content) : answerInChunks([content])
        let refused = try await run(steps, ["--max-filesize", "2k"])
        #expect(refused.exit == 63)
        #expect(folder.status(of: "file") == nil)
        let taken = try await run(steps, ["--max-filesize", "3k", "-o", "taken"])
        #expect(taken.exit == 0)
        #expect(folder.octets(of: "taken") == content)
    }

    @Test(
        "what cannot be asked for",
        arguments: [
            (["http://[::1/"], 3), (["http://a b/"], 3), (["http://:80/"], 3), (["ftp://host.test/"], 1),
            (["http://host.test:99999/"], 3), (["-X", "A B", "http://host.test/"], 2),
        ] as [([String], Int32)])
    func badURL(_ arguments: [String], _ exit: Int32) async throws {
        let run = await rawget(arguments, in: folder)
        #expect(run.exit == exit)
        #expect(run.errors.contains("(\(exit))"))
        #expect(folder.names.isEmpty)
    }

    @Test(
        "a command line that makes no sense is exit 2, and says which word it is",
        arguments: [
            (["--nonsense", "http://h/"], "nonsense"), (["-o"], "-o"), ([], "URL"),
            (["-m", "x", "http://h/"], "\"x\""),
            (["--parallel-max", "0", "http://h/"], "\"0\""), (["http://h/", "--as-curl"], "--as-curl"),
            (["serve"], "serve"), (["-r", "x", "http://h/"], "\"x\""),
            (["--resolve", "h:80:x", "http://h/"], "\"x\""),
            (["--help", "nonsense"], "nonsense"),
        ])
    func usage(_ arguments: [String], _ word: String) async throws {
        let run = await rawget(arguments, in: folder)
        #expect(run.exit == 2)
        #expect(run.errors.contains(word))
        #expect(run.output.isEmpty)
    }

    @Test(
        "-s hides no error of the command line",
        arguments: [
            ["-z", "nonsense"], ["-b", "nofile"], ["-r", "9-1"], ["-x", "http://p/"], ["-X", "a b"],
        ])
    func loudUsage(_ arguments: [String]) async throws {
        let run = await rawget(["-s"] + arguments + ["http://127.0.0.1:1/"], in: folder)
        #expect(run.exit == 2 && run.errors.contains("(2)"))
    }

    @Test("--fail-early ends at the first failure", arguments: [[], ["-Z", "--parallel-max", "1"]])
    func early(_ arguments: [String]) async throws {
        let server = try serve { $0.target == "/bad" ? answer("404 Not Found") : answer() }
        let base = "http://\(server.authority)"
        let run = await rawget(
            ["-f", "--fail-early"] + arguments + ["\(base)/1", "\(base)/bad", "\(base)/2"], in: folder)
        #expect(run.exit == 22)
        #expect(folder.names == ["1"] && server.requests.map(\.target) == ["/1", "/bad"])
    }

    @Test("--stderr sends messages to a file, or to standard output")
    func messages() async throws {
        let server = try serve([.close])
        let url = "http://\(server.authority)/"
        let run = await rawget(["--stderr", "log", url], in: folder)
        #expect(run.exit == 52 && run.errors.isEmpty)
        #expect(folder.text(of: "log")?.contains("(52)") == true)
        #expect(await rawget(["--stderr", "-", url], in: folder).text.contains("(52)"))
    }

    @Test("-K with a file that is not there is exit 26 and names it")
    func missingConfig() async throws {
        let run = await rawget(["-K", "absent"], in: folder)
        #expect(run.exit == 26)
        #expect(run.errors.contains("absent"))
    }

    @Test("of several transfers the first failure counts, and the rest goes on")
    func several() async throws {
        let server = try serve { $0.target == "/bad" ? [.close] : answer("200 OK", [], $0.target) }
        let base = "http://\(server.authority)"
        let run = await rawget(["\(base)/1", "\(base)/bad", "ftp://x/", "\(base)/2"], in: folder)
        #expect(run.exit == 52)
        #expect(folder.names == ["1", "2"])
    }

    @Test("-s hides errors and warnings, -S shows errors all the same")
    func silence() async throws {
        #expect(try await run([.close], ["-s"]).errors.isEmpty)
        #expect(try await run([.close], ["-sS"]).errors.contains("(52)"))
        #expect(try await run(answer("302 Found", ["Location: /x"]), ["-s"]).errors.isEmpty)
        #expect(try await run(answer("404 Not Found", ["Content-Type: text/plain"]), ["-s"]).errors.isEmpty)
    }
}
