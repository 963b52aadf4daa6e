import Glibc

/// What the threads of one server share. They keep it alive, not the `ReplayServer`, whose `deinit` stops them.
final class Stage: Sendable {
    /// What is played.
    enum Part: Sendable {
        case script(Script)
        case handler(@Sendable (RecordedRequest) -> [Script.Step])
        /// Gets each connection when it is accepted, in order, and returns what its thread does.
        case player(@Sendable (ReplayConnection) -> () -> Void)
    }

    enum Phase { case created, running, stopped }

    struct State {
        var phase = Phase.created
        var acceptor: pthread_t?
        /// The threads of open connections, by connection number.
        var threads: [Int: pthread_t] = [:]
        /// Threads that have done their work and wait to be joined.
        var finished: [pthread_t] = []
        var connectionCount = 0
        var requests: [RecordedRequest] = []
        var handshakes: [RecordedHandshake] = []
        var complaints: [String] = []
    }

    let part: Part
    /// How TLS is spoken; `nil`: not at all.
    let tls: TLSServerContext?
    let patience: Duration
    /// Given when the server stops; everybody who waits watches it.
    let stop: StopSignal
    let listener: Int32
    let state = Guarded(State())

    init(
        _ part: Part, tls: TLSServerContext?, listener: Int32, stop: StopSignal, patience: Duration
    ) {
        self.part = part
        self.tls = tls
        self.listener = listener
        self.stop = stop
        self.patience = patience
    }

    /// Starts a thread that runs `body` on `argument`. Returns the error number of `pthread_create`.
    static func spawn<Argument: AnyObject & Sendable>(
        _ thread: inout pthread_t,
        _ body: @escaping @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
        _ argument: Argument
    ) -> Int32 {
        // Safety: the reference given here is taken over by `body`, or released when no thread came to be.
        let reference = Unmanaged.passRetained(argument)
        // Safety: the attributes are made and destroyed in their place, which is there for all of these calls. (Several
        // modules of C define them, so that Swift does not know whose initialiser it would call.)
        let error = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { place in
            guard let attributes = place.baseAddress else { return ENOMEM }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, 1 << 20)  // hundreds of connections at once are normal
            return pthread_create(&thread, attributes, body, reference.toOpaque())
        }
        if error != 0 { reference.release() }
        return error
    }

    /// Joins what has finished, so that a long test does not collect threads.
    func joinFinished() {
        let finished = state.withLock { state in
            defer { state.finished = [] }
            return state.finished
        }
        for thread in finished { pthread_join(thread, nil) }
    }

    /// Ends and joins all threads, then closes the descriptors; the second call finds nothing to do.
    func end() {
        let acceptor: pthread_t?? = state.withLock { state in
            guard state.phase != .stopped else { return nil }
            state.phase = .stopped
            return .some(state.acceptor)
        }
        guard let acceptor else { return }
        stop.give()
        if let acceptor { pthread_join(acceptor, nil) }  // after that no new connection comes
        _ = state.wait(within: .seconds(60)) { $0.threads.isEmpty }
        joinFinished()
        close(listener)
    }

    /// Takes a connection that has arrived and starts its thread; whether there was one. Accepting and noting are one
    /// step, so that nobody sees a connection that is neither in the queue nor among those open.
    func acceptOne() -> Bool {
        state.withLock { state in
            // Once stopped the listener's number may be somebody else's.
            guard state.phase != .stopped else { return false }
            let socket = ReplaySocket.accept(from: listener)
            guard socket >= 0 else { return false }
            let connection = ReplayConnection(stage: self, socket: socket, number: state.connectionCount)
            state.connectionCount += 1
            var thread = pthread_t()
            if Stage.spawn(&thread, playConnection, connection) == 0 {
                state.threads[connection.number] = thread
                // The thread begins when this lock is free again.
                if case .player(let player) = part { connection.performance = player(connection) }
            } else {
                close(socket)
                state.complaints.append("no thread for connection \(connection.number)")
            }
            return true
        }
    }

    /// Whether no connection is open and none waits to be accepted.
    var isIdle: Bool {
        state.withLock { state in
            guard state.phase != .stopped else { return state.threads.isEmpty }
            var entry = pollfd(fd: listener, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
            return state.threads.isEmpty && poll(&entry, 1, 0) == 0
        }
    }
}

/// What the accepting thread runs. Free, since a closure made in isolated code would trap on another thread.
func acceptConnections(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    // Safety: `Stage.spawn` passed a retained reference of this type.
    let stage = Unmanaged<Stage>.fromOpaque(argument).takeRetainedValue()
    while ReplaySocket.wait(for: stage.listener, POLLIN, stop: stage.stop.descriptor, within: nil)
        == .ready
    {
        stage.joinFinished()
        if !stage.acceptOne() {
            // The peer has gone again, or descriptors are short: a moment's rest keeps this from spinning.
            _ = ReplaySocket.wait(for: -1, 0, stop: stage.stop.descriptor, within: .milliseconds(5))
        }
    }
    return nil
}

/// What the thread of a connection runs.
func playConnection(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    // Safety: `Stage.spawn` passed a retained reference of this type.
    let connection = Unmanaged<ReplayConnection>.fromOpaque(argument).takeRetainedValue()
    connection.stage.state.withLock { _ in }  // what accepts the connection has done its part
    connection.play()
    connection.stage.state.withLock { state in
        if let thread = state.threads.removeValue(forKey: connection.number) { state.finished.append(thread) }
    }
    return nil
}
