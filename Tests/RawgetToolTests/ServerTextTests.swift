import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("Text of a server in what a person sees")
struct ServerTextTests {
    private let folder = TemporaryFolder()
    private static let hostile = "X-A: \u{1B}[2J\u{202E}\r\nLocation: http://h/\u{9B}31m\r\n"

    private func run(_ head: String, _ arguments: [String], terminals: Terminals) async throws -> ToolRun {
        let server = try serve([.send("\(head)Content-Length: 0\r\n\r\n")])
        return await rawget(arguments + ["http://\(server.authority)/f"], in: folder, terminals: terminals)
    }

    @Test(
        "heads and values of -w are escaped for a terminal",
        arguments: [
            ["-I"], ["-i", "-o", "-"], ["-i", "-o", "/dev/stderr"], ["-D", "-", "-o", "f"],
            ["-D", "/dev/stdout", "-o", "f"],
            ["-o", "f", "-w", "%header{x-a} %{redirect_url}"],
            ["-o", "f", "-w", "%{stderr}%header{x-a} %{errormsg}"],
            ["-o", "f", "-w", "%{json} %{header_json}"],
            ["-f", "-w", "%{errormsg}", "-o", "f"], ["-o", "f", "-w", "%header{x-a}", "-D", "/dev/stderr"],
        ])
    func terminal(_ arguments: [String]) async throws {
        for status in ["302 a\u{1B}[1m", "500 a\u{1B}[1m"] {
            let run = try await run(
                "HTTP/1.1 \(status)\r\n" + Self.hostile, ["--no-progress-meter"] + arguments,
                terminals: [.output, .errors])
            for scalar in (run.text + run.errors).unicodeScalars {
                let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                let isLineEnd = scalar == "\n" || scalar == "\r"
                #expect(!isControl || isLineEnd, "\(scalar.value) in \(run.text.debugDescription)")
                #expect(scalar.value != 0x202E)
            }
        }
    }

    @Test("without a terminal they are what they are")
    func noTerminal() async throws {
        let head = "HTTP/1.1 200 OK\r\n" + Self.hostile
        let run = try await run(head, ["-o", "f", "-D", "-", "-w", "%header{x-a}"], terminals: [])
        #expect(run.text == head + "Content-Length: 0\r\n\r\n\u{1B}[2J\u{202E}")
    }

    @Test("a reason and a Location are shown as the UTF-8 they are, and not without end")
    func messages() async throws {
        let long = String(repeating: "x", count: 5000)
        let redirect = try await run(
            "HTTP/1.1 302 trouvé\r\nLocation: http://é/\(long)\r\n", ["-o", "f", "--no-location"],
            terminals: [])
        #expect(redirect.errors.contains("302 trouvé: the answer points to http://é/xxx"))
        #expect(redirect.errors.contains("…") && redirect.errors.count < 400)
        let failure = try await run("HTTP/1.1 500 é\(long)\r\n", ["-f"], terminals: [])
        #expect(failure.errors.contains("500 éxxx") && failure.errors.contains("…"))
        #expect(failure.errors.count < 400)
    }

    @Test("the size of a head counts also where the transfer fails")
    func headSize() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
        let server = try serve([.send(head + "abc"), .close])
        let run = await rawget(["-w", "%{size_header}", "http://\(server.authority)/f"], in: folder)
        #expect(run.exit == 18)
        #expect(run.text == "\(head.utf8.count)")
    }

    @Test(
        "a format takes time by its length alone",
        arguments: ["%{", "%header{", "%{header{", "%{header{a}", "%", "%{a", "\\"], [true, false])
    func linear(_ piece: String, _ isClosed: Bool) {
        let format = String(repeating: piece, count: 400_000 / piece.utf8.count) + (isClosed ? "}" : "")
        let start = ContinuousClock.now
        _ = WriteOut(format, for: WriteOutValues())
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
