import Glibc
import TestSupport
import Testing

@Suite("Downloads from nginx that are killed, and go on", .serialized)
struct ResumingProcessTests {
    private let nginx: Nginx
    private let folder = TemporaryFolder()

    init() throws { nginx = try #require(Nginx.shared, "nginx is needed: .ci/setup installs it") }

    /// Runs the executable to its end.
    private func run(
        _ arguments: [String], look: @escaping @Sendable (ChildProcess) -> Void = { _ in }
    ) async -> (ending: ChildProcess.Ending, errors: String) {
        let errors = NamelessFile()
        let process = ChildProcess(
            Executable.path, arguments, in: folder.path, output: errors.descriptor, errors: errors.descriptor)
        let ending = await process.ending { look(process) }
        return (ending, errors.text)
    }

    /// The statuses that nginx gave to requests for `target`, in order.
    private func statuses(_ target: String) -> [Substring] {
        nginx.log.filter { $0.contains(" \(target) ") }.map { $0.suffix(3) }
    }

    @Test(
        "the next process asks for the rest, in one piece or in many",
        arguments: [[], ["--chunk-size", "8m"]])
    func killed(_ options: [String]) async throws {
        let target = "middle?killed\(options.count)"
        let arguments = options + ["-o", "file", nginx.url(target)]
        let (folder, isSent) = (folder, Samples())
        let killed = await run(["--limit-rate", "16m"] + arguments) { process in
            guard isSent.all.isEmpty, folder.status(of: "file.part")?.st_size ?? 0 > 4 << 20 else { return }
            isSent.add(1)
            process.signal(SIGKILL)
        }
        #expect(killed.ending == .signal(SIGKILL), "\(killed.errors)")
        #expect(folder.names == [".file.rawget", "file.part"])
        let before = statuses("/\(target)").count
        let result = await run(arguments)
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(holdTheSame(folder.path(of: "file"), nginx.path(of: "middle")))
        #expect(folder.names == ["file"])
        let after = statuses("/\(target)").dropFirst(before)
        #expect(!after.isEmpty && after.allSatisfy { $0 == "206" })
        // Not the pieces that were there.
        #expect(after.count <= (options.isEmpty ? 1 : 8))
    }

    @Test("a file that is there in part is gone on with by -C -, and one that is whole stays")
    func appended() async throws {
        let half = Nginx.middle / 2
        let copy = await run([
            "-o", "file", "-r", "0-\(half - 1)", nginx.url("middle?half"),
        ])
        #expect(copy.ending == .exit(0))
        for _ in 0..<2 {
            let result = await run(["-C", "-", "-o", "file", nginx.url("middle?appended")])
            #expect(result.ending == .exit(0), "\(result.errors)")
            #expect(holdTheSame(folder.path(of: "file"), nginx.path(of: "middle")))
            #expect(folder.names == ["file"])
        }
        #expect(statuses("/middle?appended") == ["206", "416"])
    }

    @Test("a second process that wants the same part is told so: exit 122")
    func claimed() async throws {
        let arguments = ["-o", "file", nginx.url("middle?claimed")]
        let (folder, place) = (folder, folder.path)
        let seconds = Samples()
        let first = await run(["--limit-rate", "16m"] + arguments) { process in
            guard seconds.all.isEmpty, folder.status(of: "file.part")?.st_size ?? 0 > 1 << 20 else { return }
            let errors = NamelessFile()
            let second = ChildProcess(
                Executable.path, arguments, in: place, output: errors.descriptor, errors: errors.descriptor)
            for _ in 0..<2000 where !second.hasEnded { usleep(5000) }
            if case .exit(let code) = second.ended { seconds.add(Int(code)) } else { seconds.add(-1) }
            #expect(errors.text.contains("another process is writing file.part"))
            process.signal(SIGINT)
        }
        #expect(first.ending == .exit(130))
        #expect(seconds.all == [122])
    }
}
