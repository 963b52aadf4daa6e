import Download
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Tasks of a session", .timeLimit(.minutes(2)))
struct SessionTests {
    static let content = GeneratedContent(seed: 8).octets(300_000)

    static func stage() throws -> Stage {
        try Stage { request in
            switch request.target {
            case "/file.bin":
                [
                    Stage.head(length: content.count, "ETag: \"v1\"", "Cache-Control: max-age=60"),
                    .send(content),
                ]
            case "/empty": [Stage.head(length: 0)]
            case "/moved": [Stage.head("302 Found", length: 3, "Location: /file.bin"), .send("old")]
            default: [Stage.head("404 Not Found", length: 4), .send("none")]
            }
        }
    }

    @Test("a data task tells answer, content and end, in this order, and exactly one end")
    func dataTask() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.dataTask(with: try stage.uri())
        #expect(task.state == .suspended)
        task.resume()
        try await recorder.waitForEnds()
        #expect(recorder.log.lines.story == ["response", "data", "metrics", "complete"])
        #expect(recorder.content == Self.content)
        #expect(task.state == .completed)
        #expect(task.error == nil)
        #expect(task.progress == TransferProgress(received: 300_000, expected: 300_000, state: .finished))
        #expect(recorder.deepest == 1)
        #expect(session.tasks.isEmpty)
    }

    @Test("a download task tells of every octet written, hands over its file, and removes it")
    func downloadTask() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        session.downloadTask(with: try stage.uri()).resume()
        try await recorder.waitForEnds()
        #expect(recorder.log.lines.story == ["write", "finished", "metrics", "complete"])
        #expect(recorder.files == [Self.content])
        #expect(recorder.written.reduce(0, +) == 300_000)
        #expect(stage.temporaryNames.isEmpty)
    }

    @Test("the asynchronous forms bring content, or a file that is the caller's")
    func asynchronousForms() async throws {
        let stage = try Self.stage()
        let session = Session(configuration: stage.configuration)
        let (content, response) = try await session.data(from: stage.uri("/moved"))
        #expect(content == Self.content)
        #expect(response.uri == (try stage.uri()))
        let (location, _) = try await session.download(from: stage.uri())
        #expect(octets(ofFile: location) == Self.content)
        #expect(location.hasSuffix(".tmp"))
        #expect(stage.temporaryNames.count == 1)
    }

    @Test("a cancelled task says so in exactly one word, and its progress is back at 0")
    func cancelling() async throws {
        let stage = try Stage { _ in [Stage.head(length: 1000), .send("begun"), .stall] }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.downloadTask(with: try stage.uri())
        task.resume()
        try await recorder.log.wait { $0.contains("write 5/1000") }
        #expect(task.progress.received == 5)
        task.cancel()
        task.cancel()
        try await recorder.waitForEnds()
        #expect(recorder.log.lines == ["write 5/1000", "metrics", "complete cancelled"])
        #expect(task.progress == TransferProgress(received: 0, expected: 1000, state: .cancelled))
        #expect(stage.temporaryNames.isEmpty)
    }
}
