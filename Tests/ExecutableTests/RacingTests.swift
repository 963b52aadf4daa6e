import Replay
import TestSupport
import Testing

@Suite("Racing in a process of its own (RFC 8305)")
struct RacingTests {
    private let folder = TemporaryFolder()

    /// Runs the command with at most so many descriptors.
    private func run(
        _ arguments: [String], descriptors: Int
    ) async -> (ending: ChildProcess.Ending, errors: String) {
        let errors = NamelessFile()
        let shell = ChildProcess(
            "bash", ["-c", #"ulimit -n "$0"; exec "$@""#, "\(descriptors)", Executable.path] + arguments,
            in: folder.path, errors: errors.descriptor)
        return (await shell.ending(within: .seconds(20)), errors.text)
    }

    @Test("an attempt without a descriptor waits for one, while another goes on")
    func waitsForDescriptors() async throws {
        let server = try serve(answer())
        let url = "http://dual.test:\(server.port)/"
        func request(_ addresses: String) -> [String] {
            [
                "-I", "-v", "--connect-timeout", "0.3", "--happy-eyeballs-timeout-ms", "20", "--resolve",
                "dual.test:\(server.port):\(addresses)", url,
            ]
        }
        // The fewest with which one connection can be had.
        var fewest = 4
        while fewest < 40, await run(request("127.0.0.1"), descriptors: fewest).ending != .exit(0) {
            fewest += 1
        }
        #expect(fewest < 40)
        let poor = await run(request("127.0.0.1"), descriptors: fewest - 1)
        #expect(poor.ending == .exit(7))
        #expect(poor.errors.contains("Too many open files"))
        // An address that refuses gives its descriptor back.
        let refused = await run(request("127.0.0.9,127.0.0.8,127.0.0.1"), descriptors: fewest)
        #expect(refused.ending == .exit(0), "\(refused.errors)")
        // One that is silent keeps it: time runs out, but the lack is not what the transfer fails of.
        let silent = try FullListener(on: 0x7F00_0007, port: server.port)
        let waiting = await run(request("127.0.0.7,127.0.0.1"), descriptors: fewest)
        #expect(waiting.ending == .exit(28), "\(waiting.errors)")
        #expect(!waiting.errors.contains("Too many open files"))
        #expect(waiting.errors.contains("trying 127.0.0.1:\(server.port)"))
        let rich = await run(request("127.0.0.7,127.0.0.1"), descriptors: fewest + 1)
        #expect(rich.ending == .exit(0), "\(rich.errors)")
        withExtendedLifetime(silent) {}
    }

    @Test("the tool races without a second thread")
    func startsNoThread() async throws {
        let server = try serve(answer())
        let silent = try FullListener(on: 0x7F00_0007, port: server.port)
        let threads = Samples()
        let errors = NamelessFile()
        let process = ChildProcess(
            Executable.path,
            [
                "-o", "f", "--happy-eyeballs-timeout-ms", "100", "--resolve",
                "dual.test:\(server.port):127.0.0.7,127.0.0.7,127.0.0.1", "http://dual.test:\(server.port)/",
            ], in: folder.path, errors: errors.descriptor)
        let ending = await process.ending(within: .seconds(20)) {
            if let count = process.figure("Threads") { threads.add(count) }
        }
        #expect(ending == .exit(0), "\(errors.text)")
        #expect(threads.all.count > 20)  // 200 ms of waiting, looked at every two
        #expect(threads.all.allSatisfy { $0 == 1 })
        withExtendedLifetime(silent) {}
    }
}
