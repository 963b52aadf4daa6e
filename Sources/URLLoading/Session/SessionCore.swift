import HTTPClient
import HTTPMessage
import System
import Transport

/// The part of a session that lives on the loop: which tasks run, which wait, and what they share.
@NetworkActor
final class SessionCore {
    nonisolated let configuration: SessionConfiguration
    nonisolated let client: Client
    /// Tasks that were resumed and are not over.
    private var runs: [Int: TaskRun] = [:]
    private var lines: HostLines
    /// Credentials that are good for the session.
    private var credentials: [ProtectionSpace: Credential] = [:]
    private var folder: PrivateFolder?
    /// Tells of networks, while there are tasks to which those matter.
    let feed: NetworkFeed
    private var listener: Int?
    /// Tasks under way to which networks matter.
    private var watchers = 0
    /// Ends the wait for the first deadline.
    private var alarm: Task<Void, Never>?

    /// Most realms whose credentials are kept.
    private static let mostCredentials = 64

    nonisolated init(_ configuration: SessionConfiguration) {
        self.configuration = configuration
        client = configuration.makeClient()
        feed = NetworkFeed(interfaceFolder: configuration.interfaceFolder)
        lines = HostLines(limit: configuration.httpMaximumConnectionsPerHost)
    }

    /// Runs `body` on the loop: at once there, soon and in order from another thread.
    nonisolated func hand(_ body: @escaping @Sendable @NetworkActor (SessionCore) -> Void) {
        NetworkActor.loop.call { [self] in NetworkActor.assumeIsolated { body(self) } }
    }

    // MARK: Control

    /// Does with a task what its state says: the order in which two calls come here need not be that in which they
    /// changed it.
    func follow(_ task: SessionTask) {
        switch task.state {
        case .running: resume(task)
        case .suspended: suspend(task)
        case .canceling: cancel(task)
        case .completed: break
        }
    }

    /// Begins a task, or goes on with it.
    private func resume(_ task: SessionTask) {
        let run = runs[task.taskIdentifier] ?? begin(task)
        run.isSuspended = false
        guard !run.hasStarted, run.ticket == nil else { return }
        guard run.deadline.instant > .now else { return run.expire() }
        lines.join(run)
        admit(run.origin)
        watchDeadlines()
    }

    /// Holds a task: one that waits leaves its line.
    private func suspend(_ task: SessionTask) {
        // It was resumed before, though that may not have been seen here.
        let run = runs[task.taskIdentifier] ?? begin(task)
        run.isSuspended = true
        lines.leave(run)
        watchDeadlines()
    }

    /// Ends a task.
    private func cancel(_ task: SessionTask) {
        let run = runs[task.taskIdentifier] ?? begin(task)
        lines.leave(run)
        run.cancel()
    }

    private func begin(_ task: SessionTask) -> TaskRun {
        let run = TaskRun(task, by: self)
        runs[task.taskIdentifier] = run
        return run
    }

    private func admit(_ origin: Origin?) {
        while let run = lines.next(for: origin) { run.start() }
    }

    /// A task is over.
    func ended(_ run: TaskRun) {
        runs[run.task.taskIdentifier] = nil
        if run.hasStarted {
            lines.finished(run.origin)
            admit(run.origin)
        }
    }

    // MARK: Deadlines

    /// Watches over the time of tasks that have not begun to load, in line or suspended before their turn, and of those
    /// whose delegate does not answer. Others look at the clock themselves.
    private func watchDeadlines() {
        guard alarm == nil,
            let instant = runs.values.lazy.filter({ !$0.isOverdue }).map(\.deadline.instant).min(),
            instant < .distantFuture
        else { return }
        alarm = Task(executorPreference: NetworkActor.loop) { [weak self] in
            guard await NetworkActor.loop.sleep(until: instant) else { return }
            await self?.expireOverdue()
        }
    }

    private func expireOverdue() {
        alarm = nil
        let now = Instant.now
        for run in runs.values where !run.isOverdue && run.deadline.instant <= now {
            lines.leave(run)
            run.expire()
        }
        watchDeadlines()
    }

    // MARK: Networks

    /// A task begins to which networks matter: it hears of changes until as many have ended.
    func beginWatching() {
        watchers += 1
        guard listener == nil else { return }
        listener = feed.listen { [weak self] in self?.tellOfNetwork() }
    }

    /// Such a task has ended.
    func endWatching() {
        watchers -= 1
        if watchers == 0, let number = listener.take() { feed.stop(number) }
    }

    private func tellOfNetwork() {
        for run in runs.values where run.watchesNetwork { run.networkHasChanged() }
    }

    // MARK: What tasks share

    /// The folder of downloads. Throws `writeFailed`.
    func temporaryFolder() throws(TransferError) -> PrivateFolder {
        if let folder { return folder }
        guard let path = configuration.temporaryDirectory else {
            throw TransferError(
                .writeFailed, during: .prepare,
                "there is no place for temporary files: neither XDG_CACHE_HOME nor HOME names a folder, and the session's temporaryDirectory is nil"
            )
        }
        let opened = try PrivateFolder(path: path)
        opened.sweep()
        folder = opened
        return opened
    }

    /// What is known of a realm.
    func credential(for space: ProtectionSpace) -> Credential? { credentials[space] }

    /// Keeps credentials for the session.
    func keep(_ credential: Credential, for space: ProtectionSpace) {
        if credentials.count >= SessionCore.mostCredentials, credentials[space] == nil { credentials = [:] }
        credentials[space] = credential
    }

    /// They were refused; others that have come meanwhile stay.
    func drop(_ credential: Credential, for space: ProtectionSpace) {
        if credentials[space] == credential { credentials[space] = nil }
    }

    /// Forgets what is shared.
    func reset() {
        credentials = [:]
        client.closeIdleConnections()
    }

    /// The session is over.
    func close() {
        alarm?.cancel()
        reset()
    }
}
