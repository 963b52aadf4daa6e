import Glibc
import HTTPCache
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Kinds of sessions, their limits, and time-outs (D13, D14, D19)", .timeLimit(.minutes(1)))
struct ConfigurationTests {
    private static func stage() throws -> Stage {
        try Stage { _ in [Stage.head(length: 4, "Cache-Control: max-age=600"), .send("good")] }
    }

    // MARK: D13

    @Test("D13: default sessions share what is stored; an ephemeral one sees none of it")
    func defaultKind() async throws {
        let stage = try Self.stage()
        #expect(SessionConfiguration.default.urlCache === ResponseCache.shared)
        #expect(SessionConfiguration.default.identifier == nil)
        let uri = try stage.uri()
        _ = try await Session(configuration: .default).data(from: uri)
        _ = try await Session(configuration: .default).data(from: uri)
        _ = try await URLConnection.send(LoadRequest(uri))
        #expect(stage.server.requests.count == 1)
        #expect(ResponseCache.shared.cachedResponse(for: LoadRequest(uri))?.content == Array("good".utf8))
        _ = try await Session(configuration: .ephemeral).data(from: uri)
        #expect(stage.server.requests.count == 2)
    }

    @Test("D13: an ephemeral session has a cache of its own, in memory; nothing outlives it")
    func ephemeralKind() async throws {
        let stage = try Self.stage()
        let uri = try stage.uri()
        let first = SessionConfiguration.ephemeral
        let second = SessionConfiguration.ephemeral
        #expect(first.urlCache != nil && first.urlCache !== second.urlCache)
        #expect(first.urlCache !== ResponseCache.shared)
        let session = Session(configuration: first)
        _ = try await session.data(from: uri)
        _ = try await session.data(from: uri)
        #expect(stage.server.requests.count == 1)
        _ = try await Session(configuration: second).data(from: uri)
        #expect(stage.server.requests.count == 2)
        #expect(ResponseCache.shared.cachedResponse(for: LoadRequest(uri)) == nil)
    }

    @Test("D13: nothing is left of an ephemeral session: no cache, no file, no connection")
    func nothingLeft() async throws {
        let stage = try Self.stage()
        weak var cache: ResponseCache?
        weak var shadow: Session?
        do {
            var configuration = SessionConfiguration.ephemeral
            configuration.temporaryDirectory = stage.temporaryPath
            let session = Session(configuration: configuration)
            (cache, shadow) = (configuration.urlCache, session)
            _ = try await session.data(from: stage.uri())
            let completed = Box(false)
            session.downloadTask(with: try stage.uri()) { _, _, _ in completed.set(true) }.resume()
            try await waitUntil { completed.value }
            #expect(cache != nil)
        }
        try await waitUntil { shadow == nil && cache == nil }
        #expect(stage.temporaryNames.isEmpty)
        try await waitUntil { stage.server.openConnectionCount == 0 }
    }

    @Test("D13: a session has a copy of its configuration")
    func copy() async throws {
        var configuration = SessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders[.accept] = "text/plain"
        let session = Session(configuration: configuration)
        configuration.httpAdditionalHeaders[.accept] = "text/html"
        let stage = try Self.stage()
        _ = try await session.data(from: stage.uri())
        #expect(stage.server.requests.first?.value(of: "Accept") == "text/plain")
        #expect(session.configuration.httpAdditionalHeaders[.accept] == "text/plain")
    }

    // MARK: D14

    @Test("D14: the defaults are the documents'", arguments: [SessionConfiguration.default, .ephemeral])
    func defaults(configuration: SessionConfiguration) {
        #expect(configuration.timeoutIntervalForRequest == .seconds(60))
        #expect(configuration.allowsCellularAccess)
        #expect(configuration.httpMaximumConnectionsPerHost == 4)
        #expect(!configuration.discretionary)
        #expect(configuration.timeoutIntervalForResource == .seconds(604_800))
        #expect(configuration.requestCachePolicy == .useProtocolCachePolicy)
    }

    @Test(
        "D14: a task that gets no octet for the request's interval fails as timed out; a request's own goes before"
    )
    func requestTimeout() async throws {
        let stage = try Stage { _ in [Stage.head(length: 10), .send("begun"), .stall] }
        var configuration = stage.configuration
        configuration.timeoutIntervalForRequest = .milliseconds(80)
        let session = Session(configuration: configuration)
        let uri = try stage.uri()
        let clock = ContinuousClock.now
        let error = await #expect(throws: TransferError.self) {
            try await within { try await session.data(from: uri) }
        }
        #expect(error?.code == .timedOut)
        #expect(ContinuousClock.now - clock >= .milliseconds(80))
        configuration.timeoutIntervalForRequest = .seconds(60)
        let patient = Session(configuration: configuration)
        let own = await #expect(throws: TransferError.self) {
            try await within {
                try await patient.download(for: LoadRequest(uri, timeoutInterval: .milliseconds(50)))
            }
        }
        #expect(own?.code == .timedOut)
    }

    @Test("D14: octets that keep coming hold the request's interval off")
    func trickle() async throws {
        let steps = (0..<10).flatMap { _ in [Script.Step.pause(.milliseconds(40)), .send("x")] }
        let stage = try Stage { _ in [Stage.head(length: 10)] + steps }
        var configuration = stage.configuration
        configuration.timeoutIntervalForRequest = .milliseconds(300)
        let (content, _) = try await Session(configuration: configuration).data(from: stage.uri())
        #expect(content.count == 10)
    }

    @Test("D14: so many connections to one host, and the others wait", arguments: [nil, 1, 2])
    func connectionsPerHost(limit: Int?) async throws {
        let isOpen = Box(false)
        let stage = try Stage { request in
            for _ in 0..<10_000 where !isOpen.value { usleep(1000) }
            return [Stage.head(length: 4), .send("good")]
        }
        defer { isOpen.set(true) }
        var configuration = stage.configuration
        if let limit { configuration.httpMaximumConnectionsPerHost = limit }
        let recorder = Recorder()
        let session = Session(configuration: configuration, delegate: recorder)
        for number in 0..<12 {
            let uri = try stage.uri("/\(number)")
            (number % 2 == 0 ? session.dataTask(with: uri) : session.downloadTask(with: uri) as SessionTask)
                .resume()
        }
        try await waitUntil { stage.server.requests.count == limit ?? 4 }
        try await Task.sleep(for: quietTime)
        #expect(stage.server.requests.count == limit ?? 4)
        #expect(stage.server.connectionCount == limit ?? 4)
        isOpen.set(true)
        try await recorder.waitForEnds(12)
        #expect(recorder.log.lines.count { $0 == "complete well" } == 12)
        #expect(stage.server.connectionCount <= limit ?? 4)
        if limit == 1 { #expect(stage.server.requests.map(\.target) == (0..<12).map { "/\($0)" }) }
    }

    @Test("D14: discretionary is ignored but in the background, and a flag of networks by the loopback")
    func discretionary() async throws {
        let stage = try Self.stage()
        var configuration = stage.configuration
        configuration.discretionary = true
        configuration.allowsCellularAccess = false
        let (content, _) = try await Session(configuration: configuration).data(from: stage.uri())
        #expect(content == Array("good".utf8))
    }

    /// What a task does while the time for its resource passes.
    enum Situation: CaseIterable { case running, suspended, inLine, suspendedInLine, suspendedAtOnce }

    @Test(
        "D14: the time for a resource counts whatever the task does meanwhile", arguments: Situation.allCases)
    func resourceTimeout(_ situation: Situation) async throws {
        let steps = (0..<200).flatMap { _ in [Script.Step.pause(.milliseconds(20)), .send("x")] }
        let stage = try Stage { request in
            [Stage.head(length: 200)] + (request.target == "/blocks" ? [.stall] : steps)
        }
        var configuration = stage.configuration
        configuration.httpMaximumConnectionsPerHost = 1
        configuration.timeoutIntervalForResource = .milliseconds(250)
        let session = Session(configuration: configuration)
        let isInLine = situation == .inLine || situation == .suspendedInLine
        if isInLine {
            // The one before it has a day.
            let blocking = session.dataTask(with: try stage.uri("/blocks"))
            blocking.resume()
            try await waitUntil { stage.server.requests.count == 1 }
            try await Task.sleep(for: .milliseconds(100))
        }
        let begin = ContinuousClock.now
        let task = session.downloadTask(with: try stage.uri())
        task.resume()
        switch situation {
        case .running, .inLine: break
        case .suspendedAtOnce: task.suspend()
        case .suspendedInLine:
            try await Task.sleep(for: .milliseconds(20))
            task.suspend()
        case .suspended:
            try await waitUntil { task.countOfBytesReceived > 0 }
            task.suspend()
        }
        try await waitUntil(within: .seconds(3)) { task.state == .completed }
        #expect(task.error?.code == .timedOut)
        #expect(ContinuousClock.now - begin >= .milliseconds(250))
    }

    // MARK: D19

    @Test("D19: a request's time-out is 60 s unless it says otherwise, and its policy the protocol's")
    func requestDefaults() throws {
        let stage = try Self.stage()
        var request = LoadRequest(try stage.uri())
        #expect(request.timeoutInterval == .seconds(60))
        #expect(LoadRequest.defaultTimeoutInterval == .seconds(60))
        #expect(request.cachePolicy == .useProtocolCachePolicy)
        request.timeoutInterval = .seconds(15)
        #expect(request.timeoutInterval == .seconds(15))
        let other = LoadRequest(
            try stage.uri(), cachePolicy: .returnCacheDataElseLoad, timeoutInterval: .seconds(5))
        #expect(other.timeoutInterval == .seconds(5) && other.cachePolicy == .returnCacheDataElseLoad)
    }

    @Test("D19: the time-out ends connections and blocking calls that hear nothing")
    func requestTimeoutOfConnections() async throws {
        let stage = try Stage { _ in [.stall] }
        let request = LoadRequest(try stage.uri(), timeoutInterval: .milliseconds(60))
        let error = #expect(throws: TransferError.self) { try URLConnection.sendSynchronousRequest(request) }
        #expect(error?.code == .timedOut)
        let recorder = ConnectionRecorder()
        _ = URLConnection(request: request, delegate: recorder)
        try await recorder.waitForEnd()
        #expect(recorder.log.lines == ["send /file.bin", "fail timedOut"])
        let operation = HTTPRequestOperation(request: request)
        operation.start()
        try await waitUntil { operation.isFinished }
        #expect(operation.error?.code == .timedOut)
    }
}
