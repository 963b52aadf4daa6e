import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Callers that do what nobody expects", .timeLimit(.minutes(2)))
struct HostileTests {
    static let content = GeneratedContent(seed: 11).octets(200_000)

    static func stage() throws -> Stage {
        try Stage { request in
            switch request.target {
            case "/stall": [Stage.head(length: 1000), .send("begun"), .stall]
            case "/secret": [Stage.head("401 Unauthorized", length: 0, "WWW-Authenticate: Basic realm=\"x\"")]
            case "/loop": [Stage.head("302 Found", length: 0, "Location: /loop")]
            default: [Stage.head(length: content.count, "ETag: \"v1\""), .send(content)]
            }
        }
    }

    /// Something that calls when it goes away.
    final class Farewell: Sendable {
        private let call: @Sendable () -> Void
        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
        func touch() {}
        deinit { call() }
    }

    /// Runs `body` on another thread, and waits until it has returned.
    private func returns(_ body: @escaping @Sendable () -> Void) async throws {
        let log = CallLog()
        TransferQueue().addOperation {
            body()
            log.add("returned")
        }
        try await log.wait(within: .seconds(5)) { !$0.isEmpty }
    }

    // MARK: Queues

    @Test("a delegate queue whose operations are all cancelled loses no ending")
    func cancelledQueue() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        session.delegateQueue.isSuspended = true
        session.dataTask(with: try stage.uri()).resume()
        try await waitUntil { session.delegateQueue.operationCount > 0 }
        session.delegateQueue.cancelAllOperations()
        session.delegateQueue.isSuspended = false
        try await recorder.waitForEnds(within: .seconds(5))
        #expect(recorder.log.lines.story == ["response", "data", "metrics", "complete"])
        #expect(recorder.content == Self.content)
    }

    // MARK: What goes away

    /// Ends its connection when it goes away, as view controllers do.
    final class Leaver: URLConnectionDelegate {
        let connection = Lock<URLConnection?>(nil)
        deinit { connection.withLock { $0 }?.cancel() }
        func connectionDidFinishLoading(_ connection: URLConnection) {}
        func connection(_ connection: URLConnection, didFailWith error: TransferError) {}
    }

    @Test("a delegate that goes away with its connection's cancel may cancel once more")
    func delegateGoesAway() async throws {
        let stage = try Self.stage()
        var leaver: Leaver? = Leaver()
        let connection = URLConnection(
            request: LoadRequest(try stage.uri("/stall")), delegate: try #require(leaver),
            startImmediately: false)
        leaver?.connection.withLock { $0 = connection }
        leaver = nil
        try await returns { connection.cancel() }
    }

    @Test("what a closure holds may use the closure's owner when it goes away")
    func closuresGoAway() async throws {
        let stage = try Self.stage()
        let operation = HTTPRequestOperation(request: LoadRequest(try stage.uri()))
        let cancels = Farewell { [weak operation] in operation?.cancel() }
        operation.setDownloadProgressBlock { [cancels] _, _, _ in cancels.touch() }
        let manager = SessionManager(sessionConfiguration: stage.configuration)
        let resets = Farewell { [weak manager] in manager?.setDownloadTaskDidWriteDataBlock(nil) }
        manager.setDownloadTaskDidWriteDataBlock { [resets] _, _, _, _, _ in resets.touch() }
        let indicator = ActivityIndicator()
        let looks = Farewell { [weak indicator] in _ = indicator?.isVisible }
        indicator.setVisibilityChangeBlock { [looks] _ in looks.touch() }
        _ = consume cancels
        _ = consume resets
        _ = consume looks
        try await returns { operation.setDownloadProgressBlock(nil) }
        try await returns { manager.setDownloadTaskDidWriteDataBlock(nil) }
        try await returns { indicator.setVisibilityChangeBlock(nil) }
    }

    @Test("tasks that are cancelled in line are kept by nobody, though the line does not move")
    func cancelledInLine() async throws {
        let stage = try Self.stage()
        var configuration = stage.configuration
        configuration.httpMaximumConnectionsPerHost = 1
        let recorder = Recorder()
        let session = Session(configuration: configuration, delegate: recorder)
        let first = session.dataTask(with: try stage.uri("/stall"))
        first.resume()
        try await recorder.log.wait { $0.contains("data") }
        let gone = CallLog()
        for _ in 0..<200 {
            let task = session.dataTask(with: try stage.uri()) {
                [farewell = Farewell { gone.add("") }] _, _, _ in
                farewell.touch()
            }
            task.resume()
            task.cancel()
        }
        try await gone.wait(within: .seconds(5)) { $0.count > 150 }
        first.cancel()
        try await recorder.waitForEnds(201)
    }

    // MARK: Time

    /// Never answers, and keeps what it could answer by.
    final class Silent: SessionDelegate {
        let log = CallLog()
        private let kept = Lock([@Sendable () -> Void]())

        /// Answers whatever it was asked, twice.
        func answerAll() {
            for answer in kept.withLock({ $0 }) {
                answer()
                answer()
            }
        }

        func session(
            _ session: Session, dataTask: DataTask, didReceive response: HTTPResponse,
            completionHandler: @escaping @Sendable (ResponseDisposition) -> Void
        ) {
            log.add("asked")
            kept.withLock { $0.append { completionHandler(.allow) } }
        }

        func session(
            _ session: Session, task: SessionTask, willPerformHTTPRedirection response: HTTPResponse,
            newRequest request: LoadRequest, completionHandler: @escaping @Sendable (LoadRequest?) -> Void
        ) {
            log.add("asked")
            kept.withLock { $0.append { completionHandler(request) } }
        }

        func session(
            _ session: Session, task: SessionTask, didReceive challenge: AuthenticationChallenge,
            completionHandler: @escaping @Sendable (AuthenticationAnswer) -> Void
        ) {
            log.add("asked")
            kept.withLock { $0.append { completionHandler(.performDefaultHandling) } }
        }

        func session(_ session: Session, task: SessionTask, didCompleteWith error: TransferError?) {
            log.add(error?.code == .timedOut ? "timed out" : error.map { "\($0)" } ?? "well")
        }
    }

    @Test(
        "a delegate that never answers does not outlast the limit of the resource",
        arguments: ["/", "/loop", "/secret"])
    func unanswered(_ path: String) async throws {
        let stage = try Self.stage()
        var configuration = stage.configuration
        configuration.timeoutIntervalForResource = .milliseconds(150)
        let silent = Silent()
        let session = Session(configuration: configuration, delegate: silent)
        session.dataTask(with: try stage.uri(path)).resume()
        try await silent.log.wait(within: .seconds(5)) { $0.last == "timed out" }
        silent.answerAll()
        #expect(silent.log.lines == ["asked", "timed out"])
    }

    @Test("limits past all time, of none and below trap nowhere")
    func extremeLimits() async throws {
        let stage = try Self.stage()
        for limit in [Duration.seconds(Int64.max), .seconds(Int64.min), .zero, .seconds(-1)] {
            var configuration = stage.configuration
            configuration.timeoutIntervalForResource = limit
            configuration.httpMaximumConnectionsPerHost = Int.min
            configuration.maximumContentLength = .max
            let session = Session(configuration: configuration)
            let long = try? await session.data(for: LoadRequest(stage.uri(), timeoutInterval: limit))
            #expect((long?.content.count == Self.content.count) == (limit > .zero))
        }
    }

    // MARK: Answers to questions

    @Test("answers that come twice, late and from many threads count once")
    func manyAnswers() async throws {
        let stage = try Self.stage()
        let silent = Silent()
        let session = Session(configuration: stage.configuration, delegate: silent)
        let task = session.dataTask(with: try stage.uri())
        task.resume()
        let cancelled = session.dataTask(with: try stage.uri("/loop"))
        cancelled.resume()
        try await silent.log.wait { $0.count == 2 }
        cancelled.cancel()
        let crowd = TransferQueue(maxConcurrentOperationCount: 8)
        for _ in 0..<8 { crowd.addOperation { silent.answerAll() } }
        try await silent.log.wait { $0.count == 4 }
        crowd.waitUntilAllOperationsAreFinished()
        session.finishTasksAndInvalidate()
        try await waitUntil { session.delegate == nil }
        #expect(silent.log.lines.count == 4)
        #expect(task.error == nil)
        #expect(cancelled.error?.description == "cancelled")
    }

    @Test("a refused answer ends the task in exactly the word of a cancel")
    func refused() async throws {
        let stage = try Self.stage()
        let recorder = Recorder { $0.disposition = .cancel }
        let session = Session(configuration: stage.configuration, delegate: recorder)
        session.dataTask(with: try stage.uri()).resume()
        try await recorder.waitForEnds()
        #expect(recorder.log.lines.last == "complete cancelled")
    }

    @Test("a delegate that always has credentials, or always goes round, comes to an end")
    func endless() async throws {
        let stage = try Self.stage()
        let recorder = Recorder { state in
            state.answer = { _ in
                .useCredential(Credential(user: "u\r\nX: y", password: "p", persistence: .forSession))
            }
            state.redirect = { $0 }
        }
        let session = Session(configuration: stage.configuration, delegate: recorder)
        session.dataTask(with: try stage.uri("/secret")).resume()
        session.dataTask(with: try stage.uri("/loop")).resume()
        try await recorder.waitForEnds(2)
        #expect(stage.server.requests.count < 100)
        #expect(stage.server.requests.allSatisfy { $0.value(of: "X") == nil })
    }

    // MARK: Files

    @Test("a destination that is the temporary file itself does not pass for a place that the file has got")
    func destinationIsSource() async throws {
        let stage = try Self.stage()
        let manager = SessionManager(sessionConfiguration: stage.configuration)
        let places: [@Sendable (String) -> String] = [
            { $0 }, { _ in "" }, { _ in "/" }, { _ in "a\0b" }, { _ in "/proc/none/there" },
            { String($0.prefix { $0 != "." }) + ".tmp/" },
            { path in "/proc/self/root" + path },
        ]
        for place in places {
            let log = CallLog()
            manager.downloadTask(with: try stage.uri(), destination: { path, _ in place(path) }) {
                _, path, error in
                log.add(path ?? error.map { "error \($0)" } ?? "nothing")
            }.resume()
            try await log.wait { !$0.isEmpty }
            if let path = log.lines.first, path.hasPrefix("/") {
                #expect(octets(ofFile: path) == Self.content)
            } else {
                #expect(log.lines.count == 1)
            }
        }
        #expect(stage.temporaryNames.isEmpty)
    }

    @Test("resume data whose lines are cut short are refused")
    func cutLines() async throws {
        let stage = try Self.stage()
        let session = Session(configuration: stage.configuration)
        for line in ["field X:", "field X", "field", "field :", "", "folder", "tail", "field X:y"] {
            var octets = Array("rawget resume data 1\n\(line)\nrawget 1\nend\n".utf8)
            let digest = try MessageDigest.digest(of: octets.span, by: .sha256)
            octets += Array("sum \(Base64.encoded(digest.span))\n".utf8)
            await #expect(throws: TransferError.self) { try await session.download(resumeFrom: octets) }
        }
    }
}
