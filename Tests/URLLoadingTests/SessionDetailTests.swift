import Glibc
import Download
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("What a session's delegate decides, and how a session ends", .timeLimit(.minutes(1)))
struct SessionDetailTests {
    /// A server that lets "me" in by "secret" (RFC 7617: `bWU6c2VjcmV0`).
    private static func guarded() throws -> Stage {
        try Stage { request in
            guard request.value(of: "Authorization") == "Basic bWU6c2VjcmV0" else {
                return [
                    Stage.head(
                        "401 Unauthorized", length: 2,
                        "WWW-Authenticate: Digest realm=\"no\", nonce=\"x\", Basic realm=\"cellar\""),
                    .send("no"),
                ]
            }
            return [Stage.head(length: 4), .send("wine")]
        }
    }

    private static func credential(
        _ password: String, _ persistence: Credential.Persistence = .none
    ) -> AuthenticationAnswer {
        .useCredential(Credential(user: "me", password: password, persistence: persistence))
    }

    @Test("a challenge is asked about again when credentials are refused, and how often they were is told")
    func challenge() async throws {
        let stage = try Self.guarded()
        let recorder = Recorder { state in
            state.answer = { Self.credential($0.previousFailureCount == 0 ? "wrong" : "secret") }
        }
        let session = Session(configuration: stage.configuration, delegate: recorder)
        session.dataTask(with: try stage.uri()).resume()
        try await recorder.waitForEnds()
        #expect(
            recorder.log.lines == [
                "challenge cellar 0", "challenge cellar 1", "response 200", "data", "metrics",
                "complete well",
            ])
        #expect(recorder.content == Array("wine".utf8))
        #expect(
            stage.server.requests.map { $0.value(of: "Authorization") } == [
                nil, "Basic bWU6d3Jvbmc=", "Basic bWU6c2VjcmV0",
            ])
    }

    @Test("credentials for the session answer for other tasks of it, and for no other session")
    func persistence() async throws {
        let stage = try Self.guarded()
        let recorder = Recorder { $0.answer = { _ in Self.credential("secret", .forSession) } }
        let session = Session(configuration: stage.configuration, delegate: recorder)
        for ends in 1...2 {
            session.downloadTask(with: try stage.uri()).resume()
            try await recorder.waitForEnds(ends)
        }
        #expect(recorder.log.lines.count { $0.hasPrefix("challenge") } == 1)
        #expect(recorder.files == [Array("wine".utf8), Array("wine".utf8)])
        let other = Session(configuration: stage.configuration)
        #expect(try await other.data(from: stage.uri()).response.statusCode == 401)
    }

    @Test(
        "without credentials the answer that asks is delivered, and a refusal to answer is a cancel",
        arguments: [
            (AuthenticationAnswer.performDefaultHandling, "complete well"),
            (.rejectProtectionSpace, "complete well"),
            (.cancelAuthenticationChallenge, "complete cancelled"),
        ])
    func otherAnswers(answer: AuthenticationAnswer, end: String) async throws {
        let stage = try Self.guarded()
        let recorder = Recorder { $0.answer = { _ in answer } }
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.dataTask(with: try stage.uri())
        task.resume()
        try await recorder.waitForEnds()
        #expect(recorder.log.lines.last == end)
        #expect(stage.server.requests.count == 1)
        if end == "complete well" { #expect(task.response?.statusCode == 401) }
    }

    @Test("what the delegate does not want stored is not", arguments: [true, false])
    func storing(stores: Bool) async throws {
        let stage = try Stage { _ in [Stage.head(length: 2, "Cache-Control: max-age=60"), .send("ok")] }
        var configuration = stage.configuration
        let cache = ResponseCache(capacity: 1 << 20)
        configuration.urlCache = cache
        let recorder = Recorder { $0.stores = stores }
        let session = Session(configuration: configuration, delegate: recorder)
        let request = LoadRequest(try stage.uri())
        session.dataTask(with: request).resume()
        try await recorder.waitForEnds()
        #expect(recorder.log.lines.contains("cache"))
        #expect((cache.cachedResponse(for: request) != nil) == stores)
    }

    @Test("content that is sent is told of, to its end")
    func sending() async throws {
        let stage = try Stage { _ in [Stage.head(length: 0)] }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let content = GeneratedContent(seed: 3).octets(200_000)
        let task = session.dataTask(
            with: LoadRequest(try stage.uri(), method: .post, content: content))
        task.resume()
        try await recorder.waitForEnds()
        #expect(recorder.log.lines.last { $0.hasPrefix("sent") } == "sent 200000/200000")
        #expect(task.countOfBytesSent == 200_000 && task.countOfBytesExpectedToSend == 200_000)
        #expect(stage.server.requests.first?.content == content)
    }

    @Test("fields of the configuration go with every request that has none of that name")
    func additionalFields() async throws {
        let stage = try Stage { _ in [Stage.head(length: 0)] }
        var configuration = stage.configuration
        configuration.httpAdditionalHeaders[.accept] = "text/plain"
        configuration.httpAdditionalHeaders[.userAgent] = "cellar/1"
        let session = Session(configuration: configuration)
        var request = LoadRequest(try stage.uri())
        request.setValue("image/png", forHTTPHeaderField: "accept")
        _ = try await session.data(for: request)
        #expect(stage.server.requests.first?.values(of: "Accept") == ["image/png"])
        #expect(stage.server.requests.first?.values(of: "User-Agent") == ["cellar/1"])
    }

    @Test("tasks of one host begin in the order in which they were resumed")
    func order() async throws {
        let stage = try Stage { _ in [.pause(.milliseconds(1)), Stage.head(length: 0)] }
        var configuration = stage.configuration
        configuration.httpMaximumConnectionsPerHost = 1
        let recorder = Recorder()
        let session = Session(configuration: configuration, delegate: recorder)
        let tasks = try (0..<30).map { session.dataTask(with: try stage.uri("/\($0)")) }
        for task in tasks { task.resume() }
        // One that is held leaves the line, and joins it again at its end.
        tasks[20].suspend()
        try await waitUntil { stage.server.requests.count >= 3 }
        tasks[20].resume()
        try await recorder.waitForEnds(30)
        let others = Array((0..<30).filter { $0 != 20 })
        #expect(stage.server.requests.map(\.target) == (others + [20]).map { "/\($0)" })
        #expect(stage.server.connectionCount == 1)
    }

    @Test("a session that finishes its tasks makes no new ones, and says last that it is invalid")
    func finishing() async throws {
        let stage = try Stage { _ in [Stage.head(length: 2), .pause(.milliseconds(30)), .send("ok")] }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let tasks = try (0..<3).map { _ in session.dataTask(with: try stage.uri()) }
        for task in tasks { task.resume() }
        #expect(await session.allTasks.map(\.taskIdentifier) == [1, 2, 3])
        session.finishTasksAndInvalidate()
        let late = session.dataTask(with: try stage.uri())
        late.resume()
        try await recorder.log.wait { $0.contains("invalid") }
        try await waitUntil { late.state == .completed }
        #expect(recorder.log.lines.count { $0 == "complete well" } == 3)
        #expect(late.error?.code == .badRequest)
        #expect(session.delegate == nil)
        #expect(recorder.log.lines.last == "invalid")
        let listed = CallLog()
        session.getAllTasks { listed.add("\($0.count)") }
        try await listed.wait { $0 == ["0"] }
    }

    @Test("a session that is made invalid cancels what runs, what waits, and what was never resumed")
    func cancellingAll() async throws {
        let stage = try Stage { _ in [.stall] }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let tasks = try (0..<8).map { _ in session.downloadTask(with: try stage.uri()) }
        for task in tasks.dropLast() { task.resume() }
        session.invalidateAndCancel()
        try await recorder.log.wait { $0.last == "invalid" }
        #expect(recorder.log.lines.count { $0 == "complete cancelled" } == 8)
        #expect(tasks.allSatisfy { $0.state == .completed && $0.error?.description == "cancelled" })
    }

    @Test("a response tells where it came from in the end, and is named after what was asked for")
    func source() async throws {
        let stage = try Stage { request in
            [
                request.target == "/a.zip"
                    ? Stage.head("302 Found", length: 0, "Location: /b.bin") : Stage.head(length: 0)
            ]
        }
        let (_, response) = try await Session(configuration: stage.configuration).data(
            from: stage.uri("/a.zip"))
        #expect(response.uri == (try stage.uri("/b.bin")))
        #expect(response.suggestedFilename == "a.zip")
    }

    @Test("a response and a file in the documents' words")
    func words() async throws {
        let stage = try Stage { _ in
            [
                Stage.head(length: 2, "Content-Type: Text/HTML; charset=utf-8", "X-A: 1", "X-A: 2"),
                .send("ok"),
            ]
        }
        let (_, response) = try await Session(configuration: stage.configuration).data(from: stage.uri())
        #expect(response.statusCode == 200)
        #expect(response.mimeType == "text/html")
        #expect(response.value(forHTTPHeaderField: "x-a") == "1, 2")
        stage.folder.write("octets", to: "file")
        #expect(try [UInt8](contentsOfFile: stage.folder.path(of: "file")) == Array("octets".utf8))
        let tooMany = #expect(throws: TransferError.self) {
            try [UInt8](contentsOfFile: stage.folder.path(of: "file"), maximumLength: 5)
        }
        #expect(tooMany?.code == .tooLarge)
        let missing = #expect(throws: TransferError.self) {
            try [UInt8](contentsOfFile: stage.folder.path(of: "none"))
        }
        #expect(missing?.code == .readFailed)
    }
}
