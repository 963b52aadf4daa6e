import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("Many tasks in one session", .timeLimit(.minutes(5)))
struct ManyTasksTests {
    /// Counts the endings of each task.
    final class Endings: SessionDelegate {
        private let counts = Lock([Int: Int]())
        private let failures = Lock([String]())

        var total: Int { counts.withLock { $0.values.reduce(0, +) } }
        var tasks: Int { counts.withLock { $0.count } }
        var errors: [String] { failures.withLock { $0 } }

        func session(_ session: Session, task: SessionTask, didCompleteWith error: TransferError?) {
            counts.withLock { $0[task.taskIdentifier, default: 0] += 1 }
            if let error { failures.withLock { $0.append("\(error)") } }
        }
    }

    @Test("10,000 tasks, four at once, all end, exactly once each, in bounded memory")
    func tenThousand() async throws {
        let count = 10_000
        let body = [UInt8](repeating: 0x61, count: 100)
        let stage = try Stage { _ in [Stage.head(length: 100), .send(body)] }
        let endings = Endings()
        let session = Session(configuration: stage.configuration, delegate: endings)
        let uri = try stage.uri()
        let before = ProcessMemory.anonymous
        for number in 0..<count {
            let task: SessionTask =
                number % 2 == 0 ? session.dataTask(with: uri) : session.downloadTask(with: uri)
            task.resume()
        }
        try await waitUntil(within: .seconds(60)) { endings.total >= count }
        // No second ending comes.
        session.finishTasksAndInvalidate()
        try await waitUntil { session.delegate == nil }
        #expect(endings.total == count)
        #expect(endings.tasks == count)
        #expect(endings.errors.isEmpty)
        #expect(stage.server.connectionCount <= 4)
        #expect(stage.temporaryNames.isEmpty)
        #expect(session.tasks.isEmpty)
        // Less than 10 KiB a task; the server's record of the requests is in it, too.
        if !isSanitized { #expect(ProcessMemory.anonymous - before < 100 << 20) }
    }
}
