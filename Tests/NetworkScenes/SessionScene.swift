import HTTPClient
import HTTPMessage
import Synchronization
import URLLoading

/// `session URL FILE WORD...`: downloads by a task of a session, and says what happens, one line each: `received N`
/// (octets so far), `waiting`, `answer STATUS`, and in the end `done` or `failed CODE: words`.
///
/// Words: `waits` for connectivity, `no-cellular`, `data` for a data task, `post` for a request with content,
/// `folder=PATH` for the kinds of interfaces, `limit=SECONDS` for all of the task.
final class SessionScene: SessionDelegate {
    private let file: String
    /// Octets of content of a data task.
    private let received = Mutex<[UInt8]>([])

    init(file: String) { self.file = file }

    static func run(_ arguments: [String]) async -> Int32 {
        guard arguments.count >= 2, let uri = try? URI(parsing: arguments[0]) else { return 2 }
        let words = arguments.dropFirst(2)
        var configuration = SessionConfiguration.ephemeral
        configuration.waitsForConnectivity = words.contains("waits")
        configuration.allowsCellularAccess = !words.contains("no-cellular")
        configuration.temporaryDirectory = "\(arguments[1]).tmp"
        configuration.timeoutIntervalForRequest = .seconds(20)
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            if parts[0] == "folder" { configuration.interfaceFolder = String(parts[1]) }
            if parts[0] == "limit", let seconds = Int(parts[1]) {
                configuration.timeoutIntervalForResource = .seconds(seconds)
            }
        }
        let scene = SessionScene(file: arguments[1])
        let session = Session(configuration: configuration, delegate: scene)
        var request = LoadRequest(uri)
        if words.contains("post") { (request.method, request.content) = (.post, [1, 2, 3]) }
        let task: SessionTask =
            words.contains("data") ? session.dataTask(with: request) : session.downloadTask(with: request)
        task.resume()
        session.finishTasksAndInvalidate()
        return await scene.ending.first { _ in true } ?? 3
    }

    private let (ending, ended) = AsyncStream.makeStream(of: Int32.self)

    func session(_ session: Session, taskIsWaitingForConnectivity task: SessionTask) { say("waiting") }

    func session(
        _ session: Session, downloadTask: DownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { say("received \(totalBytesWritten)") }

    func session(_ session: Session, dataTask: DataTask, didReceive content: [UInt8]) {
        let count = received.withLock { octets in
            octets += content
            return octets.count
        }
        say("received \(count)")
    }

    func session(_ session: Session, downloadTask: DownloadTask, didFinishDownloadingTo location: String) {
        do { _ = try DownloadedFile.move(location, to: file) } catch { say("not moved: \(error)") }
    }

    func session(_ session: Session, task: SessionTask, didCompleteWith error: TransferError?) {
        if let response = task.response { say("answer \(response.status.code)") }
        let octets = received.withLock { $0 }
        if !octets.isEmpty { _ = try? octets.write(toFile: file, atomically: true) }
        say(error.map { "failed \($0.code.name): \($0)" } ?? "done")
        ended.yield(error == nil ? 0 : 1)
    }

    func session(_ session: Session, didBecomeInvalidWith error: TransferError?) {}
}
