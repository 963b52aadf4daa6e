import Download
import HTTPClient
import HTTPMessage
import System
import Transport

/// A task under way: waits for its place, loads, and ends it.
@NetworkActor
final class TaskRun {
    let task: SessionTask
    let session: Session
    unowned let core: SessionCore
    /// Which host it loads from first; `nil` where nobody knows.
    let origin: Origin?
    /// When all must be done.
    let deadline: Deadline
    /// Its place in the line of its host, while it waits there.
    var ticket: Int?
    /// It has left the line for good, and counts as one of its host's.
    private(set) var hasStarted = false
    private(set) var load: Load?
    /// Its time is over.
    private(set) var isOverdue = false
    var metrics = MetricsCollector(start: .now)
    /// Where a download goes.
    private(set) var file: FileTarget?
    private var collected: CollectingTarget?
    /// What the delegate is told of a download while it comes; `nil` where there is nobody to tell, or nothing.
    private(set) var writeProgress: ProgressCalls?
    /// Credentials under test.
    var triedSpaces: Set<ProtectionSpace> = []
    private var isOver = false
    /// Whether it matters to the task which networks there are.
    let watchesNetwork: Bool
    /// What it has seen of networks.
    var network = TaskNetwork()

    init(_ task: SessionTask, by core: SessionCore) {
        self.task = task
        session = task.session
        self.core = core
        origin = task.originalRequest?.uri.origin
        let configuration = core.configuration
        network.allowsCellular =
            configuration.allowsCellularAccess && task.originalRequest?.allowsCellularAccess ?? true
        // Which way connections take that begin at a given place, the kernel is not asked.
        watchesNetwork =
            configuration.client.localBinding == nil
            && (configuration.waitsForConnectivity || !network.allowsCellular)
        let limit = configuration.timeoutIntervalForResource
        deadline = Deadline(.total, in: limit)
        guard let download = task as? DownloadTask, session.delegate != nil else { return }
        writeProgress = ProgressCalls(session.order) { [session] new, written, expected in
            session.delegate?.session(
                session, downloadTask: download, didWriteData: new, totalBytesWritten: written,
                totalBytesExpectedToWrite: expected)
        }
    }

    /// Whether the caller wants it to hold.
    var isSuspended = true {
        didSet {
            load?.isSuspended = isSuspended
            activity.isActive = !isSuspended && !isOver
        }
    }
    private var activity = ActivityCount()

    /// Begins to load, in a task of its own.
    func start() {
        hasStarted = true
        if watchesNetwork { core.beginWatching() }
        Task(executorPreference: NetworkActor.loop) { await self.perform() }
    }

    /// Ends it: what waits, at once; what loads, as soon as that has noticed.
    func cancel() {
        network.pause?.finish(.cancelled)
        if hasStarted { load?.cancel() } else { end(.failure(.cancelledTask)) }
    }

    /// Its time is over: that ends it where its turn has not come; what loads waits for no answer any more.
    func expire() {
        isOverdue = true
        if hasStarted {
            load?.giveUpQuestion()
            return
        }
        end(
            .failure(
                TransferError(
                    .timedOut, during: .prepare,
                    "\(origin?.host.description ?? "the server") was not asked within \(deadline.duration.inSeconds.formattedSeconds), the limit for all of a task"
                )))
    }

    private func perform() async {
        do throws(TransferError) {
            let load = try prepare()
            self.load = load
            load.isSuspended = isSuspended
            if task.state == .canceling { load.cancel() }
            let report = try await load.run()
            metrics.note(report)
            if task.state == .canceling { await produceResumeData() }
            end(.success(report))
        } catch {
            if task.state == .canceling {
                await produceResumeData()
                end(.failure(error))
            } else {
                var failure = error
                if let file, let load { failure.resumeData = await file.resumeData(of: load) }
                end(.failure(failure))
            }
        }
    }

    // MARK: Before

    private func prepare() throws(TransferError) -> Load {
        if let identifier = core.configuration.identifier {
            throw TransferError(
                .badRequest, during: .prepare,
                "background sessions are not built yet: the session \"\(identifier)\" loads nothing; a default session does"
            )
        }
        guard !task.facts.withLock({ $0.isOrphan }) else {
            throw TransferError(
                .badRequest, during: .prepare,
                "the session was made invalid before the task was made: make another session")
        }
        var resumed: ResumeData?
        if let data = (task as? DownloadTask)?.givenResumeData { resumed = try ResumeData(parsing: data) }
        guard let request = task.originalRequest else {
            throw TransferError(.badRequest, during: .prepare, "the task has no request")
        }
        let options = core.configuration.options(for: request, intoMemory: !(task is DownloadTask))
        let target: any LoadTarget
        var part: PartialRepresentation?
        if task is DownloadTask {
            let file = try FileTarget(core.temporaryFolder())
            if let resumed { part = try file.resume(resumed) }
            self.file = file
            target = file
        } else {
            target = dataTarget()
        }
        let load = Load(
            core.configuration.prepared(request), by: core.client, to: target, options: options,
            deadline: deadline)
        if let part { load.begin(with: part) }
        (target as? FeedTarget)?.load = load
        load.follower = self
        if !network.allowsCellular { load.mayConnect = core.feed.avoidingCellular }
        return load
    }

    private func dataTarget() -> any LoadTarget {
        guard case .none = task.completion else {
            let target = CollectingTarget(maximumLength: core.configuration.maximumContentLength)
            collected = target
            return target
        }
        return FeedTarget(session.order) { [session, task] piece in
            guard let task = task as? DataTask else { return }
            session.delegate?.session(session, dataTask: task, didReceive: piece)
        }
    }

    // MARK: The end

    /// Makes resume data of what is there, where somebody waits for that.
    private func produceResumeData() async {
        guard let request = task.facts.withLock({ $0.resumeDataRequest.take() }) else { return }
        var data: [UInt8]?
        if let file, let load { data = await file.resumeData(of: load) }
        if data != nil { file?.keep() }
        let produced = data
        keepsProgress = produced != nil
        session.order.append { request(produced) }
    }

    /// What was received is kept.
    private var keepsProgress = false

    private func end(_ outcome: Result<TransferReport, TransferError>) {
        guard !isOver else { return }
        isOver = true
        activity.isActive = false
        if hasStarted, watchesNetwork { core.endWatching() }
        let metrics = metrics.finish()
        let ending = task.facts.withLock { $0.end(outcome, metrics, keepsProgress: keepsProgress) }
        load = nil
        var left: [UInt8]?
        if case .failure(let error) = outcome { left = error.resumeData }
        // What was not begun with is as good as before.
        if !hasStarted { left = (task as? DownloadTask)?.givenResumeData }
        // The file stays for those who get to know of it.
        if ending.error?.resumeData != nil || left != nil && ending.resumeDataRequest != nil { file?.keep() }
        tell(ending, left)
        session.forget(task.taskIdentifier)
        core.ended(self)
    }

    /// The last calls, in their order.
    private func tell(_ ending: TaskEnding, _ left: [UInt8]?) {
        let (session, task, order) = (session, task, session.order)
        if let request = ending.resumeDataRequest { order.append { request(left) } }
        // What nobody gets is removed before anybody is told.
        let whole = file?.finish()
        let file = ending.error == nil ? whole : nil
        if file == nil { whole?.discard() }
        let content = ending.error == nil ? collected?.octets : nil
        let metrics = ending.metrics
        order.append {
            if let file, let download = task as? DownloadTask {
                session.delegate?.session(session, downloadTask: download, didFinishDownloadingTo: file.path)
            }
            switch task.completion {
            case .none: break
            case .data(let handler): handler(content, ending.response, ending.error)
            case .download(let handler, let keepsFile):
                if keepsFile { file?.keep() }
                handler(file?.path, ending.response, ending.error)
            }
            file?.discard()
            session.delegate?.session(session, task: task, didFinishCollecting: metrics)
            session.delegate?.session(session, task: task, didCompleteWith: ending.error)
        }
    }
}

extension TransferError {
    /// What a cancelled task says, in exactly that word.
    static var cancelledTask: TransferError { TransferError(.cancelled, during: .prepare, "cancelled") }
}
