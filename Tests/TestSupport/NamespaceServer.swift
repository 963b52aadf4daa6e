import Glibc

/// An nginx in a namespace, with server blocks of a test's own. Files below `www` are served by `root www`.
public final class NamespaceServer: Sendable {
    /// Where its files lie.
    public let folder = TemporaryFolder()
    private let process: LineProcess

    /// Starts it. A certificate for `other.test` lies in `other.pem`, its key in `other.key`.
    public init(in namespace: NetworkNamespace, _ blocks: String, files: [String: [UInt8]] = [:]) async throws
    {
        chmod(folder.path, 0o755)
        folder.makeFolder("www")
        for (name, octets) in files { folder.write(octets, to: "www/\(name)") }
        folder.write(
            """
            user root; daemon off; worker_processes 1; pid pid; error_log error.log;
            events { worker_connections 128; }
            http { access_log off; client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3;
            uwsgi_temp_path t4; scgi_temp_path t5; default_type application/octet-stream;
            \(blocks)
            }
            """, to: "nginx.conf")
        let key = ChildProcess(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-subj",
                "/CN=other.test", "-addext", "subjectAltName=DNS:other.test", "-keyout", "other.key", "-out",
                "other.pem",
            ], in: folder.path)
        _ = await key.ending()
        process = namespace.start("nginx", ["-p", folder.path, "-c", "nginx.conf"], in: folder.path)
        // Its number is written when it listens.
        let (process, folder) = (process, folder)
        guard await process.said(within: .seconds(10), { _ in folder.text(of: "pid")?.isEmpty == false })
        else {
            throw ServerDidNotStart(words: process.complaints + (folder.text(of: "error.log") ?? ""))
        }
    }

    /// What nginx says instead of starting.
    public struct ServerDidNotStart: Error {
        let words: String
    }
}

/// A name server in a namespace: it knows `site.test` (192.0.2.1), answers for `blocked.test` with 0.0.0.0 and for
/// `silent.test` not at all, and says of all others that they do not exist.
public enum NamespaceResolver {
    /// Starts it at 192.0.2.1, and has `host` ask it.
    public static func start(in namespace: NetworkNamespace, for host: NetworkNamespace) async -> LineProcess
    {
        host.setFile("resolv.conf", "nameserver 192.0.2.1\noptions timeout:1 attempts:1\n")
        host.setFile("nsswitch.conf", "hosts: files dns\n")
        host.setFile("hosts", "127.0.0.1 localhost\n")
        let process = namespace.start("python3", ["-c", script])
        _ = await process.said("ready")
        return process
    }

    /// RFC 1035, section 4: the question comes back, with one answer to it where there is one.
    private static let script = """
        import socket
        known = {b'\\x04site\\x04test\\x00': bytes([192, 0, 2, 1]), b'\\x07blocked\\x04test\\x00': bytes(4)}
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(('192.0.2.1', 53))
        print('ready', flush=True)
        while True:
            query, peer = server.recvfrom(1500)
            end = query.index(b'\\x00', 12) + 1
            name, kind = query[12:end].lower(), query[end:end + 2]
            if name == b'\\x06silent\\x04test\\x00':
                continue
            address = known.get(name)
            answers = b''
            if address and kind == b'\\x00\\x01':
                answers = b'\\xc0\\x0c\\x00\\x01\\x00\\x01\\x00\\x00\\x00\\x05\\x00\\x04' + address
            code = b'\\x81\\x80' if address else b'\\x81\\x83'
            count = b'\\x00\\x01' if answers else b'\\x00\\x00'
            server.sendto(query[:2] + code + b'\\x00\\x01' + count + bytes(4) + query[12:end + 4] + answers, peer)
        """
}
