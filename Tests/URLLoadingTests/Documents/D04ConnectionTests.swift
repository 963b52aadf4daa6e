import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("A connection with a delegate (D4)", .timeLimit(.minutes(1)))
struct ConnectionDelegateTests {
    private static let content = GeneratedContent(seed: 4).octets(200_000)

    private static func stage() throws -> Stage {
        try Stage { request in
            switch request.target {
            case "/moved": [Stage.head("302 Found", length: 3, "Location: /middle"), .send("old")]
            case "/middle": [Stage.head("307 Temporary Redirect", length: 0, "Location: /file.bin")]
            case "/file.bin", "/other.bin":
                [Stage.head(length: content.count, "Cache-Control: no-store"), .send(content)]
            default: [Stage.head("404 Not Found", length: 0)]
            }
        }
    }

    @Test("D4: before the first send, response, content, one end; creating it starts it")
    func success() async throws {
        let stage = try Self.stage()
        let recorder = ConnectionRecorder()
        let connection = URLConnection(request: LoadRequest(try stage.uri()), delegate: recorder)
        try await recorder.waitForEnd()
        #expect(
            recorder.log.lines.withoutRepetition == ["send /file.bin", "response 200", "content", "finish"])
        #expect(recorder.content == Self.content)
        #expect(recorder.deepest == 1)
        #expect(connection.originalRequest == LoadRequest(try stage.uri()))
    }

    @Test("D4: content comes in many pieces")
    func pieces() async throws {
        let stage = try Stage { _ in [Stage.head(length: 8 << 20), .sendGenerated(seed: 1, count: 8 << 20)] }
        let recorder = ConnectionRecorder()
        withExtendedLifetime(URLConnection(request: LoadRequest(try stage.uri()), delegate: recorder)) {}
        try await recorder.waitForEnd()
        #expect(recorder.log.lines.count { $0 == "content" } > 8)
        #expect(recorder.content.count == 8 << 20)
        #expect(GeneratedContent(seed: 1).matches(Array(recorder.content.suffix(1000)), at: 8 << 20 - 1000))
    }

    @Test("D4: each redirect is asked about, with the answer that leads on")
    func redirects() async throws {
        let stage = try Self.stage()
        let recorder = ConnectionRecorder()
        _ = URLConnection(request: LoadRequest(try stage.uri("/moved")), delegate: recorder)
        try await recorder.waitForEnd()
        #expect(
            recorder.log.lines.withoutRepetition == [
                "send /moved", "send /middle after 302", "send /file.bin after 307", "response 200",
                "content",
                "finish",
            ])
        #expect(recorder.content == Self.content)
    }

    @Test("D4: a refused redirect delivers the 3xx itself")
    func refusedRedirect() async throws {
        let stage = try Self.stage()
        let recorder = ConnectionRecorder { $0.willSend = { $1 == nil ? $0 : nil } }
        _ = URLConnection(request: LoadRequest(try stage.uri("/moved")), delegate: recorder)
        try await recorder.waitForEnd()
        #expect(
            recorder.log.lines == [
                "send /moved", "send /middle after 302", "response 302", "content", "finish",
            ])
        #expect(recorder.content.elementsEqual("old".utf8))
        #expect(stage.server.requests.count == 1)
    }

    @Test("D4: only the second redirect is refused")
    func refusedSecondRedirect() async throws {
        let stage = try Self.stage()
        let recorder = ConnectionRecorder { $0.willSend = { $1?.status == .temporaryRedirect ? nil : $0 } }
        _ = URLConnection(request: LoadRequest(try stage.uri("/moved")), delegate: recorder)
        try await recorder.waitForEnd()
        #expect(
            recorder.log.lines == [
                "send /moved", "send /middle after 302", "send /file.bin after 307", "response 307", "finish",
            ])
        #expect(stage.server.requests.map(\.target) == ["/moved", "/middle"])
    }

    @Test("D4: nothing returned before the first send sends nothing")
    func refusedRequest() async throws {
        let stage = try Self.stage()
        let recorder = ConnectionRecorder { $0.willSend = { _, _ in nil } }
        _ = URLConnection(request: LoadRequest(try stage.uri()), delegate: recorder)
        try await recorder.waitForEnd()
        #expect(recorder.log.lines == ["send /file.bin", "fail cancelled"])
        #expect(stage.server.requests.isEmpty)
    }

    @Test("D4: each send may change its request")
    func changedRequests() async throws {
        let stage = try Self.stage()
        let other = try stage.uri("/other.bin")
        let recorder = ConnectionRecorder {
            $0.willSend = { request, redirect in
                var changed = request
                changed.setValue(redirect.map { "\($0.status)" } ?? "first", forHTTPHeaderField: "X-Sent")
                if redirect?.status == .temporaryRedirect { changed.uri = other }
                return changed
            }
        }
        _ = URLConnection(request: LoadRequest(try stage.uri("/moved")), delegate: recorder)
        try await recorder.waitForEnd()
        #expect(stage.server.requests.map(\.target) == ["/moved", "/middle", "/other.bin"])
        #expect(stage.server.requests.map { $0.value(of: "X-Sent") } == ["first", "302", "307"])
        #expect(recorder.endings == ["finish"])
    }

    @Test("D4: a later start is harmless, once and twice, also behind the end")
    func startingAgain() async throws {
        let stage = try Self.stage()
        let recorder = ConnectionRecorder()
        let connection = URLConnection(request: LoadRequest(try stage.uri()), delegate: recorder)
        connection.start()
        connection.start()
        try await recorder.waitForEnd()
        connection.start()
        try await Task.sleep(for: quietTime)
        #expect(stage.server.requests.count == 1)
        #expect(
            recorder.log.lines.withoutRepetition == ["send /file.bin", "response 200", "content", "finish"])
    }

    @Test("D4: one that is not to begin at once begins with start")
    func startingLater() async throws {
        let stage = try Self.stage()
        let recorder = ConnectionRecorder()
        let connection = URLConnection(
            request: LoadRequest(try stage.uri()), delegate: recorder, startImmediately: false)
        try await Task.sleep(for: quietTime)
        #expect(recorder.log.lines.isEmpty)
        connection.start()
        try await recorder.waitForEnd()
        #expect(recorder.endings == ["finish"])
    }

    @Test(
        "D4: after a cancel from inside of any call none comes",
        arguments: [
            "send /moved", "send /middle after 302", "send /file.bin after 307", "response 200", "content",
            "finish",
        ])
    func cancelling(inside call: String) async throws {
        let stage = try Self.stage()
        let recorder = ConnectionRecorder {
            $0.during = { line, connection in if line == call { connection.cancel() } }
        }
        _ = URLConnection(request: LoadRequest(try stage.uri("/moved")), delegate: recorder)
        try await recorder.log.wait { $0.contains(call) }
        try await Task.sleep(for: quietTime)
        #expect(recorder.log.lines.last == call)
        #expect(recorder.log.lines.count { $0 == call } == 1)
    }

    @Test("D4: after a cancel from outside no call comes, though the delegate's queue was held up")
    func cancellingOutside() async throws {
        let stage = try Self.stage()
        let queue = TransferQueue(maxConcurrentOperationCount: 1)
        let recorder = ConnectionRecorder()
        let connection = URLConnection(
            request: LoadRequest(try stage.uri()), delegate: recorder, startImmediately: false)
        connection.setDelegateQueue(queue)
        connection.start()
        try await recorder.log.wait { $0.contains("response 200") }
        queue.isSuspended = true
        try await Task.sleep(for: quietTime)
        connection.cancel()
        let before = recorder.log.lines
        queue.isSuspended = false
        try await Task.sleep(for: quietTime)
        #expect(recorder.log.lines == before)
    }

    @Test("D4: one that was cancelled before its start never begins")
    func cancelledBefore() async throws {
        let stage = try Self.stage()
        let recorder = ConnectionRecorder()
        let connection = URLConnection(
            request: LoadRequest(try stage.uri()), delegate: recorder, startImmediately: false)
        connection.cancel()
        connection.start()
        try await Task.sleep(for: quietTime)
        #expect(recorder.log.lines.isEmpty)
        #expect(stage.server.requests.isEmpty)
    }

    /// How a connection comes to its end.
    enum End: CaseIterable { case success, failure, cancel, cancelBefore }

    @Test("D4: the delegate is kept until the last call, and let go then", arguments: End.allCases)
    func lettingGo(_ end: End) async throws {
        let stage = try Stage { request in
            request.target == "/good"
                ? [Stage.head(length: 4), .send("good")]
                : [Stage.head(length: 10), .send("begun")] + (end == .failure ? [.close] : [.stall])
        }
        var recorder: ConnectionRecorder? = ConnectionRecorder()
        let log = try #require(recorder?.log)
        weak let delegate = recorder
        var connection: URLConnection? = URLConnection(
            request: LoadRequest(try stage.uri(end == .success ? "/good" : "/bad")),
            delegate: try #require(recorder), startImmediately: false)
        weak let shadow = connection
        if end != .cancelBefore {
            connection?.start()
            try await log.wait { $0.contains("response 200") }
        }
        recorder = nil
        if end == .cancel || end == .cancelBefore { connection?.cancel() }
        connection = nil
        try await waitUntil { delegate == nil && shadow == nil }
        switch end {
        case .success: #expect(log.lines.last == "finish")
        case .failure: #expect(log.lines.last == "fail incompleteContent")
        case .cancel, .cancelBefore: #expect(!log.lines.contains { $0.hasPrefix("f") })
        }
    }
}
