import Download
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Operations, their manager, and the manager of a session (D15, D16)", .timeLimit(.minutes(1)))
struct OperationTests {
    private static let content = GeneratedContent(seed: 15).octets(500_000)

    private static func stage() throws -> Stage {
        try Stage { request in
            switch request.target {
            case "/base/file.bin", "/file.bin": [Stage.head(length: content.count), .send(content)]
            case "/slow": [Stage.head(length: 1000), .send("begun"), .stall]
            case "/chunked":
                [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")]
            default: [Stage.head("404 Not Found", length: 4), .send("none")]
            }
        }
    }

    // MARK: D15

    /// What an operation's closures were told.
    private final class Told: Sendable {
        let log = CallLog()
        let progress = Box<[[Int64]]>([])
        let content = Box<[UInt8]?>()

        func follow(_ operation: HTTPRequestOperation) {
            operation.setDownloadProgressBlock { [self] now, soFar, expected in
                log.add("progress")
                progress.change { $0.append([now, soFar, expected]) }
            }
            operation.setCompletionBlock(success: success, failure: failure)
        }

        var success: HTTPRequestOperation.Success {
            { [self] _, octets in
                content.set(octets)
                log.add("success")
            }
        }

        var failure: HTTPRequestOperation.Failure {
            { [self] _, error in log.add("failure \(error.code.name)") }
        }

        var ends: [String] { log.lines.filter { $0 != "progress" } }
    }

    @Test("D15: progress, then success with all the content in memory")
    func success() async throws {
        let stage = try Self.stage()
        let told = Told()
        let operation = HTTPRequestOperation(request: LoadRequest(try stage.uri()))
        told.follow(operation)
        try await Task.sleep(for: quietTime)
        #expect(stage.server.connectionCount == 0, "it needs a start")
        operation.start()
        try await told.log.wait { $0.contains("success") }
        #expect(told.log.lines.withoutRepetition == ["progress", "success"])
        #expect(told.content.value == Self.content)
        var soFar: Int64 = 0
        for progress in told.progress.value {
            soFar += progress[0]
            #expect(progress == [progress[0], soFar, 500_000])
        }
        #expect(soFar == 500_000)
        #expect(operation.responseContent == Self.content)
        #expect(
            operation.progress == TransferProgress(received: 500_000, expected: 500_000, state: .finished))
        #expect(operation.response?.status == .ok)
        #expect(operation.isFinished && !operation.isExecuting && operation.error == nil)
    }

    @Test("D15: an unknown size is told as -1")
    func unknownSize() async throws {
        let stage = try Self.stage()
        let told = Told()
        let operation = HTTPRequestOperation(request: LoadRequest(try stage.uri("/chunked")))
        told.follow(operation)
        operation.start()
        try await told.log.wait { $0.contains("success") }
        #expect(told.progress.value == [[3, 3, -1]])
    }

    @Test(
        "D15: a failure calls the other block, once",
        arguments: [("/none", "httpFailure"), ("refused", "couldNotConnect")])
    func failure(path: String, code: String) async throws {
        let stage = try Self.stage()
        let told = Told()
        let uri = try path == "refused" ? URI(parsing: "http://127.0.0.1:\(closedPort())/") : stage.uri(path)
        let operation = HTTPRequestOperation(request: LoadRequest(uri))
        told.follow(operation)
        operation.start()
        operation.start()
        try await waitUntil { !told.ends.isEmpty }
        try await Task.sleep(for: quietTime)
        #expect(told.ends == ["failure \(code)"])
        #expect(operation.error?.code.name == code)
        #expect(operation.isFinished && operation.progress.state == .failed)
    }

    @Test("D15: a cancel is a failure, once, before, while and after it runs")
    func cancelling() async throws {
        let stage = try Self.stage()
        let early = (Told(), HTTPRequestOperation(request: LoadRequest(try stage.uri())))
        early.0.follow(early.1)
        early.1.cancel()
        early.1.start()
        try await waitUntil { !early.0.ends.isEmpty }
        let running = (Told(), HTTPRequestOperation(request: LoadRequest(try stage.uri("/slow"))))
        running.0.follow(running.1)
        running.1.start()
        try await waitUntil { running.1.progress.received == 5 }
        running.1.cancel()
        running.1.cancel()
        try await waitUntil { !running.0.ends.isEmpty }
        try await Task.sleep(for: quietTime)
        #expect(early.0.ends == ["failure cancelled"] && running.0.ends == ["failure cancelled"])
        #expect(stage.server.requests.map(\.target) == ["/slow"])
        #expect(running.1.error?.description == "cancelled" && running.1.isCancelled && early.1.isCancelled)
    }

    @Test("D15: the limit of content in memory holds")
    func limit() async throws {
        let stage = try Self.stage()
        var configuration = stage.configuration
        #expect(configuration.maximumContentLength == 256 << 20)
        configuration.maximumContentLength = 499_999
        let told = Told()
        let operation = HTTPRequestOperation(
            request: LoadRequest(try stage.uri()), session: Session(configuration: configuration))
        told.follow(operation)
        operation.start()
        try await waitUntil { !told.ends.isEmpty }
        #expect(told.ends == ["failure tooLarge"])
    }

    @Test("D15: a manager's paths are below its base, and wait while its queue is suspended")
    func manager() async throws {
        let stage = try Self.stage()
        let manager = HTTPRequestOperationManager(baseURL: try stage.uri("/base/"))
        #expect(manager.baseURL == (try stage.uri("/base/")))
        manager.operationQueue.isSuspended = true
        let told = Told()
        let operation = try manager.get("file.bin", success: told.success, failure: told.failure)
        try manager.get("/none", success: told.success, failure: told.failure)
        try await Task.sleep(for: quietTime)
        #expect(stage.server.connectionCount == 0 && manager.operationQueue.operationCount == 2)
        #expect(!operation.isExecuting)
        manager.operationQueue.isSuspended = false
        try await waitUntil { told.ends.count == 2 }
        #expect(told.ends.sorted() == ["failure httpFailure", "success"])
        #expect(told.content.value == Self.content)
        #expect(stage.server.requests.map(\.target).sorted() == ["/base/file.bin", "/none"])
        try await waitUntil { manager.operationQueue.operationCount == 0 }
        #expect(throws: TransferError.self) { try manager.get("http://not an address/") }
    }

    @Test("D15: a queue that is suspended lets what runs go on, and begins nothing new")
    func suspendedQueue() async throws {
        let stage = try Stage { _ in [Stage.head(length: 4), .pause(.milliseconds(50)), .send("good")] }
        let queue = TransferQueue(maxConcurrentOperationCount: 1)
        let manager = HTTPRequestOperationManager(
            baseURL: try stage.uri("/"), operationQueue: queue,
            session: Session(configuration: stage.configuration))
        let told = Told()
        for number in 0..<3 { try manager.get("\(number)", success: told.success, failure: told.failure) }
        try await waitUntil { stage.server.requests.count == 1 }
        queue.isSuspended = true
        try await waitUntil { told.ends == ["success"] }
        try await Task.sleep(for: quietTime)
        #expect(stage.server.requests.map(\.target) == ["/0"])
        queue.isSuspended = false
        try await waitUntil { told.ends.count == 3 }
        #expect(stage.server.requests.map(\.target) == ["/0", "/1", "/2"])
    }

    // MARK: D16

    /// Downloads by a manager whose blocks say these places; what the completion got.
    private func download(
        _ stage: Stage, session: String?, own: String?, path: String = "/file.bin"
    ) async throws -> (status: Int?, filePath: String?, error: TransferError?) {
        let manager = SessionManager(sessionConfiguration: stage.configuration)
        if let session {
            let target: String? = session == "nil" ? nil : stage.folder.path(of: session)
            manager.setDownloadTaskDidFinishDownloadingBlock { (_, _, location) -> String? in
                #expect(fileContents(location) == Self.content)
                return target
            }
        }
        let result = Box<(Int?, String?, TransferError?)?>()
        var destination: SessionManager.Destination?
        if let own {
            destination = { location, response in
                #expect(fileContents(location) == Self.content)
                #expect(response?.status == .ok)
                return stage.folder.path(of: own)
            }
        }
        let task = manager.downloadTask(with: LoadRequest(try stage.uri(path)), destination: destination) {
            response, filePath, error in
            result.set((response.map { Int($0.status.code) }, filePath, error))
        }
        #expect(task.state == .suspended)
        task.resume()
        try await waitUntil { result.value != nil }
        return try #require(result.value)
    }

    @Test(
        "D16: the session's block takes precedence over the destination; the completion gets the path that won",
        arguments: [
            (nil, "own", "own"), ("session", "own", "session"), ("nil", "own", "own"),
            ("session", nil, "session"),
            ("nil", nil, nil), (nil, nil, nil),
        ] as [(String?, String?, String?)])
    func precedence(session: String?, own: String?, winner: String?) async throws {
        let stage = try Self.stage()
        let result = try await download(stage, session: session, own: own)
        #expect(result.status == 200)
        #expect(result.filePath == winner.map(stage.folder.path(of:)))
        #expect(result.error == nil)
        #expect(stage.folder.names.filter { $0 != "tmp" } == (winner.map { [$0] } ?? []))
        if let winner { #expect(stage.folder.octets(of: winner) == Self.content) }
        try await waitUntil { stage.temporaryNames.isEmpty }
    }

    @Test("D16: a file at the destination is replaced; one that cannot be moved there is an error")
    func destination() async throws {
        let stage = try Self.stage()
        stage.folder.write("old", to: "own")
        let replaced = try await download(stage, session: nil, own: "own")
        #expect(replaced.error == nil && stage.folder.octets(of: "own") == Self.content)
        let failed = try await download(stage, session: nil, own: "none/own")
        #expect(failed.filePath == nil && failed.error?.code == .writeFailed)
        // The session's block has won, though its place cannot be had.
        let lost = try await download(stage, session: "none/session", own: "own2")
        #expect(lost.filePath == nil && lost.error?.code == .writeFailed)
        #expect(stage.folder.octets(of: "own2") == nil)
        try await waitUntil { stage.temporaryNames.isEmpty }
    }

    @Test("D16: the session's write block and the task's progress tell every octet; a failure asks no block")
    func progress() async throws {
        let stage = try Self.stage()
        let manager = SessionManager(sessionConfiguration: stage.configuration)
        let written = Box<[[Int64]]>([])
        let shown = Box<[TransferProgress]>([])
        let ends = CallLog()
        manager.setDownloadTaskDidWriteDataBlock { _, _, now, soFar, expected in
            written.change { $0.append([now, soFar, expected]) }
        }
        manager.setTaskDidCompleteBlock { _, _, error in ends.add("complete \(error?.code.name ?? "well")") }
        manager.downloadTask(
            with: try stage.uri(), progress: { progress in shown.change { $0.append(progress) } },
            destination: { _, _ in stage.folder.path(of: "file.bin") }
        ) { _, _, error in ends.add("handler \(error?.code.name ?? "well")") }.resume()
        try await ends.wait { $0.count == 2 }
        #expect(written.value.map { $0[0] }.reduce(0, +) == 500_000)
        #expect(written.value.last?.dropFirst() == [500_000, 500_000])
        #expect(shown.value.last?.received == 500_000 && shown.value.last?.percentText == "100.00%")
        let asked = Box(false)
        manager.downloadTask(
            with: try URI(parsing: "http://127.0.0.1:\(closedPort())/"),
            destination: { _, _ in
                asked.set(true)
                return ""
            }
        ) { _, path, error in ends.add("handler \(error?.code.name ?? "well") \(path ?? "-")") }.resume()
        try await ends.wait { $0.count == 4 }
        #expect(!asked.value)
        #expect(
            ends.lines == [
                "handler well", "complete well", "handler couldNotConnect -", "complete couldNotConnect",
            ])
    }

    @Test("D16: a paused download goes on in another manager, and its file goes where that says")
    func resuming() async throws {
        let stage = try ResumeDataTests.stage()
        let manager = SessionManager(sessionConfiguration: stage.configuration)
        let task = manager.downloadTask(with: try stage.uri())
        task.resume()
        try await waitUntil { task.countOfBytesReceived == ResumeDataTests.count }
        let data = try #require(await task.cancelByProducingResumeData())
        let path = Box<String?>()
        SessionManager(sessionConfiguration: stage.configuration).downloadTask(
            withResumeData: data, destination: { _, _ in stage.folder.path(of: "whole") }
        ) { _, filePath, _ in path.set(filePath ?? "none") }.resume()
        try await waitUntil { path.value != nil }
        #expect(path.value == stage.folder.path(of: "whole"))
        #expect(stage.folder.octets(of: "whole") == ResumeDataTests.content)
        #expect(stage.askedRanges.last == "bytes=250000- \"v1\"")
    }
}
