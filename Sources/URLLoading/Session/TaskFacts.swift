import Download
import HTTPClient
import HTTPMessage

/// What is told of a task, under its lock.
struct TaskFacts {
    private(set) var state = SessionTask.State.suspended
    private(set) var progress = TransferProgress()
    var currentRequest: LoadRequest?
    var response: HTTPResponse?
    var error: TransferError?
    var sent: Int64 = 0
    var metrics: SessionTaskMetrics?
    var description: String?
    /// Who wants resume data of the task, which was cancelled.
    var resumeDataRequest: ResumeDataRequest?
    /// What a manager keeps here.
    var closures: TaskClosures?
    /// It was made when the session was invalid already.
    var isOrphan = false
    private var stateObservers: [AsyncStream<SessionTask.State>.Continuation] = []
    private var progressObservers: [AsyncStream<TransferProgress>.Continuation] = []

    init(request: LoadRequest?) { currentRequest = request }

    mutating func move(to state: SessionTask.State) {
        self.state = state
        // Who does not listen any more is forgotten.
        stateObservers.removeAll { if case .terminated = $0.yield(state) { true } else { false } }
        if state == .completed { closeObservers() }
    }

    mutating func show(_ progress: TransferProgress) {
        guard progress != self.progress else { return }
        self.progress = progress
        progressObservers.removeAll { if case .terminated = $0.yield(progress) { true } else { false } }
    }

    mutating func observeStates(_ observer: AsyncStream<SessionTask.State>.Continuation) {
        observer.yield(state)
        if state == .completed { observer.finish() } else { stateObservers.append(observer) }
    }

    mutating func observeProgress(_ observer: AsyncStream<TransferProgress>.Continuation) {
        observer.yield(progress)
        if state == .completed { observer.finish() } else { progressObservers.append(observer) }
    }

    /// The task is over. One that was cancelled before that was known has failed, whatever came of it.
    mutating func end(
        _ outcome: Result<TransferReport, TransferError>, _ metrics: SessionTaskMetrics, keepsProgress: Bool
    ) -> TaskEnding {
        switch outcome {
        case .success(let report) where state != .canceling:
            response = report.response.uri == nil ? response ?? report.response : report.response
        case .failure(let failure) where state != .canceling: error = failure
        default: error = .cancelledTask
        }
        self.metrics = metrics
        var last = progress
        switch error?.code {
        case nil: last.state = .finished
        case .cancelled?:
            last.state = .cancelled
            if !keepsProgress { last.received = 0 }
        default: last.state = .failed
        }
        show(last)
        move(to: .completed)
        return TaskEnding(
            response: response, error: error, metrics: metrics, resumeDataRequest: resumeDataRequest.take())
    }

    /// Nothing changes any more.
    mutating func closeObservers() {
        for observer in stateObservers { observer.finish() }
        for observer in progressObservers { observer.finish() }
        (stateObservers, progressObservers) = ([], [])
    }
}

/// How a task has ended.
struct TaskEnding: Sendable {
    var response: HTTPResponse?
    var error: TransferError?
    var metrics: SessionTaskMetrics
    /// Who still waits for resume data.
    var resumeDataRequest: ResumeDataRequest?
}
