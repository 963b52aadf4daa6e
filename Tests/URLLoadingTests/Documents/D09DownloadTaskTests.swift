import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Download tasks with a completion (D9)", .timeLimit(.minutes(1)))
struct CompletionTaskTests {
    private static let content = GeneratedContent(seed: 9).octets(150_000)

    private static func stage() throws -> Stage {
        try Stage { request in
            request.target == "/file.zip"
                ? [Stage.head(length: content.count), .send(content)]
                : [Stage.head("404 Not Found", length: 4), .send("none")]
        }
    }

    /// What a completion was given, and what was so while it ran.
    private struct Completion: Sendable {
        var location: String?
        var response: HTTPResponse?
        var error: TransferError?
        var thread: UInt
        var content: [UInt8]?
    }

    private static func completion(
        in box: Box<[Completion]>, _ body: @escaping @Sendable (String?) -> Void = { _ in }
    ) -> @Sendable (String?, HTTPResponse?, TransferError?) -> Void {
        { location, response, error in
            let content = location.flatMap { octets(ofFile: $0) }
            body(location)
            box.change {
                $0.append(
                    Completion(
                        location: location, response: response, error: error, thread: UInt(pthread_self()),
                        content: content))
            }
        }
    }

    @Test("D9: a task starts suspended and needs resume")
    func startsSuspended() async throws {
        let stage = try Self.stage()
        let session = Session(configuration: stage.configuration)
        let box = Box<[Completion]>([])
        let download = session.downloadTask(
            with: LoadRequest(try stage.uri("/file.zip")), completionHandler: Self.completion(in: box))
        let data = session.dataTask(with: try stage.uri("/file.zip"))
        try await Task.sleep(for: quietTime)
        #expect(download.state == .suspended && data.state == .suspended)
        #expect(stage.server.connectionCount == 0)
        #expect(box.value.isEmpty)
        download.resume()
        #expect(download.state == .running)
        try await waitUntil { box.value.count == 1 }
        #expect(stage.server.requests.count == 1)
    }

    @Test("D9: the completion gets a temporary file, which goes away when it returns")
    func temporaryFile() async throws {
        let stage = try Self.stage()
        let box = Box<[Completion]>([])
        let session = Session(configuration: stage.configuration)
        let task = session.downloadTask(
            with: try stage.uri("/file.zip"), completionHandler: Self.completion(in: box))
        task.resume()
        try await waitUntil { task.state == .completed && !box.value.isEmpty }
        let completion = try #require(box.value.first)
        #expect(completion.content == Self.content)
        #expect(completion.response?.status == .ok)
        #expect(completion.error == nil)
        let location = try #require(completion.location)
        #expect(location.hasPrefix(stage.temporaryPath + "/") && location.hasSuffix(".tmp"))
        try await waitUntil { stage.temporaryNames.isEmpty }
        #expect(box.value.count == 1)
    }

    @Test("D9: the completion comes off the caller's thread")
    func otherThread() throws {
        let stage = try Self.stage()
        let box = Box<[Completion]>([])
        let session = Session(configuration: stage.configuration)
        let uri = try stage.uri("/file.zip")
        let own = UInt(pthread_self())
        session.downloadTask(with: uri, completionHandler: Self.completion(in: box)).resume()
        // The thread is held until the completion has come: it can only have come on another.
        for _ in 0..<10_000 where box.value.isEmpty { usleep(1000) }
        #expect(box.value.count == 1)
        #expect(box.value.first?.thread != own)
    }

    @Test("D9: the shared session downloads: the old target is removed, the file moved")
    func sharedSession() async throws {
        let stage = try Self.stage()
        stage.folder.write("old", to: "file.zip")
        let target = stage.folder.path(of: "file.zip")
        let box = Box<[Completion]>([])
        let outcome = Box<TransferError?>()
        Session.shared.downloadTask(
            with: LoadRequest(try stage.uri("/file.zip")),
            completionHandler: Self.completion(in: box) { location in
                do throws(TransferError) {
                    try DownloadedFile.remove(target)
                    try DownloadedFile.move(location ?? "", to: target)
                } catch { outcome.set(error) }
            }
        ).resume()
        try await waitUntil { !box.value.isEmpty }
        #expect(outcome.value == nil)
        #expect(stage.folder.octets(of: "file.zip") == Self.content)
        #expect(octets(ofFile: box.value.first?.location ?? "") == nil)
    }

    @Test("D9: a target that cannot be removed is reported, and nothing is copied")
    func stubbornTarget() async throws {
        let stage = try Self.stage()
        stage.folder.makeFolder("file.zip")
        let target = stage.folder.path(of: "file.zip")
        let box = Box<[Completion]>([])
        let outcome = Box<TransferError?>()
        let session = Session(configuration: stage.configuration)
        session.downloadTask(
            with: try stage.uri("/file.zip"),
            completionHandler: Self.completion(in: box) { location in
                do throws(TransferError) {
                    try DownloadedFile.remove(target)
                    try DownloadedFile.copy(location ?? "", to: target)
                } catch { outcome.set(error) }
            }
        ).resume()
        try await waitUntil { !box.value.isEmpty }
        #expect(outcome.value?.code == .writeFailed)
        #expect(outcome.value?.description.contains(target) == true)
        #expect(stage.folder.names.filter { $0 != "tmp" } == ["file.zip"])
        try await waitUntil { stage.temporaryNames.isEmpty }
    }

    @Test("D9: a copy stays where the temporary file goes away")
    func copying() async throws {
        let stage = try Self.stage()
        let target = stage.folder.path(of: "copy.zip")
        let box = Box<[Completion]>([])
        let session = Session(configuration: stage.configuration)
        session.downloadTask(
            with: try stage.uri("/file.zip"),
            completionHandler: Self.completion(in: box) { location in
                try? DownloadedFile.copy(location ?? "", to: target)
            }
        ).resume()
        try await waitUntil { !box.value.isEmpty }
        try await waitUntil { stage.temporaryNames.isEmpty }
        #expect(stage.folder.octets(of: "copy.zip") == Self.content)
    }

    @Test("D9: a failure brings the error and no file; a status of failure is none")
    func failures() async throws {
        let stage = try Self.stage()
        let session = Session(configuration: stage.configuration)
        let box = Box<[Completion]>([])
        session.downloadTask(with: try stage.uri("/none"), completionHandler: Self.completion(in: box))
            .resume()
        try await waitUntil { box.value.count == 1 }
        #expect(box.value[0].response?.status == .notFound)
        #expect(box.value[0].content == Array("none".utf8))
        let uri = try URI(parsing: "http://127.0.0.1:\(closedPort())/")
        session.downloadTask(with: uri, completionHandler: Self.completion(in: box)).resume()
        try await waitUntil { box.value.count == 2 }
        #expect(box.value[1].location == nil)
        #expect(box.value[1].response == nil)
        #expect(box.value[1].error?.code == .couldNotConnect)
    }

    @Test("D9: a cancelled task calls its completion once, with the error alone")
    func cancelling() async throws {
        let stage = try Stage { _ in [Stage.head(length: 100), .send("begun"), .stall] }
        let session = Session(configuration: stage.configuration)
        let box = Box<[Completion]>([])
        let task = session.downloadTask(with: try stage.uri(), completionHandler: Self.completion(in: box))
        let unstarted = session.downloadTask(
            with: try stage.uri(), completionHandler: Self.completion(in: box))
        task.resume()
        try await waitUntil { task.countOfBytesReceived == 5 }
        task.cancel()
        unstarted.cancel()
        try await waitUntil { box.value.count == 2 }
        try await Task.sleep(for: quietTime)
        #expect(box.value.map(\.location) == [nil, nil])
        #expect(box.value.map { $0.error?.description } == ["cancelled", "cancelled"])
        #expect(stage.temporaryNames.isEmpty)
    }

    @Test("D9: a data task's completion gets all the content at once, and a limit holds")
    func dataTask() async throws {
        let stage = try Self.stage()
        var configuration = stage.configuration
        configuration.maximumContentLength = 149_999
        let results = Box<[String]>([])
        let note: @Sendable ([UInt8]?, HTTPResponse?, TransferError?) -> Void = { content, response, error in
            results.change {
                $0.append(
                    "\(content == Self.content) \(response?.status.code ?? 0) \(error?.code.name ?? "-")")
            }
        }
        Session(configuration: stage.configuration).dataTask(
            with: LoadRequest(try stage.uri("/file.zip")), completionHandler: note
        ).resume()
        try await waitUntil { results.value.count == 1 }
        Session(configuration: configuration).dataTask(
            with: try stage.uri("/file.zip"), completionHandler: note
        ).resume()
        try await waitUntil { results.value.count == 2 }
        #expect(results.value == ["true 200 -", "false 200 tooLarge"])
    }
}
