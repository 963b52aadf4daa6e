/// A server that answers any client out of fixtures: the engine of `rawget serve`.
///
/// It listens at one port of the loopback. The first request of a connection decides which connection of a fixture is
/// played on it; what a fixture demands of requests beyond that is told when it is not met, and the answer is given all
/// the same.
public final class FixtureService: Sendable {
    /// Something that a client did not do as a fixture says.
    public struct Unmet: Hashable, Sendable {
        /// The fixture.
        public var name: String
        /// What, and in which line.
        public var problem: FixtureProblem
    }

    /// The port where it listens.
    public let port: UInt16
    /// What clients of its TLS are to trust (PEM).
    public let authorityPEM: [UInt8]
    /// A certificate that it accepts of a client (PEM).
    public let clientCertificatePEM: [UInt8]
    /// Its key (PEM).
    public let clientKeyPEM: [UInt8]
    /// Whether clients have to speak TLS; `nil`: the first octet of a connection tells whether they do.
    public let usesTLS: Bool?
    private let shelf: FixtureShelf
    private let server: ReplayServer

    /// A service for fixtures with their names, at a free port unless told which.
    ///
    /// With `usesTLS` it speaks TLS with a good certificate for `localhost`, the loopback's addresses and all hosts of the
    /// fixtures; without (`false`) it does not; `nil` leaves that to the words of the fixtures' servers. With `repeats` a
    /// fixture whose connections have all been played begins anew. `log` is told what happens, a line each (more where
    /// octets are shown), on any thread. Throws when a socket, a key or a certificate cannot be made.
    public init(
        _ fixtures: [(name: String, fixture: Fixture)], port: UInt16 = 0, usesTLS: Bool? = nil,
        repeats: Bool = false, log: @escaping @Sendable (String) -> Void
    ) throws(ReplayError) {
        let contexts = try FixtureContexts()
        let shelf = try FixtureShelf(fixtures, repeats: repeats)
        let security = FixtureService.security(fixtures.map(\.fixture), usesTLS)
        if let tls = security.tls { _ = try contexts.context(for: tls, hosts: security.hosts) }
        let troupe = ServiceTroupe(shelf: shelf, contexts: contexts, security: security, log: log)
        server = try ReplayServer(
            .player { troupe.performance(of: $0) }, address: .ipv4Loopback, port: port,
            patience: .seconds(600))
        self.port = server.port
        self.shelf = shelf
        self.usesTLS = security.isCertain ? security.tls != nil : nil
        authorityPEM = contexts.identities.authority.certificatePEM
        clientCertificatePEM = contexts.identities.client.certificatePEM
        clientKeyPEM = contexts.identities.client.keyPEM
    }

    deinit { stop() }

    /// Begins to accept connections. Throws when there is no thread for that.
    public func start() throws(ReplayError) { try server.start() }

    /// Ends all connections and closes the port; a second call does nothing.
    public func stop() { server.stop() }

    /// Whether all connections of all fixtures have been played and have ended; never, when they repeat. Connections
    /// that begin without a request count only where one fixture is served, since nobody asks for them.
    public var isUsedUp: Bool { shelf.isUsedUp }

    /// Blocks the thread until `isUsedUp`, at most for `limit`; whether it is.
    public func waitUntilUsedUp(within limit: Duration) -> Bool {
        shelf.state.wait(within: limit) { shelf.isUsedUp($0) }
    }

    /// What clients did not do as the fixtures say, in the order in which it was noticed.
    public var unmet: [Unmet] { shelf.state.withLock { $0.unmet } }

    /// Connections that no fixture had an answer for.
    public var unansweredCount: Int { shelf.state.withLock { $0.unanswered } }

    /// How TLS is spoken at the one port.
    struct Security {
        /// `nil`: not at all.
        var tls: Fixture.TLS?
        var hosts: [String] = ["localhost"]
        /// Otherwise only by clients that begin with a ClientHello.
        var isCertain = true
    }

    private static func security(_ fixtures: [Fixture], _ usesTLS: Bool?) -> Security {
        var security = Security()
        let servers = fixtures.flatMap(\.servers)
        for server in servers where !security.hosts.contains(server.host) {
            security.hosts.append(server.host)
        }
        switch usesTLS {
        case false?: break
        case true?: security.tls = Fixture.TLS(.good)
        case nil:
            security.tls = servers.lazy.compactMap(\.tls).first
            security.isCertain = servers.allSatisfy { ($0.tls == nil) == (security.tls == nil) }
        }
        return security
    }
}

/// Plays the connections of a service's clients and tells what happens on them.
private final class ServiceTroupe: Sendable {
    let shelf: FixtureShelf
    let contexts: FixtureContexts
    let security: FixtureService.Security
    let log: @Sendable (String) -> Void

    init(
        shelf: FixtureShelf, contexts: FixtureContexts, security: FixtureService.Security,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.shelf = shelf
        self.contexts = contexts
        self.security = security
        self.log = log
    }

    func performance(of connection: ReplayConnection) -> () -> Void {
        shelf.state.withLock { $0.open += 1 }
        return {
            self.serve(connection)
            self.shelf.state.withLock { $0.open -= 1 }
        }
    }

    private func serve(_ connection: ReplayConnection) {
        let number = connection.number + 1
        var scene = FixtureScene(
            note: { [log] in log("connection \(number): \($0.message)") }, context: contexts.context)
        scene.ending = "the service ended"
        scene.receiveHead = { [log] in log("connection \(number): \(requestLine(of: $0))") }
        scene.interrupt = { [log] in log("connection \(number): the fixture interrupts the command here") }
        let player = FixturePlayer(connection, scene)
        if let tls = security.tls, security.isCertain || beginsWithClientHello(connection),
            let reason = player.shakeHands(tls, for: security.hosts, line: 0)
        {
            log("connection \(number): \(reason)")
            // A fixture about handshakes that fail has a connection without requests.
            if let choice = shelf.takeWithoutRequest() {
                log("connection \(number): that was \(choice.name):\(choice.connection.line)")
            } else {
                shelf.state.withLock { $0.unanswered += 1 }
            }
            return
        }
        if let choice = shelf.takeWithoutRequest() {
            _ = play(choice, by: player, number)
            return
        }
        var head = player.peekHead()
        var isFurther = false
        while true {
            if let head { tell(head, player) }
            guard let choice = shelf.take(head, isFirst: !isFurther) else {
                refuse(head, by: player, number)
                return
            }
            guard play(choice, by: player, number) == .goesOn else { return }
            // A connection that its script leaves open is there for other requests; meanwhile it holds up nobody.
            shelf.state.withLock { $0.open -= 1 }
            head = player.awaitHead()
            shelf.state.withLock { $0.open += 1 }
            isFurther = true
            guard head != nil else {
                player.noteUnexpected(line: choice.connection.line)
                return tellEnd(of: player, number)
            }
        }
    }

    /// Tells of a head before it is played, and then no more.
    private func tell(_ head: [UInt8], _ player: FixturePlayer) {
        let tell = player.scene.receiveHead
        tell(head)
        player.scene.receiveHead = { [weak player] _ in player?.scene.receiveHead = tell }
    }

    private func tellEnd(of player: FixturePlayer, _ number: Int) {
        let connection = player.connection
        log(
            "connection \(number): \(connection.receivedCount) octets came, \(connection.sentCount) went; "
                + player.ending)
    }

    /// Plays a script; whether a further request may follow it.
    private func play(
        _ choice: FixtureShelf.Choice, by player: FixturePlayer, _ number: Int
    ) -> FixturePlayer.Flow {
        log("connection \(number): \(choice.name):\(choice.connection.line) answers")
        player.scene.hosts = choice.hosts
        player.scene.meet = { name in
            let point = choice.meetings[name]
            point?.arrive(choice.index)
            return point?.signal
        }
        player.scene.note = { [log, shelf] problem in
            shelf.state.withLock { $0.unmet.append(.init(name: choice.name, problem: problem)) }
            log("connection \(number): \(choice.name):\(problem.line): \(problem.message)")
        }
        if player.playExchange(choice.connection.steps) == .goesOn { return .goesOn }
        tellEnd(of: player, number)
        return .isOver
    }

    /// Tells a client for which there is no script.
    private func refuse(_ head: [UInt8]?, by player: FixturePlayer, _ number: Int) {
        guard let head else {
            let came = player.connection.input.all
            // A connection without a word, as of who looks whether the port is open, asks for nothing.
            if !came.isEmpty { shelf.state.withLock { $0.unanswered += 1 } }
            log(
                "connection \(number): no request came"
                    + (came.isEmpty ? "" : ", but " + VisibleOctets.quoted(came, limit: 200)))
            return
        }
        shelf.state.withLock { $0.unanswered += 1 }
        let expected = shelf.expected
        let text =
            "no fixture has a connection left that begins with this request: \(requestLine(of: head)); \(expected)"
        log("connection \(number): no fixture has a connection left that begins so; \(expected)")
        let content = Array("rawget serve: \(text)\n".utf8)
        var answer = Array(
            """
            HTTP/1.1 404 Not Found\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(content.count)\r
            Connection: close\r
            \r

            """.utf8)
        if RecordedRequest(connection: 0, head: head).method != "HEAD" { answer += content }
        player.isUnread = true
        player.play([.init(.send(.octets(answer))), .init(.close)])
    }

    private func beginsWithClientHello(_ connection: ReplayConnection) -> Bool {
        if connection.input.isEmpty { _ = connection.receive() }
        // The type of a record that holds a handshake (RFC 8446, section 5.1).
        return !connection.input.isEmpty && connection.input[0] == 22
    }
}

/// The request line of a head, harmless and not too long.
private func requestLine(of head: [UInt8]) -> String {
    VisibleOctets(HeadLine.lines(of: head).first?.octets ?? [], limit: 200).description
}
