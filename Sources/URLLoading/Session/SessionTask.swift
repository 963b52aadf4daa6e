public import Download
public import HTTPClient
public import HTTPMessage
import System
import Transport

/// One load of a session (D9, D11): made suspended, begun by `resume`, with exactly one ending.
///
/// It may be used from any thread. The session keeps it while it runs; one that was never resumed lives as long as
/// somebody holds it.
public class SessionTask: @unchecked Sendable {
    // Safety: everything stored is constant, or under a lock.

    /// Where a task stands.
    public enum State: Int, Hashable, Sendable {
        case running = 0
        case suspended = 1
        /// It was cancelled, and its last call has not come yet.
        case canceling = 2
        /// It is over.
        case completed = 3
    }

    /// Unique in its session, from 1.
    public let taskIdentifier: Int
    /// The session.
    public let session: Session
    /// The request it was made for; of a task made of resume data, the request that this tells of, `nil` where that cannot
    /// be read.
    public let originalRequest: LoadRequest?
    let completion: TaskCompletion
    let facts: Lock<TaskFacts>

    init(
        _ identifier: Int, in session: Session, _ request: LoadRequest?, completion: TaskCompletion
    ) {
        taskIdentifier = identifier
        self.session = session
        originalRequest = request
        self.completion = completion
        facts = Lock(TaskFacts(request: request))
    }

    deinit {
        facts.withLock { $0.closeObservers() }
        session.forget(taskIdentifier)
    }

    // MARK: Control

    /// Begins the task, or goes on with it. Harmless where it runs or is over.
    public func resume() {
        let mustTell = facts.withLock { facts in
            guard facts.state == .suspended else { return false }
            facts.move(to: .running)
            return true
        }
        if mustTell { session.core.hand { core in core.follow(self) } }
    }

    /// Stops reading, so that the sender is held up. What has come already may still be told to the delegate. Where the
    /// connection dies meanwhile, `resume` goes on over a new one by asking for the rest, if the server proves that it is
    /// the rest.
    public func suspend() {
        let mustTell = facts.withLock { facts in
            guard facts.state == .running else { return false }
            facts.move(to: .suspended)
            return true
        }
        if mustTell { session.core.hand { core in core.follow(self) } }
    }

    /// Ends the task as `cancelled`. Harmless where it is over.
    public func cancel() { cancel(orElse: {}) }

    /// The same; `isOver` is called where there is nothing to cancel any more.
    func cancel(producing: ResumeDataRequest? = nil, orElse isOver: () -> Void) {
        let mustTell = facts.withLock { facts in
            guard facts.state == .running || facts.state == .suspended else { return false }
            facts.move(to: .canceling)
            facts.resumeDataRequest = producing
            return true
        }
        guard mustTell else { return isOver() }
        session.core.hand { core in core.follow(self) }
    }

    // MARK: What is known

    /// Where it stands.
    public var state: State { facts.withLock { $0.state } }
    /// The request under way, redirects followed.
    public var currentRequest: LoadRequest? { facts.withLock { $0.currentRequest } }
    /// The answer's head, as soon as it is in.
    public var response: HTTPResponse? { facts.withLock { $0.response } }
    /// Why it failed; `nil` as long as it has not.
    public var error: TransferError? { facts.withLock { $0.error } }
    /// How far it has come. After a cancel that keeps nothing it is back at 0.
    public var progress: TransferProgress { facts.withLock { $0.progress } }
    /// Octets of content received, those of an earlier task that left resume data included.
    public var countOfBytesReceived: Int64 { Int64(clamping: progress.received) }
    /// Octets of content in all; -1 where nobody knows.
    public var countOfBytesExpectedToReceive: Int64 {
        progress.expected.map { Int64(clamping: $0) } ?? -1
    }
    /// Octets of the request's content sent.
    public var countOfBytesSent: Int64 { facts.withLock { $0.sent } }
    /// Octets of the request's content in all.
    public var countOfBytesExpectedToSend: Int64 { Int64(originalRequest?.content?.count ?? 0) }
    /// When each step was done, once the task is over.
    public var metrics: SessionTaskMetrics? { facts.withLock { $0.metrics } }
    /// For the caller's own use.
    public var taskDescription: String? {
        get { facts.withLock { $0.description } }
        set { facts.withLock { $0.description = newValue } }
    }

    // MARK: Changes

    /// The states of the task: the one that it is in, then each that it comes to, and an end behind `completed`. Who is
    /// slow gets the last 64.
    public var states: AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            facts.withLock { $0.observeStates(continuation) }
        }
    }

    /// How far the task is: now, and whenever that changes, and an end when it is over. Who is slow gets the last.
    public var progressUpdates: AsyncStream<TransferProgress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            facts.withLock { $0.observeProgress(continuation) }
        }
    }
}

/// Who is told of a task's end beside the delegate.
enum TaskCompletion: Sendable {
    /// Nobody: content goes to the delegate piece by piece.
    case none
    /// A closure that gets the content.
    case data(@Sendable ([UInt8]?, HTTPResponse?, TransferError?) -> Void)
    /// A closure that gets the place of a temporary file; where `keepsFile`, the file is its to remove.
    case download(@Sendable (String?, HTTPResponse?, TransferError?) -> Void, keepsFile: Bool)
}

/// Who waits for resume data of a cancelled task.
typealias ResumeDataRequest = @Sendable ([UInt8]?) -> Void
