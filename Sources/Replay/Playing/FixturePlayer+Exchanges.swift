/// Exchanges that may come on any connection.
extension FixturePlayer {
    /// Waits for the head of a request as long as the client and the run are there, and leaves it where it is. `nil`:
    /// none comes whole.
    func awaitHead() -> [UInt8]? {
        let patience = connection.patience
        connection.patience = nil
        defer { connection.patience = patience }
        if let head = peekHead() { return head }
        ending = connection.stop.isGiven ? scene.ending : "the client closed the connection"
        return nil
    }

    /// Plays one exchange; whether the connection is open for a further request.
    func playExchange(_ steps: [Fixture.Located<Fixture.Step>]) -> Flow {
        allowsMore = !steps.contains { $0.value.isLast }
        hasJudgedRest = false
        connection.pieceSize = .max
        guard playAll(steps) == .goesOn else { return .isOver }
        guard allowsMore else {
            waitForEnd(line: steps.last?.line ?? 0)
            return .isOver
        }
        return skipOwedContent() ? .goesOn : .isOver
    }
}

extension Fixture.Step {
    /// Whether no request can be answered on the connection behind it.
    fileprivate var isLast: Bool {
        switch self {
        case .close, .halfClose, .reset, .stall, .cut, .awaitClose, .unread: true
        default: false
        }
    }
}

extension Fixture.Connection {
    /// The script cut before each request, so that each exchange can be played alone: what stands before the first
    /// request belongs to it, and the size of pieces that holds where an exchange begins is told again.
    var exchanges: [Fixture.Connection] {
        var exchanges: [Fixture.Connection] = []
        var before: [Fixture.Located<Fixture.Step>] = []
        var pieces: [Fixture.Located<Fixture.Step>] = []
        for step in steps {
            if case .request = step.value {
                let start = exchanges.isEmpty ? before : pieces
                exchanges.append(Fixture.Connection(to: server, line: step.line, start + [step]))
            } else if exchanges.isEmpty {
                before.append(step)
            } else {
                exchanges[exchanges.count - 1].steps.append(step)
            }
            if case .pieces = step.value { pieces = [step] }
        }
        // A script without a request, which no text can say, is kept, so that it is told that nobody asks for it.
        return exchanges.isEmpty ? [self] : exchanges
    }
}
