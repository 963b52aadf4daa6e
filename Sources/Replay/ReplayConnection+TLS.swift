import Glibc

extension ReplayConnection {
    /// Shakes hands as the server's TLS service says, and records what became of it.
    func shakeHands(in context: TLSServerContext) -> Flow {
        let fault = context.service.fault(ofConnection: number)
        let session: TLSSession
        do throws(ReplayError) {
            session = try TLSSession(context, fault: fault)
        } catch {
            complain("\(error.call): \(error.detail)")
            return .isOver
        }
        session.feed(input.take(input.count))  // the ClientHello may have come behind octets in clear
        var sent = HandshakeOutput(fault: fault)
        var failure: String?
        handshake: while true {
            let outcome = session.shakeHands()
            switch sent.treat(session.takeOutput(), isTLS13: session.isTLS13) {
            case .send(let octets): _ = sendRaw(octets)
            case .end(let octets, let ending):
                failure = "fault: \(ending)"
                _ = sendRaw(octets)
                record(session, failure: failure)
                end(ending)
                return .isOver
            }
            switch outcome {
            case .done: break handshake
            case .ended: failure = "the client closed"
            case .failed(let reason): failure = reason
            case .wantsInput:
                var records: [UInt8] = []
                switch receiveRaw(into: &records, waiting: true) {
                case .octets:
                    session.feed(records)
                    continue handshake
                case .endOfStream: failure = "the client closed"
                case .nothing(.timedOut): failure = "the client said nothing"
                case .nothing: failure = "the client reset the connection, or the server stopped"
                }
            }
            break
        }
        record(session, failure: failure)
        if failure != nil {
            linger()
            return .isOver
        }
        self.session = session
        return .goesOn
    }

    private func record(_ session: TLSSession, failure: String?) {
        var record = RecordedHandshake(connection: number)
        session.describe(in: &record)
        record.failure = failure
        handshakeFailure = failure
        stage.state.withLock { $0.handshakes.append(record) }
    }

    /// An alert can come long after the handshake: its record learns of it.
    func noteAlert(of session: TLSSession) {
        guard let alert = session.receivedAlert, alert != notedAlert else { return }
        notedAlert = alert
        stage.state.withLock { state in
            guard let index = state.handshakes.lastIndex(where: { $0.connection == number }) else { return }
            state.handshakes[index].receivedAlert = alert
        }
    }

    private func end(_ ending: HandshakeOutput.Ending) {
        switch ending {
        case .close: linger()
        case .reset: reset()
        case .stall: stall()
        }
    }

    /// Ends sending and waits until the peer closes as well: what it still sends must not turn an alert on its way
    /// into a reset.
    private func linger() {
        shutdown(socket, Int32(SHUT_WR))
        var dropped: [UInt8] = []
        while case .octets = receiveRaw(into: &dropped, waiting: true) {
            dropped.removeAll(keepingCapacity: true)
        }
    }
}

/// What the server's part of a handshake becomes under a fault.
struct HandshakeOutput {
    enum Ending { case close, reset, stall }

    enum Treatment {
        case send([UInt8])
        /// The octets are sent, then the connection ends.
        case end([UInt8], Ending)
    }

    let fault: TLSService.Fault?
    private var sent = 0  // octets

    init(fault: TLSService.Fault?) { self.fault = fault }

    /// What becomes of octets of the handshake, all that OpenSSL wrote at once.
    mutating func treat(_ octets: [UInt8], isTLS13: Bool) -> Treatment {
        guard let fault, !octets.isEmpty else { return .send(octets) }
        let start = sent
        sent += octets.count
        switch fault {
        case .closeAfterClientHello: return .end([], .close)
        case .resetAfterClientHello: return .end([], .reset)
        case .stallAfterClientHello: return .end([], .stall)
        case .answer(let answer): return .end(answer, .close)
        case .close(let limit):
            return sent >= limit ? .end(Array(octets.prefix(limit - start)), .close) : .send(octets)
        case .spoil(let place):
            var octets = octets
            if place >= start, place < sent { octets[place - start] ^= 0x55 }
            return .send(octets)
        case .alert(let number, let stage): return alert(number, stage, octets, isFirst: start == 0, isTLS13)
        }
    }

    private func alert(
        _ number: UInt8, _ stage: TLSService.AlertStage, _ octets: [UInt8], isFirst: Bool, _ isTLS13: Bool
    ) -> Treatment {
        let record: [UInt8] = [21, 3, 3, 0, 2, 2, number]  // an alert, two octets, fatal
        switch stage {
        case .serverHello: return .end(record, .close)
        case .certificate where !isTLS13:
            // OpenSSL puts each message into a record of its own: the first is the ServerHello.
            guard octets.count > 5 else { return .end(record, .close) }
            return .end(Array(octets.prefix(5 + Int(octets[3]) << 8 + Int(octets[4]))) + record, .close)
        case .finished where !isTLS13 && !isFirst: return .end(record, .close)
        case .certificate, .finished: return .send(octets)  // OpenSSL itself wrote the alert, encrypted
        }
    }
}
