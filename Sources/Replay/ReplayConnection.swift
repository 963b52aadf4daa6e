import Glibc

/// One accepted connection, played by its own thread.
final class ReplayConnection: @unchecked Sendable {
    // Safety: handed once from the accepting thread to the connection's thread; only that one touches it then.
    let stage: Stage
    let socket: Int32
    let number: Int
    /// Octets received that no step has used yet.
    var input = ReceivedOctets()
    /// Where the record of the last request stands.
    var lastRequest: Int?
    /// The TLS session once the handshake is over; `nil`: plain.
    var session: TLSSession?
    /// The alert that is recorded.
    var notedAlert: UInt8?
    /// Why the last handshake failed; `nil`: it did not.
    var handshakeFailure: String?
    /// What the thread does in place of the stage's script or handler.
    var performance: (() -> Void)?
    /// Ends the connection: that of the stage, or one of its own.
    var stop: StopSignal
    /// How long to wait for the peer; `nil`: until the stop.
    var patience: Duration?
    /// The most octets that are handed to the kernel at once.
    var pieceSize = Int.max
    /// Why the last octets could not be sent.
    var sendingLack: Lack?
    /// Octets sent and received, those of TLS records where there are such.
    private(set) var sentCount: UInt64 = 0
    var receivedCount: UInt64 = 0
    private(set) var isClosed = false

    /// Whether the connection goes on after a step.
    enum Flow { case goesOn, isOver }

    init(stage: Stage, socket: Int32, number: Int) {
        self.stage = stage
        self.socket = socket
        self.number = number
        stop = stage.stop
        patience = stage.patience
    }

    /// Plays the connection to its end and closes it.
    func play() {
        var one: Int32 = 1
        // Fails on a Unix socket, which has nothing to delay.
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        if let performance {
            self.performance = nil  // it holds the connection
            performance()
        } else if stage.tls.map({ shakeHands(in: $0) == .goesOn }) ?? true {
            playPart()
        }
        if !isClosed { closeInOrder() }
    }

    private func playPart() {
        switch stage.part {
        case .player: break  // it has given a performance
        case .script(let script):
            let connection = script.connection(number)
            repeat {
                guard play(connection.steps) == .goesOn else { break }
            } while connection.isRepeating && !connection.steps.isEmpty
        case .handler(let handler):
            while receiveRequest() == .goesOn, let index = lastRequest {
                let request = stage.state.withLock { $0.requests[index] }
                guard play(handler(request)) == .goesOn else { break }
            }
        }
    }

    private func play(_ steps: [Script.Step]) -> Flow {
        for step in steps {
            guard play(step) == .goesOn else { return .isOver }
        }
        return .goesOn
    }

    private func play(_ step: Script.Step) -> Flow {
        switch step {
        case .expectHead: return receiveHead()
        case .expectContent(let length): return receiveContent(length)
        case .check(let check): return judge(by: check)
        case .send(let octets): return send(octets)
        case .sendRepeated(let octets, let times): return sendRepeated(octets, times: times)
        case .sendGenerated(let seed, let range): return sendGenerated(GeneratedContent(seed: seed), range)
        case .pause(let duration):
            return ReplaySocket.wait(for: -1, 0, stop: stop.descriptor, within: duration) == .stopped
                ? .isOver : .goesOn
        case .pieces(let size):
            pieceSize = max(1, size)
            return .goesOn
        case .sendUnprotected(let octets): return sendRaw(octets)
        case .updateKeys:
            guard let session, case .done = session.updateKeys() else {
                complain("keys cannot be updated")
                return .goesOn
            }
            return sendRaw(session.takeOutput())
        case .halfClose:
            sendCloseNotify()
            shutdown(socket, Int32(SHUT_WR))
            return .goesOn
        case .close:
            closeInOrder()
            return .isOver
        case .closeWithoutNotify:
            closeInOrder(notifying: false)
            return .isOver
        case .reset:
            reset()
            return .isOver
        case .stall:
            stall()
            return .isOver
        }
    }

    /// Waits until the peer closes or the server stops.
    func stall() {
        // POLLRDHUP (0x2000, which Glibc's module lacks): the peer closed, even behind octets not read.
        _ = ReplaySocket.wait(for: socket, 0x2000, stop: stop.descriptor, within: nil)
    }

    private func judge(by check: @Sendable (RecordedRequest) -> String?) -> Flow {
        guard let index = lastRequest else {
            complain("a check before any request")
            return .goesOn
        }
        let request = stage.state.withLock { $0.requests[index] }
        if let complaint = check(request) { complain(complaint) }
        return .goesOn
    }

    func complain(_ complaint: String) {
        stage.state.withLock { $0.complaints.append("connection \(number): \(complaint)") }
    }

    // MARK: Sending

    func send(_ octets: [UInt8]) -> Flow {
        guard let session else { return sendRaw(octets) }
        // Safety: the pointers stay within the array's own octets, which outlive the calls.
        return octets.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let end = min(offset + 262_144, bytes.count)  // sixteen records
                let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
                guard case .done = session.write(part), sendRaw(session.takeOutput()) == .goesOn else {
                    return .isOver
                }
                offset = end
            }
            return .goesOn
        }
    }

    /// Sends octets as they are, in pieces of the size wanted.
    func sendRaw(_ octets: [UInt8]) -> Flow {
        // Safety: the pointers stay within the array's own octets, which outlive the calls.
        octets.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                // A peer that reads on and on would never let the wait below see it.
                guard !stop.isGiven else {
                    sendingLack = .stopped
                    return .isOver
                }
                let end = offset + min(pieceSize, bytes.count - offset)
                let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
                let count = Glibc.send(
                    socket, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                let error = errno
                if count >= 0 {
                    offset += count
                    sentCount += UInt64(count)
                } else if error == EAGAIN {
                    let readiness = wait(for: POLLOUT)
                    guard readiness == .ready else {
                        sendingLack = readiness == .stopped ? .stopped : .timedOut
                        return .isOver
                    }
                } else if error != EINTR {
                    sendingLack = .reset
                    return .isOver  // the peer has closed, which tests do on purpose
                }
            }
            return .goesOn
        }
    }

    private func sendRepeated(_ octets: [UInt8], times: Int) -> Flow {
        guard !octets.isEmpty else { return .goesOn }
        // Small octets are joined into blocks, so that a gigabyte does not take a call for each.
        let perBlock = max(1, 65_536 / octets.count)
        var block: [UInt8] = []
        for _ in 0..<min(perBlock, times) { block += octets }
        var left = times
        while left >= perBlock {
            guard send(block) == .goesOn else { return .isOver }
            left -= perBlock
        }
        return send(Array(block.prefix(left * octets.count)))
    }

    private func sendGenerated(_ content: GeneratedContent, _ range: Range<UInt64>) -> Flow {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let end = min(range.upperBound, offset + 262_144)
            guard send(content.octets(in: offset..<end)) == .goesOn else { return .isOver }
            offset = end
        }
        return .goesOn
    }

    func wait(for events: Int32) -> ReplaySocket.Readiness {
        ReplaySocket.wait(for: socket, events, stop: stop.descriptor, within: patience)
    }

    // MARK: Ending

    func sendCloseNotify() {
        guard let session else { return }
        session.close()
        _ = sendRaw(session.takeOutput())
    }

    func closeInOrder(notifying: Bool = true) {
        guard !isClosed else { return }
        if notifying { sendCloseNotify() }
        shutdown(socket, Int32(SHUT_WR))
        // Unread octets would turn the close into a reset.
        var dropped: [UInt8] = []
        while case .octets = receiveRaw(into: &dropped, waiting: false) {
            dropped.removeAll(keepingCapacity: true)
        }
        isClosed = true
        close(socket)
    }

    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        isClosed = true
        close(socket)
    }
}
