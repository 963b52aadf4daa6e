import Glibc
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("rawget batch: its streams", .timeLimit(.minutes(2)))
struct BatchStreamTests {
    private let folder = TemporaryFolder()

    @Test("an answer is there before the next line is read")
    func dialogue() async throws {
        let server = try serve { request in answer("200 OK", [], request.target) }
        let (input, output) = (Pipe(), Pipe())
        let folder = folder
        let run = Task {
            await rawget(["batch"], in: folder, output: output.input) { $0.standardInput = input.output }
        }
        for number in 0..<5 {
            let line = "{\"id\":\(number),\"url\":\"http://\(server.authority)/\(number)\"}\n"
            // A line may come in pieces.
            for piece in [line.prefix(9), line.dropFirst(9)] {
                _ = piece.utf8.withContiguousStorageIfAvailable {
                    write(input.input, $0.baseAddress, $0.count)
                }
            }
            var octets: [UInt8] = []
            while octets.last != 0x0A {
                var chunk = [UInt8](repeating: 0, count: 4096)
                let count = read(output.output, &chunk, chunk.count)
                try #require(count > 0)
                octets += chunk[..<count]
            }
            let answer = try AnswerLine(Substring(decoding: octets.dropLast(), as: UTF8.self))
            #expect(answer["id"] == "\(number)" && answer["body"] == "\"/\(number)\"")
        }
        #expect(fcntl(input.output, F_GETFL) & O_NONBLOCK == 0)
        input.closeInput()
        #expect(await run.value.exit == 0)
    }

    @Test("an interruption ends it, whatever it waits for", arguments: ["", "stall", "pause"])
    func interruption(waiting: String) async throws {
        let server = try serve([.stall])
        let (input, interruption) = (Pipe(), Pipe())
        let lines = [
            "": "", "stall": "{\"url\":\"http://\(server.authority)/\"}\n", "pause": "{\"pause\":1000}\n",
        ]
        let line = Array((lines[waiting] ?? "").utf8)
        _ = write(input.input, line, line.count)
        let folder = folder
        let run = Task {
            await rawget(["batch"], in: folder) {
                $0.standardInput = input.output
                $0.interruptions = { interruption.output }
            }
        }
        if waiting == "stall" { #expect(await eventually { !server.requests.isEmpty }) }
        _ = write(interruption.input, "x", 1)
        let ended = await run.value
        #expect(ended.exit == 130 && ended.output.isEmpty)
        input.closeInput()
    }

    @Test("an interruption ends it also where a line without end is always at hand")
    func endlessLine() async throws {
        let zero = open("/dev/zero", O_RDONLY)
        defer { close(zero) }
        let interruption = Pipe()
        _ = write(interruption.input, "x", 1)
        let ended = await rawget(["batch"], in: folder) {
            $0.standardInput = zero
            $0.interruptions = { interruption.output }
        }
        #expect(ended.exit == 130 && ended.output.isEmpty)
    }

    @Test("a reader who goes away ends it with 23, without a word; a full disk with one")
    func closedOutput() async throws {
        let output = Pipe()
        output.closeOutput()
        let gone = await rawget(["batch"], in: folder, input: "{}\n{}\n", output: output.input)
        #expect(gone.exit == 23 && gone.errors.isEmpty)
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let lost = await rawget(["batch"], in: folder, input: "{}\n", output: full)
        #expect(lost.exit == 23)
        #expect(lost.errors.contains("could not write to standard output: No space left on device"))
    }

    @Test("what is no file of lines is exit 26")
    func unreadable() async throws {
        let directory = open("/", O_RDONLY | O_DIRECTORY)
        defer { close(directory) }
        let run = await rawget(["batch"], in: folder) { $0.standardInput = directory }
        #expect(run.exit == 26 && run.errors.contains("could not read standard input: Is a directory"))
    }
}
