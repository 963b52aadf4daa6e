import Glibc
import NetworkProbes
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("What was recorded replays", .timeLimit(.minutes(2)))
struct RecordingRoundTripTests {
    /// A command line and the exit code that it must lead to.
    struct Case: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        var exit: Int32
        var input = ""

        init(_ arguments: [String], exit: Int32 = 0, input: String = "") {
            (self.arguments, self.exit, self.input) = (arguments, exit, input)
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let cases: [Case] = [
        Case(["http://A/small"]), Case(["-o", "-", "http://A/small"]), Case(["A/chunked"]),
        Case(["-O", "http://A/chunked", "http://A/small", "-O", "http://B/other"]),
        Case(["http://A/close"]), Case(["--as-curl", "-L", "-i", "-o", "x", "http://A/moved"]),
        Case(["http://A/moved"], exit: 3),
        Case(["-L", "http://A/moved-here"]), Case(["--no-location", "http://A/moved"]),
        Case(["-Z", "http://A/1", "http://A/2", "http://A/3", "http://B/4"]),
        Case(["-d", "a=1", "-d", "@f", "http://A/post"]),
        Case(["--json", "{\"a\": \"*\"}", "http://A/post"]),
        Case(["-T", "-", "http://A/put"], input: "from somewhere"), Case(["-T", "f", "http://A/"]),
        Case(["--data-urlencode", "n@f", "-G", "--url-query", "q@f", "http://A/query"]),
        Case(["-H", "Expect: 100-continue", "-d", "asked for", "http://A/post"]),
        Case(["-T", "f", "http://A/refuse"], exit: 22), Case(["-X", "DELETE", "http://A/x"]),
        Case(["--compressed", "http://A/gzip"]), Case(["http://A/gzip"]),
        Case(["--raw", "http://A/chunked"]),
        Case(["-u", "someone:s3cret", "http://A/private"]), Case(["http://A/private"], exit: 22),
        Case(["http://someone:s3cret@A/private"]), Case(["http://A/missing"], exit: 22),
        Case(["-f", "-o", "x", "http://A/missing"], exit: 22),
        Case(["--fail-with-body", "-O", "http://A/missing"], exit: 22),
        Case(["--as-curl", "http://A/missing", "-w", "%{http_code}\\n"]), Case(["http://A/cut"], exit: 18),
        Case(["http://A/reset"], exit: 56), Case(["http://A/empty"], exit: 52),
        Case(["http://A/garbage"], exit: 1),
        Case(["-m", "0.3", "http://A/stall"], exit: 28), Case(["-m", "0.3", "http://A/silent"], exit: 28),
        Case(["http://A/small", "http://A/empty", "http://A/small"], exit: 52),
        Case(["-I", "http://A/small"]),
        Case(["-D", "heads", "http://A/cookies"]),
        Case(["-D", "-", "http://A/cookies", "-b", "x=s3cret; y=s3cret"]),
        Case(["http://A/odd"]), Case(["http://A/interim", "-i"]), Case(["-R", "http://A/dated"]),
        Case(["-z", "f", "http://A/dated", "-o", "f"]), Case(["-z", "1 Jan 2020", "http://A/small"]),
        Case(["-K", "config"]), Case(["-K", "-"], input: "url = \"http://A/small\"\nuser = \"me:s3cret\"\n"),
        Case(["-H", "@fields", "http://A/small"]), Case(["-w", "@format", "http://A/small"]),
        Case(["-A", "", "-H", "X-Empty;", "-H", "Accept:", "http://A/small"]),
        Case(["--create-dirs", "-o", "new/x", "http://A/small"]), Case(["-o", "old/x", "http://A/small"]),
        Case(["--output-dir", "old", "-O", "http://A/small"]), Case(["http://A/named"]),
        Case(["http://A/a", "--next", "-d", "x", "-o", "y", "--resolve", "RESOLVE", "http://A/b"]),
        Case(["--fail-early", "http://A/missing", "http://A/small"], exit: 22),
        Case(["--max-filesize", "5", "http://A/chunked"], exit: 63), Case(["-r", "0-1", "http://A/small"]),
        Case(["http://nowhere.invalid/"], exit: 6),
        Case(["--max-redirs", "0", "http://A/moved-here"], exit: 47),
        Case(["-sSo", "x", "http://A/small", "-0"]), Case(["--as-curl", "-so", "#1", "http://A/{small,a}"]),
        Case(["-o", "lnk", "http://A/small"]), Case(["-o", "old/lnk", "http://A/small"]),
        Case(["--output-dir", "old", "-o", "lnk", "http://A/small"]), Case(["-o", "lnk2", "http://A/small"]),
        Case(["-o", "null", "http://A/small"]), Case(["-o", "away", "http://A/small"]),
        Case(["-D", "lnk", "-o", "x", "http://A/small"]), Case(["-T", "lnk3", "http://A/"]),
        Case(["-T", "/dev/null", "http://A/"]), Case(["-T", ".", "http://A/put"], input: "some"),
        Case(["-d", "@-", "http://A/post"], input: "some"), Case(["ftp://A/x", "http://A/small"], exit: 1),
    ]

    private func prepare(_ rig: RecordingRig) {
        rig.folder.write("content of f", to: "f")
        rig.folder.write(
            "-H \"X-Key: v\"\nuser = \"me:s3cret\" # s3cret\n--url http://\(rig.filled("A/"))conf\n-d @f\n",
            to: "config")
        rig.folder.write("X-One: 1\r\nAuthorization: Bearer s3cret\nCookie: a=s3cret\n", to: "fields")
        rig.folder.write("%{http_code} %{method}\\n", to: "format")
        rig.folder.makeFolder("old")
        rig.folder.link("lnk", to: "R1")
        rig.folder.link("lnk2", to: "old/lnk")
        rig.folder.link("lnk3", to: "f")
        rig.folder.link("old/lnk", to: "../R2")
        rig.folder.link("null", to: "/dev/null")
        rig.folder.link("away", to: "\(rig.folder.path)/R3")
        rig.folder.write("stays", to: "named.txt")
    }

    @Test(
        "with what came through a pipe",
        arguments: [
            ["-T", "-", "http://A/put"], ["-T", ".", "http://A/put"],
            ["--as-curl", "-T", "-", "http://A/put"],
            ["-d", "@-", "http://A/post"], ["-K", "-", "http://A/more"], ["-T", "fifo", "http://A/"],
            ["-T", "f", "-T", "./fifo", "http://A/", "A/d/"], ["-T", "fifo", "http://A/put"],
            ["-T", "fifo", "-o", "x", "http://A/?a=b", "--next", "--resolve", "RESOLVE", "http://A/small"],
        ])
    func pipes(arguments: [String]) async throws {
        let rig = try RecordingRig()
        prepare(rig)
        let text = arguments[0] == "-K" ? "url = \(rig.filled("A/x"))\n" : "through a pipe\n"
        let pipe = Pipe()
        #expect(write(pipe.input, text, text.utf8.count) == text.utf8.count)
        pipe.closeInput()
        mkfifo(rig.folder.path(of: "fifo"), 0o600)
        let fifo = open(rig.folder.path(of: "fifo"), O_RDWR | O_CLOEXEC)
        #expect(write(fifo, "by name\n", 8) == 8)
        // Its end comes when the reader is there and has taken what is in it.
        let closer = Task.detached {
            var left: Int32 = 1
            while left > 0, !Task.isCancelled {
                usleep(1000)
                _ = ioctl(fifo, UInt(FIONREAD), &left)
            }
            close(fifo)
        }
        let run = await rig.run(arguments) { $0.standardInput = pipe.output }
        closer.cancel()
        await closer.value
        #expect(run.exit == 0, "\(run.errors)")
        let fixture = try rig.recorded()
        #expect(fixture.firstRange(of: "\ninput = ") != nil, "\(fixture)")
        let problems = try await problems(playing: Array(fixture.utf8))
        #expect(problems == [], "\(problems.joined(separator: "\n"))\n\(fixture)")
    }

    @Test("and says that its standard input was a file")
    func fileInput() async throws {
        let rig = try RecordingRig()
        _ = await rig.run(["-T", "-", "http://A/put"], input: "some")
        #expect(try rig.recorded().firstRange(of: "\ninput file = blob content\n") != nil)
    }

    @Test("with the links that outputs lead through")
    func links() async throws {
        let rig = try RecordingRig()
        prepare(rig)
        _ = await rig.run(["-o", "lnk2", "http://A/small"])
        let lines = try rig.recorded().split(separator: "\n")
        for line in ["link lnk2 -> old/lnk", "link old/lnk -> ../R2", "= link old/lnk -> ../R2"] {
            #expect(lines.contains { $0 == line }, "\(line) in \(lines)")
        }
        #expect(lines.contains { $0.hasPrefix("= file R2 is ") })
    }

    @Test("whatever the command line", arguments: cases)
    func roundTrip(_ test: Case) async throws {
        let rig = try RecordingRig()
        prepare(rig)
        let run = await rig.run(test.arguments, input: rig.filled(test.input))
        #expect(run.exit == test.exit, "\(run.errors)")
        let text = try rig.recorded()
        let problems = try await problems(playing: Array(text.utf8))
        #expect(problems == [], "\(problems.joined(separator: "\n"))\n\(text)")
        #expect(!text.utf8.elementsEqual("".utf8) && text.firstRange(of: "s3cret") == nil, "\(text)")
    }
}
