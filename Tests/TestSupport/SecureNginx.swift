import Glibc
import Replay

/// What the nginx of the tests offers over TLS: the same files, a port for each version and kind of key, and one that
/// asks for a client certificate. All certificates come from a chain made when it starts.
public final class SecureNginx: Sendable {
    /// One version of TLS with one kind of key.
    public struct Service: Hashable, Sendable, CustomStringConvertible {
        /// `TLSv1.2` or `TLSv1.3`, as nginx calls it.
        public var version: String
        /// `rsa` or `ecdsa`.
        public var key: String

        /// Both in words.
        public var description: String { "\(version) \(key)" }
    }

    /// A request as nginx logged it.
    public struct Entry: Hashable, Sendable {
        /// nginx's number of the connection.
        public var connection: String
        /// The request target.
        public var target: String
        /// The status sent.
        public var status: String
        /// The version of TLS.
        public var version: String
        /// Whether the session was resumed.
        public var isResumed: Bool
        /// The name in the server name indication; `-` for none.
        public var serverName: String
        /// The client certificate's subject; `-` for none.
        public var client: String
    }

    /// All services that ask for no client certificate.
    public static let services = ["TLSv1.2", "TLSv1.3"].flatMap { version in
        ["rsa", "ecdsa"].map { Service(version: version, key: $0) }
    }

    private let folder: String
    private let ports: [Service: UInt16]
    private let clientPorts: [String: UInt16]

    /// The root, for `--cacert`.
    public var authorityFile: String { "\(folder)/tls/root.pem" }
    /// The client's certificate and key, for `-E` and `--key`.
    public var clientFiles: (certificate: String, key: String) {
        ("\(folder)/tls/client.pem", "\(folder)/tls/client.key")
    }

    /// `https://NAME:PORT/PATH` of a service.
    public func url(_ path: String, of service: Service, name: String = "127.0.0.1") -> String {
        "https://\(name):\(ports[service] ?? 0)/\(path)"
    }

    /// The port of a service, for `--resolve`.
    public func port(of service: Service) -> UInt16 { ports[service] ?? 0 }

    /// The address of what only a client with a certificate may read, by a version of TLS.
    public func clientURL(_ path: String, version: String) -> String {
        "https://127.0.0.1:\(clientPorts[version] ?? 0)/\(path)"
    }

    /// What was asked for with `mark` as query, in the order in which it was done; at least `count` of them, for which a
    /// while is waited: a client has its answer before the log has its line.
    public func entries(_ mark: String, count: Int) -> [Entry] {
        for _ in 0..<5000 {
            let found = log.filter { $0.target.hasSuffix("?\(mark)") }
            if found.count >= count { return found }
            usleep(1000)
        }
        return log.filter { $0.target.hasSuffix("?\(mark)") }
    }

    /// What was asked for over TLS, in the order in which it was done.
    private var log: [Entry] {
        Nginx.lines("\(folder)/secure.log").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 6).map(String.init)
            guard words.count == 7 else { return nil }
            return Entry(
                connection: words[0], target: words[1], status: words[2], version: words[3],
                isResumed: words[4] == "r", serverName: words[5], client: words[6])
        }
    }

    init(_ folder: String) throws {
        self.folder = folder
        mkdir("\(folder)/tls", 0o755)
        func write(_ octets: [UInt8], _ name: String) {
            Nginx.write(String(decoding: octets, as: UTF8.self), to: "\(folder)/tls/\(name)")
        }
        let root = try TestAuthority(named: "nginx root")
        let intermediate = try root.intermediate(named: "nginx intermediate")
        write(root.certificatePEM, "root.pem")
        for (name, key) in [("rsa", TestKey.rsa(2048)), ("ecdsa", .p256)] {
            var request = testNames
            request.key = key
            let identity = try intermediate.issue(request)
            write(identity.certificatePEM, "\(name).pem")
            write(identity.keyPEM, "\(name).key")
        }
        var request = TestCertificate(commonName: "client of nginx")
        request.purpose = .client
        let client = try root.issue(request)
        write(client.certificatePEM, "client.pem")
        write(client.keyPEM, "client.key")
        var used: Set<UInt16> = []
        func port() throws -> UInt16 {
            for _ in 0..<100 {
                if let port = Nginx.freePort(AF_INET), used.insert(port).inserted { return port }
            }
            throw ReplayError(call: "bind", errno: EADDRINUSE)
        }
        var ports: [Service: UInt16] = [:]
        for service in Self.services { ports[service] = try port() }
        self.ports = ports
        clientPorts = ["TLSv1.2": try port(), "TLSv1.3": try port()]
    }

    /// The servers, for nginx's `http` block.
    var configuration: String {
        let format = """
                log_format secure '$connection $request_uri $status $ssl_protocol $ssl_session_reused '
                    '$ssl_server_name $ssl_client_s_dn';
            """
        let open = Self.services.map { server(port(of: $0), $0, "") }
        let closed = clientPorts.keys.sorted().map {
            server(
                clientPorts[$0] ?? 0, Service(version: $0, key: "ecdsa"),
                "ssl_verify_client on; ssl_client_certificate tls/root.pem;")
        }
        return ([format] + open + closed).joined(separator: "\n")
    }

    private func server(_ port: UInt16, _ service: Service, _ more: String) -> String {
        """
            server {
                listen 127.0.0.1:\(port) ssl;
                ssl_certificate tls/\(service.key).pem; ssl_certificate_key tls/\(service.key).key;
                ssl_protocols \(service.version); \(more)
                ssl_session_cache shared:tls\(port):1m; access_log secure.log secure;
                root www;
            }
        """
    }
}
