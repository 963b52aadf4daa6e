import HTTPMessage
import Replay
import Transport

/// The servers of a fixture: one for each origin that was asked, as it behaved.
@NetworkActor
struct RecordedServers {
    /// In the order in which they were asked.
    private(set) var servers: [Fixture.Server] = []
    /// Hosts asked, for people.
    private(set) var hosts: [String] = []
    /// What a fixture cannot tell of them.
    private(set) var notes: [String] = []
    /// How TLS failed, where it did.
    private(set) var failures: Set<TLSFailure.Kind> = []
    private var indices: [Origin: Int] = [:]

    /// The servers that these connections led to.
    init(_ connections: [RecordedConnection], _ command: ParsedCommand) {
        var origins: [Origin] = []
        for connection in connections where !origins.contains(connection.origin) {
            origins.append(connection.origin)
        }
        hosts = origins.map { Blanking.url($0.authority) }
        let certificates = command.groups.map { $0.options.tls.certificate != nil }
        for origin in origins {
            let own = connections.filter { $0.origin == origin }
            for connection in own {
                if let failure = connection.tlsFailure { failures.insert(failure.kind) }
            }
            // A host that has no address is none of the fixture's.
            guard own.contains(where: { !$0.isUnresolved }) else { continue }
            let isAlone = !origins.contains { $0 != origin && $0.host == origin.host }
            var server = Fixture.Server(
                host: Blanking.url(origin.host.description),
                port: origin.port == origin.scheme.defaultPort && isAlone ? nil : origin.port)
            server.reception = RecordedServers.reception(own)
            if server.reception != .accepted, own.contains(where: { $0.number != nil }) {
                server.reception = .accepted
                notes.append("Later connections to \(origin.authority) failed, which is not part of this.")
            }
            if origin.scheme == .https {
                server.tls = tls(of: own)
                if certificates.contains(true), !failures.contains(.clientCertificate) {
                    server.tls?.client = certificates.contains(false) ? .optional : .required
                }
            }
            indices[origin] = servers.count
            servers.append(server)
        }
        if servers.isEmpty {
            servers = [hosts.contains("fixture.test") ? Fixture.Server(host: "other.test") : Fixture.Server()]
        }
    }

    /// The index of an origin's server; `nil` where it has none.
    func index(of origin: Origin) -> Int? { indices[origin] }

    /// How many speak TLS.
    var tlsCount: Int { servers.count { $0.tls != nil } }
    /// Whether any speaks TLS.
    var usesTLS: Bool { tlsCount > 0 }

    /// Connections that stood side by side may come in another order; where one of them was used again, requests may
    /// come on others.
    mutating func setAnyOrder(for connections: [RecordedConnection]) {
        for (origin, index) in indices {
            let own = connections.filter { $0.origin == origin && $0.number != nil }
            guard own.contains(where: \.hasCompany) else { continue }
            // Requests can be dealt out anew where all that happened belongs to one.
            guard own.contains(where: { $0.hasCompany && $0.requestCount > 1 }),
                own.allSatisfy({ !$0.hasOctets || $0.beginsWithRequest })
            else {
                servers[index].takesAnyOrder = true
                continue
            }
            servers[index].takesAnyConnection = true
        }
    }

    /// Whether a connection is no part of the fixture: it may not come again, as nothing happened on it.
    func leavesOut(_ connection: RecordedConnection) -> Bool {
        guard let index = indices[connection.origin] else { return true }
        return servers[index].takesAnyConnection && !connection.hasOctets
    }

    /// Whether a server takes requests on any connection.
    var takesAnyConnection: Bool { servers.contains(where: \.takesAnyConnection) }

    /// Takes note of what the fixture cannot tell.
    mutating func note(_ sentence: String) { notes.append(sentence) }

    private static func reception(_ connections: [RecordedConnection]) -> Fixture.Server.Reception {
        for connection in connections where connection.number == nil {
            switch connection.failure {
            case .notConnected(let attempts):
                let isSilent = attempts.allSatisfy { if case .timedOut = $0.failure { true } else { false } }
                return isSilent ? .silent : .refused
            case .timedOut(.connect, _), .timedOut(.total, _), .cancelled, .closed: return .silent
            case nil, .some: break
            }
        }
        return .accepted
    }

    /// The kind of TLS that fails as this failed, or does not.
    private mutating func tls(of connections: [RecordedConnection]) -> Fixture.TLS {
        guard let failed = connections.first(where: \.failedInTLS) else { return Fixture.TLS(.good) }
        if connections.contains(where: { $0.isSecured && !$0.failedInTLS }) {
            notes.append("A handshake with \(failed.origin.authority) failed, which is not part of this.")
            return Fixture.TLS(.good)
        }
        guard let failure = failed.tlsFailure else {
            var tls = Fixture.TLS(.good)
            switch failed.failure {
            case .timedOut: tls.fault = .stall
            case .receiveFailed, .sendFailed: tls.fault = .reset
            case .cancelled, .closed: tls.fault = .stall
            default: tls.fault = .close
            }
            return tls
        }
        return RecordedServers.tls(for: failure)
    }

    private static func tls(for failure: TLSFailure) -> Fixture.TLS {
        var tls = Fixture.TLS(.good)
        switch failure.cause {
        case .expired: tls.certificate = .expired
        case .notYetValid: tls.certificate = .notYetValid
        case .otherName, .commonNameAlone: tls.certificate = .wrongName
        case .plainHTTP: tls.fault = .http
        case .version: tls.version = .tls11
        case .alert(let number):
            // Certificate wanted (RFC 8446, section 6.2): that is known only behind the handshake.
            if number == 116 { tls.client = .required } else { tls.fault = .alert(UInt8(clamping: number)) }
        case .unknownIssuer:
            // X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT is 18.
            tls.certificate = failure.verifyResult == 18 ? .selfSigned : .unknownCA
        case .passwordMissing, .passwordWrong, .isPKCS12, .isDER: break
        case nil:
            if failure.kind == .peerCertificate { tls.certificate = .unknownCA }
            if failure.kind == .handshake { tls.fault = .close }
        }
        return tls
    }
}

extension RecordedConnection {
    /// How TLS failed on it.
    var tlsFailure: TLSFailure? {
        if case .tlsFailed(let failure) = failure { return failure }
        for case .broke(.tlsFailed(let failure)) in events where !hasReceived { return failure }
        return nil
    }

    /// Whether it stood, and was not secured.
    var failedInTLS: Bool {
        number != nil && origin.scheme == .https && (failure != nil || tlsFailure != nil)
    }

    /// Whether its host has no address.
    var isUnresolved: Bool {
        switch failure {
        case .notResolved, .timedOut(.resolve, _), .notBound: true
        default: false
        }
    }

    /// How many requests went out on it.
    var requestCount: Int {
        var requests = SentRequests()
        for case .sent(let octets) in events { requests.take(octets, at: 0) }
        return requests.requests.count
    }

    /// Whether anything was sent or received on it.
    var hasOctets: Bool {
        events.contains { event in
            switch event {
            case .sent, .received: true
            case .ended, .broke, .closed: false
            }
        }
    }

    /// Whether a request is the first that happened on it.
    var beginsWithRequest: Bool {
        if case .sent = events.first { requestCount > 0 } else { false }
    }

    private var hasReceived: Bool { events.contains { if case .received = $0 { true } else { false } } }

    /// Whether nothing is awaited on it.
    var isIdle: Bool {
        var blobs = BlobTable()
        return events.isEmpty
            ? isSecured : !ConnectionScript(events, givenFields: [], blobs: &blobs).isUnfinished
    }
}
