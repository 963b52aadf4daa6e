import System
import Transport

/// A queue of blocks and operations, of which a given number run at once: the documents' `NSOperationQueue`.
///
/// What was added first begins first. Blocks may block; they run on threads of their own, those of `main` on the main
/// actor. An operation takes a place as long as it has not said that it is over. All can be used from any thread, from
/// within the queue's own blocks, too.
public final class TransferQueue: Sendable {
    /// How many run at once, unless told otherwise.
    public static let defaultMaxConcurrentOperationCount = 4

    /// The queue of the main actor: one at a time, and operations begin there as well. Nothing of it runs while the main
    /// thread does something else, such as running the network loop.
    public static let main = TransferQueue(name: "main", maxConcurrentOperationCount: 1, place: .mainActor)

    /// For people.
    public let name: String

    private let place: Place
    private let state: Monitor<State>

    /// Where blocks run and operations begin.
    private enum Place { case workers, mainActor }

    private enum Item: Sendable {
        case block(@Sendable () -> Void)
        /// A block that nobody can cancel: what it does is owed to somebody.
        case call(@Sendable () -> Void)
        case operation(any TransferOperation)

        /// What runs for a while and is no operation.
        var block: (@Sendable () -> Void)? {
            switch self {
            case .block(let block), .call(let block): block
            case .operation: nil
            }
        }
    }

    private struct State: Sendable {
        var waiting = WaitingLine<Item>()
        var runningBlocks = 0
        /// Operations that have begun, by the numbers they got then.
        var running: [Int: any TransferOperation] = [:]
        var lastNumber = 0
        var limit: Int
        var isSuspended = false
        /// A thread is beginning one after another: no other may, or the order would be lost.
        var isBeginning = false

        var count: Int { waiting.count + runningBlocks + running.count }
        var hasPlace: Bool { !isSuspended && runningBlocks + running.count < limit }
    }

    /// A queue of which at most `maxConcurrentOperationCount` run at once; less than one counts as one.
    public convenience init(
        name: String = "", maxConcurrentOperationCount: Int = defaultMaxConcurrentOperationCount
    ) {
        self.init(name: name, maxConcurrentOperationCount: maxConcurrentOperationCount, place: .workers)
    }

    private init(name: String, maxConcurrentOperationCount: Int, place: Place) {
        self.name = name
        self.place = place
        state = Monitor(State(limit: max(1, maxConcurrentOperationCount)))
    }

    deinit {
        // What waits in a queue that nobody has can never begin: each operation gets its ending.
        for case .operation(let operation) in state.withLock({ $0.waiting.takeAll() }) { operation.cancel() }
    }

    // MARK: What holds it up

    /// While true nothing new begins; what runs goes on.
    public var isSuspended: Bool {
        get { state.withLock { $0.isSuspended } }
        set {
            state.withLock { $0.isSuspended = newValue }
            beginWaiting()
        }
    }

    /// How many may run at once; less than one counts as one. That of `main` stays one.
    public var maxConcurrentOperationCount: Int {
        get { state.withLock { $0.limit } }
        set {
            guard place == .workers else { return }
            state.withLock { $0.limit = max(1, newValue) }
            beginWaiting()
        }
    }

    // MARK: What is in it

    /// How many wait and run.
    public var operationCount: Int { state.withLock { $0.count } }

    /// Runs `block` when its turn has come.
    public func addOperation(_ block: @escaping @Sendable () -> Void) { add(.block(block)) }

    /// Begins `operation` when its turn has come.
    public func addOperation(_ operation: any TransferOperation) { add(.operation(operation)) }

    /// Makes `call` when its turn has come, whatever is cancelled meanwhile.
    func addCall(_ call: @escaping @Sendable () -> Void) { add(.call(call)) }

    private func add(_ item: Item) {
        state.withLock { $0.waiting.append(item) }
        beginWaiting()
    }

    /// Cancels the operations, those that run and then those that wait; what waits leaves the queue, blocks without a
    /// word, and does not begin. A block that runs goes on. What sessions, connections and operations have to tell is
    /// told all the same.
    public func cancelAllOperations() {
        let (running, waiting) = state.withLock { state in
            let waiting = state.waiting.takeAll()
            for case .call(let call) in waiting { state.waiting.append(.call(call)) }
            return (state.running.sorted { $0.key < $1.key }.map(\.value), waiting)
        }
        for operation in running { operation.cancel() }
        for case .operation(let operation) in waiting { operation.cancel() }
        state.notifyAll()
    }

    /// Blocks the thread until the queue is empty. Never to be called from the queue's own blocks, for `main` from the
    /// main thread, nor on the network loop, where it is refused: they would wait for themselves.
    public func waitUntilAllOperationsAreFinished() {
        precondition(
            NetworkActor.loop.isIsolatingCurrentContext() != true, "the network loop cannot wait for a queue")
        state.wait { $0.count == 0 ? () : nil }
    }

    // MARK: Beginning

    /// Begins what there is a place for. Of several threads one does it for all, so that the order holds; nor does an
    /// operation that ends at once begin the next one inside its own `begin`.
    private func beginWaiting() {
        var isMine = false
        while let begin = state.withLock({ state -> (() -> Void)? in
            guard isMine || !state.isBeginning else { return nil }
            isMine = state.hasPlace && !state.waiting.isEmpty
            state.isBeginning = isMine
            return isMine ? takeFirst(of: &state) : nil
        }) {
            begin()
        }
    }

    /// Takes the first that waits, which counts as running from now on; the result begins it.
    private func takeFirst(of state: inout State) -> (() -> Void)? {
        switch state.waiting.takeFirst() {
        case .block(let block), .call(let block):
            state.runningBlocks += 1
            return { self.start(block) }
        case .operation(let operation):
            state.lastNumber += 1
            let number = state.lastNumber
            state.running[number] = operation
            return { self.begin(operation, number) }
        case nil:
            return nil
        }
    }

    private func begin(_ operation: any TransferOperation, _ number: Int) {
        let begin = { @Sendable in operation.begin { self.operationFinished(number) } }
        switch place {
        case .workers: begin()
        case .mainActor: Task { @MainActor in begin() }
        }
    }

    private func start(_ block: @escaping @Sendable () -> Void) {
        switch place {
        case .workers:
            WorkerThreads.shared.run { self.runBlocks(from: block) }
        case .mainActor:
            // The next one is a task again: others of the main actor have their turn between.
            Task { @MainActor in
                block()
                self.state.withLock { $0.runningBlocks -= 1 }
                self.goOn()
            }
        }
    }

    /// Runs `block`, and then the blocks that may take its place: going on with the same thread costs nothing.
    private func runBlocks(from block: @escaping @Sendable () -> Void) {
        var next: (@Sendable () -> Void)? = block
        while let block = next {
            block()
            next = state.withLock { state in
                state.runningBlocks -= 1
                guard !state.isBeginning, state.hasPlace, let next = state.waiting.first?.block
                else { return nil }
                _ = state.waiting.takeFirst()
                state.runningBlocks += 1
                return next
            }
        }
        goOn()
    }

    /// Said twice it counts once.
    private func operationFinished(_ number: Int) {
        guard state.withLock({ $0.running.removeValue(forKey: number) }) != nil else { return }
        goOn()
    }

    /// After an end: what waits may begin, and those who wait for the last end may go on.
    private func goOn() {
        beginWaiting()
        if operationCount == 0 { state.notifyAll() }
    }
}
