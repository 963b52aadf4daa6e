import Glibc

/// Plays the script of one connection on its thread, and judges what the client sends.
///
/// A client that has closed, or a run that is over, ends what waits for it. Sending to nobody is no problem; what the
/// client sent before it closed is judged all the same, so that it does not matter when its closing is noticed.
final class FixturePlayer {
    let connection: ReplayConnection
    var scene: FixtureScene
    /// What is played.
    private(set) var steps: [Fixture.Located<Fixture.Step>] = []
    /// The index of the last step that wants something of the client; -1: there is none.
    private var lastReading = -1
    /// Octets of adjacent sends.
    private var outgoing: [UInt8] = []
    /// Whether octets still reach the client.
    private var isSending = true
    /// The last request, and the line where it was expected.
    var lastHead: [UInt8] = []
    var lastLine = 0
    /// The content of the last request, as long as no step has asked for it.
    var owed = DeclaredContent.none
    /// What the client sends is not looked at, since the fixture says so or an error has left nothing to go by.
    var isUnread = false
    /// Octets that nobody expects are told once.
    var hasNotedOctets = false
    var hasJudgedRest = false
    /// Further requests may follow what is played, and are no octets that nobody expects.
    var allowsMore = false
    /// How the connection ended, for people.
    var ending = "closed"

    /// Whether the script goes on after a step.
    enum Flow { case goesOn, isOver }

    init(_ connection: ReplayConnection, _ scene: FixtureScene) {
        self.connection = connection
        self.scene = scene
    }

    /// Plays steps to the end of the connection.
    func play(_ steps: [Fixture.Located<Fixture.Step>]) {
        guard playAll(steps) == .goesOn else { return }
        waitForEnd(line: steps.last?.line ?? 0)
    }

    /// Plays steps one after another; whether the connection is still open behind them.
    func playAll(_ steps: [Fixture.Located<Fixture.Step>]) -> Flow {
        self.steps = steps
        lastReading = steps.lastIndex { $0.value.readsInput } ?? -1
        for (index, step) in steps.enumerated() {
            guard play(step.value, at: index, line: step.line) == .goesOn else {
                flush(line: step.line)
                return .isOver
            }
        }
        flush(line: steps.last?.line ?? 0)
        return .goesOn
    }

    private func play(_ step: Fixture.Step, at index: Int, line: Int) -> Flow {
        if step.sends {
            judgeRest(at: index, line: line)
        } else {
            flush(line: line)
        }
        switch step {
        case .request(let request): return receive(request, at: index, line: line)
        case .requestContent(let content): return receiveContent(content, at: index, line: line)
        case .requestBody(let content): return receiveBody(content, at: index, line: line)
        case .sendLine(let octets): emit(octets + [0x0D, 0x0A], line: line)
        case .sendText(let octets): emit(octets, line: line)
        case .send(let content): emit(content, line: line)
        case .pause(let duration): connection.pause(duration)
        case .quiet(let duration): keepQuiet(duration, line: line)
        case .pieces(let size): connection.pieceSize = max(1, size ?? .max)
        case .awaitClose: awaitClose(line: line)
        case .unread: isUnread = true
        case .meet(let name): if let signal = scene.meet(name) { connection.wait(forOthers: signal) }
        case .tls(let tls): return beginTLS(tls, at: index, line: line)
        case .updateKeys: updateKeys(line: line)
        case .unprotected(let content): sendUnprotected(content)
        case .interrupt:
            guard !connection.stop.isGiven, !connection.isAbandoned else {
                // What the person did too late, or to nobody, is no interruption.
                giveUp(
                    at: index,
                    because: connection.stop.isGiven ? scene.ending : "the client closed the connection")
                return .isOver
            }
            scene.interrupt()
        case .halfClose:
            judgeRest(at: index, line: line)
            connection.halfClose()
            isSending = false
        case .close, .cut, .reset, .stall:
            judgeRest(at: index, line: line)
            end(step, line: line)
            return .isOver
        }
        return .goesOn
    }

    // MARK: Sending

    private func emit(_ octets: [UInt8], line: Int) {
        guard isSending else { return }
        outgoing += octets
        if outgoing.count >= 262_144 { flush(line: line) }
    }

    private struct Gone: Error {}

    private func emit(_ content: FixtureContent, line: Int) {
        do throws(Gone) {
            // Much content need not be made for a client that is gone.
            try content.forEachPart { (part) throws(Gone) in
                emit(part, line: line)
                guard isSending else { throw Gone() }
            }
        } catch {}
    }

    /// Hands the octets of adjacent sends to the kernel.
    private func flush(line: Int) {
        guard !outgoing.isEmpty else { return }
        if isSending, connection.send(outgoing) == .isOver {
            isSending = false
            if connection.sendingLack == .timedOut {
                scene.note(FixtureProblem(line: line, "the client took no octet for \(patience)"))
            }
        }
        outgoing.removeAll(keepingCapacity: true)
    }

    private func sendUnprotected(_ content: FixtureContent) {
        do throws(Gone) {
            try content.forEachPart { (part) throws(Gone) in
                if isSending, connection.sendRaw(part) == .isOver { isSending = false }
                guard isSending else { throw Gone() }
            }
        } catch {}
    }

    /// The patience, for people.
    var patience: String {
        guard let (seconds, attoseconds) = connection.patience?.components else { return "long" }
        return seconds > 0 ? "\(seconds) s" : "\(attoseconds / 1_000_000_000_000_000) ms"
    }

    // MARK: TLS

    /// Shakes hands in the middle of a connection.
    private func beginTLS(_ tls: Fixture.TLS, at index: Int, line: Int) -> Flow {
        guard connection.session == nil else {
            scene.note(FixtureProblem(line: line, "TLS inside of TLS cannot be played"))
            return .isOver
        }
        // Behind CONNECT the client wants to see the host that it asked for (RFC 9110, section 9.3.6).
        let request = RecordedRequest(connection: 0, head: lastHead)
        var hosts = scene.hosts
        if request.method == "CONNECT", let host = request.target.split(separator: ":").first {
            let host = host.lowercased()
            hosts = [host] + hosts.filter { $0 != host }
        }
        guard let reason = shakeHands(tls, for: hosts, line: line) else { return .goesOn }
        giveUp(at: index + 1, because: reason)
        return .isOver
    }

    /// Shakes hands; why that failed, for people, `nil` when it did not.
    func shakeHands(_ tls: Fixture.TLS, for hosts: [String], line: Int) -> String? {
        let context: TLSServerContext
        do throws(ReplayError) {
            context = try scene.context(tls, hosts)
        } catch {
            scene.note(FixtureProblem(line: line, "TLS cannot be set up: \(error.call) \(error.detail)"))
            return "TLS could not be set up"
        }
        _ = connection.shakeHands(in: context)
        guard let failure = connection.handshakeFailure else { return nil }
        return "TLS did not begin: \(failure)"
    }

    private func updateKeys(line: Int) {
        guard let session = connection.session else {
            scene.note(FixtureProblem(line: line, "keys cannot be updated: this is no TLS"))
            return
        }
        guard case .done = session.updateKeys() else {
            scene.note(FixtureProblem(line: line, "keys cannot be updated: this is no TLS 1.3"))
            return
        }
        if isSending, connection.sendRaw(session.takeOutput()) == .isOver { isSending = false }
    }

    // MARK: What was not reached

    /// Notes the first thing that is still expected of the client.
    func giveUp(at index: Int, because reason: String) {
        ending = reason
        for step in steps[min(index, steps.count)...] {
            guard let what = step.value.expectation else { continue }
            scene.note(FixtureProblem(line: step.line, "\(reason); \(what) was still expected"))
            return
        }
    }

    // MARK: Octets that nobody expects

    /// Looks once at what is at hand when no later step reads: before the answer goes out, since what the client sends
    /// as a reaction to that may come too soon or too late.
    private func judgeRest(at index: Int, line: Int) {
        guard index > lastReading, !hasJudgedRest, !allowsMore else { return }
        hasJudgedRest = true
        guard !isUnread else { return }
        _ = connection.receiveAtHand()
        noteUnexpected(line: line)
    }
}
