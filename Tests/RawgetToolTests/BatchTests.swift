import Glibc
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("rawget batch: its lines and options", .timeLimit(.minutes(2)))
struct BatchTests {
    private let folder = TemporaryFolder()

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
        let answer = try AnswerLine(Substring(run.text))
        #expect(answer["timings.tls"] == "0.000000")
        let times = ["dns", "connect", "firstByte", "total"].compactMap { Double(answer["timings.\($0)"]) }
        #expect(times.count == 4 && times == times.sorted() && times[3] > 0)
        #expect(server.requests.first?.value(of: "Authorization") == "Basic dTpzZWNyZXQ=")
    }

    @Test("the request is the line's, and says besides only which program this is")
    func requestAsGiven() async throws {
        let server = try serve { _ in answer() }
        let url = "\"url\":\"http://\(server.authority)/a\""
        let answers = try await batch(
            [
                "{\(url)}",
                "{\(url),\"method\":\"PATCH\",\"headers\":[[\"X-B\",\"1\"],[\"User-Agent\",\"me\"],[\"x-b\",\" \u{E9} \"]],\"body\":\"\u{E9}\"}",
                "{\(url),\"method\":\"PUT\",\"bodyBase64\":\"AP8=\",\"headers\":[[\"Host\",\"other.test\"]]}",
            ], in: folder)
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
            _ = try await batch(
                ["{\"url\":\"http://\(server.authority)/\"}"], options: ["-A", name], in: folder)
            #expect(server.requests.last?.values(of: "User-Agent") == values)
        }
    }

    @Test("one connection serves all lines, and answers come in their order")
    func order() async throws {
        let server = try serve { request in answer("200 OK", [], request.target) }
        let answers = try await batch(
            (0..<200).map { "{\"id\":\($0),\"url\":\"http://\(server.authority)/\($0)\"}" }, in: folder)
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
        let answers = try await batch(lines.flatMap { [$0.0, good] }, in: folder)
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
        let answers = try run.text.split(separator: "\n").map(AnswerLine.init)
        #expect(answers.map { $0["id"] } == ["1", "2"])
        #expect(answers[0]["error.message"].contains("not valid UTF-8 at octet 15"))
    }

    @Test("blank lines and the end of input have no answer, whether or not the last line has an end")
    func ends() async throws {
        #expect(try await batch([], in: folder).isEmpty)
        #expect(try await batch(["", " \t", "\r", ""], in: folder).isEmpty)
        #expect(try await batch(["{}", ""], in: folder).count == 1)
        #expect(try await batch(["", "{}\r", "", "{}"], in: folder).count == 2)
        let null = open("/dev/null", O_RDONLY)
        defer { close(null) }
        let run = await rawget(["batch"], in: folder) { $0.standardInput = null }
        #expect(run.exit == 0 && run.output.isEmpty)
    }

    // MARK: Options

    @Test("options of the connection are the command's own, letters, opposites and all")
    func options() async throws {
        let server = try serve { _ in answer() }
        let url = "{\"url\":\"http://fixture.test:\(server.port)/\"}"
        let answers = try await batch(
            [url], options: ["-4m5", "--no-keepalive", "--resolve=fixture.test:\(server.port):127.0.0.1"],
            in: folder)
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
