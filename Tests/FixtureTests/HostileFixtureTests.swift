import Glibc
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("Fixtures that want too much")
struct HostileFixtureTests {
    private static let exchange = """
        > GET / HTTP/1.1
        < HTTP/1.1 200 OK
        < Content-Length: 2
        <
        << "ok"

        """

    @Test(
        "no line leads out of the folder by a link that the fixture made",
        arguments: [
            "file d/pwn = \"x\"", "folder d/pwn", "link d/pwn -> x",
        ])
    func links(line: String) async throws {
        let victim = TemporaryFolder()
        let text = """
            # A test's own (RFC 9110, section 1).
            link d -> \(victim.path)
            \(line)
            $ rawget -o page http://fixture.test/
            \(Self.exchange)= exit 0
            = file page is "ok"

            """
        // The parser may see it already; if not, the runner must.
        if let fixture = try? FixtureParser.parse(Array(text.utf8)) {
            let result = await result(of: fixture)
            #expect(result.text.contains("leads through a link"), "\(result.text)")
        }
        #expect(victim.names == [])
    }

    @Test(
        "what is made ready takes no more time than the fixture has",
        arguments: [
            "file big = generated 1024G seed 1", "input = repeat 1000000000 \"0123456789\"",
        ])
    func preparations(line: String) async throws {
        let text = """
            # A test's own (RFC 9110, section 1).
            \(line)
            $ rawget -o page http://fixture.test/
            \(Self.exchange)= exit 0

            """
        let result = try await result(of: text, limit: .milliseconds(200))
        #expect(!result.hasPassed)
        #expect(result.duration < .seconds(20))
    }

    @Test("a difference from coded data is found without coding all of it")
    func codedDifference() async throws {
        let text = """
            # A test's own (RFC 9110, section 1).
            $ rawget -o page http://fixture.test/
            \(Self.exchange)= exit 0
            = file page is gzip generated 1G seed 1

            """
        let result = try await result(of: text)
        #expect(result.text.contains("the file page is not as expected"), "\(result.text)")
        #expect(result.duration < .seconds(10))
    }

    @Test("an outcome looks at nothing outside the folder")
    func outcomeThroughLink() async throws {
        let text = """
            # A test's own (RFC 9110, section 1).
            link d -> /etc
            $ rawget -o page http://fixture.test/
            \(Self.exchange)= exit 0
            = file page is "ok"
            = file d/passwd matches *root*

            """
        // The parser may see it already; if not, the runner must.
        let result = try? await result(of: text)
        #expect(result?.hasPassed != true)
        #expect(result?.text.contains("d/passwd leads through a link") ?? true, "\(result?.text ?? "")")
    }

    @Test("an outcome is not compared with what never ends")
    func endless() async throws {
        let text = """
            # A test's own (RFC 9110, section 1).
            link zero -> /dev/zero
            $ rawget -o page http://fixture.test/
            \(Self.exchange)= exit 0
            = file page is "ok"
            = file zero is "zz"

            """
        let result = try await result(of: text)
        #expect(result.text.contains("zero is no file"), "\(result.text)")
    }

    @Test("the permissions of a file that was there are part of it")
    func permissions() async throws {
        let folder = TemporaryFolder()
        folder.write("#!/bin/sh\nchmod 644 page\n", to: "client", permissions: 0o755)
        folder.write(
            "# r (RFC 9110, section 1)\nfile page = \"ok\"\nmode page = 600\n"
                + "$ rawget --as-curl http://fixture.test/\n= exit 0\n", to: "a.wire")
        let run = await rawget(["check", "--client", folder.path(of: "client"), "a.wire"], in: folder)
        #expect(run.exit == 1)
        #expect(run.text.contains("page was there before and has changed"), "\(run.text)")
    }

    @Test("an interruption is of one command, not of the next")
    func interruption() async throws {
        let text = """
            # A test's own (RFC 9110, section 1).
            $ rawget -o one http://fixture.test/
            > GET / HTTP/1.1
            ! interrupt
            ! stall
            = exit 130
            $ rawget -o two http://fixture.test/
            \(Self.exchange)= exit 0
            = file two is "ok"

            """
        let result = try await result(of: text)
        #expect(result.hasPassed, "\(result.text)")
    }

    @Test("an interruption for good outlasts the command at work")
    func interruptionForGood() throws {
        func isReadable(_ interruption: FixtureInterruption) -> Bool {
            var entry = pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) == 1
        }
        let interruption = try FixtureInterruption()
        interruption.interrupt()
        #expect(isReadable(interruption))
        interruption.takeBack()
        #expect(!isReadable(interruption))
        interruption.interruptForGood()
        interruption.takeBack()
        #expect(isReadable(interruption))
    }

    @Test("a failure that does not exist is told")
    func unknownFailure() async throws {
        let text = """
            # A test's own (RFC 9110, section 1).
            load GET http://fixture.test/
            \(Self.exchange)= failure foo during bar

            """
        let result = try? await result(of: text)
        #expect(result?.text.contains("no failure is called foo") ?? true)
        #expect(result?.hasPassed != true)
    }

    @Test("a name that is not UTF-8 is told, and the others are run")
    func names() async {
        let folder = TemporaryFolder()
        folder.makeFolder("all")
        folder.write(
            "# r (RFC 9110, section 1)\n$ rawget -o page http://fixture.test/\n\(Self.exchange)= exit 0\n= file page is \"ok\"\n",
            to: "all/a.wire")
        let path = Array("\(folder.path(of: "all"))/".utf8) + [0xFF] + Array(".wire".utf8) + [0]
        let file = path.map(CChar.init(bitPattern:)).withUnsafeBufferPointer { creat($0.baseAddress!, 0o644) }
        close(file)
        let run = await rawget(["check", "all"], in: folder)
        #expect(run.exit == 1)
        #expect(run.text.contains("1 passed, 1 failed"), "\(run.text)")
        #expect(run.text.contains("its name is not UTF-8"), "\(run.text)")
    }

    @Test("without a folder for temporary files nothing is tried, and that is told once")
    func temporaryFolder() async {
        let folder = TemporaryFolder()
        folder.write("x", to: "a.wire")
        let run = await rawget(["check", "a.wire"], in: folder) {
            $0.environment = { $0 == "TMPDIR" ? "/nowhere" : nil }
        }
        #expect(run.exit == 23)
        #expect(run.errors.contains("could not make a folder in /nowhere"), "\(run.errors)")
    }

    @Test("where no fixture is for the other client, that is no success")
    func nothingRun() async {
        let folder = TemporaryFolder()
        folder.write(
            "# r (RFC 9110, section 1)\n$ rawget -o page http://fixture.test/\n\(Self.exchange)= exit 0\n",
            to: "a.wire")
        let run = await rawget(["check", "--client", "/bin/true", "a.wire"], in: folder)
        #expect(run.exit == 1)
        #expect(run.text.contains("needs a command that begins with `rawget --as-curl`"), "\(run.text)")
        #expect(run.errors.contains("no fixture was run"), "\(run.errors)")
    }

    @Test("what another client leaves running is ended with it")
    func children() async {
        let folder = TemporaryFolder()
        let marker = "3600.\(getpid())"
        folder.write("#!/bin/sh\nsleep \(marker) &\nexit 7\n", to: "client", permissions: 0o755)
        folder.write(
            "# r (RFC 9110, section 1)\n$ rawget --as-curl http://fixture.test/\n= exit 7\n", to: "a.wire")
        let run = await rawget(["check", "--client", folder.path(of: "client"), "a.wire"], in: folder)
        #expect(run.exit == 0, "\(run.text)")
        let output = NamelessFile()
        let script = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -ao 'sle[e]p \(marker)'"
        let search = ChildProcess("sh", ["-c", script], output: output.descriptor)
        _ = await search.ending {}
        #expect(output.text == "")
    }
}
