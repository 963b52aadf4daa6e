public import Download
public import HTTPClient
public import HTTPMessage
public import Reachability
import System

/// A session whose tasks are followed by closures, and whose files go where a closure says (D16).
public final class SessionManager: Sendable {
    /// Says where a finished file goes, by its temporary place and the answer: an absolute path, or one relative to the
    /// working directory. A file that is there is replaced.
    public typealias Destination = @Sendable (_ location: String, _ response: HTTPResponse?) -> String
    /// Says the same for the whole session; `nil` leaves it to the task's own closure.
    public typealias DidFinishDownloading = @Sendable (Session, DownloadTask, _ location: String) -> String?
    /// Told what was written: octets since the last call, so far, and in all (-1 where nobody knows).
    public typealias DidWriteData = @Sendable (Session, DownloadTask, Int64, Int64, Int64) -> Void

    /// The session.
    public let session: Session
    /// Tells whether there is a network, once it is started (D23).
    public let reachabilityMonitor: ReachabilityMonitor
    private let follower: SessionManagerDelegate

    /// A manager of a session of its own. Closures are called on `completionQueue`, one at a time; `nil` is a queue of the
    /// session's own.
    public init(
        sessionConfiguration configuration: SessionConfiguration = .default,
        completionQueue: TransferQueue? = nil, reachabilityMonitor: ReachabilityMonitor = .shared
    ) {
        self.reachabilityMonitor = reachabilityMonitor
        follower = SessionManagerDelegate()
        session = Session(
            configuration: configuration, delegate: follower, delegateQueue: completionQueue)
    }

    /// Where closures are called.
    public var operationQueue: TransferQueue { session.delegateQueue }
    /// The tasks that are not over.
    public var tasks: [SessionTask] { session.tasks }

    // MARK: For the whole session

    /// Told of each write of every download.
    public func setDownloadTaskDidWriteDataBlock(_ block: DidWriteData?) {
        follower.blocks.replace(\.didWriteData, by: block)
    }

    /// Asked where each finished file goes, before the task's own closure; what is not `nil` goes before what that says.
    public func setDownloadTaskDidFinishDownloadingBlock(_ block: DidFinishDownloading?) {
        follower.blocks.replace(\.didFinishDownloading, by: block)
    }

    /// Told of the end of every task.
    public func setTaskDidCompleteBlock(
        _ block: (@Sendable (Session, SessionTask, TransferError?) -> Void)?
    ) {
        follower.blocks.replace(\.didComplete, by: block)
    }

    // MARK: Tasks

    /// A download, suspended. Its file goes where the session's closure says, else where `destination` does, else it is
    /// removed. `completionHandler` gets the answer, the path that the file has got, and the error; a file that could not
    /// be moved is an error (`writeFailed`), and is removed.
    public func downloadTask(
        with request: LoadRequest, progress: (@Sendable (TransferProgress) -> Void)? = nil,
        destination: Destination? = nil,
        completionHandler: (
            @Sendable (_ response: HTTPResponse?, _ filePath: String?, _ error: TransferError?) -> Void
        )? = nil
    ) -> DownloadTask {
        follow(session.downloadTask(with: request), progress, destination, completionHandler)
    }

    /// The same for a GET.
    public func downloadTask(
        with uri: URI, progress: (@Sendable (TransferProgress) -> Void)? = nil,
        destination: Destination? = nil,
        completionHandler: (
            @Sendable (_ response: HTTPResponse?, _ filePath: String?, _ error: TransferError?) -> Void
        )? = nil
    ) -> DownloadTask {
        downloadTask(
            with: LoadRequest(uri), progress: progress, destination: destination,
            completionHandler: completionHandler)
    }

    /// The same, going on where a task stopped.
    public func downloadTask(
        withResumeData resumeData: [UInt8], progress: (@Sendable (TransferProgress) -> Void)? = nil,
        destination: Destination? = nil,
        completionHandler: (
            @Sendable (_ response: HTTPResponse?, _ filePath: String?, _ error: TransferError?) -> Void
        )? = nil
    ) -> DownloadTask {
        follow(session.downloadTask(withResumeData: resumeData), progress, destination, completionHandler)
    }

    private func follow(
        _ task: DownloadTask, _ progress: (@Sendable (TransferProgress) -> Void)?,
        _ destination: Destination?,
        _ completionHandler: (@Sendable (HTTPResponse?, String?, TransferError?) -> Void)?
    ) -> DownloadTask {
        let closures = TaskClosures(
            progress: progress, destination: destination, completion: completionHandler)
        task.facts.withLock { $0.closures = closures }
        return task
    }

    /// A data task, suspended, whose content `completionHandler` gets.
    public func dataTask(
        with request: LoadRequest,
        completionHandler:
            @escaping @Sendable (
                _ response: HTTPResponse?, _ content: [UInt8]?, _ error: TransferError?
            ) -> Void
    ) -> DataTask {
        session.dataTask(with: request) { content, response, error in
            completionHandler(response, content, error)
        }
    }

    // MARK: The end

    /// Makes the session invalid; its tasks are cancelled, or may end.
    public func invalidateSessionCancelingTasks(_ cancelsTasks: Bool) {
        if cancelsTasks { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
    }
}

/// What a manager's task has, kept with the task.
struct TaskClosures: Sendable {
    var progress: (@Sendable (TransferProgress) -> Void)?
    var destination: SessionManager.Destination?
    var completion: (@Sendable (HTTPResponse?, String?, TransferError?) -> Void)?
    /// Where the file is, or why it is not there.
    var outcome: Result<String, TransferError>?
}

/// Follows the tasks of a manager. It does not hold the manager, so that nobody else needs to end the session.
final class SessionManagerDelegate: SessionDelegate {
    /// What the session has.
    struct Blocks: Sendable {
        var didWriteData: SessionManager.DidWriteData?
        var didFinishDownloading: SessionManager.DidFinishDownloading?
        var didComplete: (@Sendable (Session, SessionTask, TransferError?) -> Void)?
    }

    let blocks = Lock(Blocks())

    func session(
        _ session: Session, downloadTask: DownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        let progress = downloadTask.facts.withLock { $0.closures?.progress }
        let expected = totalBytesExpectedToWrite < 0 ? nil : UInt64(totalBytesExpectedToWrite)
        progress?(TransferProgress(received: UInt64(max(0, totalBytesWritten)), expected: expected))
        blocks.withLock { $0.didWriteData }?(
            session, downloadTask, bytesWritten, totalBytesWritten, totalBytesExpectedToWrite)
    }

    func session(_ session: Session, downloadTask: DownloadTask, didFinishDownloadingTo location: String) {
        let own = downloadTask.facts.withLock { $0.closures?.destination }
        let block = blocks.withLock { $0.didFinishDownloading }
        guard
            let target = block?(session, downloadTask, location)
                ?? own?(location, downloadTask.response)
        else { return }
        let outcome: Result<String, TransferError>
        do throws(TransferError) {
            try DownloadedFile.move(location, to: target)
            try SessionManagerDelegate.checkPlace(target, of: location)
            outcome = .success(target)
        } catch { outcome = .failure(error) }
        downloadTask.facts.withLock { $0.closures?.outcome = outcome }
    }

    /// A file that was moved to where it is has not moved, and goes away with the temporary name: that is no place it has
    /// got. Throws `writeFailed`.
    private static func checkPlace(_ target: String, of location: String) throws(TransferError) {
        try DownloadedFile.remove(location)
        let found = try? File.status(of: target, in: File.workingDirectory, followsLinks: false)
        guard found == nil else { return }
        throw TransferError(
            .writeFailed, during: .store,
            "could not write \(target): it is the temporary file itself, which does not stay")
    }

    func session(_ session: Session, task: SessionTask, didCompleteWith error: TransferError?) {
        let closures = task.facts.withLock { $0.closures.take() }
        var (path, failure) = (String?.none, error)
        switch closures?.outcome {
        case .success(let moved)?: path = moved
        case .failure(let cause)?: failure = failure ?? cause
        case nil: break
        }
        closures?.completion?(task.response, path, failure)
        blocks.withLock { $0.didComplete }?(session, task, failure)
    }
}
