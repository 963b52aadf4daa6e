import Glibc

/// The authority and the certificates of fixtures' servers, made once per process: keys cost time, and hundreds of
/// fixtures want the same.
final class FixtureIdentities: Sendable {
    private struct Kind: Hashable {
        var certificate: Fixture.TLS.Certificate
        var hosts: [String]
    }

    /// What clients are to trust.
    let authority: TestAuthority
    /// What servers accept of a client.
    let client: TestIdentity
    private let stranger: TestAuthority
    private let intermediate: TestAuthority
    private let issued = Guarded<[Kind: TestIdentity]>([:])

    private static let made = Guarded<FixtureIdentities?>(nil)

    /// Those of this process.
    static func shared() throws(ReplayError) -> FixtureIdentities {
        let result = made.withLock { made -> Result<FixtureIdentities, ReplayError> in
            if let made { return .success(made) }
            do throws(ReplayError) {
                let new = try FixtureIdentities()
                made = new
                return .success(new)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private init() throws(ReplayError) {
        authority = try TestAuthority(named: "rawget fixtures")
        stranger = try TestAuthority(named: "rawget stranger")
        intermediate = try authority.intermediate(named: "rawget fixtures, intermediate")
        var request = TestCertificate(commonName: "rawget client")
        request.purpose = .client
        request.validUntil = FixtureIdentities.validity
        client = try authority.issue(request)
    }

    /// Shorter than the authority's, longer than anybody lets a server run.
    private static let validity = Duration.seconds(29 * 86_400)

    /// A certificate of a kind for hosts, whose order counts: the first is its common name. A server that is told to has
    /// it for the loopback's addresses, too.
    func identity(_ certificate: Fixture.TLS.Certificate, for hosts: [String]) throws(ReplayError)
        -> TestIdentity
    {
        let kind = Kind(certificate: certificate, hosts: hosts)
        let result = issued.withLock { issued -> Result<TestIdentity, ReplayError> in
            if let identity = issued[kind] { return .success(identity) }
            do throws(ReplayError) {
                let identity = try issue(kind)
                issued[kind] = identity
                return .success(identity)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func issue(_ kind: Kind) throws(ReplayError) -> TestIdentity {
        var request = FixtureIdentities.request(for: kind.hosts)
        switch kind.certificate {
        case .good: return try authority.issue(request)
        case .expired:
            request.validFrom = .seconds(-7200)
            request.validUntil = .seconds(-3600)
            return try authority.issue(request)
        case .notYetValid:
            request.validFrom = .seconds(86_400)
            return try authority.issue(request)
        case .wrongName:
            var other = TestCertificate(["wrong-name.invalid"])
            other.validUntil = FixtureIdentities.validity
            return try authority.issue(other)
        case .selfSigned: return try TestAuthority.selfSigned(request)
        case .unknownCA: return try stranger.issue(request)
        case .chain: return try intermediate.issue(request)
        case .brokenChain: return try intermediate.issue(request, includingChain: false)
        case .wildcard: return try authority.issue(FixtureIdentities.wildcard(for: kind.hosts, labels: 1))
        case .deepWildcard: return try authority.issue(FixtureIdentities.wildcard(for: kind.hosts, labels: 2))
        case .commonName:
            var nameless = TestCertificate(commonName: kind.hosts.first)
            nameless.validUntil = FixtureIdentities.validity
            return try authority.issue(nameless)
        case .addressAsName:
            var misnamed = TestCertificate(kind.hosts)
            misnamed.validUntil = FixtureIdentities.validity
            return try authority.issue(misnamed)
        }
    }

    /// A request for names with `*` in place of the first labels. What is an address is treated as a name would be.
    private static func wildcard(for hosts: [String], labels: Int) -> TestCertificate {
        let names = hosts.map { host in
            (["*"] + host.split(separator: ".").dropFirst(labels).map(String.init)).joined(separator: ".")
        }
        var request = TestCertificate(names)
        request.validUntil = validity
        return request
    }

    private static func request(for hosts: [String]) -> TestCertificate {
        var names: [String] = []
        var addresses = ["127.0.0.1", "::1"]
        for host in hosts {
            let bare = host.filter { $0 != "[" && $0 != "]" }
            if isAddress(bare) {
                if !addresses.contains(bare) { addresses.append(bare) }
            } else {
                names.append(host)
            }
        }
        var request = TestCertificate(names, addresses: addresses)
        request.validUntil = validity
        return request
    }

    private static func isAddress(_ host: String) -> Bool {
        var octets = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET, host, &octets) == 1 || inet_pton(AF_INET6, host, &octets) == 1
    }
}

/// The contexts of OpenSSL for the ways in which the servers of a fixture speak TLS, each made when it is first wanted.
final class FixtureContexts: Sendable {
    private struct Kind: Hashable {
        var tls: Fixture.TLS
        var hosts: [String]
    }

    let identities: FixtureIdentities
    private let made = Guarded<[Kind: TLSServerContext]>([:])

    init() throws(ReplayError) { identities = try .shared() }

    func context(for tls: Fixture.TLS, hosts: [String]) throws(ReplayError) -> TLSServerContext {
        let kind = Kind(tls: tls, hosts: hosts)
        let result = made.withLock { made -> Result<TLSServerContext, ReplayError> in
            if let context = made[kind] { return .success(context) }
            do throws(ReplayError) {
                let context = try TLSServerContext(service(for: kind))
                made[kind] = context
                return .success(context)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func service(for kind: Kind) throws(ReplayError) -> TLSService {
        var service = TLSService(try identities.identity(kind.tls.certificate, for: kind.hosts))
        if let version = kind.tls.version {
            service.minimumVersion = version
            service.maximumVersion = version
        }
        if let client = kind.tls.client {
            service.clientAuthority = identities.authority.certificatePEM
            service.isClientCertificateOptional = client == .optional
        }
        switch kind.tls.fault {
        case nil: break
        case .close: service.fault = .closeAfterClientHello
        case .reset: service.fault = .resetAfterClientHello
        case .stall: service.fault = .stallAfterClientHello
        case .http: service.fault = .plainHTTP
        case .alert(let number): service.fault = .alert(number, .serverHello)
        }
        return service
    }
}
