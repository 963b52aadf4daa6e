import RawgetTool
import TestSupport
import Testing

@Suite("rawget check")
struct CheckCommandTests {
    private static let good = """
        # A test's own (RFC 9110, section 1).
        $ rawget --as-curl http://fixture.test/
        > GET / HTTP/1.1
        < HTTP/1.1 200 OK
        < Content-Length: 2
        <
        << "ok"
        = exit 0
        = output is "ok"

        """
    private static let bad = good.replacing("= output is \"ok\"", with: "= output is \"no\"")

    private static func folder() -> TemporaryFolder {
        let folder = TemporaryFolder()
        folder.makeFolder("all")
        folder.write(good, to: "all/a.wire")
        folder.write(bad, to: "all/b.wire")
        folder.write("nothing", to: "all/c.txt")
        return folder
    }

    @Test("tells a line each, what differs, and the sum")
    func text() async {
        let run = await rawget(["check", "all"], in: Self.folder())
        #expect(run.exit == 1)
        let lines = run.text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("ok      all/a.wire (") == true, "\(run.text)")
        #expect(lines.dropFirst().first?.hasPrefix("FAILED  all/b.wire (") == true, "\(run.text)")
        #expect(run.text.contains("all/b.wire:9: standard output is not as expected"), "\(run.text)")
        #expect(lines.last?.hasPrefix("1 passed, 1 failed, in ") == true, "\(run.text)")
        #expect(run.errors == "")
    }

    @Test("tells JSON, an object a line")
    func json() async {
        let run = await rawget(["check", "--as-json", "all"], in: Self.folder())
        #expect(run.exit == 1)
        let lines = run.text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            lines.first?.hasPrefix(#"{"file":"all/a.wire","result":"passed","seconds":"#) == true,
            "\(run.text)")
        #expect(lines.dropFirst().first?.contains(#""result":"failed""#) == true)
        #expect(
            lines.dropFirst().first?.contains(#""problems":[{"line":9,"message":"standard output"#) == true)
        #expect(lines.last?.hasPrefix(#"{"passed":1,"failed":1,"skipped":0,"known":0,"seconds":"#) == true)
    }

    @Test("a failure that is known is none, and one that no longer fails is told")
    func known() async {
        let folder = Self.folder()
        folder.write("# why\nb.wire: it says no\n", to: "known")
        let run = await rawget(["check", "--known", "known", "all"], in: folder)
        #expect(run.exit == 0, "\(run.text)")
        #expect(run.text.contains("known   all/b.wire: it says no"))
        folder.write("b.wire: it says no\na.wire: it says yes\n", to: "known")
        let stale = await rawget(["check", "--known", "known", "all"], in: folder)
        #expect(stale.exit == 1)
        #expect(stale.text.contains("is listed as known to fail (it says yes), but passes"))
        folder.write("b.wire\n", to: "known")
        #expect(await rawget(["check", "--known", "known", "all"], in: folder).exit == 2)
    }

    @Test("repeats, in another order, and shows failures only")
    func rounds() async {
        let run = await rawget(
            ["check", "--repeat", "5", "--shuffle", "1", "--failures", "--jobs", "3", "all"],
            in: Self.folder())
        #expect(run.exit == 1)
        #expect(run.text.contains("5 passed, 5 failed"), "\(run.text)")
        #expect(!run.text.contains("a.wire"))
    }

    @Test("names what is wrong in a file that is no fixture")
    func syntax() async {
        let folder = TemporaryFolder()
        folder.write("# why (RFC 9110, section 1)\n$ rawget http://fixture.test/\n! stal\n", to: "x.wire")
        let run = await rawget(["check", "x.wire"], in: folder)
        #expect(run.exit == 1)
        #expect(run.text.contains("x.wire:3: "), "\(run.text)")
        #expect(run.text.contains("stall"), "\(run.text)")
    }

    @Test(
        "usage errors are told with exit 2, files that cannot be read with 26",
        arguments: [
            (["check"], Int32(2), "needs a fixture"),
            (["check", "--jbos", "3", "all"], 2, "did you mean --jobs?"),
            (["check", "--jobs", "0", "all"], 2, "no number from 1 to 64"),
            (["check", "--jobs"], 2, "needs NUMBER after it"),
            (["check", "--as-json=1", "all"], 2, "takes no argument"),
            (["check", "nowhere"], 26, "could not read nowhere"),
            (["check", "empty"], 2, "no .wire file"),
            (["check", "--client", "no-such-client", "all"], 2, "no program"),
            (["check", "--client", " ", "all"], 2, "needs a command"),
            (["check", "--known", "nowhere", "all"], 26, "could not read nowhere"),
        ])
    func usage(arguments: [String], exit: Int32, message: String) async {
        let folder = Self.folder()
        folder.makeFolder("empty")
        let run = await rawget(arguments, in: folder)
        #expect(run.exit == exit, "\(run.errors)")
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test("help lists every option")
    func help() async {
        let run = await rawget(["check", "--help"], in: TemporaryFolder())
        #expect(run.exit == 0)
        for option in ["as-json", "client", "known", "failures", "jobs", "time-limit", "repeat", "shuffle"] {
            #expect(run.text.contains("--\(option)"))
        }
        #expect(run.text.split(separator: "\n").allSatisfy { $0.utf8.count < 80 }, "\(run.text)")
    }

    @Test("leaves nothing behind")
    func leavesNothing() async {
        let folder = Self.folder()
        folder.makeFolder("tmp")
        let path = folder.path(of: "tmp")
        _ = await rawget(["check", "all"], in: folder) { $0.environment = { $0 == "TMPDIR" ? path : nil } }
        #expect(entries(in: path).isEmpty)
    }
}

@Suite("Another client on the same fixtures")
struct ClientTests {
    @Test("curl does as the fixtures say, but for what is listed with a reason")
    func curl() async {
        let folder = TemporaryFolder()
        let run = await rawget(
            [
                "check", "--client", "curl", "--time-limit", "5", "--known",
                "\(Collection.folder)/curl-differences.txt",
                "--failures",
                Collection.folder,
            ], in: folder
        ) { $0.environment = { $0 == "PATH" ? "/usr/local/bin:/usr/bin:/bin" : nil } }
        #expect(run.exit == 0, "\(run.text)\(run.errors)")
        // What is only skipped proves nothing.
        let passed = run.text.split(separator: "\n").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        #expect(passed >= 60, "\(run.text)")
    }

    @Test("is told before all else to read no options of the person's own, for curl heeds that nowhere else")
    func noConfiguration() async {
        let folder = TemporaryFolder()
        folder.write(
            """
            # Whatever the arguments are, this client prints them (curl's manual, -q).
            $ rawget --as-curl -s http://fixture.test/
            = exit 0
            = output matches -q --mark --connect-to fixture.test:*:127.0.0.1:* -s http://fixture.test/\\n

            """, to: "x.wire")
        let run = await rawget(["check", "--client", "/bin/echo --mark", "x.wire"], in: folder)
        #expect(run.exit == 0, "\(run.text)\(run.errors)")
    }
}
