import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite(
    "A suspended load holds the sender up, and goes on (RFC 9110, section 13.1.5)", .timeLimit(.minutes(1)))
struct SuspendedLoadTests {
    /// Which kind of task.
    enum Kind: CaseIterable { case data, download }

    private func task(_ kind: Kind, in session: Session, _ uri: URI) -> SessionTask {
        kind == .data ? session.dataTask(with: uri) : session.downloadTask(with: uri)
    }

    private func content(_ kind: Kind, _ recorder: Recorder) -> [UInt8]? {
        kind == .data ? recorder.content : recorder.files.first
    }

    /// Runs a task that is suspended as soon as 200,000 octets are there, for `time`, to its end.
    private func run(
        _ task: SessionTask, _ recorder: Recorder, suspendedFor time: Duration, meanwhile: () -> Void = {}
    ) async throws {
        task.resume()
        try await waitUntil { task.countOfBytesReceived == 200_000 }
        task.suspend()
        try await Task.sleep(for: time)
        #expect(task.state == .suspended)
        meanwhile()
        task.resume()
        try await recorder.waitForEnds()
    }

    /// A delegate that counts what comes.
    private final class CountingDelegate: SessionDelegate {
        let received: Box<UInt64>
        let end = Box<String?>()

        init(_ received: Box<UInt64>) { self.received = received }

        func session(_ session: Session, dataTask: DataTask, didReceive content: [UInt8]) {
            received.change { $0 += UInt64(content.count) }
        }

        func session(
            _ session: Session, downloadTask: DownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) { received.change { $0 += UInt64(bytesWritten) } }

        func session(_ session: Session, task: SessionTask, didCompleteWith error: TransferError?) {
            end.set(error.map { "\($0)" } ?? "well")
        }
    }

    @Test("a receiver that is slow holds the sender up as well")
    func slowReceiver() async throws {
        let block = Pattern.octets(1 << 20)
        let stage = try Stage { _ in [Stage.head(length: 32 << 20), .sendRepeated(block, times: 32)] }
        let received = Box<UInt64>(0)
        let delegate = CountingDelegate(received)
        let queue = TransferQueue(maxConcurrentOperationCount: 1)
        let session = Session(configuration: stage.configuration, delegate: delegate, delegateQueue: queue)
        let task = session.dataTask(with: try stage.uri())
        let isHeld = Box(true)
        task.resume()
        try await waitUntil { received.value > 0 }
        queue.addOperation { for _ in 0..<5000 where isHeld.value { usleep(1000) } }
        var last: Int64 = -1
        while last != task.countOfBytesReceived {
            last = task.countOfBytesReceived
            try await Task.sleep(for: .milliseconds(40))
        }
        // One buffer, and what was read at once.
        #expect(UInt64(last) - received.value <= 4 << 20)
        isHeld.set(false)
        try await waitUntil { delegate.end.value != nil }
        #expect(received.value == 32 << 20 && delegate.end.value == "well")
    }

    // MARK: Servers that die meanwhile

    /// How the connection ends while the task is suspended.
    enum Death: CaseIterable { case closed, reset }

    @Test(
        "where the connection died meanwhile the rest is asked for, and the content is whole",
        arguments: Kind.allCases, Death.allCases)
    func death(kind: Kind, death: Death) async throws {
        let content = GeneratedContent(seed: 21).octets(600_000)
        let stage = try Stage { request in
            let all = Representation(content)
            guard request.value(of: "Range") == nil else { return all.answer(request) }
            let begun = Representation(content, limit: 200_000) { $0.ending = .pause(.milliseconds(80)) }
            return begun.answer(request) + [death == .closed ? .close : .reset]
        }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = task(kind, in: session, try stage.uri())
        try await run(task, recorder, suspendedFor: .milliseconds(150)) {
            #expect(stage.server.requests.count == 1, "nothing is asked for while it is suspended")
        }
        #expect(recorder.log.lines.last == "complete well")
        #expect(self.content(kind, recorder) == content)
        #expect(stage.askedRanges == ["- -", "bytes=200000- \"v1\""])
        #expect(task.response?.status == .ok, "the answer that the content began with")
        #expect(recorder.log.lines.count { $0.hasPrefix("response") } == (kind == .data ? 1 : 0))
        #expect(stage.temporaryNames.isEmpty)
    }

    @Test(
        "where it cannot be proved to be the rest the task fails, and nothing is mixed",
        arguments: Kind.allCases, [nil, "W/\"v1\""])
    func noProof(kind: Kind, etag: String?) async throws {
        let content = GeneratedContent(seed: 22).octets(300_000)
        let stage = try Stage { request in
            let all = Representation(content) { $0.etag = etag }
            guard request.connection == 0 else { return all.answer(request) }
            let begun = Representation(content, limit: 200_000) {
                $0.etag = etag
                $0.ending = .pause(.milliseconds(50))
            }
            return begun.answer(request) + [.close]
        }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = task(kind, in: session, try stage.uri())
        try await run(task, recorder, suspendedFor: .milliseconds(90))
        #expect(task.error?.code == .incompleteContent)
        #expect(stage.server.requests.count == 1)
        #expect(recorder.files.isEmpty)
    }

    @Test(
        "where the server has another version a data task fails, and a download begins anew",
        arguments: Kind.allCases)
    func otherVersion(kind: Kind) async throws {
        let (old, new) = (
            GeneratedContent(seed: 23).octets(300_000), GeneratedContent(seed: 24).octets(250_000)
        )
        let stage = try Stage { request in
            guard request.value(of: "Range") == nil else {
                return Representation(new) { $0.etag = "\"v2\"" }.answer(request)
            }
            let begun = Representation(old, limit: 200_000) { $0.ending = .pause(.milliseconds(50)) }
            return begun.answer(request) + [.close]
        }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = task(kind, in: session, try stage.uri())
        try await run(task, recorder, suspendedFor: .milliseconds(90))
        #expect(stage.askedRanges == ["- -", "bytes=200000- \"v1\""])
        if kind == .data {
            #expect(task.error?.code == .badResume)
            #expect(recorder.content == Array(old.prefix(200_000)))
        } else {
            #expect(recorder.log.lines.last == "complete well")
            #expect(recorder.files == [new])
        }
    }

    @Test("silence is none while it is suspended: no limit of time ends the task", arguments: Kind.allCases)
    func silence(kind: Kind) async throws {
        let content = GeneratedContent(seed: 28).octets(300_000)
        let stage = try Stage { request in
            Representation(content, limit: 200_000) { $0.ending = .pause(.milliseconds(300)) }
                .answer(request) + [.send(Array(content.suffix(100_000)))]
        }
        var configuration = stage.configuration
        configuration.timeoutIntervalForRequest = .milliseconds(150)
        let recorder = Recorder()
        let session = Session(configuration: configuration, delegate: recorder)
        let task = task(kind, in: session, try stage.uri())
        try await run(task, recorder, suspendedFor: .milliseconds(350))
        #expect(recorder.log.lines.last == "complete well")
        #expect(self.content(kind, recorder) == content)
        #expect(stage.server.requests.count == 1)
    }

    @Test("a server that is gone for a while does not end a suspended task", arguments: Kind.allCases)
    func serverRestart(kind: Kind) async throws {
        let content = GeneratedContent(seed: 25).octets(300_000)
        let begun = Representation(content, limit: 200_000)
        // Its port can be had by the second server only if it was given for that.
        let port = try closedPort()
        let first = try ReplayServer(
            Script(
                everyConnection: .init([.expectHead] + begun.answer(RecordedRequest(connection: 0, head: [])))
            ),
            port: port)
        try first.start()
        let stage = try Stage { _ in [] }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = task(kind, in: session, try URI(parsing: "http://127.0.0.1:\(port)/file.bin"))
        task.resume()
        try await waitUntil { task.countOfBytesReceived == 200_000 }
        task.suspend()
        try await Task.sleep(for: .milliseconds(20))
        first.stop()
        try await Task.sleep(for: .milliseconds(60))
        #expect(task.state == .suspended && !recorder.log.lines.contains { $0.hasPrefix("complete") })
        let rest = Stage.head(
            "206 Partial Content", length: 100_000, "Content-Range: bytes 200000-299999/300000",
            "ETag: \"v1\"")
        let steps: [Script.Step] = [.expectHead, rest, .send(Array(content.suffix(100_000)))]
        let second = try ReplayServer(Script(everyConnection: .init(steps)), port: port)
        try second.start()
        task.resume()
        try await recorder.waitForEnds()
        #expect(recorder.log.lines.last == "complete well")
        #expect(self.content(kind, recorder) == content)
        #expect(second.requests.map { $0.value(of: "Range") } == ["bytes=200000-"])
    }

    @Test("a failure without a suspension is told as it is, and nothing is asked again")
    func noSuspension() async throws {
        let content = GeneratedContent(seed: 26).octets(300_000)
        let stage = try Stage { request in
            Representation(content, limit: 200_000) { $0.ending = .close }.answer(request)
        }
        let session = Session(configuration: stage.configuration)
        let error = await #expect(throws: TransferError.self) { try await session.data(from: stage.uri()) }
        #expect(error?.code == .incompleteContent)
        #expect(stage.server.requests.count == 1)
    }

    @Test("a task is suspended and resumed from many threads at once, and ends once with its content whole")
    func manyThreads() async throws {
        let content = GeneratedContent(seed: 27).octets(4 << 20)
        let stage = try Stage { Representation(content).answer($0) }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.downloadTask(with: try stage.uri())
        let queue = TransferQueue(maxConcurrentOperationCount: 16)
        for number in 0..<400 {
            queue.addOperation { number % 2 == 0 ? task.resume() : task.suspend() }
        }
        try await waitUntil { queue.operationCount == 0 }
        task.resume()
        try await recorder.waitForEnds()
        #expect(recorder.files == [content])
        #expect(recorder.log.lines.count { $0.hasPrefix("complete") } == 1)
    }
}
