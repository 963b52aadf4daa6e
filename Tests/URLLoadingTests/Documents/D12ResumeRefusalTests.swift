import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Resume data that are refused, and servers that changed (D12)", .timeLimit(.minutes(1)))
struct ResumeRefusalTests {
    private typealias Rig = ResumeDataTests

    @Test("D12: every flipped octet and every shorter length is noticed")
    func damage() async throws {
        let stage = try Rig.stage()
        let data = try #require(try await Rig.pause(stage))
        for index in data.indices {
            var damaged = data
            damaged[index] ^= 1 << (index % 8)
            #expect(throws: TransferError.self, "octet \(index)") { try ResumeData(parsing: damaged) }
            #expect(throws: TransferError.self, "length \(index)") {
                try ResumeData(parsing: Array(data[..<index]))
            }
        }
        #expect(throws: TransferError.self) { try ResumeData(parsing: data + [0x0A]) }
        #expect(try ResumeData(parsing: data).octets == data)
    }

    @Test("D12: a task of damaged or foreign data fails as badResume, asks nobody, and touches nothing")
    func foreign() async throws {
        let stage = try Rig.stage()
        let data = try #require(try await Rig.pause(stage))
        var flipped = data
        flipped[data.count / 2] ^= 1
        let plist = Array("<?xml version=\"1.0\"?><plist><dict></dict></plist>".utf8)
        let foreign = [
            [], [0], flipped, Array(data.dropLast()), plist, [UInt8](repeating: 0xFF, count: 2 << 20),
        ]
        let session = Session(configuration: stage.configuration)
        for octets in foreign {
            let error = await #expect(throws: TransferError.self) {
                try await session.download(resumeFrom: octets)
            }
            #expect(error?.code == .badResume)
        }
        #expect(stage.server.requests.count == 1)
        #expect(await Rig.outcome(data, stage) == "whole")
    }

    /// What became of the file meanwhile.
    enum Change: CaseIterable { case lastOctet, shortened, longer, replaced, gone, link, folderGone }

    @Test(
        "D12: a file that was changed, replaced, shortened or is gone is refused", arguments: Change.allCases)
    func changedFile(_ change: Change) async throws {
        let stage = try Rig.stage()
        let data = try #require(try await Rig.pause(stage))
        let path = try ResumeData(parsing: data).location
        let name = try #require(stage.temporaryNames.first)
        #expect(path == "\(stage.temporaryPath)/\(name)")
        let file = try stage.folder.open("tmp/\(name)")
        switch change {
        case .lastOctet: #expect(pwrite(file.rawValue, [0, 1, 2, 3], 4, off_t(Rig.count - 4)) == 4)
        case .shortened: #expect(ftruncate(file.rawValue, off_t(Rig.count - 1)) == 0)
        case .longer: #expect(ftruncate(file.rawValue, off_t(Rig.count + 1)) == 0)
        case .replaced:
            stage.folder.write(Array(Rig.content.prefix(Rig.count)), to: "tmp/other", permissions: 0o600)
            stage.folder.rename("tmp/other", to: "tmp/\(name)")
        case .gone: unlink(path)
        case .link:
            stage.folder.rename("tmp/\(name)", to: "moved")
            stage.folder.link("tmp/\(name)", to: "../moved")
        case .folderGone: stage.folder.rename("tmp", to: "elsewhere")
        }
        #expect(await Rig.outcome(data, stage) == "badResume")
        #expect(stage.server.requests.count == 1)
    }

    @Test("D12: a file that was changed at its beginning is refused")
    func changedBeginning() async throws {
        let stage = try Rig.stage()
        let data = try #require(try await Rig.pause(stage))
        let name = try #require(stage.temporaryNames.first)
        let file = try stage.folder.open("tmp/\(name)")
        // The clock of files moves in steps of some milliseconds.
        try await Task.sleep(for: .milliseconds(20))
        #expect(pwrite(file.rawValue, [0, 1, 2, 3], 4, 0) == 4)
        #expect(await Rig.outcome(data, stage) == "badResume")
    }

    // MARK: Servers

    @Test("D12: where the server has another version the download begins anew, and the file is the new one's")
    func otherVersion() async throws {
        let content = GeneratedContent(seed: 13).octets(300_000)
        let first = Representation(ResumeDataTests.content, limit: Rig.count)
        let stage = try Stage { request in
            request.value(of: "If-Range") == nil
                ? first.answer(request) : Representation(content) { $0.etag = "\"v2\"" }.answer(request)
        }
        let data = try #require(try await Rig.pause(stage))
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        session.downloadTask(withResumeData: data).resume()
        try await recorder.waitForEnds()
        #expect(recorder.files == [content])
        #expect(recorder.log.lines.last == "complete well")
        #expect(recorder.log.lines.dropLast(3).last == "write 300000/300000")
        #expect(recorder.written.reduce(0, +) == 300_000)
        #expect(stage.askedRanges == ["- -", "bytes=250000- \"v1\""])
    }

    @Test("D12: a part of another version under a 206 is never put behind what is there")
    func lyingServer() async throws {
        let content = GeneratedContent(seed: 14).octets(400_000)
        let first = Representation(ResumeDataTests.content, limit: Rig.count)
        let stage = try Stage { request in
            guard request.value(of: "Range") != nil else {
                return (request.connection == 0 ? first : Representation(content) { $0.etag = "\"v2\"" })
                    .answer(request)
            }
            let head = Stage.head(
                "206 Partial Content", length: 150_000, "Content-Range: bytes 250000-399999/400000",
                "ETag: \"v2\"")
            return [head, .send(Array(content.suffix(150_000)))]
        }
        let data = try #require(try await Rig.pause(stage))
        let session = Session(configuration: stage.configuration)
        do {
            let (location, _) = try await session.download(resumeFrom: data)
            #expect(fileContents(location) == content)
        } catch { #expect(error.code == .badResume) }
    }

    @Test(
        "D12: an error answer fails the task, and is no content",
        arguments: ["404 Not Found", "500 Oops", "403 Forbidden"])
    func errorAnswer(status: String) async throws {
        let first = Representation(ResumeDataTests.content, limit: Rig.count)
        let stage = try Stage { request in
            request.value(of: "Range") == nil
                ? first.answer(request) : [Stage.head(status, length: 4), .send("none")]
        }
        let data = try #require(try await Rig.pause(stage))
        #expect(await Rig.outcome(data, stage) == "badResume")
        #expect(stage.server.requests.count == 2)
    }

    @Test(
        "D12: a rest of the wrong size or place fails the task",
        arguments: [(250_001, 399_999), (250_000, 399_998), (0, 399_999)])
    func wrongRange(first: Int, last: Int) async throws {
        let begun = Representation(ResumeDataTests.content, limit: Rig.count)
        let stage = try Stage { request in
            guard request.value(of: "Range") != nil else {
                return (request.connection == 0 ? begun : begun.whole).answer(request)
            }
            let part = Array(ResumeDataTests.content[first...last])
            let range = "Content-Range: bytes \(first)-\(last)/400000"
            return [
                Stage.head("206 Partial Content", length: part.count, range, "ETag: \"v1\""), .send(part),
            ]
        }
        let data = try #require(try await Rig.pause(stage))
        // Either it is noticed, or the missing octets are asked for: never a wrong file.
        let outcome = await Rig.outcome(data, stage)
        #expect(["whole", "badResume", "badResponse", "rangeNotServed"].contains(outcome), "\(outcome)")
    }
}
