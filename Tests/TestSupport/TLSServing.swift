import HTTPClient
public import NetworkProbes
public import Replay

/// A server over TLS, and the folder with what a client needs to trust it.
public final class SecureServer: Sendable {
    /// The server, running.
    public let server: ReplayServer
    /// The authority that issued the server's certificate.
    public let authority: TestAuthority
    /// Holds `ca.pem`.
    public let folder: TemporaryFolder

    /// The path of a file with the authority's certificate, for `--cacert`.
    public var authorityFile: String { folder.path(of: "ca.pem") }

    init(_ server: ReplayServer, _ authority: TestAuthority) {
        self.server = server
        self.authority = authority
        folder = TemporaryFolder()
        folder.write(authority.certificatePEM, to: "ca.pem")
    }

    /// `https://name:PORT/path`; with a name, `resolution(of:)` leads there.
    public func url(_ path: String = "", name: String = "127.0.0.1") -> String {
        "https://\(name):\(server.port)/\(path)"
    }

    /// The argument of `--resolve` that leads a name to the server, for rawget and curl alike.
    public func resolution(of name: String) -> String { "\(name):\(server.port):127.0.0.1" }

    /// Writes an identity into the folder for `-E` and `--key`; returns both paths.
    public func write(
        _ identity: TestIdentity, named name: String = "client"
    ) -> (certificate: String, key: String) {
        folder.write(identity.certificatePEM, to: "\(name).pem")
        folder.write(identity.keyPEM, to: "\(name)-key.pem", permissions: 0o600)
        return (folder.path(of: "\(name).pem"), folder.path(of: "\(name)-key.pem"))
    }
}

/// A certificate for what tests call servers: `localhost`, `name.test`, and both loopback addresses.
public let testNames = TestCertificate(["localhost", "name.test"], addresses: ["127.0.0.1", "::1"])

/// A running server over TLS that answers each request with what `handler` returns. `adjusting` changes how it speaks
/// TLS.
public func serveTLS(
    _ certificate: TestCertificate = testNames, authority: TestAuthority? = nil,
    adjusting adjust: (inout TLSService) -> Void = { _ in },
    handler: @escaping @Sendable (RecordedRequest) -> [Script.Step]
) throws -> SecureServer {
    let authority = try authority ?? TestAuthority()
    var service = TLSService(try authority.issue(certificate))
    adjust(&service)
    let server = try ReplayServer(tls: service, handler: handler)
    try server.start()
    return SecureServer(server, authority)
}

/// A running server over TLS that plays a script.
public func serveTLS(
    _ script: Script, _ certificate: TestCertificate = testNames, authority: TestAuthority? = nil,
    adjusting adjust: (inout TLSService) -> Void = { _ in }
) throws -> SecureServer {
    let authority = try authority ?? TestAuthority()
    var service = TLSService(try authority.issue(certificate))
    adjust(&service)
    let server = try ReplayServer(script, tls: service)
    try server.start()
    return SecureServer(server, authority)
}
