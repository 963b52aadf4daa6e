import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Resume data (D12)", .timeLimit(.minutes(1)))
struct ResumeDataTests {
    static let content = GeneratedContent(seed: 12).octets(400_000)
    static let count = 250_000

    /// A stage that stalls behind so many octets of the first answer, and sends what is asked for later whole.
    static func stage(_ change: @escaping @Sendable (inout Representation) -> Void = { _ in }) throws -> Stage
    {
        let first = Representation(content, limit: count, change)
        let isFirst = Box(true)
        return try Stage { request in
            defer { isFirst.set(false) }
            return (isFirst.value ? first : first.whole).answer(request)
        }
    }

    /// Cancels a download behind the octets that came.
    static func pause(
        _ stage: Stage, _ request: LoadRequest? = nil, in session: Session? = nil
    ) async throws -> [UInt8]? {
        let session = session ?? Session(configuration: stage.configuration)
        let task = session.downloadTask(with: try request ?? LoadRequest(stage.uri()))
        task.resume()
        try await waitUntil { task.countOfBytesReceived == count }
        let data = await task.cancelByProducingResumeData()
        #expect(task.state == .canceling || task.state == .completed)
        return data
    }

    @Test("D12: another session goes on with Range and If-Range, and the file is whole")
    func goingOn() async throws {
        let stage = try Self.stage()
        let data = try #require(try await Self.pause(stage))
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.downloadTask(withResumeData: data)
        #expect(task.state == .suspended)
        task.resume()
        try await recorder.waitForEnds()
        #expect(stage.askedRanges == ["- -", "bytes=250000- \"v1\""])
        #expect(recorder.log.lines.first == "resumed 250000/400000")
        #expect(recorder.log.lines.story == ["resumed", "write", "finished", "metrics", "complete"])
        #expect(recorder.written.reduce(0, +) == 150_000)
        #expect(recorder.files == [Self.content])
        #expect(recorder.log.lines.last == "complete well")
        #expect(stage.temporaryNames.isEmpty)
    }

    @Test("D12: the handler is called once, before the last calls; progress keeps what is kept")
    func handler() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.downloadTask(with: try stage.uri())
        task.resume()
        try await waitUntil { task.countOfBytesReceived == Self.count }
        task.cancel { data in recorder.log.add("data \(data != nil)") }
        task.cancel { data in recorder.log.add("second \(data != nil)") }
        try await recorder.waitForEnds()
        try await recorder.log.wait { $0.contains { $0.hasPrefix("second") } }
        #expect(
            recorder.log.lines.filter { !$0.hasPrefix("write") && !$0.hasPrefix("second") } == [
                "data true", "metrics", "complete cancelled",
            ])
        #expect(recorder.log.lines.contains("second false"))
        #expect(task.error?.description == "cancelled")
    }

    @Test("D12: resume data written to a file serve a session made later, of the request's fields, too")
    func octets() async throws {
        let stage = try Self.stage()
        var request = LoadRequest(try stage.uri())
        request.setValue("secret=%41 é", forHTTPHeaderField: "X-Own")
        let data = try #require(try await Self.pause(stage, request))
        stage.folder.write(data, to: "resume.data")
        let read = try #require(stage.folder.octets(of: "resume.data"))
        let parsed = try ResumeData(parsing: read)
        #expect(parsed.uri == request.uri)
        #expect(parsed.countOfBytesReceived == 250_000)
        #expect(parsed.countOfBytesExpected == 400_000)
        #expect(parsed.octets == data)
        let (location, _) = try await Session(configuration: stage.configuration).download(resumeFrom: read)
        #expect(fileContents(location) == Self.content)
        let sent = stage.server.requests.map { $0.value(of: "X-Own") }
        #expect(sent.count == 2 && sent[0] == sent[1] && sent[0]?.hasPrefix("secret=%41 ") == true)
    }

    @Test("D12: they are good for one task")
    func usedOnce() async throws {
        let stage = try Self.stage()
        let data = try #require(try await Self.pause(stage))
        let session = Session(configuration: stage.configuration)
        _ = try await session.download(resumeFrom: data)
        let error = await #expect(throws: TransferError.self) { try await session.download(resumeFrom: data) }
        #expect(error?.code == .badResume)
        #expect(stage.server.requests.count == 2)
    }

    @Test("D12: of two tasks at once one goes on, and the other is told")
    func usedTwiceAtOnce() async throws {
        let stage = try Self.stage()
        let data = try #require(try await Self.pause(stage))
        async let first = Self.outcome(data, stage)
        async let second = Self.outcome(data, stage)
        #expect(await [first, second].sorted() == ["badResume", "whole"])
    }

    /// What comes of going on from `data`.
    static func outcome(_ data: [UInt8], _ stage: Stage) async -> String {
        do throws(TransferError) {
            let (location, _) = try await Session(configuration: stage.configuration).download(
                resumeFrom: data)
            return fileContents(location) == content ? "whole" : "other content"
        } catch { return error.code.name }
    }

    @Test("D12: a task can be paused again and again, each time with data for the next")
    func again() async throws {
        let content = Self.content
        let stage = try Stage { request in
            let begin = Int(request.range(of: UInt64(content.count))?.lowerBound ?? 0)
            return Representation(content, limit: min(100_000, content.count - begin)).answer(request)
        }
        var data: [UInt8]?
        for round in 1...3 {
            let session = Session(configuration: stage.configuration)
            let task =
                try data.map { session.downloadTask(withResumeData: $0) }
                ?? session.downloadTask(with: stage.uri())
            task.resume()
            try await waitUntil { task.countOfBytesReceived == Int64(round) * 100_000 }
            data = await task.cancelByProducingResumeData()
            try #require(data != nil)
        }
        #expect(await Self.outcome(try #require(data), stage) == "whole")
        #expect(
            stage.askedRanges == [
                "- -", "bytes=100000- \"v1\"", "bytes=200000- \"v1\"", "bytes=300000- \"v1\"",
            ])
    }

    // MARK: Where there are none

    /// Why no resume data can be made.
    enum Obstacle: String, CaseIterable {
        case noValidator, weakValidator, noRanges, post, ownRange, notFound
    }

    @Test(
        "D12: there are none without a strong validator, without ranges, for what is no plain GET",
        arguments: Obstacle.allCases)
    func none(_ obstacle: Obstacle) async throws {
        let stage = try Self.stage {
            switch obstacle {
            case .noValidator: $0.etag = nil
            case .weakValidator: $0.etag = "W/\"v1\""
            case .noRanges: $0.fields = ["Accept-Ranges: none"]
            case .post, .ownRange, .notFound: break
            }
        }
        var request = LoadRequest(try stage.uri(), method: obstacle == .post ? .post : .get)
        if obstacle == .post { request.content = [1] }
        if obstacle == .ownRange { request.setValue("bytes=0-", forHTTPHeaderField: "Range") }
        if obstacle == .notFound { return try await errorAnswer() }
        #expect(try await Self.pause(stage, request) == nil)
        try await waitUntil { stage.temporaryNames.isEmpty }
    }

    private func errorAnswer() async throws {
        let stage = try Stage { _ in
            [Stage.head("404 Not Found", length: 10, "ETag: \"v1\""), .send("none"), .stall]
        }
        let task = Session(configuration: stage.configuration).downloadTask(with: try stage.uri())
        task.resume()
        try await waitUntil { task.countOfBytesReceived == 4 }
        #expect(await task.cancelByProducingResumeData() == nil)
    }

    /// What a task has done when it is paused.
    enum Moment: CaseIterable { case notBegun, nothingReceived, over, cancelled }

    @Test("D12: there are none of a task that has received nothing, or is over", arguments: Moment.allCases)
    func none(_ moment: Moment) async throws {
        let stage = try Stage { request in
            moment == .over ? [Stage.head(length: 4, "ETag: \"v1\""), .send("good")] : [.stall]
        }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.downloadTask(with: try stage.uri())
        if moment == .nothingReceived || moment == .over { task.resume() }
        switch moment {
        case .nothingReceived: try await waitUntil { stage.server.requests.count == 1 }
        case .over: try await recorder.waitForEnds()
        case .cancelled: task.cancel()
        case .notBegun: break
        }
        #expect(await task.cancelByProducingResumeData() == nil)
        try await recorder.waitForEnds()
        #expect(recorder.log.lines.count { $0.hasPrefix("complete") } == 1)
    }

    @Test("D12: data that were never gone on with are handed back")
    func handedBack() async throws {
        let stage = try Self.stage()
        let data = try #require(try await Self.pause(stage))
        let task = Session(configuration: stage.configuration).downloadTask(withResumeData: data)
        let again = try #require(await task.cancelByProducingResumeData())
        #expect(await Self.outcome(again, stage) == "whole")
    }
}
