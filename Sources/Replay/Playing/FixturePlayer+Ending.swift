import Glibc

extension FixturePlayer {
    /// Ends the connection as a step says.
    func end(_ step: Fixture.Step, line: Int) {
        switch step {
        case .reset:
            // Content that the head announced comes sooner or later: a reset that overtakes it would hide it by chance.
            if !isUnread, !hasNotedOctets { _ = skipOwedContent() }
            connection.reset()
            ending = "reset"
        case .stall: stall(line: line)
        default:
            var isNotifying = true
            if case .cut = step {
                isNotifying = false
                ending = "cut off"
            }
            // A client that is still sending content gets the time to see the answer: octets for a closed socket would
            // reset the connection.
            if isUnread || owed != .none { linger(isNotifying: isNotifying, line: line) }
            connection.closeInOrder(notifying: isNotifying)
        }
    }

    /// Says nothing more until the client closes or the run is over.
    private func stall(line: Int) {
        connection.patience = nil
        scene.noteStanding(StandingConnection(line: line))
        defer { scene.noteStanding(nil) }
        guard isUnread else {
            // It is read lest a request behind the last answer go unnoticed.
            while true {
                noteUnexpected(line: line)
                connection.input = ReceivedOctets()
                let received = connection.receive()
                if case .octets = received { continue }
                ending = reason(received)
                return
            }
        }
        connection.stall()
        ending = connection.stop.isGiven ? scene.ending : "the client closed the connection"
    }

    /// Ends sending and takes what still comes, until the client closes.
    private func linger(isNotifying: Bool, line: Int) {
        connection.halfClose(isNotifying: isNotifying)
        while case .octets = connection.receive() {
            if !isUnread { noteUnexpected(line: line) }
            connection.input = ReceivedOctets()
        }
    }

    /// Waits until the client closes or the run is over. What comes before is a problem; then the connection is closed,
    /// lest the client wait for an answer.
    func waitForEnd(line: Int) {
        connection.patience = nil
        scene.noteStanding(
            StandingConnection(line: line, steps: steps, head: isUnread ? [] : lastHead))
        defer { scene.noteStanding(nil) }
        while true {
            if isUnread {
                connection.input = ReceivedOctets()
            } else if !connection.input.isEmpty {
                noteUnexpected(line: line)
                connection.closeInOrder()
                return
            }
            let received = connection.receive()
            guard case .octets = received else {
                ending = reason(received)
                return
            }
        }
    }

    /// `! await close`: waits for the client to close, in TLS by an alert that says so (RFC 9112, section 9.8).
    func awaitClose(line: Int) {
        while true {
            if !isUnread { noteUnexpected(line: line) }
            connection.input = ReceivedOctets()
            switch connection.receive() {
            case .octets: continue
            case .endOfStream, .nothing(.reset), .nothing(.failed):
                // An alert that tells of an error closes, too.
                if let session = connection.session, !session.hasPeerClosed, session.receivedAlert == nil {
                    scene.note(
                        FixtureProblem(line: line, "the client closed the connection without a close_notify"))
                }
                return
            case .nothing(.stopped):
                scene.note(
                    FixtureProblem(line: line, "\(scene.ending) before the client closed the connection"))
                return
            case .nothing(.timedOut), .nothing(.notYet):
                scene.note(
                    FixtureProblem(line: line, "the client did not close the connection within \(patience)"))
                return
            }
        }
    }

    /// `! quiet`: what comes meanwhile, or has come and was not looked at, came before its turn. It stays for the steps
    /// behind this one. A client that closes says nothing more.
    func keepQuiet(_ duration: Duration, line: Int) {
        let patience = connection.patience
        defer { connection.patience = patience }
        let end = ContinuousClock.now + duration
        // What the kernel has already counts, however short the time is.
        _ = connection.receiveAtHand()
        while connection.input.isEmpty {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return }
            connection.patience = left
            guard case .octets = connection.receive() else { return }
        }
        let octets = connection.input.all
        scene.note(
            FixtureProblem(
                line: line,
                "the client sent octets before its turn, \(octets.count) at least:\n"
                    + VisibleOctets.lines(octets.prefix(2000), of: UInt64(octets.count))))
    }

    /// Notes octets that no line expects, if there are any, once for a connection. Of a further request the head is
    /// shown whole, so a moment is given to it; it counts as a request.
    func noteUnexpected(line: Int) {
        guard !connection.input.isEmpty, !hasNotedOctets else { return }
        hasNotedOctets = true
        let before = connection.patience
        connection.patience = .milliseconds(200)
        while connection.input.count < 4096, connection.input.endOfHead(from: 0) == nil,
            case .octets = connection.receive()
        {}
        connection.patience = before
        let octets = connection.input.all
        var place: String?
        if owed == .none, let end = connection.input.endOfHead(from: 0) {
            let head = Array(octets.prefix(end))
            if RecordedRequest(connection: 0, head: head).version.hasPrefix("HTTP/") {
                scene.receiveHead(head)
                place = scene.placeOfFurtherRequest()
            }
        }
        let what =
            owed == .none
            ? "the client sent octets that no line expects" : "the client sent content that no line expects"
        scene.note(
            FixtureProblem(
                line: line,
                "\(what), \(octets.count)\(place.map { ", \($0)" } ?? ""):\n"
                    + VisibleOctets.lines(octets.prefix(2000), of: UInt64(octets.count))))
    }
}

extension ReplayConnection {
    /// POLLRDHUP, which Glibc's module lacks: the peer closed, even behind octets not read.
    private static let peerClosed: Int16 = 0x2000

    /// Waits, but no longer than the client is there and the stop is not given.
    func pause(_ duration: Duration) {
        _ = ReplaySocket.wait(
            for: socket, Int32(Self.peerClosed), stop: stop.descriptor, within: duration)
    }

    /// Waits until a signal is given, the client closes, or the stop is given.
    func wait(forOthers signal: StopSignal) {
        var entries = [
            pollfd(fd: stop.descriptor, events: 0, revents: 0),
            pollfd(fd: signal.descriptor, events: 0, revents: 0),
            pollfd(fd: socket, events: Self.peerClosed, revents: 0),
        ]
        // EINTR; nothing else can happen to a valid array.
        while poll(&entries, 3, -1) < 0 {}
    }

    /// Whether the peer closed, even behind octets not read, or reset the connection.
    var isAbandoned: Bool {
        ReplaySocket.wait(for: socket, Int32(Self.peerClosed), stop: -1, within: .zero) == .ready
    }

    /// Takes what has arrived, at most a megabyte.
    func receiveAtHand() -> Received {
        while input.count < 1 << 20 {
            let received = receive(waiting: false)
            guard case .octets = received else { return received }
        }
        return .octets
    }

    /// Ends sending, in TLS with a close_notify unless told not to.
    func halfClose(isNotifying: Bool = true) {
        if isNotifying { sendCloseNotify() }
        shutdown(socket, Int32(SHUT_WR))
    }
}
