import Glibc
import Replay
import TestSupport
import Testing

@Suite("Outputs that are open already, and files of heads", .serialized)
struct OpenDescriptorTests {
    private let folder = TemporaryFolder()

    @Test(
        "names of standard output are standard output itself, at its own offset",
        arguments: ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
    func standardOutput(_ name: String) async throws {
        let server = try serve { answer("200 OK", [], $0.target) }
        let base = "http://\(server.authority)"
        let run = await rawget(["-o", name, "-o", name, "\(base)/a", "\(base)/b"], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(run.text == "/a/b")
        #expect(folder.names.isEmpty)
    }

    @Test("names of standard error are standard error", arguments: ["/dev/stderr", "/dev/fd/2"])
    func standardError(_ name: String) async throws {
        let server = try serve(answer())
        let run = await rawget(["-o", name, "http://\(server.authority)/"], in: folder)
        #expect(run.exit == 0)
        #expect(run.errors == "content" && run.output.isEmpty)
    }

    @Test("a descriptor the command was given is written to; one it was not given is told")
    func others() async throws {
        let server = try serve(answer())
        let file = NamelessFile()
        let given = dup(file.descriptor)  // not closed on exec, as what a shell hands on
        let run = await rawget(["-o", "/dev/fd/\(given)", "http://\(server.authority)/"], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(file.text == "content")
        close(given)
        // The second is open, but its owner kept it to itself.
        for number in [given + 500, file.descriptor] {
            let failed = await rawget(["-o", "/dev/fd/\(number)", "http://\(server.authority)/"], in: folder)
            #expect(failed.exit == 23)
            #expect(failed.errors.contains("/dev/fd/\(number)") && failed.errors.contains("not open"))
            let heads = await rawget(
                ["-D", "/dev/fd/\(number)", "-o", "f", "http://\(server.authority)/"], in: folder)
            #expect(heads.exit == 23)
        }
        #expect(file.text == "content")
    }

    @Test(
        "what only looks like a descriptor is a path", arguments: ["/dev/fd/x", "/dev/fd/", "/dev/fd/01/x"])
    func noDescriptor(_ name: String) async throws {
        let server = try serve(answer())
        let run = await rawget(["-o", name, "http://\(server.authority)/"], in: folder)
        #expect(run.exit == 23)
        #expect(run.output.isEmpty)
    }

    @Test(
        "heads go to standard output by its names, too", arguments: ["-", "/dev/stdout", "/proc/self/fd/1"])
    func headsToOutput(_ name: String) async throws {
        let server = try serve(answer())
        let run = await rawget(["-D", name, "-o", "-", "http://\(server.authority)/"], in: folder)
        #expect(run.exit == 0)
        #expect(run.text == "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\ncontent")
    }

    @Test("two names that only look alike are two files of heads")
    func normalForms() async throws {
        let server = try serve { answer("200 OK", ["X-A: \($0.target)"]) }
        let base = "http://\(server.authority)"
        let run = await rawget(
            ["-D", "\u{E9}", "\(base)/1", "--next", "-D", "e\u{301}", "\(base)/2"], in: folder)
        #expect(run.exit == 0)
        #expect(folder.text(of: "\u{E9}")?.contains("X-A: /1\r\n") == true)
        #expect(folder.text(of: "e\u{301}")?.contains("X-A: /2\r\n") == true)
    }

    @Test("heads of a run stand one behind the other, those of the run before are gone")
    func appended() async throws {
        let server = try serve { answer("200 OK", ["X-A: \($0.target)"]) }
        let base = "http://\(server.authority)"
        for _ in 0..<2 {
            #expect(await rawget(["-D", "heads", "\(base)/1", "\(base)/2"], in: folder).exit == 0)
        }
        let lines = folder.text(of: "heads")?.split(separator: "\r\n").filter { $0.hasPrefix("X-A") }
        #expect(lines == ["X-A: /1", "X-A: /2"])
    }

    @Test("a pipe for heads that nobody reads is told at once")
    func unreadPipe() async throws {
        let server = try serve(answer())
        mkfifo(folder.path(of: "pipe"), 0o600)
        let run = await rawget(["-D", "pipe", "-o", "f", "http://\(server.authority)/"], in: folder)
        #expect(run.exit == 23)
        #expect(run.errors.contains("pipe") && run.errors.contains("nobody reads"), "\(run.errors)")
    }

    @Test("a pipe for heads has one end, after the last of them")
    func readPipe() async throws {
        let server = try serve(answer())
        mkfifo(folder.path(of: "pipe"), 0o600)
        let reader = open(folder.path(of: "pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let base = "http://\(server.authority)"
        let run = await rawget(["-D", "pipe", "\(base)/1", "\(base)/2"], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        var octets = [UInt8](repeating: 0, count: 4096)
        let count = read(reader, &octets, octets.count)
        #expect(count == 2 * "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n".utf8.count)
    }

    @Test("heads and content in one file are warned of", arguments: ["f", "./f", "link"])
    func sameFile(_ name: String) async throws {
        let server = try serve(answer())
        folder.write("", to: "f")
        folder.link("link", to: "f")
        let run = await rawget(["-D", name, "-o", "f", "http://\(server.authority)/"], in: folder)
        #expect(run.exit == 0)
        #expect(run.errors.contains("warning: ") && run.errors.contains("-D"))
        #expect(
            await rawget(["-D", "g", "-o", "f", "http://\(server.authority)/"], in: folder).errors.isEmpty)
    }

    @Test("groups with equal settings of the network share their connections")
    func sharedClient() async throws {
        let server = try serve(answer())
        let url = "http://\(server.authority)/"
        let run = await rawget(
            ["-o", "a", url, "--next", "-H", "X: y", "-o", "b", url, "--next", "-4", "-o", "c", url],
            in: folder)
        #expect(run.exit == 0)
        #expect(server.connectionCount == 2)
    }
}
