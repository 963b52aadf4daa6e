import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport
import URLLoading

@Suite("Metrics of a task, request by request", .timeLimit(.minutes(1)))
struct MetricsTests {
    private static func stage() throws -> Stage {
        try Stage { request in
            switch request.target {
            case "/first": [Stage.head("302 Found", length: 0, "Location: /second")]
            case "/second": [Stage.head("307 Temporary Redirect", length: 0, "Location: /last")]
            default: [Stage.head(length: 5, "Cache-Control: max-age=60"), .send("hello")]
            }
        }
    }

    @Test("each redirect is a transaction of its own, with its steps in order")
    func hops() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task = session.dataTask(with: try stage.uri("/first"))
        task.resume()
        try await recorder.waitForEnds()
        let metrics = try #require(recorder.metrics.first)
        #expect(recorder.metrics.count == 1)
        #expect(metrics.redirectCount == 2)
        let hops = metrics.transactionMetrics
        #expect(hops.map(\.request.uri.path) == ["/first", "/second", "/last"])
        #expect(hops.map { $0.response?.statusCode } == [302, 307, 200])
        #expect(hops.map(\.isReusedConnection) == [false, true, true])
        #expect(hops.map(\.resourceFetchType) == [.networkLoad, .networkLoad, .networkLoad])
        #expect(hops.map { $0.connectStart != nil } == [true, false, false])
        #expect(hops.last?.countOfResponseBodyBytesReceived == 5)
        #expect(hops.last?.remoteAddress?.port == stage.server.port)
        for hop in hops {
            let steps = [
                hop.fetchStart, hop.connectStart, hop.connectEnd, hop.requestStart, hop.requestEnd,
                hop.responseStart, hop.responseEnd,
            ].compactMap(\.self)
            #expect(steps.count >= 5)
            for (earlier, later) in zip(steps, steps.dropFirst()) {
                #expect(later.duration(since: earlier) >= .zero)
            }
        }
        #expect(metrics.taskInterval > .zero)
        #expect(task.metrics?.transactionMetrics.count == 3)
    }

    @Test("an answer from the cache is told as that, with no request that was sent")
    func cached() async throws {
        let stage = try Self.stage()
        var configuration = stage.configuration
        configuration.urlCache = ResponseCache(capacity: 1 << 20)
        let recorder = Recorder()
        let session = Session(configuration: configuration, delegate: recorder)
        for ends in 1...2 {
            session.dataTask(with: try stage.uri("/last")).resume()
            try await recorder.waitForEnds(ends)
        }
        let types = recorder.metrics.map { $0.transactionMetrics.map(\.resourceFetchType) }
        #expect(types == [[.networkLoad], [.localCache]])
        #expect(recorder.metrics.last?.transactionMetrics.first?.requestStart == nil)
        #expect(stage.server.requests.count == 1)
        #expect(recorder.content == Array("hellohello".utf8))
    }

    @Test("a request that gets no answer has no response, and an end")
    func unanswered() async throws {
        let stage = try Stage(Script(everyConnection: .init([.expectHead, .close])))
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        session.dataTask(with: try stage.uri()).resume()
        try await recorder.waitForEnds()
        let hop = try #require(recorder.metrics.first?.transactionMetrics.first)
        #expect(hop.response == nil && hop.resourceFetchType == .unknown)
        #expect(hop.requestEnd != nil && hop.responseEnd != nil)
    }
}
