import Glibc
import TestSupport
import Testing

@Suite("rawget as a process", .serialized)
struct ProcessTests {
    private let nginx: Nginx
    private let folder = TemporaryFolder()

    init() throws { nginx = try #require(Nginx.shared, "nginx is needed: .ci/setup installs it") }

    /// Runs the executable to its end.
    private func run(
        _ arguments: [String], environment: [String] = [],
        look: @escaping @Sendable (ChildProcess) -> Void = { _ in }
    ) async -> (ending: ChildProcess.Ending, output: String, errors: String) {
        let (output, errors) = (NamelessFile(), NamelessFile())
        let process = ChildProcess(
            Executable.path, arguments, in: folder.path, output: output.descriptor, errors: errors.descriptor,
            environment: environment)
        let ending = await process.ending { look(process) }
        return (ending, output.text, errors.text)
    }

    @Test("one thread brings 1 GiB from an address literal")
    func oneThread() async throws {
        let counts = Samples()
        let result = await run(["-o", "/dev/null", nginx.url("large")]) { process in
            counts.add(process.figure("Threads"))
        }
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(counts.all.count >= 10)
        #expect(counts.all.allSatisfy { $0 == 1 })
    }

    @Test("as many transfers at once as descriptors allow, and all come whole", arguments: [20, 30, 60])
    func fewDescriptors(limit: Int) async throws {
        let urls = (0..<60).map { "-O \(nginx.url("many/\($0)"))" }.joined(separator: " ")
        let errors = NamelessFile()
        let shell = ChildProcess(
            "sh", ["-c", "ulimit -n \(limit); exec '\(Executable.path)' -sS -Z \(urls)"], in: folder.path,
            errors: errors.descriptor)
        #expect(await shell.ending {} == .exit(0), "\(errors.text)")
        for number in 0..<60 { #expect(folder.text(of: "\(number)") == "file \(number)\n") }
    }

    @Test("memory does not grow with the file")
    func memory() async throws {
        func peak(_ name: String) async -> (all: Int, own: Int) {
            let (all, own) = (Samples(), Samples())
            let result = await run(["-o", "/dev/null", nginx.url(name)]) { process in
                all.add(process.figure("VmHWM"))
                own.add(process.figure("RssAnon"))
            }
            #expect(result.ending == .exit(0), "\(result.errors)")
            return (all.all.max() ?? 0, own.all.max() ?? 0)
        }
        let small = await peak("middle")
        let large = await peak("large")
        #expect(small.all > 0 && large.all > 0)
        // KiB; what differs is what the kernel maps around each touch of the program.
        #expect(large.all <= small.all + 4096)
        #expect(large.own <= small.own + 4096)
    }

    @Test("Ctrl-C keeps the part, says so and exits with 130")
    func interruption() async throws {
        let sent = Samples()
        let result = await run(["-o", "file", nginx.url("slow/middle")]) { process in
            let size = folder.status(of: "file.part")?.st_size ?? 0
            guard sent.all.isEmpty, size > 0 else { return }
            sent.add(1)
            process.signal(SIGINT)
        }
        #expect(result.ending == .exit(130))
        #expect(result.errors.contains("interrupted"))
        #expect(result.errors.contains("kept in file.part"))
        #expect(folder.names == [".file.rawget", "file.part"])
        #expect((folder.status(of: "file.part")?.st_size ?? 0) > 0)
    }

    @Test("a reader who does not read keeps nobody from interrupting")
    func blockedPipe() async throws {
        var ends: [Int32] = [0, 0]
        #expect(Glibc.pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let errors = NamelessFile()
        let process = ChildProcess(
            Executable.path, ["-o", "-", nginx.url("middle")], in: folder.path, output: ends[1],
            errors: errors.descriptor)
        let looks = Samples()
        let ending = await process.ending(within: .seconds(10)) {
            // By then the pipe has long been full.
            looks.add(1)
            if looks.all.count == 200 { process.signal(SIGINT) }
        }
        #expect(ending == .exit(130))
        #expect(errors.text.contains("interrupted"))
    }

    @Test("the demo can be interrupted, and leaves nothing")
    func interruptedDemo() async throws {
        let looks = Samples()
        let result = await run(["demo"], environment: ["TMPDIR=\(folder.path)"]) { process in
            looks.add(1)
            if looks.all.count == 100 { process.signal(SIGINT) }
        }
        #expect(result.ending == .exit(130))
        #expect(folder.names.isEmpty)
    }

    @Test("`rawget -o - URL | head` ends quietly with 23")
    func head() async throws {
        let (output, errors) = (NamelessFile(), NamelessFile())
        let shell = ChildProcess(
            "bash",
            [
                "-c", #""$0" -o - "$1" | head -c 10 | wc -c; echo ${PIPESTATUS[0]}"#, Executable.path,
                nginx.url("large"),
            ],
            in: folder.path, output: output.descriptor, errors: errors.descriptor)
        #expect(await shell.ending() == .exit(0))
        #expect(output.text == "10\n23\n")
        #expect(errors.text.isEmpty)
    }

    @Test("content for a pipe comes whole")
    func pipe() async throws {
        let output = NamelessFile()
        let shell = ChildProcess(
            "bash",
            [
                "-c", #""$0" -o - "$1" | cmp - "$2" && echo same"#, Executable.path, nginx.url("middle"),
                nginx.path(of: "middle"),
            ],
            in: folder.path, output: output.descriptor)
        #expect(await shell.ending() == .exit(0))
        #expect(output.text == "same\n")
    }

    @Test("a file that is appended to is written behind what it holds")
    func append() async throws {
        let output = NamelessFile()
        let shell = ChildProcess(
            "bash",
            [
                "-c",
                #"echo before >file; "$0" -o - "$1" >>file; head -n 1 file; tail -c +8 file | cmp - "$2" && echo same"#,
                Executable.path, nginx.url("middle"), nginx.path(of: "middle"),
            ],
            in: folder.path, output: output.descriptor)
        #expect(await shell.ending() == .exit(0))
        #expect(output.text == "before\nsame\n")
    }

    @Test("a name that must be looked up works, too")
    func name() async throws {
        let result = await run(["-o", "-", "http://localhost:\(nginx.port)/small.txt"])
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(result.output == "A small file.\n")
    }

    @Test("the environment changes nothing, standard streams may be closed")
    func world() async throws {
        let proxies = ["http_proxy=http://127.0.0.1:1", "ALL_PROXY=http://127.0.0.1:1", "HOME=/nonexistent"]
        let result = await run([nginx.url("small.txt")], environment: proxies)
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(folder.text(of: "small.txt") == "A small file.\n")
        let shell = ChildProcess(
            "bash", ["-c", #""$0" -o closed "$1" <&- >&- 2>&-"#, Executable.path, nginx.url("small.txt")],
            in: folder.path)
        #expect(await shell.ending() == .exit(0))
        #expect(folder.text(of: "closed") == "A small file.\n")
    }

    @Test("thousands of files leak no descriptor")
    func descriptors() async throws {
        let list = (0..<1000).map { "url=\(nginx.url("many/\($0)"))\noutput=\($0)" }
        folder.write(list.joined(separator: "\n"), to: "list")
        let shell = ChildProcess(
            "bash", ["-c", #"ulimit -n 24; exec "$0" -sS -K list"#, Executable.path], in: folder.path)
        #expect(await shell.ending() == .exit(0))
        #expect(folder.names.count == 1001)
    }
}

/// Figures of a process, in the order in which they were read.
final class Samples: @unchecked Sendable {
    // Safety: added to by the one thread that watches, read when it has ended or by itself.
    private(set) var all: [Int] = []

    func add(_ figure: Int?) { if let figure { all.append(figure) } }
}
