import Glibc
import TestSupport
import Testing

@Suite("The process and its world", .serialized)
struct WorldTests {
    private let nginx: Nginx
    private let folder = TemporaryFolder()

    init() throws { nginx = try #require(Nginx.shared, "nginx is needed: .ci/setup installs it") }

    /// Runs a script with the executable as `$0` and the server's address as `$1`; its output and errors.
    private func run(
        _ script: String, look: @escaping @Sendable (ChildProcess) -> Void = { _ in }
    ) async -> (ending: ChildProcess.Ending, text: String) {
        let output = NamelessFile()
        let shell = ChildProcess(
            "bash", ["-c", script, Executable.path, nginx.url("")], in: folder.path,
            output: output.descriptor, errors: output.descriptor)
        let ending = await shell.ending(within: .seconds(40)) { look(shell) }
        return (ending, output.text)
    }

    @Test("an argument that is not UTF-8 is refused, and which one is told")
    func arguments() async {
        let result = await run(#""$0" -o $'caf\xE9' "$1small.txt"; echo "exit $?"; ls"#)
        #expect(result.text.contains("argument 2") && result.text.contains("UTF-8"))
        #expect(result.text.hasSuffix("exit 2\n"))
        // The character that repairs leave is one like any other.
        let genuine = await run(#""$0" -o $'\xEF\xBF\xBD' "$1small.txt"; echo "exit $?""#)
        #expect(genuine.text == "exit 0\n")
        #expect(folder.names == ["\u{FFFD}"])
    }

    @Test(
        "a limit to the size of files is told, not died of",
        .enabled(if: !isSanitized, "the limit ends the sanitizer"))
    func fileLimit() async {
        let result = await run(#"ulimit -f 100; "$0" -o file "$1middle"; echo "exit $?""#)
        #expect(result.text.contains("larger than is allowed"))
        #expect(result.text.hasSuffix("exit 23\n"), "\(result.text)")
    }

    @Test("nothing lands on a closed standard stream")
    func closedStreams() async {
        let result = await run(
            """
            "$0" -o - "$1small.txt" >&-; echo "exit $?"; "$0" -o - "$1middle" >&- 2>&-; echo "exit $?"
            "$0" -K - <&-; echo "exit $?"; "$0" -o /dev/stderr "$1small.txt" 2>&-; echo "exit $?"
            "$0" -o file "$1middle" <&- >&- 2>&-; echo "exit $?"; cmp file "\(nginx.path(of: "middle"))" && echo same
            """)
        #expect(result.text.contains("Bad file descriptor"), "\(result.text)")
        let exits = result.text.split(separator: "\n").filter { $0.hasPrefix("exit ") || $0 == "same" }
        #expect(exits == ["exit 23", "exit 23", "exit 2", "exit 23", "exit 0", "same"], "\(result.text)")
    }

    @Test("too few descriptors are told")
    func fewDescriptors() async {
        let result = await run(#"ulimit -n 4; exec "$0" -o file "$1small.txt""#)
        #expect(result.ending == .exit(27))
        #expect(result.text.contains("(27)") && result.text.contains("ulimit -n"), "\(result.text)")
    }

    @Test("outputs of a shell's making are written to", arguments: ["small.txt", "middle"])
    func substitution(_ name: String) async {
        let result = await run(
            """
            "$0" -o >(cat >copy; echo done) "$1\(name)" | cat; cmp copy "\(nginx.path(of: name))" && echo same
            { echo before; "$0" -o /dev/stdout "$1\(name)"; echo after; } >all
            { echo before; cat "\(nginx.path(of: name))"; echo after; } | cmp - all && echo same
            "$0" -o /dev/fd/7 "$1\(name)" 7>seven; cmp seven "\(nginx.path(of: name))" && echo same
            """)
        #expect(result.text == "done\nsame\nsame\nsame\n")
    }

    @Test("before a transfer begins, signals kill", arguments: [SIGINT, SIGTERM, SIGHUP])
    func waitingForOptions(_ signal: Int32) async {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let process = ChildProcess(Executable.path, ["-K", "-"], in: folder.path, input: ends[0])
        let looks = Counter()
        let ending = await process.ending(within: .seconds(20)) {
            if looks.next() == 200 { process.signal(signal) }
        }
        #expect(ending == .signal(signal))
    }

    @Test(
        "the exit code names the signal",
        arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func exitCodes(_ signal: Int32, _ exit: Int32) async {
        let errors = NamelessFile()
        let process = ChildProcess(
            Executable.path, ["-o", "file", nginx.url("slow/middle")], in: folder.path,
            errors: errors.descriptor)
        let looks = Counter()
        let folder = folder
        let ending = await process.ending {
            if (folder.status(of: "file.part")?.st_size ?? 0) > 0, looks.next() == 1 {
                process.signal(signal)
            }
        }
        #expect(ending == .exit(exit))
        #expect(
            errors.text.contains("(\(exit))") && errors.text.contains("kept in file.part"), "\(errors.text)")
    }

    @Test("a second Ctrl-C kills")
    func secondSignal() async {
        // Standard error is a pipe that is full: the message about the first one waits a second for a reader.
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        fill(ends[1])
        let process = ChildProcess(
            Executable.path, ["-o", "file", nginx.url("slow/middle")], in: folder.path, errors: ends[1])
        let looks = Counter()
        let folder = folder
        let ending = await process.ending {
            guard (folder.status(of: "file.part")?.st_size ?? 0) > 0 else { return }
            let look = looks.next()
            if look == 1 || look == 100 { process.signal(SIGINT) }
        }
        #expect(ending == .signal(SIGINT))
    }

    @Test("a signal that was ignored before stays so")
    func ignored() async {
        let result = await run(
            #"trap '' HUP; "$0" -o file "$1slow/middle" & until [ -s file.part ]; do sleep 0.02; done; kill -HUP $!; kill -TERM $!; wait $!; echo "exit $?""#
        )
        #expect(result.text.hasSuffix("exit 143\n"), "\(result.text)")
    }

    @Test("messages wait a second for a reader, not for ever")
    func fullErrors() async {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        fill(ends[1])
        let process = ChildProcess(
            Executable.path, ["-v", "-o", "file", nginx.url("small.txt")], in: folder.path, errors: ends[1])
        #expect(await process.ending(within: .seconds(20)) == .exit(0))
        #expect(folder.text(of: "file") == "A small file.\n")
    }

    @Test("options from a standard input that never blocks are waited for")
    func nonBlockingInput() async {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        _ = fcntl(reader, F_SETFL, O_NONBLOCK)
        _ = fcntl(writer, F_SETFD, FD_CLOEXEC)
        let errors = NamelessFile()
        let process = ChildProcess(
            Executable.path, ["-K", "-"], in: folder.path, input: reader, errors: errors.descriptor)
        close(reader)
        let line = "url = \(nginx.url("small.txt"))\n"
        let looks = Counter()
        let ending = await process.ending(within: .seconds(20)) {
            guard looks.next() == 150 else { return }
            _ = write(writer, line, line.utf8.count)
            close(writer)
        }
        #expect(ending == .exit(0), "\(errors.text)")
        #expect(folder.text(of: "small.txt") == "A small file.\n")
    }

    @Test("hundreds of groups need no more descriptors than one", arguments: [0, 1])
    func groups(_ isDistinct: Int) async {
        let result = await run(
            """
            for i in $(seq 200); do [ $i = 1 ] || echo next; echo "url = $1small.txt"; echo "output = $i"
            echo "dump-header = heads$i"; [ \(isDistinct) = 0 ] || echo "connect-to = unused$i:80::81"; done >list
            ulimit -n 64; "$0" -K list; echo "exit $?"
            """)
        #expect(result.text == "exit 0\n")
        #expect(folder.names.count == 401)
    }

    private func fill(_ pipe: Int32) {
        let flags = fcntl(pipe, F_GETFL)
        _ = fcntl(pipe, F_SETFL, flags | O_NONBLOCK)
        let octets = [UInt8](repeating: 0x2E, count: 4096)
        while write(pipe, octets, octets.count) > 0 {}
        _ = fcntl(pipe, F_SETFL, flags)
    }
}

/// Counts looks at a process.
private final class Counter: @unchecked Sendable {
    // Safety: used by the one thread that watches.
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
