import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport
import URLLoading

@Suite("Downloads that fail leave what they have (D12)", .timeLimit(.minutes(1)))
struct FailedDownloadTests {
    private static let content = GeneratedContent(seed: 12).octets(200_000)

    /// A server that cuts the first answer, and serves the rest.
    private static func stage() throws -> Stage {
        try Stage { request in
            guard let range = request.range(of: UInt64(content.count)) else {
                return [
                    Stage.head(length: content.count, "ETag: \"v1\""), .send(Array(content[..<90_000])),
                    .close,
                ]
            }
            let (first, end) = (Int(range.lowerBound), Int(range.upperBound))
            return [
                Stage.head(
                    "206 Partial Content", length: end - first, "ETag: \"v1\"",
                    "Content-Range: bytes \(first)-\(end - 1)/\(content.count)"),
                .send(Array(content[first..<end])),
            ]
        }
    }

    @Test("the error of the asynchronous form has resume data, from which a download goes on")
    func errorHasResumeData() async throws {
        let stage = try Self.stage()
        let session = Session(configuration: stage.configuration)
        let error = try await #require(throws: TransferError.self) {
            _ = try await session.download(from: stage.uri())
        }
        #expect(error.code == .incompleteContent)
        let data = try #require(error.resumeData)
        #expect(try ResumeData(parsing: data).countOfBytesReceived == 90_000)
        let (location, _) = try await session.download(resumeFrom: data)
        #expect(octets(ofFile: location) == Self.content)
        #expect(stage.server.requests.map { $0.value(of: "Range") } == [nil, "bytes=90000-"])
        #expect(stage.server.requests.last?.value(of: "If-Range") == "\"v1\"")
    }

    @Test("a try that reaches nobody leaves the same resume data as good as it was")
    func unreachable() async throws {
        let stage = try Self.stage()
        let session = Session(configuration: stage.configuration)
        let error = try await #require(throws: TransferError.self) {
            _ = try await session.download(from: stage.uri())
        }
        let data = try #require(error.resumeData)
        // The same address, where nobody answers.
        var configuration = stage.configuration
        configuration.client.addressMap.socket = SocketAddress(unixSocket: stage.folder.path(of: "nobody"))
        let away = Session(configuration: configuration)
        for _ in 0..<2 {
            let failure = try await #require(throws: TransferError.self) {
                _ = try await away.download(resumeFrom: data)
            }
            #expect(failure.code == .couldNotConnect)
            #expect(failure.resumeData == data)
        }
        let (location, _) = try await session.download(resumeFrom: data)
        #expect(octets(ofFile: location) == Self.content)
    }

    @Test("what has lain among temporary files for more than thirty days is removed, and nothing else")
    func sweeping() async throws {
        let stage = try Self.stage()
        File.makeOld("rawget-0123456789abcdef.tmp", days: 31, in: stage)
        File.makeOld("rawget-0123456789abcde0.tmp", days: 29, in: stage)
        File.makeOld("letter.tmp", days: 400, in: stage)
        _ = try? await Session(configuration: stage.configuration).download(from: stage.uri())
        let names = stage.temporaryNames
        #expect(names.contains("rawget-0123456789abcde0.tmp") && names.contains("letter.tmp"))
        #expect(!names.contains("rawget-0123456789abcdef.tmp"))
    }
}

extension File {
    /// Makes a temporary file that was written to so many days ago.
    fileprivate static func makeOld(_ name: String, days: Int64, in stage: Stage) {
        mkdir(stage.temporaryPath, 0o700)
        guard
            let file = try? open(
                "\(stage.temporaryPath)/\(name)", in: workingDirectory, flags: O_WRONLY | O_CREAT)
        else { return }
        try? setModified(WallClock.system.secondsSinceEpoch - days * 24 * 60 * 60, of: file.rawValue)
    }
}
