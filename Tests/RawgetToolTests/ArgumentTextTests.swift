import Replay
import TestSupport
import Testing

@Suite("Text that is not what it seems")
struct ArgumentTextTests {
    private let folder = TemporaryFolder()

    @Test(
        "a value in a file of options that is not UTF-8 or has a NUL is refused, and its line is named",
        arguments: [
            Array("\noutput = caf".utf8) + [0xE9], Array("\nurl = http://h/".utf8) + [0xFF],
            Array("\noutput = \"a".utf8) + [0] + Array("b\"".utf8),
            Array("\n-D h".utf8) + [0] + Array("x".utf8),
            Array("\nuser-agent = \"".utf8) + [0xC3, 0x28] + Array("\"".utf8),
            Array("\n--output-dir \"\\".utf8) + [0x80] + Array("\"".utf8),
        ] as [[UInt8]])
    func configValue(_ line: [UInt8]) async throws {
        let server = try serve(answer())
        folder.write(Array("url = http://\(server.authority)/f".utf8) + line, to: "options")
        let run = await rawget(["-K", "options"], in: folder)
        #expect(run.exit == 2)
        #expect(run.errors.contains("options, line 2: "))
        #expect(folder.names == ["options"])
        #expect(server.requests.isEmpty)
    }

    @Test("octets of a comment may be any")
    func comment() async throws {
        let server = try serve(answer())
        folder.write([0x23, 0xFF, 0, 0x0A] + Array("url = http://\(server.authority)/f".utf8), to: "options")
        #expect(await rawget(["-K", "options"], in: folder).exit == 0)
    }

    @Test(
        "lines of fields and formats that are not UTF-8 are refused, not repaired",
        arguments: [["-H", "@text"], ["-w", "@text"]])
    func files(_ arguments: [String]) async throws {
        let server = try serve(answer())
        folder.write(Array("X-A: caf".utf8) + [0xE9], to: "text")
        let run = await rawget(arguments + ["http://\(server.authority)/f"], in: folder)
        #expect(run.exit == 2)
        #expect(run.errors.contains("UTF-8"))
        #expect(folder.names == ["text"])
    }

    @Test("an empty output is refused", arguments: [["-o", ""], ["--output="], ["-K", "options"]])
    func emptyOutput(_ arguments: [String]) async {
        folder.write("output = \"\"", to: "options")
        let run = await rawget(arguments + ["http://127.0.0.1:1/"], in: folder)
        #expect(run.exit == 2)
        #expect(run.errors.contains("-o, --output"))
    }

    @Test(
        "a URL that cannot be read is shown without its password",
        arguments: [
            "http://user:secret@h h/", "http://user:secret@host:x/?a@b", "user:secret@[::1/",
            "ftp://user:secret@host/", "http://user:sec/secret@host/", "http://user:a@secret@host:x/",
        ])
    func password(_ url: String) async {
        let run = await rawget([url], in: folder)
        #expect(run.exit == 3 || run.exit == 1)
        #expect(!run.errors.contains("secret") && !run.errors.contains("user"), "\(run.errors)")
    }

    @Test("-r takes what is a list of ranges", arguments: ["0-99,200-", "0-0", "-5", "7-", "1-2,-1"])
    func range(_ text: String) async throws {
        let server = try serve(answer())
        #expect(await rawget(["-r", text, "http://\(server.authority)/f"], in: folder).exit == 0)
        #expect(server.requests.first?.value(of: "Range") == "bytes=\(text)")
    }

    @Test(
        "-r refuses what is none",
        arguments: ["-", "--", "5-1", "1-2-3", ",", "1", "", "99999999999999999999-", " 1-2", "1-2, 3-4"])
    func noRange(_ text: String) async throws {
        let run = await rawget(["-r", text, "http://127.0.0.1:1/f"], in: folder)
        #expect(run.exit == 2)
        #expect(run.errors.contains("\"\(text)\""))
    }

    @Test(
        "a time above zero is a limit, however short, and is never told as 0 s",
        arguments: ["0.0000001", "0.0000000000001", "0.0004", ".00000000000000000001"])
    func shortTime(_ time: String) async throws {
        let server = try serve([.stall])
        let run = await rawget(["-m", time, "http://\(server.authority)/"], in: folder)
        #expect(run.exit == 28)
        #expect(run.errors.contains("0.001 s") && !run.errors.contains(" 0 s"), "\(run.errors)")
    }
}
