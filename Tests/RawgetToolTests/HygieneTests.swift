import Glibc
import Replay
import TestSupport
import Testing

@Suite("One process, many invocations", .serialized)
struct HygieneTests {
    private let folder = TemporaryFolder()

    @Test("demo shows everything and exits with 0")
    func demo() async throws {
        let run = await rawget(["demo"], in: folder, terminals: [.errors])
        #expect(run.exit == 0, "\(run.text)\(run.errors)")
        #expect(run.text.hasSuffix("Everything held.\n"))
        #expect(!run.text.contains("FAILED"))
        #expect(folder.names.isEmpty)
        #expect(await rawget(["demo", "x"], in: folder).exit == 2)
    }

    @Test(
        "help and version go to standard output",
        arguments: [["--version"], ["--help"], ["-h", "output"], ["-V"]])
    func help(_ arguments: [String]) async throws {
        let run = await rawget(arguments, in: folder)
        #expect(run.exit == 0)
        #expect(!run.output.isEmpty && run.errors.isEmpty)
    }

    @Test("two invocations share nothing")
    func sharesNothing() async throws {
        let server = try serve(answer())
        for _ in 0..<3 { _ = await rawget(["-o", "f", "http://\(server.authority)/"], in: folder) }
        #expect(server.connectionCount == 3)
    }

    @Test("hundreds of invocations at once work beside one another")
    func atOnce() async throws {
        let server = try serve { answer("200 OK", [], $0.target) }
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let folder = TemporaryFolder()
                    let run = await rawget(["http://\(server.authority)/\(number)"], in: folder)
                    return run.exit == 0 && folder.text(of: "\(number)") == "/\(number)"
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test("nothing below the executable touches what belongs to the process")
    func touchesNothing() throws {
        // Each pattern and the files that may hold it; executables are what they are about.
        let patterns: [(String, allowed: Set<String>)] = [
            ("getenv(", ["ProcessEnvironment.swift"]),
            ("ProcessEnvironment", ["ProcessEnvironment.swift", "UserFolders.swift"]), ("setenv(", []),
            ("ProcessInfo", []), ("CommandLine.", []),
            ("getcwd(", []), ("localtime", []), ("mktime(", []), ("tzset(", []),
            ("chdir(", []), ("exit(", ["Fixture.swift"]), ("abort(", []), ("signal(", []), ("sigaction(", []),
            ("signalfd(", []),
            ("STDIN_FILENO", []), ("STDOUT_FILENO", []), ("STDERR_FILENO", []), ("isatty(", []),
            ("AT_FDCWD", ["File.swift"]),
            ("print(", ["Console.swift", "DemoReport.swift", "Command.swift", "TransferRun.swift"]),
        ]
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
            separator: "/")
        let sources = SourceFiles.all(below: "\(root)/Sources").filter { source in
            !["rawget", "Benchmark"].contains { source.path.contains("/Sources/\($0)/") }
        }
        #expect(sources.count > 80)
        for source in sources {
            let name = String(source.path.split(separator: "/").last ?? "")
            for (number, line) in source.lines.enumerated()
            where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                for (pattern, allowed) in patterns where line.hasWord(pattern) && !allowed.contains(name) {
                    Issue.record("\(source.path):\(number + 1): \(pattern)")
                }
            }
        }
    }
}

/// The sources as text.
private enum SourceFiles {
    struct Source {
        var path: String
        var lines: [Substring]
    }

    static func all(below path: String) -> [Source] {
        guard let stream = opendir(path) else {
            return path.hasSuffix(".swift") ? [Source(path: path, lines: lines(of: path))] : []
        }
        defer { closedir(stream) }
        var sources: [Source] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { sources += all(below: "\(path)/\(name)") }
        }
        return sources
    }

    private static func lines(of path: String) -> [Substring] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return String(decoding: contents(ofDescriptor: file), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }
}

extension Substring {
    /// Whether the text stands in it with no letter or dot before it: a call of a function, not of a method.
    fileprivate func hasWord(_ text: String) -> Bool {
        ranges(of: text).contains { range in
            guard range.lowerBound > startIndex else { return true }
            let before = self[index(before: range.lowerBound)]
            return !before.isLetter && !before.isNumber && before != "_" && before != "."
        }
    }
}
