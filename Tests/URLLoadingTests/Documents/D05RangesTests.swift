import Download
import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("The documents' files, heads and ranges (D5 to D8, D27)", .timeLimit(.minutes(1)))
struct RangesTests {
    // MARK: D5

    /// The documents' sample: an empty file at the response, each piece written at the end and released.
    private final class FileSample: URLConnectionDelegate {
        let folder: String
        let writer = Box<FileWriter?>()
        let expected = Box<Int64>(0)
        let atResponse = Box<[Int]>([])
        let largest = Box(0)
        let end = Box<String?>()

        init(_ folder: String) { self.folder = folder }

        func connection(_ connection: URLConnection, didReceive response: HTTPResponse) {
            let path = "\(folder)/\(response.suggestedFilename)"
            writer.set(try? FileWriter(creating: path))
            expected.set(response.expectedContentLength)
            atResponse.change { $0.append(octets(ofFile: path)?.count ?? -1) }
        }

        func connection(_ connection: URLConnection, didReceive content: [UInt8]) {
            try? writer.value?.write(content)
            largest.change { $0 = max($0, content.count) }
        }

        func connectionDidFinishLoading(_ connection: URLConnection) { end.set("finish") }
        func connection(_ connection: URLConnection, didFailWith error: TransferError) { end.set("\(error)") }
    }

    @Test("D5: pieces are written one by one to a file that is emptied at the response; memory stays flat")
    func fileHandle() async throws {
        let block = Pattern.octets(1 << 20)
        let stage = try Stage { _ in
            [Stage.head(length: 64 << 20, "Cache-Control: no-store"), .sendRepeated(block, times: 64)]
        }
        stage.folder.write("from before", to: "movie.mp4")
        let sample = FileSample(stage.folder.path)
        let memory = ProcessMemory.anonymous
        let peak = Box(0)
        let connection = URLConnection(
            request: LoadRequest(try stage.uri("/films/movie.mp4?r=1")), delegate: sample)
        try await waitUntil(within: .seconds(30)) {
            peak.change { $0 = max($0, ProcessMemory.anonymous) }
            return sample.end.value != nil
        }
        withExtendedLifetime(connection) {}
        #expect(sample.end.value == "finish")
        #expect(sample.atResponse.value == [0])
        #expect(sample.expected.value == 64 << 20)
        #expect(sample.writer.value?.offset == 64 << 20)
        #expect(stage.folder.status(of: "movie.mp4")?.st_size == 64 << 20)
        #expect(sample.largest.value <= 2 << 20)
        if !isSanitized { #expect(peak.value - memory < 32 << 20) }
        let file = try stage.folder.open("movie.mp4", flags: O_RDONLY)
        let last = try File.readSome(1 << 20, at: 63 << 20, from: file.rawValue)
        #expect(last.elementsEqual(block.prefix(last.count)) && !last.isEmpty)
    }

    @Test(
        "D5: the name is the one that the server suggests, else the address's; an unknown total is -1",
        arguments: [
            ("/get?id=7", "Content-Disposition: attachment; filename=\"report.pdf\"", "report.pdf"),
            ("/films/movie.mp4?r=1", "X-None: 1", "movie.mp4"), ("/", "X-None: 1", "index.html"),
        ])
    func names(path: String, field: String, name: String) async throws {
        let stage = try Stage { _ in
            [.send("HTTP/1.1 200 OK\r\n\(field)\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n")]
        }
        let (response, content) = try await URLConnection.send(LoadRequest(try stage.uri(path)))
        #expect(response.suggestedFilename == name)
        #expect(response.expectedContentLength == -1)
        #expect(content == Array("x".utf8))
    }

    @Test("D5: a file is gone on with behind what is there")
    func appending() throws {
        let folder = TemporaryFolder()
        folder.write("octets on disk", to: "file")
        let writer = try FileWriter(appendingTo: folder.path(of: "file"))
        #expect(writer.offset == 14)
        try writer.write(Array(" are kept".utf8))
        #expect(folder.text(of: "file") == "octets on disk are kept" && writer.offset == 23)
    }

    // MARK: D6

    @Test("D6: HEAD tells the size and brings no content, by connection, task and single call")
    func head() async throws {
        let stage = try Stage { request in
            [Stage.head(length: 1 << 30)] + (request.method == "HEAD" ? [] : [.stall])
        }
        let request = LoadRequest(try stage.uri("/large.iso"), method: .head)
        let single = try await URLConnection.send(request)
        #expect(single.response.expectedContentLength == 1 << 30)
        #expect(single.content.isEmpty)
        let (content, response) = try await Session(configuration: stage.configuration).data(for: request)
        #expect(response.expectedContentLength == 1 << 30)
        #expect(content.isEmpty)
        let recorder = ConnectionRecorder()
        _ = URLConnection(request: request, delegate: recorder)
        try await recorder.waitForEnd()
        #expect(recorder.log.lines.filter { $0 != "cache" } == ["send /large.iso", "response 200", "finish"])
        #expect(stage.server.requests.map(\.method) == ["HEAD", "HEAD", "HEAD"])
    }

    // MARK: D7

    private func plan(
        _ stage: Stage, _ change: (inout DownloadPlan) -> Void
    ) throws -> DownloadPlan {
        var plan = DownloadPlan(
            HTTPRequest(.get, try stage.uri()), to: .path("file.bin"), in: stage.folder.descriptor,
            now: HTTPDate(secondsSinceEpoch: 1_441_199_821))
        change(&plan)
        return plan
    }

    @Test("D7: batches of 1 MiB begin at 0-1048575, each at the end of the one before plus one")
    func batches() async throws {
        let content = GeneratedContent(seed: 7).octets((5 << 20) / 2)
        let stage = try Stage { Representation(content).answer($0) }
        let result = try await Downloader(Client()).download(plan(stage) { $0.pieceSize = 1 << 20 })
        #expect(
            stage.server.requests.map { $0.value(of: "Range") } == [
                "bytes=0-1048575", "bytes=1048576-2097151", "bytes=2097152-2621439",
            ])
        #expect(result.path == "file.bin")
        #expect(stage.folder.octets(of: "file.bin") == content)
    }

    // MARK: D8

    /// What is on the disk, and what is asked for then.
    private static let onDisk: [(count: Int, asked: String)] = [
        (0, "bytes=0-"), (1, "bytes=1-"), (60_000, "bytes=60000-"), (100_000, "bytes=100000-"),
    ]

    @Test(
        "D8: the length of the file on disk is where it goes on; a finished file is complete (416)",
        arguments: onDisk)
    func goingOn(count: Int, asked: String) async throws {
        let content = GeneratedContent(seed: 8).octets(100_000)
        let stage = try Stage { Representation(content).answer($0) }
        stage.folder.write(Array(content.prefix(count)), to: "file.bin")
        let inode = stage.folder.status(of: "file.bin")?.st_ino
        let plan = try plan(stage) {
            $0.resumption = .fileSize
            $0.savesErrorAnswers = false
        }
        let result = try await Downloader(Client()).resume(plan)
        #expect(stage.server.requests.map { $0.value(of: "Range") } == [count == 0 ? nil : asked])
        #expect(stage.folder.octets(of: "file.bin") == content)
        #expect(count == 0 || stage.folder.status(of: "file.bin")?.st_ino == inode, "octets on disk are kept")
        #expect(result.path == "file.bin")
    }

    @Test("D8: a server that answers 200 to the rest brings all of it, and nothing is mixed")
    func withoutRanges() async throws {
        let content = GeneratedContent(seed: 8).octets(100_000)
        let stage = try Stage { Representation(content) { $0.answersRanges = false }.answer($0) }
        stage.folder.write([UInt8](repeating: 0, count: 50_000), to: "file.bin")
        let plan = try plan(stage) { $0.resumption = .fileSize }
        _ = try await Downloader(Client()).resume(plan)
        #expect(stage.folder.octets(of: "file.bin") == content)
    }

    @Test("D8: a request of one's own for bytes=0- is answered by 206, and bytes=N- of a whole file by 416")
    func ownRanges() async throws {
        let content = GeneratedContent(seed: 8).octets(1000)
        let stage = try Stage { Representation(content).answer($0) }
        for (range, status, count) in [
            ("bytes=0-", 206, 1000), ("bytes=400-", 206, 600), ("bytes=1000-", 416, 0),
        ] {
            var request = LoadRequest(try stage.uri())
            request.setValue(range, forHTTPHeaderField: "Range")
            let (response, octets) = try await URLConnection.send(request)
            #expect(Int(response.status.code) == status)
            #expect(octets == content.suffix(count))
        }
    }

    @Test("D8: a new client goes on with what a cancelled one left on disk")
    func otherClient() async throws {
        let content = GeneratedContent(seed: 8).octets(300_000)
        let first = Representation(content, limit: 200_000)
        let stage = try Stage { request in
            (request.value(of: "Range") == nil ? first : first.whole).answer(request)
        }
        // Pausing cancels the connection.
        let uri = try stage.uri()
        let descriptor = stage.folder.descriptor
        let task = Task {
            let plan = DownloadPlan(
                HTTPRequest(.get, uri), to: .path("file.bin"), in: descriptor,
                now: HTTPDate(secondsSinceEpoch: 1_441_199_821))
            return try await Downloader(Client()).resume(plan)
        }
        try await waitUntil { stage.folder.status(of: "file.bin.part")?.st_size == 200_000 }
        task.cancel()
        _ = await task.result
        #expect(stage.folder.octets(of: "file.bin.part") == Array(content.prefix(200_000)))
        let result = try await Downloader(Client()).resume(try plan(stage) { _ in })
        #expect(stage.askedRanges == ["- -", "bytes=200000- \"v1\""])
        #expect(result.resumedAt == 200_000)
        #expect(stage.folder.octets(of: "file.bin") == content)
        #expect(stage.folder.names == ["file.bin"])
    }

    // MARK: D27

    @Test(
        "D27: with Accept-Ranges none there is no resume data; with bytes, and with no word, there is",
        arguments: [("none", false), ("bytes", true), (nil, true), ("None", false)] as [(String?, Bool)])
    func acceptRanges(value: String?, isContinued: Bool) async throws {
        let content = GeneratedContent(seed: 27).octets(2000)
        let field = value.map { ["Accept-Ranges: \($0)"] } ?? []
        let first = Representation(content, limit: 1000) { $0.fields = field }
        let stage = try Stage { first.answer($0) }
        let session = Session(configuration: stage.configuration)
        let task = session.downloadTask(with: try stage.uri())
        task.resume()
        try await waitUntil { task.countOfBytesReceived == 1000 }
        let data = await task.cancelByProducingResumeData()
        #expect((data != nil) == isContinued)
    }

    @Test("D27: with Accept-Ranges none no ranges are asked for, whatever pieces are wanted")
    func noPieces() async throws {
        let content = GeneratedContent(seed: 27).octets(300_000)
        let part = Representation(content, limit: 200_000) {
            $0.fields = ["Accept-Ranges: none"]
            $0.ending = .close
        }
        let count = Box(0)
        let stage = try Stage { request in
            count.change { $0 += 1 }
            return (count.value == 1 ? part : part.whole).answer(request)
        }
        await #expect(throws: TransferError.self) {
            _ = try await Downloader(Client()).resume(plan(stage) { _ in })
        }
        _ = try await Downloader(Client()).resume(plan(stage) { _ in })
        #expect(stage.server.requests.map { $0.value(of: "Range") } == [nil, nil])
        #expect(stage.folder.octets(of: "file.bin") == content)
        #expect(
            [("bytes", AcceptRanges.bytes), ("none", .none), ("x", .unknown)].allSatisfy { value, meaning in
                AcceptRanges([.acceptRanges: value]) == meaning
            })
        #expect(AcceptRanges(HTTPFields()) == .unknown)
        #expect(AcceptRanges(HTTPFields()).allowsByteRanges && !AcceptRanges.none.allowsByteRanges)
    }
}
