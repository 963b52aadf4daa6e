import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import System
import Testing
import URLLoading

@Suite("A task that is suspended while its server goes on", .serialized, .timeLimit(.minutes(3)))
struct SuspensionTests {
    /// How long it is suspended: 3 s, or what the environment says (30 s in `.ci/long`).
    static let time = Duration.seconds(
        getenv("RAWGET_TEST_SUSPENSION").flatMap { Int(String(cString: $0)) } ?? 3)
    /// More than the kernel and the session hold together.
    static let content = Pattern.octets(32 << 20)

    /// A server that pours, and a task that loads from it.
    private struct Flow {
        let server: PouringServer
        let checker = Checker()
        let task: SessionTask

        init(in folder: TemporaryFolder, _ make: (Session, URI) -> SessionTask) throws {
            let length = SuspensionTests.content.count
            server = try PouringServer(
                head: "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n", content: SuspensionTests.content
            )
            var configuration = SessionConfiguration.ephemeral
            configuration.temporaryDirectory = folder.path(of: "tmp")
            configuration.urlCache = nil
            // Shorter than the suspension: that is no silence.
            configuration.timeoutIntervalForRequest = .seconds(2)
            let session = Session(configuration: configuration, delegate: checker)
            task = make(session, try URI(parsing: "http://127.0.0.1:\(server.port)/large"))
        }
    }

    @Test("holds up the server, takes no more memory, and brings every octet in the end")
    func suspended() async throws {
        let folder = TemporaryFolder()
        let flows = [
            try Flow(in: folder) { $0.dataTask(with: $1) },
            try Flow(in: folder) { $0.downloadTask(with: $1) },
        ]
        defer { for flow in flows { flow.server.stop() } }
        for flow in flows { flow.task.resume() }
        // Each suspends itself at its first octets.
        for flow in flows { try await waitUntil { flow.server.isHeldUp } }
        let sent = flows.map(\.server.sent)
        let memory = ProcessMemory.anonymous
        for count in sent { #expect(count < Self.content.count) }
        try await Task.sleep(for: Self.time)
        for (flow, count) in zip(flows, sent) {
            // The kernel may still find some room.
            #expect(flow.server.sent - count < 512 << 10)
            #expect(flow.server.isHeldUp)
            #expect(flow.task.state == .suspended)
        }
        // What runs beside this may take some.
        #expect(ProcessMemory.anonymous - memory < 4 << 20)
        for flow in flows { flow.task.resume() }
        for flow in flows {
            try await waitUntil(within: .seconds(60)) { flow.checker.hasEnded }
            #expect(flow.checker.error == nil)
            #expect(flow.checker.count == Self.content.count)
            #expect(flow.checker.isIntact)
        }
    }

    /// Compares what comes with what was sent, and keeps none of it.
    final class Checker: SessionDelegate {
        private struct State {
            var count = 0
            var isIntact = true
            var hasEnded = false
            var error: TransferError?
        }

        private let state = Lock(State())

        var count: Int { state.withLock { $0.count } }
        var isIntact: Bool { state.withLock { $0.isIntact } }
        var hasEnded: Bool { state.withLock { $0.hasEnded } }
        var error: TransferError? { state.withLock { $0.error } }

        private func check(_ octets: [UInt8], at offset: Int) -> Bool {
            octets[...] == SuspensionTests.content[offset...].prefix(octets.count)
        }

        func session(_ session: Session, dataTask: DataTask, didReceive content: [UInt8]) {
            let offset = count
            if offset == 0 { dataTask.suspend() }
            let isIntact = check(content, at: offset)
            state.withLock { state in
                state.count += content.count
                state.isIntact = state.isIntact && isIntact
            }
        }

        func session(
            _ session: Session, downloadTask: DownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) {
            if count == 0 { downloadTask.suspend() }
            state.withLock { $0.count = Int(totalBytesWritten) }
        }

        func session(_ session: Session, downloadTask: DownloadTask, didFinishDownloadingTo location: String)
        {
            let isIntact = octets(ofFile: location) == SuspensionTests.content
            state.withLock { $0.isIntact = isIntact }
        }

        func session(_ session: Session, task: SessionTask, didCompleteWith error: TransferError?) {
            state.withLock { state in
                state.error = error
                state.hasEnded = true
            }
        }
    }
}
