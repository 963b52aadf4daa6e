import Glibc
import RawgetTool
import Replay
import TestSupport
import Testing

@Suite("Options for what is sent along")
struct ContentOptionsTests {
    private let folder = TemporaryFolder()

    /// What a server got from curl and from the command, with the same arguments; `URL` stands for the server's.
    private func both(
        _ arguments: [String], _ names: [String] = ["Content-Type", "Content-Length", "Accept", "Expect"]
    ) async throws -> [String] {
        var seen: [String] = []
        for isCurl in [true, false] {
            let server = try serve(answer())
            let all =
                ["-s", "-o", "/dev/null"]
                + arguments.map {
                    $0.hasPrefix("URL") ? "http://\(server.authority)\($0.dropFirst(3))" : $0
                }
            if isCurl {
                _ = await ChildProcess("curl", all, in: folder.path).ending()
            } else {
                let run = await rawget(["--as-curl"] + all, in: folder)
                #expect(run.exit == 0, "\(run.errors)")
            }
            let request = try #require(server.requests.first, "\(isCurl ? "curl" : "rawget") sent nothing")
            let fields = names.map { "\($0): \(request.value(of: $0) ?? "none")" }
            let content = request.content.map { String($0) }.joined(separator: " ")
            seen.append("\(request.method) \(request.target)\n\(fields.joined(separator: "\n"))\n\(content)")
        }
        return seen
    }

    @Test(
        "is what curl sends",
        arguments: [
            ["-d", "a=1", "URL/"], ["-d", "", "URL/"], ["-d", "", "-d", "a", "URL/"],
            ["-d", "a", "-d", "@f", "-d", "b", "URL/"],
            ["-d", "@f", "--data-raw", "@f", "--data-binary", "@f", "URL/"],
            ["--data-binary", "@nothing", "URL/"],
            ["--data-urlencode", "a b&c\u{E9}~", "URL/"], ["--data-urlencode", "=x=y", "URL/"],
            ["--data-urlencode", "n=v w+", "URL/"], ["--data-urlencode", "@f", "URL/"],
            ["--data-urlencode", "n@f", "URL/"],
            ["--data-urlencode", "a@b=c", "URL/"], ["--json", "{}", "URL/"],
            ["--json", "{", "--json", "}", "URL/"],
            ["-d", "x", "--json", "y", "URL/"], ["--json", "x", "-d", "y", "URL/"], ["--json", "@f", "URL/"],
            ["--json", "x", "-H", "Content-Type: a/b", "-H", "Accept: c/d", "URL/"],
            ["-d", "x", "-H", "Content-Type:", "URL/"], ["-d", "x", "-H", "Content-Type: a/b", "URL/"],
            ["-d", "x", "-X", "PATCH", "URL/"], ["-G", "-d", "a=1", "-d", "b=%20", "URL/p?q#f"],
            ["-G", "-d", "a=1", "URL"], ["--data-ascii", "@f", "URL/"],
            ["--url-query", "a=b c", "URL/p?q#f"],
            ["--url-query", "+a=%20", "--url-query", "=x", "-d", "y", "URL/"], ["--url-query", "n=v", "URL"],

            ["-G", "-I", "-d", "a=1", "URL/p"], ["-G", "--data-urlencode", "a=b c", "URL/p"],
            ["-G", "-d", "", "URL/p"],
            ["-T", "f", "-H", "Expect:", "URL/to"], ["-T", "f", "-H", "Expect:", "URL/d/"],
            ["-T", "f", "-H", "Expect:", "URL/d/?q=1"], ["-T", "f", "-H", "Expect:", "URL"],
            ["-T", "d/a b", "-H", "Expect:", "URL/"], ["-T", "f", "-X", "POST", "-H", "Expect:", "URL/to"],
            ["-T", "nothing", "-H", "Expect:", "URL/to"], ["-d", "@big", "URL/"], ["-T", "big", "URL/to"],
            ["-d", "@big", "-H", "Expect:", "URL/"],
        ])
    func asCurl(arguments: [String]) async throws {
        folder.write("a b\r\nd&\u{E9}\n\n", to: "f")
        folder.write("", to: "nothing")
        folder.makeFolder("d")
        folder.write("x", to: "d/a b")
        folder.write(Pattern.octets(1_500_000).map { $0 | 0x40 }, to: "big")
        let seen = try await both(arguments)
        #expect(seen[0] == seen[1])
    }

    @Test("-d @file drops CR, LF and NUL, as curl's manual has it; --data-binary drops nothing")
    func strips() async throws {
        folder.write([0x61, 0x0D, 0x0A, 0x62, 0, 0x63, 0x0A], to: "f")
        let server = try serve(answer())
        let url = "http://\(server.authority)/"
        #expect(await rawget(["-o", "-", "-d", "@f", "--data-binary", "@f", url], in: folder).exit == 0)
        #expect(server.requests.first?.content == Array("abc&a\r\nb\u{0}c\n".utf8))
    }

    /// The end to read of a pipe that holds `text` and nothing else will come through.
    private static func pipe(with text: String) throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0 && write(ends[1], text, text.utf8.count) == text.utf8.count)
        close(ends[1])
        return ends[0]
    }

    @Test("standard input is sent in chunks, with a known length where it is a file")
    func standardInput() async throws {
        let server = try serve(answer())
        let reading = try Self.pipe(with: "hello")
        defer { close(reading) }
        let run = await rawget(["-o", "f", "-T", "-", "http://\(server.authority)/d/"], in: folder) {
            $0.standardInput = reading
        }
        #expect(run.exit == 0, "\(run.errors)")
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT" && request.target == "/d/" && request.content == Array("hello".utf8))
        #expect(
            request.value(of: "Transfer-Encoding") == "chunked"
                && request.value(of: "Expect") == "100-continue")
        let file = await rawget(
            ["-o", "f", "-T", "-", "http://\(server.authority)/"], in: folder, input: "hello")
        #expect(file.exit == 0 && server.requests.last?.value(of: "Content-Length") == "5")
        let data = await rawget(
            ["-o", "f", "-d", "@-", "http://\(server.authority)/"], in: folder, input: "a\nb")
        #expect(data.exit == 0 && server.requests.last?.content == Array("ab".utf8))
    }

    @Test("the n-th -T belongs to the n-th URL")
    func pairs() async throws {
        folder.write("1", to: "one")
        folder.write("2", to: "two")
        let server = try serve(answer())
        let base = "http://\(server.authority)/"
        let run = await rawget(
            ["-o", "a", "-o", "b", "-O", "-T", "one", "-T", "two", base, base, base + "x"], in: folder)
        #expect(
            server.requests.map { "\($0.method) \($0.target)" } == ["PUT /one", "PUT /two", "GET /x"],
            "\(run.errors)")
        #expect(server.requests.map(\.content) == [[0x31], [0x32], []])
    }

    @Test("the answer to an upload is shown, not saved in place of what was sent")
    func answerOfUpload() async throws {
        folder.write("precious", to: "f")
        let server = try serve(answer())
        let run = await rawget(["-T", "f", "http://\(server.authority)/"], in: folder)
        #expect(run.exit == 0 && run.text == "content")
        #expect(folder.names == ["f"] && folder.text(of: "f") == "precious")
    }

    @Test("-w and the report tell what was sent")
    func sizes() async throws {
        folder.write(Pattern.octets(200_000), to: "f")
        let server = try serve(answer())
        let run = await rawget(
            ["-o", "g", "-T", "f", "-w", "%{size_upload} %{size_request}", "http://\(server.authority)/x"],
            in: folder)
        let head = server.requests.first?.head.count ?? 0
        #expect(run.text == "200000 \(head)")
    }

    @Test(
        "options that cannot go together, and files that cannot be read",
        arguments: [
            (["-I", "-d", "a"], 2, "-I and -d are two requests"),
            (["-T", "f", "-d", "a"], 2, "-d and -T are two requests"),
            (["-I", "-T", "f"], 2, "-I and -T are two requests"),
            (["-d", "@none"], 26, "could not read none"),
            (["--data-urlencode", "a@none"], 26, "could not read none"),
            (["-T", "none"], 26, "could not read none"),
            (["-T", "."], 0, ""), (["-T", "folder"], 26, "could not read folder: Is a directory"),
            (["--expect100-timeout", "x"], 2, "--expect100-timeout"),
        ])
    func failures(arguments: [String], exit: Int32, words: String) async throws {
        folder.makeFolder("folder")
        let server = try serve(answer())
        let run = await rawget(arguments + ["-o", "f", "http://\(server.authority)/x"], in: folder)
        #expect(
            run.exit == exit && run.errors.contains(words) || words.isEmpty && run.exit == exit,
            "\(run.errors)")
    }

    @Test("the meter shows what is sent, where that is more than what comes")
    func meter() async throws {
        folder.write(Pattern.octets(1_000_000), to: "f")
        let server = try serve(answer())
        let url = "http://\(server.authority)/"
        let upload = await rawget(["-T", "f", url], in: folder, terminals: [.errors])
        #expect(upload.exit == 0 && upload.errors.contains("976.5 KiB in "), "\(upload.errors)")
        let post = await rawget(["-d", "abc", "-o", "g", url], in: folder, terminals: [.errors])
        #expect(post.exit == 0 && post.errors.contains("7 B in "), "\(post.errors)")
    }

    @Test("over TLS it is the same")
    func overTLS() async throws {
        let octets = Pattern.octets(3_000_000)
        folder.write(octets, to: "f")
        let secure = try serveTLS { _ in answer() }
        let url = "https://127.0.0.1:\(secure.server.port)/"
        for arguments in [["-T", "f"], ["--data-binary", "@f"], ["-T", "f", "-H", "Expect:"]] {
            let run = await rawget(["-k", "-o", "g"] + arguments + [url], in: folder)
            #expect(run.exit == 0, "\(run.errors)")
            #expect(secure.server.requests.last?.content == octets)
        }
        let refusing = try serveTLS(
            Script(
                everyConnection: .init([
                    .expectHead, .send("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno"), .stall,
                ])))
        folder.write([UInt8](repeating: 1, count: 32 << 20), to: "large")
        let run = await rawget(
            ["-k", "-T", "large", "-H", "Expect:", "https://127.0.0.1:\(refusing.server.port)/", "-f"],
            in: folder)
        #expect(run.exit == 22 && run.errors.contains("413"), "\(run.errors)")
        let whole = await rawget(
            [
                "-k", "-v", "-T", "large", "-H", "Expect:", "-o", "g",
                "https://127.0.0.1:\(refusing.server.port)/",
            ], in: folder)
        #expect(whole.errors.contains("request not sent to its end: the response came before"))
        #expect(folder.text(of: "g") == "no" && !whole.errors.contains("not read to its end"))
    }

    @Test("the wait for a go-ahead is --expect100-timeout's")
    func timeout() async throws {
        folder.write(Pattern.octets(1_100_000), to: "f")
        let server = try ReplayServer(
            Script(everyConnection: .init([.expectHead, .expectContent(.declared)] + answer())))
        try server.start()
        let run = await rawget(
            ["-o", "g", "-v", "--expect100-timeout", "0.05", "-T", "f", "http://\(server.authority)/"],
            in: folder)
        #expect(run.exit == 0 && run.errors.contains("* no go-ahead came: sending the content without it"))
        #expect(server.requests.first?.content == Pattern.octets(1_100_000))
    }

    @Test("content that can be read only once is not sent twice")
    func rewinding() async throws {
        let server = try serve { $0.target == "/" ? answer("307 Moved", ["Location: /x"]) : answer() }
        let reading = try Self.pipe(with: "hello")
        defer { close(reading) }
        let run = await rawget(["-o", "f", "-T", "-", "http://\(server.authority)/"], in: folder) {
            $0.standardInput = reading
        }
        #expect(run.exit == 65 && run.errors.contains("can be read only once"), "\(run.errors)")
    }

    @Test(
        "an answer never replaces the file that was sent",
        arguments: [
            ["-d", "@items", "-o", "items"], ["--json", "@items", "-o", "./items"],
            ["--data-urlencode", "n@items", "-o", "link"], ["--data-binary", "@items", "-O"],
            ["-T", "items", "-O"], ["--as-curl", "-T", "items", "-o", "items"],
            ["-T", "items", "-D", "items"],
            ["-d", "@link", "--create-dirs", "--output-dir", ".", "-o", "items"],
        ])
    func keepsSource(arguments: [String]) async throws {
        folder.write("mine", to: "items")
        #expect(symlink("items", "\(folder.path)/link") == 0)
        let server = try serve(answer())
        let run = await rawget(arguments + ["http://\(server.authority)/items"], in: folder)
        #expect(run.exit == (arguments.contains("-D") ? 2 : 23) && run.errors.contains("of the request"))
        #expect(server.requests.isEmpty && folder.text(of: "items") == "mine")
    }

    @Test(
        "the answer to content goes to standard output, unless a name is asked for",
        arguments: [["-d", "@items"], ["--json", "@items"], ["--data-raw", "x"], ["-T", "items"]])
    func answersToStandardOutput(arguments: [String]) async throws {
        folder.write("mine", to: "items")
        let server = try serve(answer())
        let url = "http://\(server.authority)/items"
        let run = await rawget(arguments + [url], in: folder)
        #expect(run.exit == 0 && run.text == "content" && folder.names == ["items"])
        // By -J a name that is taken gets a number.
        folder.write("taken", to: "items")
        if arguments != ["--data-raw", "x"] {
            #expect(await rawget(arguments + ["-J", "-O", url], in: folder).exit == 0)
            #expect(folder.names == ["items", "items.1"] && folder.text(of: "items.1") == "content")
        }
        #expect(folder.text(of: "items") == "taken")
    }

    @Test("content of unknown length by HTTP/1.0 is exit 25")
    func unknownLength() async throws {
        let server = try serve(answer())
        let reading = try Self.pipe(with: "hello")
        defer { close(reading) }
        let run = await rawget(["-0", "-T", "-", "http://\(server.authority)/"], in: folder) {
            $0.standardInput = reading
        }
        #expect(run.exit == 25 && run.errors.contains("cannot be sent by HTTP/1.0"), "\(run.errors)")
        #expect(server.requests.isEmpty)
    }
}
