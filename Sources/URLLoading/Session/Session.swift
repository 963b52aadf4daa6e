import HTTPClient
import HTTPMessage
import System
import Transport

/// Tasks under one configuration (D9 to D14): they share connections, a cache, limits, and one delegate.
///
/// A session keeps its delegate until it is made invalid and its last task has ended, or until nobody holds the session and
/// its tasks any more.
public final class Session: Sendable {
    /// What it was made with.
    public let configuration: SessionConfiguration
    /// For the caller's own use: a name.
    public let sessionDescription: String?
    let order: CallOrder
    let core: SessionCore
    private let registry = Lock(Registry())

    /// What is known of the tasks from any thread.
    private struct Registry {
        var lastIdentifier = 0
        /// Tasks that are not over. Those that were never resumed are held by their makers alone.
        var tasks: [Int: WeakTask] = [:]
        var isInvalid = false
        /// The last call was handed over.
        var hasEnded = false
        var delegate: (any SessionDelegate)?
    }

    /// Whether the end has come; true once.
    private static func isEnd(_ registry: inout Registry) -> Bool {
        guard registry.isInvalid, registry.tasks.isEmpty, !registry.hasEnded else { return false }
        registry.hasEnded = true
        return true
    }

    private struct WeakTask: Sendable {
        weak var task: SessionTask?
    }

    /// The session of those who need nothing of their own: the default configuration, no delegate. It cannot be made
    /// invalid.
    public static let shared = Session(configuration: .default)

    /// A session. Calls to the delegate and to completion handlers are made on `delegateQueue`, one at a time and in order
    /// whatever its width; `nil` is a queue of the session's own.
    public init(
        configuration: SessionConfiguration = .default, delegate: (any SessionDelegate)? = nil,
        delegateQueue: TransferQueue? = nil, description: String? = nil
    ) {
        self.configuration = configuration
        sessionDescription = description
        order = CallOrder(
            delegateQueue ?? TransferQueue(name: "session", maxConcurrentOperationCount: 1))
        core = SessionCore(configuration)
        registry.withLock { $0.delegate = delegate }
    }

    deinit {
        let core = core
        core.hand { $0.close() }
    }

    /// Who follows the tasks; `nil` once the session is invalid and its last task has ended.
    public var delegate: (any SessionDelegate)? { registry.withLock { $0.delegate } }

    /// Where the delegate and completion handlers are called.
    public var delegateQueue: TransferQueue { order.queue }

    // MARK: Tasks

    /// Makes a task; one of an invalid session fails when it is resumed.
    func add<Task: SessionTask>(_ make: (Int) -> Task) -> Task {
        let identifier = registry.withLock { registry in
            registry.lastIdentifier += 1
            return registry.lastIdentifier
        }
        let task = make(identifier)
        let isInvalid = registry.withLock { registry in
            if !registry.isInvalid { registry.tasks[identifier] = WeakTask(task: task) }
            return registry.isInvalid
        }
        if isInvalid { task.facts.withLock { $0.isOrphan = true } }
        return task
    }

    /// A task is over, or gone.
    func forget(_ identifier: Int) {
        let isEnd = registry.withLock { registry in
            registry.tasks[identifier] = nil
            return Session.isEnd(&registry)
        }
        if isEnd { end() }
    }

    /// The tasks that are not over, in the order in which they were made.
    public var tasks: [SessionTask] {
        let found = registry.withLock { registry in registry.tasks.values.compactMap(\.task) }
        return found.filter { $0.state != .completed }.sorted { $0.taskIdentifier < $1.taskIdentifier }
    }

    /// The same, in URLSession's spelling.
    public var allTasks: [SessionTask] {
        get async { tasks }
    }

    /// The same, told on the delegate queue.
    public func getAllTasks(completionHandler: @escaping @Sendable ([SessionTask]) -> Void) {
        order.append { [self] in completionHandler(tasks) }
    }

    // MARK: The end

    /// The session makes no new tasks; when those it has are over, its delegate is told and let go.
    public func finishTasksAndInvalidate() { invalidate() }

    /// The same, and every task is cancelled.
    public func invalidateAndCancel() {
        guard invalidate() else { return }
        for task in tasks { task.cancel() }
    }

    @discardableResult
    private func invalidate() -> Bool {
        guard self !== Session.shared else { return false }
        let isEnd = registry.withLock { registry in
            registry.isInvalid = true
            return Session.isEnd(&registry)
        }
        if isEnd { end() }
        return true
    }

    /// Nothing more comes: the delegate's last call.
    private func end() {
        core.hand { $0.close() }
        order.append { [self] in
            let last = registry.withLock { registry in registry.delegate.take() }
            last?.session(self, didBecomeInvalidWith: nil)
        }
    }

    /// Closes the connections that are idle, and forgets credentials. Tasks go on.
    public func reset(completionHandler: @escaping @Sendable () -> Void = {}) {
        core.hand { [order] core in
            core.reset()
            order.append(completionHandler)
        }
    }
}
