/// Servers, and the words about TLS.
extension FixtureParser {
    private static let mostServers = 1000

    private enum ServerWord: String, CaseIterable {
        case tls, version, client, handshake, refused, silent, ipv6, behind
        case anyOrder = "any-order"
        case anyConnection = "any-connection"
    }

    private enum TLSWord: String, CaseIterable {
        case version, client, handshake
    }

    private enum FaultWord: String, CaseIterable {
        case close, reset, stall, http, alert
    }

    private enum AddressWord: String, CaseIterable {
        case refused, silent
    }

    /// `server HOST[:PORT] [WORDS]`
    mutating func server(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let (host, port) = try scanner.host()
        var server = Fixture.Server(host: host, port: port)
        server.line = line
        var seen: Set<ServerWord> = []
        var tls = Fixture.TLS()
        do throws(FixtureComplaint) {
            while true {
                scanner.skipBlanks()
                guard scanner.next != nil else { break }
                let word = try scanner.choice(ServerWord.self)
                guard seen.insert(word).inserted else {
                    throw FixtureComplaint("the word \"\(word.rawValue)\" stands twice")
                }
                switch word {
                case .tls: tls.certificate = try scanner.choice(what: "kind of certificate")
                case .version, .client, .handshake:
                    try tlsWord(TLSWord(rawValue: word.rawValue) ?? .version, &tls, &scanner)
                case .refused: server.reception = .refused
                case .silent: server.reception = .silent
                case .ipv6: server.usesIPv6 = true
                case .behind:
                    server.earlierAddress =
                        try scanner.choice(AddressWord.self) == .refused ? .refused : .silent
                case .anyOrder: server.takesAnyOrder = true
                case .anyConnection: server.takesAnyConnection = true
                }
            }
            if let word = [ServerWord.version, .client, .handshake].first(where: seen.contains),
                !seen.contains(.tls)
            {
                throw FixtureComplaint(
                    "\"\(word.rawValue)\" is about TLS, and \"tls KIND\" does not stand here")
            }
            if seen.contains(.refused), seen.contains(.silent) {
                throw FixtureComplaint("connections cannot be both \"refused\" and not answered (\"silent\")")
            }
            if let word = [ServerWord.anyOrder, .anyConnection].first(where: seen.contains),
                server.reception != .accepted
            {
                throw FixtureComplaint("\"\(word.rawValue)\" is for servers that accept connections")
            }
            if seen.contains(.anyConnection), tls.fault != nil {
                throw FixtureComplaint(
                    "\"any-connection\" is about requests, and none comes when the handshake of TLS fails")
            }
        } catch { complain(error) }
        // It is there even if its words are wrong, so that what follows is not told of, too.
        if seen.contains(.tls) { server.tls = tls }
        try add(server)
    }

    private mutating func add(_ server: Fixture.Server) throws(FixtureComplaint) {
        guard runs.isEmpty, run == nil else {
            throw FixtureComplaint("servers stand before the first `$` or `load`")
        }
        if let earlier = serversByName[server.name] {
            throw FixtureComplaint("\(server.name) has been named in line \(servers[earlier].line)")
        }
        guard servers.count < FixtureParser.mostServers else {
            throw FixtureComplaint("there are more than \(FixtureParser.mostServers) servers")
        }
        serversByName[server.name] = servers.count
        servers.append(server)
    }

    private func tlsWord(
        _ word: TLSWord, _ tls: inout Fixture.TLS, _ scanner: inout FixtureScanner
    ) throws(FixtureComplaint) {
        switch word {
        case .version:
            let version = scanner.bareWord()
            guard let known = FixtureParser.versions.first(where: { version.elementsEqual($0.name.utf8) })
            else {
                throw .unknown(version, what: "version of TLS", known: FixtureParser.versions.map(\.name))
            }
            tls.version = known.version
        case .client: tls.client = try scanner.choice()
        case .handshake:
            switch try scanner.choice(FaultWord.self, what: "end of a handshake") {
            case .close: tls.fault = .close
            case .reset: tls.fault = .reset
            case .stall: tls.fault = .stall
            case .http: tls.fault = .http
            case .alert: tls.fault = .alert(try scanner.number("an alert", 0...UInt8.max))
            }
        }
    }

    /// The versions of TLS by their names.
    static let versions: [(name: String, version: TLSService.Version)] = [
        ("1.0", .tls10), ("1.1", .tls11), ("1.2", .tls12), ("1.3", .tls13),
    ]

    /// `KIND [version V] [client …] [handshake …]`
    func tls(_ scanner: inout FixtureScanner) throws(FixtureComplaint) -> Fixture.TLS {
        var tls = Fixture.TLS(try scanner.choice(what: "kind of certificate"))
        var seen: Set<TLSWord> = []
        while true {
            scanner.skipBlanks()
            guard scanner.next != nil else { return tls }
            let word = try scanner.choice(TLSWord.self)
            guard seen.insert(word).inserted else {
                throw FixtureComplaint("the word \"\(word.rawValue)\" stands twice")
            }
            try tlsWord(word, &tls, &scanner)
        }
    }

    /// `HOST[:PORT]` of a server that has been named; its index.
    mutating func serverIndex(_ scanner: inout FixtureScanner) throws(FixtureComplaint) -> Int {
        let (host, port) = try scanner.host()
        let name = port.map { "\(host):\($0)" } ?? host
        // A server without a port has all ports of its host that no other has.
        if let index = serversByName[name] ?? serversByName[host] { return index }
        if servers.isEmpty, host == Fixture.Server().host { return 0 }
        let known = servers.isEmpty ? [Fixture.Server().host] : servers.prefix(1000).map(\.name)
        let near = FixtureComplaint.nearest(to: Array(name.utf8), among: known)
        throw FixtureComplaint(
            "no server \"\(name)\" has been named; "
                + (near.map { "did you mean \"\($0)\"?" }
                    ?? "there is \(FixtureComplaint.list(Array(known.prefix(5))))"))
    }
}
