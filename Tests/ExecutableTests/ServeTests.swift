import Glibc
import TestSupport
import Testing

/// `rawget serve` at work in a process of its own.
private final class ServeProcess: Sendable {
    let folder = TemporaryFolder()
    private let output: NamelessFile
    private let errors = NamelessFile()
    private let process: ChildProcess

    /// Serves fixtures that are written into files `a.wire`, `b.wire` …
    init(_ options: [String], _ fixtures: [String]) {
        let output = NamelessFile()
        self.output = output
        folder.makeFolder("all")
        for (index, text) in fixtures.enumerated() {
            folder.write(text, to: "all/\(Character(UnicodeScalar(UInt8(97 + index)))).wire")
        }
        process = ChildProcess(
            Executable.path, ["serve"] + options + ["all"], in: folder.path, output: output.descriptor,
            errors: errors.descriptor)
    }

    /// The base of the URL that the line `index` of its output names, once it is there.
    func url(_ index: Int = 0) async -> String {
        _ = await eventually { self.lines.count > index && self.output.text.hasSuffix("\n") }
        guard index < lines.count, let word = lines[index].split(separator: " ").last else { return "" }
        return String(word.hasSuffix("/") ? word.dropLast() : word)
    }

    var text: String { output.text }
    var lines: [Substring] { output.text.split(separator: "\n") }
    var complaints: String { errors.text }

    func interrupt() { process.signal(SIGINT) }
    func ending() async -> ChildProcess.Ending { await process.ending(within: .seconds(20)) }
}

@Suite("rawget serve", .serialized)
struct ServeTests {
    private static func fixture(_ target: String, _ content: String, more: String = "") -> String {
        """
        # A test's own (RFC 9110, section 1).
        $ rawget http://fixture.test\(target)
        > GET \(target) HTTP/1.1
        \(more)< HTTP/1.1 200 OK
        < Content-Length: \(content.utf8.count)
        <
        << "\(content)"
        = exit 0

        """
    }

    /// Runs another client. Its output, and how it ended.
    private func client(_ program: String, _ arguments: [String]) async -> (String, ChildProcess.Ending) {
        let output = NamelessFile()
        let process = ChildProcess(program, arguments, output: output.descriptor)
        let ending = await process.ending(within: .seconds(20))
        return (output.text, ending)
    }

    @Test("answers curl and wget, each by the fixture that its request fits, and tells what it did")
    func clients() async {
        let served = ServeProcess([], [Self.fixture("/one", "first"), Self.fixture("/two", "second")])
        let url = await served.url()
        #expect(await client("wget", ["-q", "-O", "-", "\(url)/two"]) == ("second", .exit(0)))
        #expect(await client("curl", ["-s", "\(url)/one"]) == ("first", .exit(0)))
        // Both are used up.
        let third = await client("curl", ["-s", "-f", "\(url)/one"])
        #expect(third.1 == .exit(22), "\(third)")
        served.interrupt()
        #expect(await served.ending() == .exit(130))
        #expect(served.text.contains("GET /two HTTP/1.1"), "\(served.text)")
        #expect(served.text.contains("all/b.wire"), "\(served.text)")
        #expect(served.text.contains("GET /one HTTP/1.1"), "\(served.text)")
    }

    @Test("speaks TLS to whoever trusts its certificate")
    func tls() async {
        let served = ServeProcess(["--tls", "--ca", "ca.pem"], [Self.fixture("/", "secret")])
        let url = await served.url()
        #expect(url.hasPrefix("https://"))
        let authority = served.folder.path(of: "ca.pem")
        #expect(await client("curl", ["-s", "--cacert", authority, "\(url)/"]) == ("secret", .exit(0)))
        served.interrupt()
        #expect(await served.ending() == .exit(130))
    }

    @Test("gives each fixture a port of its own")
    func eachPort() async {
        let served = ServeProcess(["--each-port"], [Self.fixture("/", "first"), Self.fixture("/", "second")])
        let (first, second) = (await served.url(0), await served.url(1))
        #expect(first != second)
        #expect(await client("curl", ["-s", "\(second)/"]) == ("second", .exit(0)))
        #expect(await client("curl", ["-s", "\(first)/"]) == ("first", .exit(0)))
    }

    @Test("listens where it is told to, and says when it cannot")
    func port() async {
        let served = ServeProcess(["--repeat"], [Self.fixture("/", "again")])
        let url = await served.url()
        for _ in 0..<3 { #expect(await client("curl", ["-s", "\(url)/"]) == ("again", .exit(0))) }
        let port = String(url.split(separator: ":").last ?? "")
        let other = ServeProcess(["--port", port], [Self.fixture("/", "again")])
        #expect(await other.ending() == .exit(7))
        #expect(other.complaints.contains("could not listen"), "\(other.complaints)")
    }

    @Test("with --once ends when all is used up: with 0 when all was as expected, else with 1")
    func once() async {
        let good = ServeProcess(["--once"], [Self.fixture("/", "done")])
        #expect(await client("curl", ["-s", "\(await good.url())/"]) == ("done", .exit(0)))
        #expect(await good.ending() == .exit(0), "\(good.text)\(good.complaints)")
        let bad = ServeProcess(["--once"], [Self.fixture("/", "done", more: "> X-Missing: 1\n")])
        #expect(await client("curl", ["-s", "\(await bad.url())/"]) == ("done", .exit(0)))
        #expect(await bad.ending() == .exit(1), "\(bad.text)")
        #expect(bad.text.contains("\n  expected: \"X-Missing: 1\"\n"), "\(bad.text)")
    }

    @Test("answers further requests of a connection that its script leaves open")
    func keptConnection() async {
        let served = ServeProcess(
            ["--once"], [Self.fixture("/one", "first"), Self.fixture("/two", "second")])
        let url = await served.url()
        let count = "%{num_connects}"
        let both = await client(
            "curl", ["-s", "-w", count, "\(url)/one", "-o", "/dev/null", "-w", count, "\(url)/two"])
        #expect(both.1 == .exit(0))
        #expect(both.0.contains("0"), "\(both.0)")
        #expect(await served.ending() == .exit(0), "\(served.text)\(served.complaints)")
    }

    @Test("ends after its time, with 1 where something was not asked for")
    func timeLimit() async {
        let served = ServeProcess(["--once", "--time-limit", "1"], [Self.fixture("/", "late")])
        #expect(await served.ending() == .exit(1))
        #expect(
            served.complaints.contains("not all that the fixtures have was asked for"), "\(served.complaints)"
        )
    }

    @Test("warns of TLS that several fixtures on one port do not get")
    func warning() async {
        let secure = Self.fixture("/", "x").replacing(
            "$ rawget http", with: "server fixture.test tls good\n$ rawget https")
        let served = ServeProcess(["--once", "--time-limit", "1"], [secure, Self.fixture("/b", "y")])
        _ = await served.ending()
        #expect(
            served.complaints.contains("all/a.wire is about TLS and is served without"),
            "\(served.complaints)")
    }

    @Test("a fixture without a connection is not served")
    func nothing() async {
        let served = ServeProcess(
            [], ["# r (RFC 9110, section 1)\n$ rawget http://nowhere.test/\n= exit 6\n"])
        #expect(await served.ending() == .exit(2))
        #expect(served.complaints.contains("has no connection that could be served"), "\(served.complaints)")
    }

    @Test(
        "usage errors are told with exit 2",
        arguments: [
            (["serve"], "needs a fixture"), (["serve", "--port", "0", "all"], "no number from 1 to 65535"),
            (["serve", "--each-port", "--port", "80", "all"], "--port is for one port"),
            (["serve", "--repeat", "--once", "all"], "nothing is ever used up"),
            (["serve", "--prot", "80", "all"], "did you mean --port?"),
        ])
    func usage(arguments: [String], message: String) async {
        let folder = TemporaryFolder()
        folder.makeFolder("all")
        folder.write(Self.fixture("/", "x"), to: "all/a.wire")
        let run = await rawget(arguments, in: folder)
        #expect(run.exit == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
    }
}

@Suite("rawget check as a process", .serialized)
struct CheckProcessTests {
    @Test("Ctrl-C ends the fixtures at work and leaves nothing behind")
    func interruption() async {
        let folder = TemporaryFolder()
        folder.makeFolder("tmp")
        folder.write(
            "# r (RFC 9110, section 1)\n$ rawget http://fixture.test/\n> GET / HTTP/1.1\n! stall\n= exit 0\n",
            to: "a.wire")
        let output = NamelessFile()
        let process = ChildProcess(
            Executable.path, ["check", "a.wire"], in: folder.path, output: output.descriptor,
            environment: ["TMPDIR=\(folder.path(of: "tmp"))"])
        #expect(await eventually { !names(in: folder.path(of: "tmp")).isEmpty })
        // The signal is caught once the fixture is at work.
        _ = await eventually { names(in: folder.path(of: "tmp")).contains { $0.contains("fixture") } }
        process.signal(SIGINT)
        #expect(await process.ending(within: .seconds(15)) == .exit(130))
        #expect(names(in: folder.path(of: "tmp")) == [])
        #expect(output.text.contains("0 passed, 0 failed"), "\(output.text)")
    }
}
