/// What happens on connections, but for requests.
extension FixtureParser {
    /// A run that may still get lines.
    struct OpenRun {
        var run: Fixture.Run
        /// The field lines of a load.
        var loadFields: [String] = []
        var connection: OpenConnection?
        /// How many connections have a `meet` of a name, and where the first stands.
        var meets: [String: (connections: Int, line: Int)] = [:]
        /// Outcomes that may stand once, and where they do.
        var single: [String: Int] = [:]
        /// What outcomes say about paths.
        var claims: [[UInt8]: PathClaim] = [:]
        /// What outcomes say about names of fields: whether they are there, and the line.
        var fields: [[UInt8]: (isThere: Bool, line: Int)] = [:]
        var timeOver: Duration?
        var timeUnder: Duration?

        init(_ run: Fixture.Run) { self.run = run }

        /// Something has happened to it.
        var hasBegun: Bool { connection != nil || !run.outcomes.isEmpty }
    }

    /// A connection that may still get steps.
    struct OpenConnection {
        /// How far the last request has been read.
        enum RequestState {
            case none, head, content, body
        }

        var line: Int
        var server: Int
        var steps: [Fixture.Located<Fixture.Step>] = []
        var head: OpenHead?
        var request = RequestState.none
        /// The TLS that is spoken; `nil`: none.
        var tls: Fixture.TLS?
        /// The step that ended it.
        var ending: (word: String, line: Int)?
        var hasToldOfEnding = false
        var halfCloseLine: Int?
        var unreadLine: Int?
        var meets: Set<String> = []
    }

    private enum ToWord: String, CaseIterable {
        case to
    }

    /// `connection [to HOST[:PORT]]`
    mutating func connection(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        var server = 0
        scanner.skipBlanks()
        if scanner.next != nil {
            do throws(FixtureComplaint) {
                _ = try scanner.choice(ToWord.self)
                server = try serverIndex(&scanner)
                try scanner.finish()
            } catch { complain(error) }
        }
        guard isInRun(at: line) else { return }
        finishConnection()
        open(OpenConnection(line: line, server: server))
    }

    private mutating func open(_ connection: OpenConnection) {
        var connection = connection
        if servers.indices.contains(connection.server) {
            let server = servers[connection.server]
            connection.tls = server.tls
            if server.reception != .accepted {
                let word = server.reception == .refused ? "refused" : "silent"
                complain(at: connection.line, "\(server.name) is \"\(word)\" and accepts no connection")
            }
        }
        run?.connection = connection
    }

    /// The connection gets no more lines.
    mutating func finishConnection() {
        finishHead()
        guard let connection = run?.connection else { return }
        run?.connection = nil
        checkExchanges(connection)
        run?.run.connections.append(
            Fixture.Connection(to: connection.server, line: connection.line, connection.steps))
    }

    /// Whether the connection can go on; opens the first one.
    mutating func canAddStep(at line: Int) -> Bool {
        guard isInRun(at: line) else { return false }
        if run?.connection == nil { open(OpenConnection(line: line, server: 0)) }
        guard let ending = run?.connection?.ending else { return true }
        if run?.connection?.hasToldOfEnding == false {
            complain(
                at: line,
                "nothing can happen behind `! \(ending.word)` in line \(ending.line), which ends the connection"
            )
            run?.connection?.hasToldOfEnding = true
        }
        return false
    }

    /// Adds a step that is no head.
    mutating func add(_ step: Fixture.Step, at line: Int) {
        guard canAddStep(at: line) else { return }
        finishHead()
        check(step, at: line)
        run?.connection?.steps.append(Fixture.Located(step, line: line))
    }

    /// Tells what cannot be with what went before.
    mutating func check(_ step: Fixture.Step, at line: Int) {
        guard let connection = run?.connection else { return }
        let (sends, receives) = step.direction
        if sends, let earlier = connection.halfCloseLine {
            complain(at: line, "nothing can be sent behind `! half-close` in line \(earlier)")
        }
        if receives, let earlier = connection.unreadLine {
            complain(at: line, "nothing is read behind `! unread` in line \(earlier)")
        }
        if sends || receives, connection.tls?.fault != nil {
            complain(at: line, "the handshake of TLS ends before anything can be sent")
        }
    }

    /// `< LINE`, `<| TEXT`, `<< DATA`
    mutating func sending(_ sign: Sign, _ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let start = line
        switch sign {
        case .sentLine: add(.sendLine(scanner.rest), at: start)
        case .sentText: add(.sendText(try scanner.unescapedRest("what is sent")), at: start)
        default: add(.send(data(&scanner, more: .sentData)), at: start)
        }
    }

    private enum EventWord: String, CaseIterable {
        case pause, quiet, pieces, whole, close, reset, stall, cut, await, unread, meet, tls, unprotected,
            interrupt
        case halfClose = "half-close"
        case updateKeys = "update-keys"
    }

    /// `! WORD ...`
    mutating func event(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let start = line
        let word = try scanner.choice(EventWord.self)
        let step: Fixture.Step
        switch word {
        case .pause: step = .pause(try scanner.duration())
        case .quiet: step = .quiet(try scanner.duration())
        case .pieces:
            try scanner.expect("of")
            step = .pieces(Int(clamping: try scanner.count("a piece", least: 1)))
        case .whole: step = .pieces(nil)
        case .close: step = .close
        case .halfClose: step = .halfClose
        case .reset: step = .reset
        case .stall: step = .stall
        case .cut: step = .cut
        case .await:
            try scanner.expect("close")
            step = .awaitClose
        case .unread: step = .unread
        case .meet: step = .meet(try scanner.name("the name of the meeting"))
        case .tls: step = .tls(try tls(&scanner))
        case .updateKeys: step = .updateKeys
        case .unprotected: step = .unprotected(data(&scanner))
        case .interrupt: step = .interrupt
        }
        try scanner.finish()
        add(step, at: start)
        try follow(step, word == .await ? "await close" : word.rawValue, at: start)
    }

    /// What a step changes for those behind it.
    private mutating func follow(
        _ step: Fixture.Step, _ word: String, at line: Int
    ) throws(FixtureComplaint) {
        guard run?.connection != nil, run?.connection?.ending == nil else { return }
        let spoken = run?.connection?.tls
        switch step {
        case .close, .reset, .stall, .awaitClose, .cut: run?.connection?.ending = (word, line)
        case .halfClose:
            if let earlier = run?.connection?.halfCloseLine {
                throw FixtureComplaint("sending has ended in line \(earlier) already")
            }
            run?.connection?.halfCloseLine = line
        case .unread: if run?.connection?.unreadLine == nil { run?.connection?.unreadLine = line }
        case .tls(let tls):
            run?.connection?.tls = tls
            // What is read next need not be a request, but there is no content of one either.
            if run?.connection?.request != OpenConnection.RequestState.none {
                run?.connection?.request = .body
            }
        case .meet(let name):
            guard run?.connection?.meets.insert(name).inserted == true else {
                throw FixtureComplaint("the connection meets the others at \"\(name)\" twice")
            }
            let use = run?.meets[name] ?? (0, line)
            run?.meets[name] = (use.connections + 1, use.line)
        case .interrupt:
            guard case .command? = run?.run.action else {
                throw FixtureComplaint("only a command can be interrupted, not a `load`")
            }
        default: break
        }
        switch step {
        case .cut, .updateKeys, .unprotected:
            guard let tls = spoken else {
                throw FixtureComplaint("`! \(word)` is about TLS, which this connection does not speak")
            }
            if case .updateKeys = step, let version = tls.version, version != .tls13 {
                throw FixtureComplaint("only TLS 1.3 has a KeyUpdate")
            }
        default: break
        }
    }

    /// The run gets no more lines.
    mutating func finishRun() {
        finishConnection()
        guard var open = run else { return }
        run = nil
        if case .load(var load) = open.run.action {
            load.fields = open.loadFields
            open.run.action = .load(load)
        }
        for (name, use) in open.meets where use.connections == 1 {
            complain(at: use.line, "only this connection meets others at \"\(name)\"")
        }
        finishOutcomes(open)
        runs.append(open.run)
    }
}

extension Fixture.Step {
    /// Whether the server sends or receives something in this step.
    fileprivate var direction: (sends: Bool, receives: Bool) {
        switch self {
        case .request, .requestContent, .requestBody, .quiet: (false, true)
        case .sendLine, .sendText, .send, .updateKeys, .unprotected: (true, false)
        case .tls: (true, true)
        default: (false, false)
        }
    }
}
