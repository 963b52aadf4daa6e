import Glibc
import Replay
import System
import TestSupport
import Testing

@testable import RawgetTool

@Suite("rawget batch", .timeLimit(.minutes(2)))
struct BatchTests {
    private let folder = TemporaryFolder()

    /// One answer, as values to compare.
    private struct Answer {
        let members: [JSONValue.Member]

        init(_ line: Substring) throws {
            guard case .object(let members) = try JSONReader.value(of: Array(line.utf8)) else {
                throw NoAnswer()
            }
            self.members = members
        }

        private struct NoAnswer: Error {}

        /// The value at a path such as `error.exit`, as JSON; nothing where there is none.
        subscript(path: String) -> String {
            var value = JSONValue.object(members)
            for name in path.split(separator: ".") {
                guard case .object(let members) = value,
                    let member = members.first(where: { $0.name == name })
                else { return "" }
                value = member.value
            }
            return JSONPrinter.text(of: value)
        }
    }

    private func batch(
        _ lines: [String], options: [String] = [], adjust: (inout Invocation) -> Void = { _ in }
    ) async throws -> [Answer] {
        let run = await rawget(
            ["batch"] + options, in: folder, input: lines.joined(separator: "\n"), adjust: adjust)
        #expect(run.exit == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(run.output.isEmpty || run.output.last == 0x0A)
        return try run.text.split(separator: "\n").map(Answer.init)
    }

    @Test("an answer has all members that it may have, in their order")
    func wholeAnswer() async throws {
        let server = try serve { request in
            [
                .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n\r\n"),
                .send(
                    "HTTP/1.1 201 Cr\u{E9}\u{E9}\r\nX-A:  1 \r\nx-a: \u{E9}\r\nTransfer-Encoding: chunked\r\n\r\n"
                ),
                .send("6\r\nh\u{E9}llo\r\n0\r\nT: u\r\n\r\n"),
            ]
        }
        let lines = ["{\"id\":{\"a\":1.0},\"url\":\"http://u:secret@\(server.authority)/x#f\"}"]
        let run = await rawget(["batch", "--cache-size", "0"], in: folder, input: lines[0])
        #expect(run.exit == 0)
        let expected =
            "{\"id\":{\"a\":1.0},\"ok\":true,\"status\":201,\"reason\":\"Cr\u{C3}\u{A9}\u{C3}\u{A9}\","
            + "\"version\":\"HTTP/1.1\",\"headers\":[[\"X-A\",\"1\"],[\"x-a\",\"\u{C3}\u{A9}\"],"
            + "[\"Transfer-Encoding\",\"chunked\"]],\"body\":\"h\u{E9}llo\",\"url\":\"http://\(server.authority)/x#f\","
            + "\"redirects\":[],\"interim\":[{\"status\":103,\"headers\":[[\"Link\",\"</a>\"],[\"Link\",\"</b>\"]]}],"
            + "\"trailers\":[[\"T\",\"u\"]],\"source\":\"network\",\"cacheStatus\":null,\"timings\":{\"dns\":0."
        #expect(run.text.hasPrefix(expected), "\(run.text)")
        let answer = try Answer(Substring(run.text))
        #expect(answer["timings.tls"] == "0.000000")
        let times = ["dns", "connect", "firstByte", "total"].compactMap { Double(answer["timings.\($0)"]) }
        #expect(times.count == 4 && times == times.sorted() && times[3] > 0)
        #expect(server.requests.first?.value(of: "Authorization") == "Basic dTpzZWNyZXQ=")
    }

    @Test("the request is the line's, and says besides only which program this is")
    func requestAsGiven() async throws {
        let server = try serve { _ in answer() }
        let url = "\"url\":\"http://\(server.authority)/a\""
        let answers = try await batch([
            "{\(url)}",
            "{\(url),\"method\":\"PATCH\",\"headers\":[[\"X-B\",\"1\"],[\"User-Agent\",\"me\"],[\"x-b\",\" \u{E9} \"]],\"body\":\"\u{E9}\"}",
            "{\(url),\"method\":\"PUT\",\"bodyBase64\":\"AP8=\",\"headers\":[[\"Host\",\"other.test\"]]}",
        ])
        #expect(answers.map { $0["ok"] } == ["true", "true", "true"])
        let requests = server.requests
        #expect(requests.map(\.method) == ["GET", "PATCH", "PUT"])
        #expect(requests[0].fields.map(\.name) == ["Host", "User-Agent"])
        #expect(requests[0].value(of: "User-Agent") == "rawget/\(Command.version)")
        #expect(requests[1].fields.map(\.name) == ["Host", "X-B", "User-Agent", "x-b", "Content-Length"])
        #expect(requests[1].headText.contains("\r\nUser-Agent: me\r\nx-b: \u{FFFD}\r\n"))  // the octet 0xE9
        #expect(requests[1].content == [0xC3, 0xA9])
        #expect(requests[2].value(of: "Host") == "other.test" && requests[2].content == [0, 0xFF])
    }

    @Test("-A names another program, or none")
    func userAgent() async throws {
        let server = try serve { _ in answer() }
        for (name, values) in [("me", ["me"]), ("", [])] {
            _ = try await batch(["{\"url\":\"http://\(server.authority)/\"}"], options: ["-A", name])
            #expect(server.requests.last?.values(of: "User-Agent") == values)
        }
    }

    @Test("one connection serves all lines, and answers come in their order")
    func order() async throws {
        let server = try serve { request in answer("200 OK", [], request.target) }
        let answers = try await batch(
            (0..<200).map { "{\"id\":\($0),\"url\":\"http://\(server.authority)/\($0)\"}" })
        #expect(answers.map { $0["id"] } == (0..<200).map { "\($0)" })
        #expect(answers.map { $0["body"] } == (0..<200).map { "\"/\($0)\"" })
        #expect(Set(server.requests.map(\.connection)).count == 1)
    }

    @Test("hostile lines are answered one by one, and those between them obeyed")
    func hostileLines() async throws {
        let server = try serve { _ in answer() }
        let good = "{\"id\":0,\"url\":\"http://\(server.authority)/\"}"
        let lines: [(String, exit: String, id: String)] = [
            ("{\"id\":1", "2", "1"), ("{\"id\":2,\"url\":\"http://\"}", "3", "2"), ("]", "2", "null"),
            ("{\"id\":3,\"url\":\"gopher://h/\"}", "1", "3"), ("{\"id\":4,\"pause\":9}", "2", "4"),
            ("{\"id\":\"\\ud800\",\"url\":\"\"}", "2", "null"),
            (String(repeating: "[", count: 100_000), "2", "null"),
            ("{\"id\":5,\"url\":\"http://127.0.0.1:1/\"}", "7", "5"),
            (
                "{\"id\":6,\"url\":\"http://\(server.authority)/\",\"headers\":[[\"Content-Length\",\"3\"]]}",
                "2", "6"
            ),
            ("{\"id\":7,\"url\":\"http://\(server.authority)/\",\"method\":\"CONNECT\"}", "2", "7"),
        ]
        let answers = try await batch(lines.flatMap { [$0.0, good] })
        #expect(answers.count == 2 * lines.count)
        for (index, line) in lines.enumerated() {
            let (answer, next) = (answers[2 * index], answers[2 * index + 1])
            #expect(answer["ok"] == "false" && answer["id"] == line.id && answer["error.exit"] == line.exit)
            #expect(answer["error.message"].utf8.count > 2)
            #expect(next["ok"] == "true" && next["id"] == "0")
        }
        #expect(server.requests.count == lines.count)
    }

    @Test("octets that are no text are no line, and the id before them is known")
    func noText() async throws {
        let input = NamelessFile(
            Array("{\"id\":1,\"url\":\"".utf8) + [0xFF] + Array("\"}\n{\"id\":2}".utf8))
        let run = await rawget(["batch"], in: folder) { $0.standardInput = input.descriptor }
        let answers = try run.text.split(separator: "\n").map(Answer.init)
        #expect(answers.map { $0["id"] } == ["1", "2"])
        #expect(answers[0]["error.message"].contains("not valid UTF-8 at octet 15"))
    }

    @Test("blank lines and the end of input have no answer, whether or not the last line has an end")
    func ends() async throws {
        #expect(try await batch([]).isEmpty)
        #expect(try await batch(["", " \t", "\r", ""]).isEmpty)
        #expect(try await batch(["{}", ""]).count == 1)
        #expect(try await batch(["", "{}\r", "", "{}"]).count == 2)
        let null = open("/dev/null", O_RDONLY)
        defer { close(null) }
        let run = await rawget(["batch"], in: folder) { $0.standardInput = null }
        #expect(run.exit == 0 && run.output.isEmpty)
    }

    // MARK: Answers

    @Test("content that is no UTF-8 comes as base64, the rest as text")
    func content() async throws {
        let long = [UInt8](repeating: 0xC3, count: 1) + [0xA9]
        let texts: [[UInt8]] = [
            [], [0x61], [0xFF], [0xC3], Array(repeating: long, count: 100_000).flatMap { $0 },
            [UInt8](repeating: 0, count: 50_000) + [0x22, 0x5C], [UInt8](repeating: 0xFE, count: 200_000),
        ]
        let server = try serve { request in
            answer("200 OK", [], texts[Int(request.target.dropFirst()) ?? 0])
        }
        let answers = try await batch(texts.indices.map { "{\"url\":\"http://\(server.authority)/\($0)\"}" })
        for (text, answer) in zip(texts, answers) {
            if let string = String(validating: text, as: UTF8.self) {
                #expect(answer["body"] == JSONPrinter.quoted(string) && answer["bodyBase64"].isEmpty)
            } else {
                #expect(answer["bodyBase64"].utf8.count == (text.count + 2) / 3 * 4 + 2)
                #expect(answer["body"].isEmpty)
            }
        }
        #expect(answers[2]["bodyBase64"] == "\"/w==\"")
        #expect(answers[6]["bodyBase64"] == "\"" + String(repeating: "/v7+", count: 66_666) + "/v4=\"")
    }

    @Test("redirects are followed and told, or delivered; credentials stay with their origin")
    func redirects() async throws {
        let other = try serve { _ in answer("200 OK", [], "other") }
        let server = try serve { request in
            switch request.target {
            case "/0": answer("302 Found", ["Location: /1"], "")
            case "/1": answer("307 Temporary", ["Location: http://\(other.authority)/2"], "")
            default: answer("302 Found", ["Location: \(request.target)"], "")
            }
        }
        let url = "http://u:secret@\(server.authority)"
        let answers = try await batch(
            [
                "{\"url\":\"\(url)/0#f\"}", "{\"url\":\"\(url)/0\",\"redirect\":\"manual\"}",
                "{\"url\":\"\(url)/loop\",\"redirect\":\"follow\"}",
            ], options: ["--max-redirs", "3"])
        #expect(answers[0]["body"] == "\"other\"" && answers[0]["url"] == "\"http://\(other.authority)/2#f\"")
        let base = "http://\(server.authority)"
        #expect(
            answers[0]["redirects"]
                == "[{\"status\":302,\"url\":\"\(base)/0#f\"},{\"status\":307,\"url\":\"\(base)/1#f\"}]")
        #expect(answers[1]["status"] == "302" && answers[1]["redirects"] == "[]")
        #expect(answers[1]["url"] == "\"\(base)/0\"")
        #expect(answers[2]["error.code"] == "\"tooManyRedirects\"" && answers[2]["error.exit"] == "47")
        #expect(!answers[2]["error.message"].contains("secret"))
        #expect(other.requests.allSatisfy { $0.value(of: "Authorization") == nil })
        #expect(server.requests.allSatisfy { $0.value(of: "Authorization") != nil })
    }

    @Test("answers of every status are answers, without content where there is none")
    func statuses() async throws {
        let server = try serve { request in
            let head = "HTTP/1.1 \(request.target.dropFirst()) X\r\n"
            return request.target == "/204" || request.target == "/304" || request.method == "HEAD"
                ? [.send(head + "\r\n")] : [.send(head + "Content-Length: 1\r\n\r\na")]
        }
        let statuses = ["200", "204", "299", "304", "404", "500", "599"]
        let url = "http://\(server.authority)"
        var lines = statuses.map { "{\"url\":\"\(url)/\($0)\"}" }
        lines.append("{\"url\":\"\(url)/404\",\"method\":\"HEAD\"}")
        let answers = try await batch(lines)
        #expect(answers.map { $0["status"] } == statuses + ["404"])
        #expect(answers.allSatisfy { $0["ok"] == "true" })
        #expect(
            answers.map { $0["body"] } == [
                "\"a\"", "\"\"", "\"a\"", "\"\"", "\"a\"", "\"a\"", "\"a\"", "\"\"",
            ])
    }

    @Test("a silence of the line's time-out is a failure, and so is what breaks off; the next line goes on")
    func failures() async throws {
        let server = try serve { request in
            switch request.target {
            case "/stall": [.stall]
            case "/cut": [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close]
            case "/bad": [.send("HTTP/1.1 2x0 OK\r\n\r\n")]
            default: answer()
            }
        }
        let url = "http://\(server.authority)"
        let answers = try await batch(
            [
                "{\"id\":1,\"url\":\"\(url)/stall\",\"timeout\":0.05}", "{\"id\":2,\"url\":\"\(url)/cut\"}",
                "{\"id\":3,\"url\":\"\(url)/bad\"}", "{\"id\":4,\"url\":\"\(url)/\"}",
            ])
        #expect(
            answers.map { $0["error.code"] } == [
                "\"timedOut\"", "\"incompleteContent\"", "\"badResponse\"", "",
            ])
        #expect(answers.map { $0["error.exit"] } == ["28", "18", "8", ""])
        #expect(answers.map { $0["id"] } == ["1", "2", "3", "4"])
        #expect(answers[0].members.map(\.name) == ["id", "ok", "error"])
    }

    @Test("content of more than 64 MiB is too much for an answer, but not for a file")
    func tooLarge() async throws {
        let server = try serve { request in
            let length = UInt64(64 << 20) + 1
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
            return request.method == "HEAD"
                ? [.send(head)]
                : [
                    .send(head), .sendRepeated([UInt8](repeating: 0x61, count: 1 << 20), times: 64),
                    .send("b"),
                ]
        }
        let url = "\"url\":\"http://\(server.authority)/\""
        let answers = try await batch([
            "{\(url)}", "{\(url),\"method\":\"HEAD\"}", "{\(url),\"output\":\"large\"}",
        ])
        #expect(answers[0]["error.code"] == "\"tooLarge\"" && answers[0]["error.exit"] == "63")
        #expect(answers[1]["status"] == "200")
        #expect(answers[2]["status"] == "200" && answers[2]["body"].isEmpty)
        #expect(folder.status(of: "large")?.st_size == 64 << 20 + 1)
    }

    // MARK: Files

    @Test("an output is a file that has its name once it is whole, relative to the folder")
    func output() async throws {
        let server = try serve { request in
            switch request.target {
            case "/cut": [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close]
            case "/404": answer("404 Not Found", [], "none")
            default: answer("200 OK", [], "content")
            }
        }
        let url = "http://\(server.authority)"
        folder.makeFolder("sub")
        folder.write("old", to: "kept")
        let answers = try await batch([
            "{\"url\":\"\(url)/\",\"output\":\"sub/new\"}", "{\"url\":\"\(url)/cut\",\"output\":\"kept\"}",
            "{\"url\":\"\(url)/404\",\"output\":\"error\"}", "{\"url\":\"\(url)/\",\"output\":\"no/folder\"}",
            "{\"url\":\"\(url)/\",\"output\":\"sub/new\"}", "{\"url\":\"\(url)/\",\"output\":\"/dev/null\"}",
        ])
        #expect(answers.map { $0["ok"] } == ["true", "false", "true", "false", "true", "true"])
        #expect(answers[1]["error.exit"] == "18" && answers[3]["error.exit"] == "23")
        #expect(folder.text(of: "sub/new") == "content" && folder.text(of: "error") == "none")
        #expect(folder.text(of: "kept") == "old" && folder.text(of: "kept.part") == "abc")
        #expect(folder.names == ["error", "kept", "kept.part", "sub"])
    }

    // MARK: Streams

    @Test("an answer is there before the next line is read")
    func dialogue() async throws {
        let server = try serve { request in answer("200 OK", [], request.target) }
        let (input, output) = (Pipe(), Pipe())
        let folder = folder
        let run = Task {
            await rawget(["batch"], in: folder, output: output.input) { $0.standardInput = input.output }
        }
        for number in 0..<5 {
            let line = "{\"id\":\(number),\"url\":\"http://\(server.authority)/\(number)\"}\n"
            // A line may come in pieces.
            for piece in [line.prefix(9), line.dropFirst(9)] {
                _ = piece.utf8.withContiguousStorageIfAvailable {
                    write(input.input, $0.baseAddress, $0.count)
                }
            }
            var octets: [UInt8] = []
            while octets.last != 0x0A {
                var chunk = [UInt8](repeating: 0, count: 4096)
                let count = read(output.output, &chunk, chunk.count)
                try #require(count > 0)
                octets += chunk[..<count]
            }
            let answer = try Answer(Substring(decoding: octets.dropLast(), as: UTF8.self))
            #expect(answer["id"] == "\(number)" && answer["body"] == "\"/\(number)\"")
        }
        #expect(fcntl(input.output, F_GETFL) & O_NONBLOCK == 0)
        input.closeInput()
        #expect(await run.value.exit == 0)
    }

    @Test("an interruption ends it, whatever it waits for", arguments: ["", "stall", "pause"])
    func interruption(waiting: String) async throws {
        let server = try serve([.stall])
        let (input, interruption) = (Pipe(), Pipe())
        let lines = [
            "": "", "stall": "{\"url\":\"http://\(server.authority)/\"}\n", "pause": "{\"pause\":1000}\n",
        ]
        let line = Array((lines[waiting] ?? "").utf8)
        _ = write(input.input, line, line.count)
        let folder = folder
        let run = Task {
            await rawget(["batch"], in: folder) {
                $0.standardInput = input.output
                $0.interruptions = { interruption.output }
            }
        }
        if waiting == "stall" { #expect(await eventually { !server.requests.isEmpty }) }
        _ = write(interruption.input, "x", 1)
        let ended = await run.value
        #expect(ended.exit == 130 && ended.output.isEmpty)
        input.closeInput()
    }

    @Test("a reader who goes away ends it with 23, without a word; a full disk with one")
    func closedOutput() async throws {
        let output = Pipe()
        output.closeOutput()
        let gone = await rawget(["batch"], in: folder, input: "{}\n{}\n", output: output.input)
        #expect(gone.exit == 23 && gone.errors.isEmpty)
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let lost = await rawget(["batch"], in: folder, input: "{}\n", output: full)
        #expect(lost.exit == 23)
        #expect(lost.errors.contains("could not write to standard output: No space left on device"))
    }

    @Test("what is no file of lines is exit 26")
    func unreadable() async throws {
        let directory = open("/", O_RDONLY | O_DIRECTORY)
        defer { close(directory) }
        let run = await rawget(["batch"], in: folder) { $0.standardInput = directory }
        #expect(run.exit == 26 && run.errors.contains("could not read standard input: Is a directory"))
    }

    // MARK: Options

    @Test("options of the connection are the command's own, letters, opposites and all")
    func options() async throws {
        let server = try serve { _ in answer() }
        let url = "{\"url\":\"http://fixture.test:\(server.port)/\"}"
        let answers = try await batch(
            [url], options: ["-4m5", "--no-keepalive", "--resolve=fixture.test:\(server.port):127.0.0.1"])
        #expect(answers.map { $0["ok"] } == ["true"])
        let verbose = await rawget(
            ["batch", "-v", "--connect-to", "::127.0.0.1:\(server.port)"], in: folder, input: url)
        #expect(verbose.exit == 0 && verbose.errors.contains("> GET / HTTP/1.1"))
        let insecure = await rawget(["batch", "-k"], in: folder)
        #expect(insecure.exit == 0 && insecure.errors.contains("anybody on the way may answer"))
    }

    @Test(
        "options that cannot be obeyed are told before any line is read",
        arguments: [
            (["file"], "batch takes no files"), (["-o", "x"], "unknown option -o"),
            (["-4X"], "unknown option -4X"),
            (["--cache-size", "x"], "--cache-size: \"x\" is not a size"),
            (["--cache-size"], "--cache-size needs SIZE"),
            (["-m"], "-m, --max-time needs SECONDS"),
            (["-m", "-1"], "-m, --max-time: \"-1\" is not a number of seconds"),
            (["--no-ipv4"], "--ipv4 has no opposite"), (["--no-resolve", "x"], "--resolve has no opposite"),
            (["--insecure=1"], "--insecure takes no argument"),
            (["--resolve", "h:1:x"], "\"x\" is no IP address"),
            (["-x", "http://p/"], "proxy is not part of this version"),
            (["--cache-siz", "1"], "did you mean --cache-size?"),
            (["--tls-max", "9"], "--tls-max: \"9\" is not 1.2, 1.3 or default"),
            (["--keepalive-cnt", "0"], "--keepalive-cnt: \"0\" is no number from 1 to 127"),
        ])
    func usage(options: [String], words: String) async {
        let run = await rawget(["batch"] + options, in: folder, input: "{}")
        #expect(run.exit == 2 && run.output.isEmpty && run.errors.contains(words), "\(run.errors)")
    }

    @Test("help tells of each member and each option")
    func help() async {
        for option in ["--help", "-h"] {
            let run = await rawget(["batch", option], in: folder)
            #expect(run.exit == 0 && run.errors.isEmpty)
            for name in BatchMembers.names { #expect(run.text.contains("\"\(name)\"")) }
            for option in BatchCommand.options { #expect(run.text.contains(option.spelling)) }
            #expect(run.text.split(separator: "\n").allSatisfy { $0.utf8.count < 80 })
        }
        #expect(BatchCommand.options.contains { $0.name == "tls13-ciphers" })
        let shared = ["user-agent", "compressed", "max-time", "connect-timeout", "max-redirs", "verbose"]
        #expect(shared.allSatisfy { name in BatchCommand.options.contains { $0.name == name } })
    }
}
