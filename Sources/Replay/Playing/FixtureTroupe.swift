/// What the threads of a fixture's servers share: the run to which connections belong, and how each is played.
final class FixtureTroupe: Sendable {
    private struct State {
        var run: PlayedRun?
        /// Problems outside of any run.
        var problems: [FixtureProblem] = []
    }

    private let servers: [Fixture.Server]
    private let contexts: FixtureContexts
    private let onInterrupt: @Sendable () -> Void
    private let log: @Sendable (String) -> Void
    private let state = Guarded(State())

    init(
        servers: [Fixture.Server], contexts: FixtureContexts, onInterrupt: @escaping @Sendable () -> Void,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.servers = servers
        self.contexts = contexts
        self.onInterrupt = onInterrupt
        self.log = log
    }

    func begin(_ run: PlayedRun) { state.withLock { $0.run = run } }

    func end() { state.withLock { $0.run = nil } }

    /// The problems outside of any run, once.
    func takenProblems() -> [FixtureProblem] {
        state.withLock { state in
            defer { state.problems = [] }
            return state.problems
        }
    }

    /// What the thread of a connection does that was just accepted.
    func performance(of connection: ReplayConnection, server: Int) -> () -> Void {
        let run = state.withLock { state -> PlayedRun? in
            if state.run == nil {
                let message = "a connection to \(servers[server].name) came outside of any run"
                state.problems.append(FixtureProblem(line: 0, message))
            }
            return state.run
        }
        guard let run else { return { connection.closeInOrder() } }
        connection.stop = run.stop
        let index = run.accept(at: server)
        return { self.play(connection, server: server, index, run) }
    }

    /// Plays a connection to its end.
    private func play(_ connection: ReplayConnection, server: Int, _ given: Int?, _ run: PlayedRun) {
        let declared = servers[server]
        let place = "connection \(connection.number + 1) to \(declared.name)"
        var index = given
        var scene = FixtureScene(
            note: run.note, context: contexts.context, hosts: hosts(beginningWith: declared.host))
        scene.receiveHead = { [log] head in
            run.note(request: head, on: connection.number, of: server)
            log("\(place): \(VisibleOctets(HeadLine.lines(of: head).first?.octets ?? [], limit: 200))")
        }
        scene.receiveContent = { run.note(content: $0, on: connection.number, of: server) }
        scene.interrupt = onInterrupt
        scene.noteStanding = { run.noteStanding($0, of: connection.number) }
        let player = FixturePlayer(connection, scene)
        if let tls = declared.tls,
            let reason = player.shakeHands(tls, for: [declared.host], line: declared.line)
        {
            log("\(place): \(reason)")
            fail(at: server, index, run, reason)
            return
        }
        if declared.takesAnyConnection {
            playExchanges(of: server, by: player, run, place)
            log("\(place): ended")
            return
        }
        if index == nil {
            let (isDecided, chosen) = run.takeWithoutRequest(at: server)
            index = isDecided ? chosen : run.take(at: server, head: player.peekHead())
        }
        guard let index else {
            let isLeft = run.hasUnused(at: server)
            player.refuse(
                line: run.run.line,
                isLeft
                    ? "a connection to \(declared.name) that fits none of those left"
                    : "a connection too many to \(declared.name)")
            return
        }
        player.scene.meet = { run.meet($0, index: index) }
        let script = run.scripts[index]
        player.scene.placeOfFurtherRequest = {
            run.nextLine(at: server).map {
                "on the connection of line \(script.line), while the next one, of line \($0), had not been opened"
            }
        }
        log("\(place): the script of line \(script.line)")
        player.play(script.steps)
        log("\(place): ended")
    }

    /// Gives each request that comes on a connection the exchange that it fits.
    private func playExchanges(
        of server: Int, by player: FixturePlayer, _ run: PlayedRun, _ place: String
    ) {
        while let head = player.awaitHead() {
            guard let index = run.take(at: server, head: head) else {
                player.scene.receiveHead(head)
                run.note(
                    FixtureProblem(
                        line: run.run.line,
                        "a request to \(servers[server].name) that fits none of those left:\n"
                            + VisibleOctets.lines(head)))
                player.connection.closeInOrder()
                return
            }
            player.scene.meet = { run.meet($0, index: index) }
            let script = run.scripts[index]
            log("\(place): the exchange of line \(script.line)")
            guard player.playExchange(script.steps) == .goesOn else { return }
        }
        // A head that is not whole.
        player.noteUnexpected(line: run.run.line)
    }

    /// The handshake of a connection failed: whatever its script wants of the client does not come.
    private func fail(at server: Int, _ given: Int?, _ run: PlayedRun, _ reason: String) {
        if servers[server].takesAnyConnection {
            run.noteHandshakeFailure(reason, at: server)
            return
        }
        guard let index = given ?? run.take(at: server, head: nil) else {
            let message = "a connection too many to \(servers[server].name): \(reason)"
            run.note(FixtureProblem(line: run.run.line, message))
            return
        }
        let script = run.scripts[index]
        guard let step = script.steps.first(where: { $0.value.expectation != nil }),
            let what = step.value.expectation
        else { return }
        run.note(FixtureProblem(line: step.line, "\(reason); \(what) was still expected"))
    }

    private func hosts(beginningWith host: String) -> [String] {
        var hosts = [host]
        for server in servers where !hosts.contains(server.host) { hosts.append(server.host) }
        return hosts
    }
}

extension FixturePlayer {
    /// Closes a connection for which there is no script, and tells what the client wanted if it says so in a moment.
    func refuse(line: Int, _ what: String) {
        connection.patience = .milliseconds(500)
        var message = what
        if let head = peekHead() {
            scene.receiveHead(head)
            message += ", on which came:\n" + VisibleOctets.lines(head)
        } else if !connection.input.isEmpty {
            message +=
                ", on which came:\n"
                + VisibleOctets.lines(
                    connection.input.all.prefix(2000), of: UInt64(connection.input.count))
        } else {
            message += ", on which nothing came"
        }
        scene.note(FixtureProblem(line: line, message))
        connection.closeInOrder()
    }
}
