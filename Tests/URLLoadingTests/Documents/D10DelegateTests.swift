import Download
import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Tasks with a delegate, and their control (D10, D11)", .timeLimit(.minutes(1)))
struct DelegateTaskTests {
    private static let content = GeneratedContent(seed: 10).octets(1_000_000)

    private static func stage() throws -> Stage {
        try Stage { request in
            request.target == "/file.bin"
                ? [Stage.head(length: content.count), .send(content)]
                : [Stage.head(length: 1000), .send("begun"), .stall]
        }
    }

    // MARK: D10

    @Test(
        "D10: writes, the file, exactly one end, in this order, also where the queue is a wide one",
        arguments: [1, 8])
    func order(width: Int) async throws {
        let stage = try Self.stage()
        let queue = TransferQueue(name: "wide", maxConcurrentOperationCount: width)
        let recorder = Recorder { $0.during = { _, _ in usleep(200) } }
        let session = Session(configuration: stage.configuration, delegate: recorder, delegateQueue: queue)
        for _ in 0..<3 { session.downloadTask(with: try stage.uri()).resume() }
        try await recorder.waitForEnds(3)
        #expect(recorder.deepest == 1)
        #expect(recorder.log.lines.count { $0 == "complete well" } == 3)
        #expect(recorder.log.lines.count { $0 == "finished" } == 3)
        #expect(recorder.written.reduce(0, +) == 3_000_000)
        #expect(recorder.files == [Self.content, Self.content, Self.content])
        #expect(session.delegateQueue === queue)
    }

    @Test("D10: what each write tells adds up: now, so far, expected")
    func sums() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        session.downloadTask(with: try stage.uri()).resume()
        try await recorder.waitForEnds()
        var soFar: Int64 = 0
        var expected: [String] = []
        for now in recorder.written {
            #expect(now > 0)
            soFar += now
            expected.append("write \(soFar)/1000000")
        }
        #expect(soFar == 1_000_000)
        #expect(recorder.log.lines == expected + ["finished", "metrics", "complete well"])
    }

    @Test("D10: an unknown size is told as -1")
    func unknownSize() async throws {
        let stage = try Stage { _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")]
        }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        session.downloadTask(with: try stage.uri()).resume()
        try await recorder.waitForEnds()
        #expect(recorder.log.lines == ["write 5/-1", "finished", "metrics", "complete well"])
    }

    @Test("D10: after a cancel the text is exactly cancelled and progress goes back to 0")
    func cancelled() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.downloadTask(with: try stage.uri("/slow"))
        task.resume()
        try await recorder.log.wait { $0.contains("write 5/1000") }
        task.cancel()
        try await recorder.waitForEnds()
        #expect(recorder.log.lines == ["write 5/1000", "metrics", "complete cancelled"])
        #expect(task.error.map { "\($0)" } == "cancelled")
        #expect(task.error?.code == .cancelled)
        #expect(task.progress.received == 0)
        #expect(task.progress.fraction == 0)
        #expect(task.progress.state == .cancelled)
    }

    @Test("D10: without a queue calls come on a serial one of the session's own")
    func ownQueue() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        let first = Session(configuration: stage.configuration, delegate: recorder)
        let second = Session(configuration: stage.configuration)
        #expect(first.delegateQueue.maxConcurrentOperationCount == 1)
        #expect(first.delegateQueue !== second.delegateQueue)
        first.delegateQueue.isSuspended = true
        let task = first.downloadTask(with: try stage.uri())
        task.resume()
        try await waitUntil { task.state == .completed }
        try await Task.sleep(for: quietTime)
        #expect(recorder.log.lines.isEmpty)
        first.delegateQueue.isSuspended = false
        try await recorder.waitForEnds()
        #expect(recorder.files == [Self.content])
    }

    @Test("D10: the file is there during didFinishDownloadingTo, may be moved then, and is gone after")
    func file() async throws {
        let stage = try Self.stage()
        let names = Box<[String]>([])
        let recorder = Recorder {
            $0.during = { line, _ in
                if line == "finished" || line == "complete well" {
                    names.change { $0.append("\(line) \(stage.temporaryNames.count)") }
                }
            }
        }
        let session = Session(configuration: stage.configuration, delegate: recorder)
        session.downloadTask(with: try stage.uri()).resume()
        try await recorder.waitForEnds()
        #expect(names.value == ["finished 1", "complete well 0"])
    }

    @Test("D10: a session that is made invalid tells of it last, and lets go of its delegate")
    func invalidating() async throws {
        let stage = try Self.stage()
        var recorder: Recorder? = Recorder()
        let log = try #require(recorder?.log)
        weak let delegate = recorder
        let session = Session(configuration: stage.configuration, delegate: recorder)
        recorder = nil
        session.downloadTask(with: try stage.uri()).resume()
        session.finishTasksAndInvalidate()
        try await log.wait { $0.contains("invalid") }
        #expect(Array(log.lines.suffix(4)) == ["finished", "metrics", "complete well", "invalid"])
        try await waitUntil { delegate == nil }
        #expect(session.delegate == nil)
        let late = session.downloadTask(with: try stage.uri())
        late.resume()
        try await waitUntil { late.state == .completed }
        #expect(late.error?.code == .badRequest)
    }

    @Test("D10: invalidating with a cancel ends every task once, those in line and those not begun")
    func invalidatingAndCancelling() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        var configuration = stage.configuration
        configuration.httpMaximumConnectionsPerHost = 1
        let session = Session(configuration: configuration, delegate: recorder)
        let tasks = try (0..<4).map { _ in session.downloadTask(with: try stage.uri("/slow")) }
        for task in tasks.dropLast() { task.resume() }
        try await recorder.log.wait { $0.contains("write 5/1000") }
        session.invalidateAndCancel()
        try await recorder.log.wait { $0.contains("invalid") }
        #expect(recorder.log.lines.count { $0 == "complete cancelled" } == 4)
        #expect(recorder.log.lines.last == "invalid")
        #expect(tasks.allSatisfy { $0.state == .completed })
    }

    // MARK: D11

    @Test("D11: the states have the documents' numbers")
    func rawValues() {
        let states: [SessionTask.State] = [.running, .suspended, .canceling, .completed]
        #expect(states.map(\.rawValue) == [0, 1, 2, 3])
    }

    @Test("D11: resume, suspend and cancel lead through the states")
    func control() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.downloadTask(with: try stage.uri("/slow"))
        let states = Task {
            var seen: [Int] = []
            for await state in task.states { seen.append(state.rawValue) }
            return seen
        }
        #expect(task.state == .suspended)
        // The stream begins with the state that it finds.
        try await Task.sleep(for: .milliseconds(20))
        task.suspend()
        task.resume()
        task.resume()
        #expect(task.state == .running)
        try await recorder.log.wait { $0.contains("write 5/1000") }
        task.suspend()
        #expect(task.state == .suspended)
        task.resume()
        session.delegateQueue.isSuspended = true
        task.cancel()
        #expect(task.state == .canceling || task.state == .completed)
        task.resume()
        task.suspend()
        session.delegateQueue.isSuspended = false
        try await recorder.waitForEnds()
        #expect(task.state == .completed)
        task.resume()
        task.suspend()
        task.cancel()
        #expect(task.state == .completed)
        #expect(await states.value == [1, 0, 1, 0, 2, 3])
        try await Task.sleep(for: quietTime)
        #expect(recorder.log.lines.count { $0.hasPrefix("complete") } == 1)
    }

    @Test("D11: a task that was cancelled before its resume ends, and asks nobody")
    func cancelBeforeResume() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.dataTask(with: try stage.uri())
        task.cancel()
        try await recorder.waitForEnds()
        #expect(recorder.log.lines == ["metrics", "complete cancelled"])
        #expect(stage.server.connectionCount == 0)
        task.resume()
        try await Task.sleep(for: quietTime)
        #expect(recorder.log.lines.count == 2)
    }
}
