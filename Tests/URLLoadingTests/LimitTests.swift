import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Limits of the loading system", .timeLimit(.minutes(1)))
struct LimitTests {
    @Test("resume data of more than 1 MiB are not read")
    func longResumeData() {
        let error = #expect(throws: TransferError.self) {
            try ResumeData(parsing: [UInt8](repeating: 0x61, count: ResumeData.maximumLength + 1))
        }
        #expect(error?.code == .badResume && error?.description.contains("too long") == true)
    }

    @Test("of more than a hundred transactions the ones in the middle are left out of the metrics")
    func manyHops() async throws {
        let stage = try Stage { request in
            let hop = Int(request.target.dropFirst()) ?? 0
            return [
                hop < 120
                    ? Stage.head("302 Found", length: 0, "Location: /\(hop + 1)") : Stage.head(length: 0)
            ]
        }
        var configuration = stage.configuration
        configuration.redirects.maximum = nil
        let recorder = Recorder()
        let session = Session(configuration: configuration, delegate: recorder)
        session.dataTask(with: try stage.uri("/0")).resume()
        try await recorder.waitForEnds()
        let metrics = try #require(recorder.metrics.first)
        #expect(metrics.redirectCount == 120)
        let paths = metrics.transactionMetrics.map(\.request.uri.path)
        #expect(paths.count == 100)
        #expect(paths.first == "/0" && paths.last == "/120")
    }

    @Test("credentials are sent twenty times for one load; then the answer that asks is delivered")
    func endlessChallenges() async throws {
        let stage = try Stage { _ in
            [Stage.head("401 Unauthorized", length: 0, "WWW-Authenticate: Basic realm=\"r\"")]
        }
        let recorder = Recorder { $0.answer = { _ in .useCredential(Credential(user: "u", password: "p")) } }
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.dataTask(with: try stage.uri())
        task.resume()
        try await recorder.waitForEnds()
        #expect(stage.server.requests.count == 21)
        #expect(task.response?.statusCode == 401 && task.error == nil)
    }

    @Test("of more than 64 realms the credentials are forgotten, and asked for once more")
    func manyRealms() async throws {
        let stage = try Stage { request in
            guard request.value(of: "Authorization") == nil else { return [Stage.head(length: 0)] }
            return [
                Stage.head(
                    "401 Unauthorized", length: 0, "WWW-Authenticate: Basic realm=\"\(request.target)\"")
            ]
        }
        let recorder = Recorder {
            $0.answer = { _ in .useCredential(Credential(user: "u", password: "p", persistence: .forSession))
            }
        }
        let session = Session(configuration: stage.configuration, delegate: recorder)
        func load(_ number: Int) async throws -> Int {
            let before = recorder.log.lines.count { $0.hasPrefix("challenge") }
            let ends = recorder.log.lines.count { $0.hasPrefix("complete") }
            session.dataTask(with: try stage.uri("/\(number)")).resume()
            try await recorder.waitForEnds(ends + 1)
            return recorder.log.lines.count { $0.hasPrefix("challenge") } - before
        }
        for number in 1...64 { #expect(try await load(number) == 1) }
        #expect(try await load(1) == 0)
        #expect(try await load(65) == 1)
        #expect(try await load(1) == 1)
    }
}
