import CLinux
import Glibc
import Synchronization
import System

/// One epoll loop on one thread: the executor of `NetworkActor` and of the tasks that prefer it.
///
/// It is a serial executor, so that isolated calls run here, and a task executor, since a continuation resumes on
/// the *generic* executor: without the preference every wait would start threads and hop between them twice.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    // Safety: what is marked "shared" is touched by any thread; all else by the loop's thread only.

    /// What other threads hand over.
    enum Foreign {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    private let foreign = Lock<[Foreign]>([])  // shared
    private let wakeup: Int32  // shared: an eventfd
    private let thread = Atomic<UInt>(0)  // shared: 0 until adopted or started
    private let isStarted = Atomic<Bool>(false)  // shared
    private let outcome = Atomic<Int32>(0)  // what `run` returns

    let epoll: Int32
    private var events: [epoll_event]
    private var ready: [UnownedJob] = []
    private var running: [UnownedJob] = []
    private var beforeWaiting: [@NetworkActor () -> Void] = []
    /// A loop that is never idle does deferred work after this many turns all the same.
    private static let longestDeferral = 16
    private var deferredTurns = 0
    private var channels: [Channel?] = []
    private var freeSlots: [Int] = []
    private var generation: UInt32 = 0
    private var timers = TimerQueue()
    private var isStopping = false
    private var polling = PollingCredit()
    private var lastWaitNumber: UInt64 = 0
    /// The pipe through which octets go from socket to file; empty at every await, so one serves all.
    var pipe: SplicePipe?

    init() {
        epoll = clinux_epoll_create()
        wakeup = clinux_eventfd()
        events = [epoll_event](repeating: epoll_event(), count: 64)
        _ = clinux_epoll_add(epoll, wakeup, UInt32(EPOLLIN.rawValue), EventLoop.wakeupData)
    }

    private static let wakeupData = UInt64.max

    /// Whether the system gave the two descriptors that a loop needs. Where it did not, nothing can be waited for: a
    /// program should say so and end.
    public var isUsable: Bool { epoll >= 0 && wakeup >= 0 }

    // MARK: Threads

    /// Whether the caller runs on the loop's thread.
    var isOnLoop: Bool { thread.load(ordering: .acquiring) == UInt(pthread_self()) }

    /// Starts a thread of the loop's own, unless a thread runs it or has adopted it.
    public func startThreadIfNeeded() {
        guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        precondition(isUsable, "no descriptor left for the event loop")
        var id = pthread_t()
        let code = pthread_create(&id, nil, runLoop, nil)
        precondition(code == 0, "no thread can be started for the event loop")
        pthread_detach(id)
    }

    /// Makes the calling thread the loop's and runs until `body` has returned; the result is `body`'s.
    /// For a program whose main thread has nothing else to do; only before anything else used the loop.
    public func run(_ body: @escaping @Sendable @NetworkActor () async -> Int32) -> Int32 {
        precondition(!isStarted.exchange(true, ordering: .acquiringAndReleasing), "the loop runs already")
        thread.store(UInt(pthread_self()), ordering: .releasing)
        _ = Task(executorPreference: self) {
            self.outcome.store(await body(), ordering: .releasing)
            self.stop()
        }
        runUntilStopped()
        return outcome.load(ordering: .acquiring)
    }

    /// Runs jobs, events and timers on the calling thread until `stop`.
    fileprivate func runUntilStopped() {
        thread.store(UInt(pthread_self()), ordering: .releasing)
        // write and splice to a pipe raise SIGPIPE whatever the flags: EPIPE is enough.
        _ = clinux_block_sigpipe()
        while !isStopping { turn() }
        isStopping = false
    }

    /// Ends the run after this turn.
    private func stop() { call { self.isStopping = true } }

    // MARK: Executor

    /// Takes a job: on the loop's thread at once into its queue, from others by a hand-over that wakes it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isOnLoop { return ready.append(job) }
        // Whoever calls an isolated method first need not know that there is a loop to start.
        startThreadIfNeeded()
        hand(.job(job))
    }

    /// The loop as the executor of `NetworkActor`.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// The loop as the executor that tasks prefer.
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    /// Traps off the loop's thread: a mistake of our own.
    public func checkIsolated() { precondition(isOnLoop, "not on the network loop") }

    /// Whether the caller runs on the loop's thread.
    public func isIsolatingCurrentContext() -> Bool? { isOnLoop }

    /// Runs `work` on the loop's thread: at once there, soon from another.
    package func call(_ work: @escaping @Sendable () -> Void) {
        if isOnLoop { work() } else { hand(.call(work)) }
    }

    private func hand(_ work: Foreign) {
        let isFirst = foreign.withLock { queue in
            queue.append(work)
            return queue.count == 1
        }
        // Whoever comes first to a loop that no thread has adopted, by whatever entry, starts it.
        if !isStarted.load(ordering: .acquiring) { startThreadIfNeeded() }
        guard isFirst else { return }  // one write wakes the loop for the whole batch
        var one: UInt64 = 1
        _ = write(wakeup, &one, 8)
    }

    /// Runs `work` once, when nothing else is ready and before the loop waits: for what must be done, but not
    /// before the next request is on its way.
    @NetworkActor
    public func runBeforeWaiting(_ work: @escaping @NetworkActor () -> Void) { beforeWaiting.append(work) }

    // MARK: One turn

    private func turn() {
        runReadyJobs()
        if !beforeWaiting.isEmpty, ready.isEmpty || deferredTurns == EventLoop.longestDeferral {
            deferredTurns = 0
            let work = beforeWaiting
            beforeWaiting.removeAll(keepingCapacity: true)
            NetworkActor.assumeIsolated { for item in work { item() } }
        }
        if !beforeWaiting.isEmpty { deferredTurns += 1 }
        guard !isStopping else { return }
        if ready.isEmpty && beforeWaiting.isEmpty { waitForEvents() } else { _ = takeEvents(waiting: 0) }
        fireTimers()
    }

    private func runReadyJobs() {
        guard !ready.isEmpty else { return }
        swap(&ready, &running)
        let serial = asUnownedSerialExecutor()
        let task = asUnownedTaskExecutor()
        for job in running { job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
        running.removeAll(keepingCapacity: true)
    }

    private func waitForEvents() {
        let start = Instant.now
        let timer = timers.earliest.map { max(0, $0.nanoseconds - start.nanoseconds) }
        if let limit = polling.allowance(until: timer) {
            // A short wait costs less CPU than sending the core to sleep and waking it.
            repeat {
                if takeEvents(waiting: 0) > 0 {
                    polling.recordWait(of: 0)
                    return
                }
            } while Instant.now.nanoseconds - start.nanoseconds < limit
            polling.recordMiss()
        }
        let rest = timers.earliest.map { max(0, $0.nanoseconds - Instant.now.nanoseconds) }
        if takeEvents(waiting: rest ?? -1) > 0 {
            polling.recordWait(of: Instant.now.nanoseconds - start.nanoseconds)
        }
    }

    /// Takes what epoll has; returns how many events there were.
    private func takeEvents(waiting nanoseconds: Int64) -> Int {
        var total = 0
        var limit = nanoseconds
        while true {
            let count = Int(clinux_epoll_wait(epoll, &events, Int32(events.count), limit))
            guard count > 0 else { return total }  // EINTR counts as nothing: the loop comes round again
            for index in 0..<count { dispatch(events[index]) }
            total += count
            guard count == events.count else { return total }
            limit = 0
        }
    }

    private func dispatch(_ event: epoll_event) {
        let data = event.data.u64
        if data == EventLoop.wakeupData { return takeForeign() }
        let slot = Int(data & 0xFFFF_FFFF)
        // A closed channel's slot may serve another by now: the generation tells.
        guard slot < channels.count, let channel = channels[slot], channel.generation == UInt32(data >> 32)
        else { return }
        channel.receive(events: event.events)
    }

    private func takeForeign() {
        var count: UInt64 = 0
        _ = read(wakeup, &count, 8)
        let batch = foreign.withLock { queue in
            defer { queue = [] }
            return queue
        }
        for work in batch {
            switch work {
            case .job(let job): ready.append(job)
            case .call(let call): call()
            }
        }
    }

    private func fireTimers() {
        // Events were taken before this: a deadline never fires while its descriptor is ready.
        guard let earliest = timers.earliest else { return }
        let now = Instant.now
        guard earliest <= now else { return }
        while let owner = timers.next(dueAt: now) {
            if let next = owner.expire(at: now) { timers.add(next, owner) }
        }
    }

    // MARK: Channels and timers

    /// Registers an open socket, once, for all it can tell; the channel owns it from now on.
    func register(_ descriptor: consuming FileDescriptor) throws(SystemError) -> Channel {
        generation &+= 1
        let slot = freeSlots.popLast() ?? channels.count
        let channel = Channel(descriptor, slot: slot, generation: generation, loop: self)
        let interest = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        let data = UInt64(generation) << 32 | UInt64(slot)
        let result = clinux_epoll_add(epoll, channel.rawValue, interest, data)
        let code = errno
        guard result == 0 else {
            freeSlots.append(slot)
            throw SystemError(call: "epoll_ctl", errno: code)
        }
        if slot == channels.count { channels.append(channel) } else { channels[slot] = channel }
        return channel
    }

    func forget(slot: Int) {
        channels[slot] = nil
        freeSlots.append(slot)
    }

    /// Timers that have not fired.
    var timerCount: Int { timers.count }

    func addTimer(_ instant: Instant, _ owner: any Expiring) { timers.add(instant, owner) }

    func nextWaitNumber() -> UInt64 {
        lastWaitNumber += 1
        return lastWaitNumber
    }

    /// While bulk content flows, waits are long enough to sleep through.
    @NetworkActor
    package func bulkTransferBegan() { polling.bulkTransfers += 1 }
    @NetworkActor
    package func bulkTransferEnded() { polling.bulkTransfers -= 1 }
}

/// What the loop's own thread runs; a free function, since a closure written in isolated code traps there.
private func runLoop(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    NetworkActor.loop.runUntilStopped()
    return nil
}

/// Whether to ask epoll again and again before sleeping: only while recent waits were short.
struct PollingCredit {
    /// Longest time spent asking before a sleep, in nanoseconds.
    static let longest: Int64 = 50_000
    /// A wait up to this long, wake-up included, counts as short.
    static let short: Int64 = 150_000

    var bulkTransfers = 0
    private var credit = 0

    /// How long to ask; `nil` when sleeping is better.
    func allowance(until timer: Int64?) -> Int64? {
        guard credit > 0, bulkTransfers == 0 else { return nil }
        return min(PollingCredit.longest, timer ?? .max)
    }

    mutating func recordWait(of nanoseconds: Int64) {
        if nanoseconds <= PollingCredit.short {
            credit = min(credit + 1, 4)
        } else {
            credit = max(credit - 1, 0)
        }
    }

    mutating func recordMiss() { credit = max(credit - 1, 0) }
}
