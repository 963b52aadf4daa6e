import Glibc
import HTTPMessage
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("Options of how a transfer is made")
struct TransferOptionsTests {
    private let folder = TemporaryFolder()
    /// `printf hello | gzip -n`.
    private static let hello: [UInt8] = [
        0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x86, 0xA6, 0x10,
        0x36,
        0x05, 0, 0, 0,
    ]

    private func load(_ arguments: [String], from server: ReplayServer, _ path: String = "/") async -> ToolRun
    {
        await rawget(["-o", "-"] + arguments + ["http://\(server.authority)\(path)"], in: folder)
    }

    @Test("--compressed offers and undoes codings; sizes are those of the wire")
    func compressed() async throws {
        let server = try serve(answer("200 OK", ["Content-Encoding: gzip"], Self.hello))
        let run = await load(["--compressed", "-w", " %{size_download}"], from: server)
        #expect(run.text == "hello 25" && run.exit == 0 && run.errors.isEmpty)
        #expect(server.requests.first?.value(of: "Accept-Encoding") == "gzip, deflate")
    }

    @Test("without it the octets are saved as they came, with a warning")
    func unasked() async throws {
        let server = try serve(answer("200 OK", ["Content-Encoding: gzip"], Self.hello))
        let run = await load([], from: server)
        #expect(run.output == Self.hello && run.exit == 0)
        #expect(run.errors.contains("has the coding gzip and is saved as it came"))
    }

    @Test("a coding that is not known, or not there, is exit 61", arguments: ["br", "gzip"])
    func unknown(coding: String) async throws {
        let server = try serve(answer("200 OK", ["Content-Encoding: \(coding)"], "plain"))
        let run = await load(["--compressed"], from: server)
        #expect(run.exit == 61 && run.output.isEmpty)
        #expect(run.errors.contains("Without --compressed the content is saved as it came"))
    }

    @Test("an error answer in a coding that is not known is told by its status, nothing of it shown")
    func unknownError() async throws {
        let server = try serve(
            answer("404 Gone", ["Content-Type: text/plain", "Content-Encoding: br"], "coded"))
        for arguments in [[], ["--compressed"], ["--compressed", "-f", "-o", "f"]] {
            let run = await rawget(arguments + ["http://\(server.authority)/"], in: folder)
            #expect(run.exit == 22 && run.errors.contains("404"), "\(arguments): \(run.errors)")
            #expect(!run.errors.contains("coded") && !run.errors.contains("saved as it came"))
        }
        #expect(folder.names.isEmpty)
    }

    @Test("-T of a pipe that nobody writes holds up neither the loop nor a limit of time")
    func pipeWithoutWriter() async throws {
        let server = try serve(answer())
        mkfifo(folder.path(of: "pipe"), 0o600)
        let run = await load(["-T", "pipe", "-m", "0.2"], from: server)
        #expect(run.exit == 28)
    }

    @Test("--raw saves the chunks")
    func raw() async throws {
        let server = try serve(answerInChunks([Array("hello".utf8)]))
        let run = await load(["--raw"], from: server)
        #expect(run.text == "5\r\nhello\r\n0\r\n\r\n" && run.exit == 0)
    }

    @Test("-0 speaks HTTP/1.0, --http1.1 takes that back")
    func version() async throws {
        let server = try serve(answer())
        for (arguments, version) in [(["-0"], "HTTP/1.0"), (["--http1.0", "--http1.1"], "HTTP/1.1")] {
            _ = await load(arguments, from: server)
            #expect(server.requests.last?.version == version)
            #expect(server.requests.last?.value(of: "Host") == server.authority)
        }
    }

    @Test("--http0.9 takes an answer without a head; otherwise it is exit 1")
    func http09() async throws {
        let server = try serve([.send("just text"), .close])
        #expect(await load(["--http0.9"], from: server).text == "just text")
        let refused = await load([], from: server)
        #expect(refused.exit == 1 && refused.errors.contains("--http0.9 takes such an answer"))
    }

    @Test("--path-as-is leaves dots alone")
    func pathAsIs() async throws {
        let server = try serve(answer())
        for (arguments, target) in [(["--path-as-is"], "/a/../b/./c"), ([], "/b/c")] {
            _ = await load(arguments, from: server, "/a/../b/./c")
            #expect(server.requests.last?.target == target)
        }
    }

    @Test("--ignore-content-length reads until the server closes")
    func ignoredLength() async throws {
        let server = try serve([.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello"), .close])
        #expect(await load(["--ignore-content-length"], from: server).text == "hello")
        #expect(await load([], from: server).text == "he")
    }

    @Test("groups that differ in these share no client", arguments: ["--http0.9", "--ignore-content-length"])
    func groups(option: String) async throws {
        let server = try serve { answer() + ($0.connection == 0 ? [] : [.close]) }
        let url = "http://\(server.authority)/"
        let run = await rawget(["-o", "-", url, "--next", option, "-o", "-", url], in: folder)
        #expect(run.exit == 0 && server.connectionCount == 2)
    }

    @Test("-y alone means one octet a second, --speed-limit alone 30 seconds; too slow is exit 28")
    func speed() async throws {
        let server = try serve([.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), .stall])
        let run = await load(["-Y", "1k", "-y", "0.1"], from: server)
        #expect(run.exit == 28 && run.text == "hello")
        #expect(run.errors.contains("less than 1024 octets a second for 0.1 s; 5 of 9 octets received"))
        let alone = await load(["-y", "0.1"], from: server)
        #expect(alone.errors.contains("less than 1 octets a second for 0.1 s"))
        let limited = await load(["--speed-limit", "5", "-m", "0.1"], from: server)
        #expect(limited.errors.contains("was not done within 0.1 s"))
    }

    @Test("-z asks for what is newer than a date or a file, or older")
    func condition() async throws {
        let server = try serve(answer())
        let path = "\(folder.path)/old"
        folder.write("x", to: "old")
        var times = [timespec(tv_sec: 784_111_777, tv_nsec: 5), timespec(tv_sec: 784_111_777, tv_nsec: 5)]
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        for (value, name, date) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", "If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("old", "If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("-20200229", "If-Unmodified-Since", "Sat, 29 Feb 2020 00:00:00 GMT"),
        ] {
            #expect(await load(["-z", value], from: server).exit == 0)
            #expect(server.requests.last?.value(of: name) == date)
        }
        let run = await load(["-z", "no such"], from: server)
        #expect(run.exit == 2 && run.errors.contains("neither a date nor a file"))
        _ = await load(["-z", "old", "-H", "If-Modified-Since: x"], from: server)
        #expect(server.requests.last?.values(of: "If-Modified-Since") == ["x"])
    }

    @Test(
        "dates are read as people write them",
        arguments: [
            ("2020-02-29", 1_582_934_400), ("20200229", 1_582_934_400), ("29 Feb 2020", 1_582_934_400),
            ("Feb 29, 2020", 1_582_934_400), ("Saturday, 29 February 2020", 1_582_934_400),
            ("2020-02-29T12:30:01Z", 1_582_979_401), ("2020-02-29 12:30:01 +0200", 1_582_972_201),
            ("29 Feb 2020 12:30 EST", 1_582_997_400), ("2020-02-29T12:30:01-05:00", 1_582_997_401),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("12:00 1 Jan 70", 43_200), ("1/Feb/1970", 2_678_400),
        ])
    func dates(text: String, seconds: Int64) {
        let now = HTTPDate(secondsSinceEpoch: 1_600_000_000)
        #expect(DateArgument.date(text, now: now)?.secondsSinceEpoch == seconds)
    }

    @Test(
        "what is no date is none",
        arguments: [
            "", "2020", "2020-02-30", "2020-13-01", "29 Feb", "29 Feb 2020 25:00", "yesterday", "x",
            "1:2:3:4",
            "99999999999999999999999 Jan 2020", "29 Feb 2020 12:00 +9900", "29 Feb 2020 29 Feb 2020",
            "a\u{0}b",
        ])
    func noDates(text: String) {
        #expect(DateArgument.date(text, now: HTTPDate(secondsSinceEpoch: 1_600_000_000)) == nil)
    }

    @Test("--raw wins over --compressed, which still offers codings", arguments: [true, false])
    func rawCompressed(isFirst: Bool) async throws {
        let server = try serve(answer("200 OK", ["Content-Encoding: gzip"], Self.hello))
        let options = isFirst ? ["--raw", "--compressed"] : ["--compressed", "--raw"]
        let run = await load(options, from: server)
        #expect(run.output == Self.hello && run.exit == 0)
        #expect(server.requests.first?.values(of: "Accept-Encoding") == ["gzip, deflate"])
    }

    @Test("an answer of HTTP/0.9 has no head to show, and HEAD has no such answer")
    func headOfHTTP09() async throws {
        let server = try serve([.send("just text"), .close])
        let run = await load(
            ["--http0.9", "-i", "-D", "heads", "-w", " %{http_code} %{http_version} %{size_header}"],
            from: server)
        #expect(run.text == "just text 000 0.9 0" && folder.text(of: "heads") == "")
        #expect(await load(["--http0.9", "-I"], from: server).exit == 8)
    }
}
