import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import URLLoading

/// A server, a folder, and sessions that load from the one into the other.
struct Stage {
    let server: ReplayServer
    let folder = TemporaryFolder()

    /// A stage whose server answers as `handler` says.
    init(_ handler: @escaping @Sendable (RecordedRequest) -> [Script.Step]) throws {
        server = try ReplayServer(handler: handler)
        try server.start()
    }

    /// A stage whose server plays a script.
    init(_ script: Script) throws {
        server = try ReplayServer(script)
        try server.start()
    }

    /// An address of the server.
    func uri(_ path: String = "/file.bin") throws -> URI {
        try URI(parsing: "http://\(server.authority)\(path)")
    }

    /// A configuration whose temporary files lie in the stage's folder, with no cache.
    var configuration: SessionConfiguration {
        var configuration = SessionConfiguration.ephemeral
        configuration.temporaryDirectory = temporaryPath
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = .seconds(20)
        return configuration
    }

    /// Where temporary files lie.
    var temporaryPath: String { folder.path(of: "tmp") }

    /// The names of the temporary files that are there.
    var temporaryNames: [String] {
        let flags = O_RDONLY | O_DIRECTORY
        guard let folder = try? File.open(temporaryPath, in: File.workingDirectory, flags: flags) else {
            return []
        }
        return (try? File.names(in: folder.rawValue)) ?? []
    }

    static func head(_ status: String = "200 OK", length: Int, _ fields: String...) -> Script.Step {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(length)"] + fields
        return .send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }
}

/// What was called, in order.
final class CallLog: Sendable {
    private let state = Lock([String]())

    /// The calls so far.
    var lines: [String] { state.withLock { $0 } }

    /// Adds one.
    func add(_ line: String) { state.withLock { $0.append(line) } }

    /// Waits until the calls are as `isMet` wants them. Throws when they are not within `limit`.
    func wait(within limit: Duration = .seconds(20), until isMet: ([String]) -> Bool) async throws {
        try await waitUntil(within: limit) { isMet(lines) }
    }
}

/// Waits until `condition` holds. Throws `DeadlinePassed` when it does not within `limit`.
func waitUntil(within limit: Duration = .seconds(20), _ condition: () -> Bool) async throws {
    let limit = isSanitized ? limit * 5 : limit
    let end = ContinuousClock.now + limit
    while !condition() {
        guard ContinuousClock.now < end else { throw DeadlinePassed(limit: limit) }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// A delegate that writes down every call.
final class Recorder: SessionDelegate {
    let log = CallLog()
    private let state = Lock(State())

    struct State: Sendable {
        var content: [UInt8] = []
        var files: [[UInt8]] = []
        var depth = 0
        var deepest = 0
        var redirect: (@Sendable (LoadRequest) -> LoadRequest?)?
        var answer: (@Sendable (AuthenticationChallenge) -> AuthenticationAnswer)?
        var disposition = ResponseDisposition.allow
        var stores = true
        var metrics: [SessionTaskMetrics] = []
        var written: [Int64] = []
        var during: (@Sendable (_ call: String, _ task: SessionTask) -> Void)?
    }

    init(_ change: (inout State) -> Void = { _ in }) { state.withLock { change(&$0) } }

    var content: [UInt8] { state.withLock { $0.content } }
    /// What the files of finished downloads held.
    var files: [[UInt8]] { state.withLock { $0.files } }
    /// How many calls were made at once, at most.
    var deepest: Int { state.withLock { $0.deepest } }
    var metrics: [SessionTaskMetrics] { state.withLock { $0.metrics } }
    /// Octets told by each `didWriteData`.
    var written: [Int64] { state.withLock { $0.written } }

    /// Waits for the end of so many tasks.
    func waitForEnds(_ count: Int = 1, within limit: Duration = .seconds(20)) async throws {
        try await log.wait(within: limit) { lines in lines.count { $0.hasPrefix("complete") } >= count }
    }

    private func record(_ line: String, _ task: SessionTask? = nil, _ body: () -> Void = {}) {
        let during = state.withLock { state in
            state.depth += 1
            state.deepest = max(state.deepest, state.depth)
            return state.during
        }
        body()
        if let task { during?(line, task) }
        log.add(line)
        state.withLock { $0.depth -= 1 }
    }

    func session(_ session: Session, didBecomeInvalidWith error: TransferError?) { record("invalid") }

    func session(
        _ session: Session, task: SessionTask, willPerformHTTPRedirection response: HTTPResponse,
        newRequest request: LoadRequest, completionHandler: @escaping @Sendable (LoadRequest?) -> Void
    ) {
        record("redirect \(response.status)", task) {
            let change = state.withLock { $0.redirect }
            completionHandler(change.map { $0(request) } ?? request)
        }
    }

    func session(
        _ session: Session, task: SessionTask, didReceive challenge: AuthenticationChallenge,
        completionHandler: @escaping @Sendable (AuthenticationAnswer) -> Void
    ) {
        record("challenge \(challenge.protectionSpace.realm) \(challenge.previousFailureCount)", task) {
            let answer = state.withLock { $0.answer }
            completionHandler(answer?(challenge) ?? .performDefaultHandling)
        }
    }

    func session(
        _ session: Session, task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { record("sent \(totalBytesSent)/\(totalBytesExpectedToSend)", task) }

    func session(_ session: Session, task: SessionTask, didFinishCollecting metrics: SessionTaskMetrics) {
        record("metrics", task) { state.withLock { $0.metrics.append(metrics) } }
    }

    func session(_ session: Session, task: SessionTask, didCompleteWith error: TransferError?) {
        record("complete \(error.map { "\($0)" } ?? "well")", task)
    }

    func session(
        _ session: Session, dataTask: DataTask, didReceive response: HTTPResponse,
        completionHandler: @escaping @Sendable (ResponseDisposition) -> Void
    ) {
        record("response \(response.status)", dataTask) {
            completionHandler(state.withLock { $0.disposition })
        }
    }

    func session(_ session: Session, dataTask: DataTask, didReceive content: [UInt8]) {
        record("data", dataTask) { state.withLock { $0.content += content } }
    }

    func session(
        _ session: Session, dataTask: DataTask, willCacheResponse proposedResponse: HTTPResponse,
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        record("cache", dataTask) { completionHandler(state.withLock { $0.stores }) }
    }

    func session(
        _ session: Session, downloadTask: DownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        record("write \(totalBytesWritten)/\(totalBytesExpectedToWrite)", downloadTask) {
            state.withLock { $0.written.append(bytesWritten) }
        }
    }

    func session(
        _ session: Session, downloadTask: DownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { record("resumed \(fileOffset)/\(expectedTotalBytes)", downloadTask) }

    func session(_ session: Session, downloadTask: DownloadTask, didFinishDownloadingTo location: String) {
        record("finished", downloadTask) {
            let octets = octets(ofFile: location)
            state.withLock { $0.files.append(octets ?? []) }
        }
    }
}

/// What a file holds; `nil` where there is none.
func octets(ofFile path: String) -> [UInt8]? {
    guard let file = try? File.open(path, in: File.workingDirectory, flags: O_RDONLY) else { return nil }
    return try? File.contents(of: file.rawValue, limit: 1 << 30)
}

extension [String] {
    /// Calls in their order, of those that repeat one after another only the first, and without what comes behind the
    /// first word.
    var story: [String] {
        var story: [String] = []
        for line in self {
            let word = String(line.prefix { $0 != " " })
            if story.last != word { story.append(word) }
        }
        return story
    }
}
