import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

/// Two versions of a representation.
private let (first, second) = (
    GeneratedContent(seed: 21).octets(90_000), GeneratedContent(seed: 22).octets(70_000)
)

@Suite("Calls at moments that nobody has chosen", .serialized, .timeLimit(.minutes(3)))
struct HostileRaceTests {
    /// How often each is tried: 20 times, or what the environment says.
    static let rounds = getenv("RAWGET_TEST_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 20

    /// Numbers by a seed, for all threads.
    final class Chance: Sendable {
        private let generator: Lock<SplitMix64>
        init(_ seed: Int) { generator = Lock(SplitMix64(seed: UInt64(seed))) }
        func below(_ limit: Int) -> Int { generator.withLock { Int($0.next() % UInt64(limit)) } }
        /// Up to a millisecond, mostly less.
        func wait() { usleep(UInt32(below(below(1000) + 1))) }
    }

    // MARK: Control

    @Test("resume and suspend from two threads at once leave the task as it says it is")
    func flipping() async throws {
        let stage = try Stage { _ in [Stage.head(length: 4), .send("done")] }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let chance = Chance(1)
        for round in 0..<Self.rounds * 5 {
            let task = session.dataTask(with: try stage.uri())
            let crowd = TransferQueue(maxConcurrentOperationCount: 4)
            for turn in 0..<8 {
                crowd.addOperation {
                    usleep(UInt32(chance.below(20)))
                    if turn % 2 == 0 { task.resume() } else { task.suspend() }
                }
            }
            crowd.waitUntilAllOperationsAreFinished()
            task.resume()
            try await recorder.waitForEnds(round + 1, within: .seconds(5))
        }
        #expect(recorder.log.lines.allSatisfy { !$0.hasPrefix("complete") || $0 == "complete well" })
    }

    @Test("whatever is called whenever, each task has one end, calls never overlap, and no file stays")
    func storm() async throws {
        let chance = Chance(2)
        let stage = try Stage { request in
            switch chance.below(5) {
            case 0: [Stage.head(length: first.count, "ETag: \"a\""), .send(Array(first[..<5000])), .close]
            case 1:
                [
                    Stage.head(length: first.count, "ETag: \"a\""), .send(Array(first[..<5000])),
                    .pause(.milliseconds(2)),
                    .send(Array(first[5000...])),
                ]
            case 2: [Stage.head("302 Found", length: 0, "Location: /again")]
            case 3: [Stage.head("401 Unauthorized", length: 0, "WWW-Authenticate: Basic")]
            default: [Stage.head(length: first.count, "ETag: \"a\""), .send(first)]
            }
        }
        for round in 0..<Self.rounds {
            let recorder = Recorder { state in
                state.during = { _, task in
                    switch chance.below(20) {
                    case 0: task.cancel()
                    case 1: task.suspend()
                    case 2: chance.wait()
                    case 3: task.session.reset()
                    case 4: task.session.delegateQueue.cancelAllOperations()
                    default: task.resume()
                    }
                }
            }
            let queue = TransferQueue(maxConcurrentOperationCount: 1 + chance.below(4))
            let session = Session(
                configuration: stage.configuration, delegate: recorder, delegateQueue: queue)
            let produced = CallLog()
            var wanted = 0
            var tasks: [SessionTask] = []
            for _ in 0..<12 {
                let uri = try stage.uri()
                let task: SessionTask =
                    chance.below(2) == 0 ? session.dataTask(with: uri) : session.downloadTask(with: uri)
                tasks.append(task)
                task.resume()
            }
            let crowd = TransferQueue(maxConcurrentOperationCount: 4)
            for task in tasks {
                let act = chance.below(7)
                if act == 0, task is DownloadTask { wanted += 1 }
                crowd.addOperation {
                    chance.wait()
                    switch act {
                    case 0:
                        guard let task = task as? DownloadTask else { return task.cancel() }
                        task.cancel { data in
                            produced.add(data == nil ? "none" : "data")
                            // Nobody goes on with it.
                            let left = data.flatMap { try? ResumeData(parsing: $0) }
                            if let left { try? DownloadedFile.remove(left.location) }
                        }
                    case 1: task.cancel()
                    case 2: task.suspend()
                    case 3: queue.isSuspended.toggle()
                    case 4: queue.cancelAllOperations()
                    default: task.resume()
                    }
                }
            }
            crowd.waitUntilAllOperationsAreFinished()
            queue.isSuspended = false
            if round % 3 == 0 { session.invalidateAndCancel() }
            let count = wanted
            try await waitUntil {
                for task in tasks { task.resume() }
                return tasks.allSatisfy { $0.state == .completed } && produced.lines.count == count
            }
            session.invalidateAndCancel()
            try await recorder.log.wait { $0.last == "invalid" }
            #expect(recorder.log.lines.count { $0.hasPrefix("complete") } >= 12)
            #expect(
                recorder.log.lines.count { $0.hasPrefix("complete") }
                    == recorder.log.lines.count { $0 == "metrics" })
            #expect(recorder.deepest == 1)
            // What failed tasks have left is named by their errors, and by nothing else.
            for task in tasks {
                let left = task.error?.resumeData.flatMap { try? ResumeData(parsing: $0) }
                if let left { try? DownloadedFile.remove(left.location) }
            }
            tasks = []
            try await waitUntil { stage.temporaryNames.isEmpty }
        }
    }

    /// Counts the calls that come when none should.
    final class Listener: URLConnectionDelegate {
        private let state = Lock((isOver: false, late: 0))
        var late: Int { state.withLock { $0.late } }
        func expectNothing() { state.withLock { $0.isOver = true } }
        private func note() { state.withLock { if $0.isOver { $0.late += 1 } } }

        func connection(
            _ connection: URLConnection, willSend request: LoadRequest, redirectResponse: HTTPResponse?
        ) -> LoadRequest? {
            note()
            return request
        }
        func connection(_ connection: URLConnection, didReceive response: HTTPResponse) { note() }
        func connection(_ connection: URLConnection, didReceive content: [UInt8]) { note() }
        func connectionDidFinishLoading(_ connection: URLConnection) { note() }
        func connection(_ connection: URLConnection, didFailWith error: TransferError) { note() }
    }

    @Test("behind the cancel of a connection comes no call, but for one that was being made")
    func connections() async throws {
        let chance = Chance(5)
        let stage = try Stage { _ in
            [Stage.head(length: first.count)] + first.chunks(of: 9000).map { .send($0) }
        }
        for _ in 0..<Self.rounds * 5 {
            let listener = Listener()
            let connection = URLConnection(request: LoadRequest(try stage.uri()), delegate: listener)
            for _ in 0..<2 { chance.wait() }
            connection.cancel()
            listener.expectNothing()
            try await Task.sleep(for: .microseconds(chance.below(500)))
            #expect(listener.late <= 1)
        }
    }

    @Test("operations cancelled before, during and after their begin end once, and free their place")
    func operations() async throws {
        let stage = try Stage { _ in [Stage.head(length: first.count), .send(first)] }
        let chance = Chance(3)
        let session = Session(configuration: stage.configuration)
        for _ in 0..<Self.rounds {
            let manager = HTTPRequestOperationManager(
                operationQueue: TransferQueue(maxConcurrentOperationCount: 3), session: session)
            manager.completionQueue = chance.below(2) == 0 ? manager.operationQueue : nil
            let ends = CallLog()
            let operations = try (0..<10).map { _ in
                try manager.get(
                    stage.uri().description, success: { _, content in ends.add("\(content == first)") },
                    failure: { _, error in ends.add("\(error)") })
            }
            let crowd = TransferQueue(maxConcurrentOperationCount: 4)
            for operation in operations {
                let act = chance.below(5)
                crowd.addOperation {
                    chance.wait()
                    switch act {
                    case 0: operation.cancel()
                    case 1:
                        operation.pause()
                        operation.resume()
                    case 2: operation.start()
                    case 3: manager.operationQueue.cancelAllOperations()
                    default: manager.operationQueue.isSuspended.toggle()
                    }
                }
            }
            crowd.waitUntilAllOperationsAreFinished()
            manager.operationQueue.isSuspended = false
            try await ends.wait(within: .seconds(10)) { $0.count >= 10 }
            try await waitUntil { manager.operationQueue.operationCount == 0 }
            #expect(ends.lines.count == 10)
            #expect(ends.lines.allSatisfy { $0 == "true" || $0 == "cancelled" })
        }
    }

    @Test("thousands of tasks that are cancelled at once end at once, exactly once each")
    func thousands() async throws {
        let stage = try Stage { _ in [Stage.head(length: 10), .send("begun"), .stall] }
        let endings = ManyTasksTests.Endings()
        let session = Session(configuration: stage.configuration, delegate: endings)
        let count = isSanitized ? 1000 : 10_000
        for number in 0..<count {
            let task: SessionTask =
                number % 2 == 0
                ? session.dataTask(with: try stage.uri()) : session.downloadTask(with: try stage.uri())
            task.resume()
            if number % 3 == 0 { task.suspend() }
        }
        session.invalidateAndCancel()
        try await waitUntil { session.delegate == nil }
        #expect(endings.total == count)
        #expect(endings.tasks == count)
        #expect(stage.temporaryNames.isEmpty)
    }

    // MARK: Servers

    /// An answer that fits the request, or nearly does.
    static func lie(_ request: RecordedRequest, _ chance: Chance) -> [Script.Step] {
        let (content, tag) = chance.below(2) == 0 ? (first, "\"a\"") : (second, "\"b\"")
        let whole: [Script.Step] = [
            Stage.head(length: content.count, "ETag: \(tag)", "Accept-Ranges: bytes"), .send(content),
        ]
        guard request.value(of: "Range") != nil,
            let range = request.range(of: UInt64(content.count)).map({
                Int($0.lowerBound)..<Int($0.upperBound)
            }),
            !range.isEmpty
        else {
            return chance.below(3) == 0
                ? whole.dropLast() + [.send(Array(content[..<30_000])), .close] : whole
        }
        func part(_ range: Range<Int>, of length: Int, sent: Range<Int>, _ fields: String...) -> [Script.Step]
        {
            [
                .send(
                    ([
                        "HTTP/1.1 206 Partial Content", "Content-Length: \(sent.count)",
                        "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)",
                    ] + fields)
                    .joined(separator: "\r\n") + "\r\n\r\n"),
                .send(Array(content[sent])),
            ]
        }
        let all = content.count
        switch chance.below(13) {
        case 0: return whole
        case 1: return part(range, of: all, sent: range)
        case 2: return part(range, of: all, sent: range.dropLast(7), "ETag: \(tag)")
        case 3: return part(range.dropFirst(3), of: all, sent: range.dropFirst(3), "ETag: \(tag)")
        case 4: return part(0..<range.count, of: all, sent: range, "ETag: \(tag)")
        case 5: return part(range, of: all + 9, sent: range, "ETag: \(tag)")
        case 6: return part(range, of: all, sent: range, "ETag: W/\(tag)")
        case 7: return part(range, of: all, sent: range, "ETag: \(tag)", "Content-Encoding: gzip")
        case 8:
            return [
                Stage.head(
                    "416 Range Not Satisfiable", length: 0, "Content-Range: bytes */\(range.lowerBound)")
            ]
        case 9: return [Stage.head("302 Found", length: 0, "Location: /elsewhere\(chance.below(100))")]
        case 10:
            return [
                Stage.head("206 Partial Content", length: range.count, "ETag: \(tag)"),
                .send(Array(content[range])),
            ]
        case 11:
            return [
                Stage.head(
                    "206 Partial Content", length: 1, "ETag: \(tag)",
                    "Content-Range: bytes \(range.lowerBound)-18446744073709551615/*"),
                .send("x"),
            ]
        default: return part(range, of: all, sent: range, "ETag: \(tag)")
        }
    }

    @Test("no server's lie makes a file of two versions")
    func lies() async throws {
        let chance = Chance(4)
        let stage = try Stage { request in Self.lie(request, chance) }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        var whole = 0
        var resumed = 0
        for _ in 0..<Self.rounds * 3 {
            var task = session.downloadTask(with: try stage.uri())
            for _ in 0..<6 {
                let ends = recorder.log.lines.count { $0.hasPrefix("complete") }
                let files = recorder.files.count
                task.resume()
                try await recorder.waitForEnds(ends + 1)
                if recorder.files.count > files, let file = recorder.files.last {
                    #expect(file == first || file == second)
                    whole += 1
                    break
                }
                guard let data = task.error?.resumeData else { break }
                resumed += 1
                task = session.downloadTask(withResumeData: data)
            }
        }
        #expect(whole > 0)
        #expect(resumed > 0)
    }
}

extension [UInt8] {
    /// The octets in pieces of that size.
    fileprivate func chunks(of size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
