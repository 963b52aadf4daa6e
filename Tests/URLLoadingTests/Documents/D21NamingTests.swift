import Download
import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Names, folders, and what a person sees (D21, D22, D25, D26)", .timeLimit(.minutes(1)))
struct NamingTests {
    // MARK: D21

    private static let name = "metro_demo使用Highcharts实现图表展示.zip"
    private static let encoded =
        "/metro_demo%E4%BD%BF%E7%94%A8Highcharts%E5%AE%9E%E7%8E%B0%E5%9B%BE%E8%A1%A8%E5%B1%95%E7%A4%BA.zip"

    @Test("D21: an address with characters beyond ASCII is sent percent-encoded, by every style")
    func encoding() async throws {
        let stage = try Stage { _ in [Stage.head(length: 4, "Cache-Control: no-store"), .send("good")] }
        let uri = try stage.uri("/\(Self.name)")
        #expect(uri.path == Self.encoded)
        _ = try [UInt8](contentsOf: uri)
        _ = try await URLConnection.send(LoadRequest(uri))
        _ = try await Session(configuration: stage.configuration).data(from: uri)
        _ = try HTTPRequestOperationManager(baseURL: stage.uri("/")).get(Self.name)
        try await waitUntil { stage.server.requests.count == 4 }
        #expect(stage.server.requests.map(\.target) == Array(repeating: Self.encoded, count: 4))
    }

    @Test(
        "D21: the file's name is decoded, and a query is no part of it",
        arguments: [
            (name, name), (encoded, name), ("AppStore.apk?r=1", "AppStore.apk"),
            ("a%20b.zip?x=/y.z#f", "a b.zip"),
        ])
    func fileName(path: String, name: String) async throws {
        let stage = try Stage { _ in [Stage.head(length: 4), .send("good")] }
        let path = path.hasPrefix("/") ? path : "/\(path)"
        let uri = try stage.uri(path)
        #expect(FileName(uri)?.text == name)
        let (response, _) = try await URLConnection.send(LoadRequest(uri))
        #expect(response.suggestedFilename == name)
        let plan = DownloadPlan(
            HTTPRequest(.get, uri), to: .suggestedName, in: stage.folder.descriptor,
            now: HTTPDate(secondsSinceEpoch: 1_441_199_821))
        _ = try await Downloader(Client()).download(plan)
        #expect(stage.folder.names == [name])
        #expect(stage.folder.text(of: name) == "good")
    }

    // MARK: D22

    @Test("D22: temporary files lie in a private folder, with .tmp behind their names, for the user alone")
    func privateFolder() async throws {
        let stage = try Stage { _ in [Stage.head(length: 10), .send("begun"), .stall] }
        var configuration = stage.configuration
        configuration.temporaryDirectory = stage.folder.path(of: "caches/rawget/tmp")
        let task = Session(configuration: configuration).downloadTask(with: try stage.uri())
        task.resume()
        try await waitUntil { task.countOfBytesReceived == 5 }
        let folder = try File.open(
            stage.folder.path(of: "caches/rawget/tmp"), in: File.workingDirectory,
            flags: O_RDONLY | O_DIRECTORY)
        let names = try File.names(in: folder.rawValue)
        #expect(names.count == 1 && names[0].hasSuffix(".tmp"))
        for path in ["caches", "caches/rawget", "caches/rawget/tmp"] {
            #expect(stage.folder.status(of: path).map { $0.st_mode & 0o777 } == 0o700)
        }
        #expect(
            stage.folder.status(of: "caches/rawget/tmp/\(names[0])").map { $0.st_mode & 0o777 } == 0o600)
        task.cancel()
        try await waitUntil { (try? File.names(in: folder.rawValue))?.isEmpty == true }
    }

    @Test("D22: the default folder is under the user's caches, and no memory of the system's")
    func defaultFolder() throws {
        let caches = try #require(UserFolders.caches)
        for configuration in [SessionConfiguration.default, .ephemeral] {
            #expect(configuration.temporaryDirectory == "\(caches)/rawget/tmp")
        }
        let variable = getenv("XDG_CACHE_HOME").map { String(cString: $0) } ?? ""
        let home = getenv("HOME").map { String(cString: $0) } ?? ""
        if variable.hasPrefix("/") {
            #expect(caches == variable)
        } else if home.hasPrefix("/"), home != "/" {
            #expect(caches == "\(home)/.cache")
        }
    }

    @Test("D22: a folder that others may write to is refused, and none at all, too")
    func refusedFolders() async throws {
        let stage = try Stage { _ in [Stage.head(length: 4), .send("good")] }
        stage.folder.makeFolder("open")
        chmod(stage.folder.path(of: "open"), 0o777)
        stage.folder.link("link", to: "tmp")
        for path in [stage.folder.path(of: "open"), stage.folder.path(of: "link"), nil] {
            var configuration = stage.configuration
            configuration.temporaryDirectory = path
            let session = Session(configuration: configuration)
            let error = await #expect(throws: TransferError.self) {
                try await session.download(from: stage.uri())
            }
            #expect(error?.code == .writeFailed)
        }
    }

    @Test("D22: moving over file systems copies beside the target and renames", arguments: [true, false])
    func otherFileSystem(moves: Bool) async throws {
        let content = GeneratedContent(seed: 22).octets(700_000)
        let stage = try Stage { _ in [Stage.head(length: content.count), .send(content)] }
        var places = (stat(), stat())
        let isElsewhere =
            stat("/dev/shm", &places.0) == 0 && stat(stage.folder.path, &places.1) == 0
            && places.0.st_dev != places.1.st_dev && access("/dev/shm", W_OK) == 0
        // Without a second file system it is a move within one: nothing less must hold.
        let target = isElsewhere ? TemporaryFolder(in: "/dev/shm") : TemporaryFolder()
        target.write("old", to: "file.zip")
        let old = try target.open("file.zip", flags: O_RDONLY)
        let (location, _) = try await Session(configuration: stage.configuration).download(from: stage.uri())
        if moves {
            try DownloadedFile.move(location, to: target.path(of: "file.zip"))
            #expect(stage.temporaryNames.isEmpty)
        } else {
            try DownloadedFile.copy(location, to: target.path(of: "file.zip"))
            #expect(octets(ofFile: location) == content)
        }
        #expect(target.octets(of: "file.zip") == content)
        #expect(target.names == ["file.zip"])
        #expect(
            try File.contents(of: old.rawValue, limit: 10) == Array("old".utf8), "renamed, not overwritten")
    }

    // MARK: D25

    @Test("D25: fraction and text with two decimals; finished when received equals expected")
    func progress() async throws {
        #expect(TransferProgress(received: 5, expected: 12).fraction == 5.0 / 12)
        #expect(TransferProgress(received: 5, expected: 12).percentText == "41.66%")
        #expect(TransferProgress(received: 1, expected: 2).percentText == "50.00%")
        #expect(TransferProgress(received: 12, expected: 12).percentText == "100.00%")
        #expect(TransferProgress(received: 99_999, expected: 100_000).percentText == "99.99%")
        #expect(
            TransferProgress(received: 5).fraction == nil && TransferProgress(received: 5).percentText == nil)
        #expect(TransferProgress(received: 12, expected: 12).isWhole)
        #expect(!TransferProgress(received: 11, expected: 12).isWhole)
    }

    @Test(
        "D25: a task's progress ends as finished, failed or cancelled",
        arguments: [("/good", "finished"), ("/cut", "failed"), ("/slow", "cancelled")])
    func states(path: String, state: String) async throws {
        let stage = try Stage { request in
            request.target == "/good"
                ? [Stage.head(length: 8), .send("all good")]
                : [Stage.head(length: 8), .send("half"), request.target == "/cut" ? .close : .stall]
        }
        let task = Session(configuration: stage.configuration).downloadTask(with: try stage.uri(path))
        #expect(task.progress == TransferProgress(received: 0, expected: nil, state: .downloading))
        let updates = Task {
            var last: TransferProgress?
            for await progress in task.progressUpdates { last = progress }
            return last
        }
        task.resume()
        if path == "/slow" {
            try await waitUntil { task.progress.received == 4 }
            #expect(task.progress == TransferProgress(received: 4, expected: 8, state: .downloading))
            #expect(task.progress.percentText == "50.00%")
            task.cancel()
        }
        try await waitUntil { task.state == .completed }
        #expect("\(task.progress.state)" == state)
        #expect(task.progress.expected == 8)
        #expect(task.progress.received == ["finished": 8, "failed": 4, "cancelled": 0][state])
        #expect(await updates.value == task.progress)
    }

    @Test("D25: an unknown total is no fraction while it comes")
    func unknownTotal() async throws {
        let stage = try Stage { _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"), .stall]
        }
        let task = Session(configuration: stage.configuration).downloadTask(with: try stage.uri())
        task.resume()
        try await waitUntil { task.progress.received == 4 }
        #expect(task.progress.fraction == nil && task.progress.percentText == nil)
        #expect(task.countOfBytesExpectedToReceive == -1)
        task.cancel()
    }

    // MARK: D26

    @Test("D26: every error is a sentence with its facts, in one line and without secrets")
    func sentences() async throws {
        let stage = try Stage { request in
            request.target == "/stall" ? [.stall] : [Stage.head(length: 4), .send("good")]
        }
        let session = Session(configuration: stage.configuration)
        var shown: [String: String] = [:]
        func note(_ name: String, _ body: () async throws(TransferError) -> Void) async {
            do throws(TransferError) { try await body() } catch { shown[name] = error.description }
        }
        let port = try closedPort()
        let refused = try URI(parsing: "http://user:secret@127.0.0.1:\(port)/")
        let silent = LoadRequest(try stage.uri("/stall"), timeoutInterval: .milliseconds(50))
        await note("timed out") { () throws(TransferError) in _ = try await session.data(for: silent) }
        await note("could not connect") { () throws(TransferError) in
            _ = try await session.data(from: refused)
        }
        let task = session.downloadTask(with: silent)
        task.cancel()
        try await waitUntil { task.state == .completed }
        shown["cancelled"] = task.error?.description
        let path = stage.folder.path(of: "none/file")
        await note("could not save") { () throws(TransferError) in
            try [1].write(toFile: path, atomically: true)
        }
        await note("bad address") { () throws(TransferError) in
            try HTTPRequestOperationManager().get("http://not an address/")
        }
        #expect(shown.count == 5)
        #expect(shown["cancelled"] == "cancelled")
        #expect(shown["could not connect"]?.contains("127.0.0.1") == true)
        #expect(shown["could not connect"]?.contains("\(port)") == true)
        #expect(shown["timed out"]?.contains("0.05") == true)
        #expect(shown["could not save"] == "could not write \(path): its folder does not exist")
        #expect(shown["bad address"]?.contains("not an address") == true)
        for text in shown.values {
            #expect(!text.contains("secret") && !text.contains("\n") && !text.hasSuffix("."))
        }
    }
}
