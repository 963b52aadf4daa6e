public import HTTPClient
public import HTTPMessage

/// Who follows the tasks of a session (D10). Calls come in order and never overlap, on the session's delegate queue; every
/// one but a task's last has a default that does nothing, or what would be done without a delegate.
///
/// Where an answer is wanted, it is given by calling the completion handler, once, now or later; the task waits. A handler
/// that is let go uncalled answers by the default.
public protocol SessionDelegate: AnyObject, Sendable {
    // MARK: Session

    /// The session is invalid and its last task has ended. No other call follows; the session lets go of the delegate.
    func session(_ session: Session, didBecomeInvalidWith error: TransferError?)

    // MARK: Every task

    /// A redirect is about to be followed. `nil` refuses: the answer itself is delivered.
    func session(
        _ session: Session, task: SessionTask, willPerformHTTPRedirection response: HTTPResponse,
        newRequest request: LoadRequest, completionHandler: @escaping @Sendable (LoadRequest?) -> Void)

    /// The server asks who asks.
    func session(
        _ session: Session, task: SessionTask, didReceive challenge: AuthenticationChallenge,
        completionHandler: @escaping @Sendable (AuthenticationAnswer) -> Void)

    /// Content of the request was sent: octets now, so far, and in all.
    func session(
        _ session: Session, task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64)

    /// There is no network that the task may use: it waits for one, as its session's configuration says. Each wait is told.
    func session(_ session: Session, taskIsWaitingForConnectivity task: SessionTask)

    /// When each step was done. It comes right before the task's last call.
    func session(_ session: Session, task: SessionTask, didFinishCollecting metrics: SessionTaskMetrics)

    /// The task is over: exactly once for each task. No error: it has succeeded, whatever the status of the answer.
    func session(_ session: Session, task: SessionTask, didCompleteWith error: TransferError?)

    // MARK: Data tasks

    /// The final answer's head is in; content follows where the disposition lets it.
    func session(
        _ session: Session, dataTask: DataTask, didReceive response: HTTPResponse,
        completionHandler: @escaping @Sendable (ResponseDisposition) -> Void)

    /// A piece of content.
    func session(_ session: Session, dataTask: DataTask, didReceive content: [UInt8])

    /// The answer may be stored in the cache. False keeps it out.
    func session(
        _ session: Session, dataTask: DataTask, willCacheResponse proposedResponse: HTTPResponse,
        completionHandler: @escaping @Sendable (Bool) -> Void)

    // MARK: Download tasks

    /// Content was written: octets since the last call, so far, and in all (-1 where nobody knows).
    func session(
        _ session: Session, downloadTask: DownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

    /// A task goes on with what is there: from that octet on, of so many (-1 where nobody knows).
    func session(
        _ session: Session, downloadTask: DownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64)

    /// The content is whole, in a temporary file that is removed when this returns: move it, or open it.
    func session(_ session: Session, downloadTask: DownloadTask, didFinishDownloadingTo location: String)
}

/// What becomes of a data task once its answer's head is in.
public enum ResponseDisposition: Int, Hashable, Sendable {
    /// The task ends as cancelled.
    case cancel = 0
    /// The content follows.
    case allow = 1
}

extension SessionDelegate {
    /// Nothing.
    public func session(_ session: Session, didBecomeInvalidWith error: TransferError?) {}

    /// Follows.
    public func session(
        _ session: Session, task: SessionTask, willPerformHTTPRedirection response: HTTPResponse,
        newRequest request: LoadRequest, completionHandler: @escaping @Sendable (LoadRequest?) -> Void
    ) { completionHandler(request) }

    /// Delivers the answer that asks.
    public func session(
        _ session: Session, task: SessionTask, didReceive challenge: AuthenticationChallenge,
        completionHandler: @escaping @Sendable (AuthenticationAnswer) -> Void
    ) { completionHandler(.performDefaultHandling) }

    /// Nothing.
    public func session(
        _ session: Session, task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {}

    /// Nothing.
    public func session(_ session: Session, taskIsWaitingForConnectivity task: SessionTask) {}

    /// Nothing.
    public func session(
        _ session: Session, task: SessionTask, didFinishCollecting metrics: SessionTaskMetrics
    ) {}

    /// Lets the content come.
    public func session(
        _ session: Session, dataTask: DataTask, didReceive response: HTTPResponse,
        completionHandler: @escaping @Sendable (ResponseDisposition) -> Void
    ) { completionHandler(.allow) }

    /// Nothing.
    public func session(_ session: Session, dataTask: DataTask, didReceive content: [UInt8]) {}

    /// Stores it.
    public func session(
        _ session: Session, dataTask: DataTask, willCacheResponse proposedResponse: HTTPResponse,
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) { completionHandler(true) }

    /// Nothing.
    public func session(
        _ session: Session, downloadTask: DownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}

    /// Nothing.
    public func session(
        _ session: Session, downloadTask: DownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {}

    /// Nothing; the file is removed.
    public func session(
        _ session: Session, downloadTask: DownloadTask, didFinishDownloadingTo location: String
    ) {}
}
