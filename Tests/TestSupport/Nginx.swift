import Glibc

/// An nginx of the tests' own, on 127.0.0.1 and ::1; it ends with the process that started it, however that ends.
public final class Nginx: Sendable {
    /// The port of both addresses.
    public let port: UInt16
    /// Where its files lie.
    public let folder: String
    /// Its services over TLS.
    public let secure: SecureNginx
    /// Whether it listens on ::1, too.
    public let hasIPv6: Bool
    private let shell: ChildProcess
    /// While this is open, nginx runs.
    private let lifeline: Int32

    /// The one that all tests share; `nil` where nginx does not start, which is printed.
    public static let shared = Nginx()

    /// Octets of the file `large`.
    public static let large = 1 << 30
    /// Octets of the file `middle`.
    public static let middle = 64 << 20

    /// `http://127.0.0.1:PORT/PATH`.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    /// The same over IPv6.
    public func urlIPv6(_ path: String) -> String { "http://[::1]:\(port)/\(path)" }

    /// The path of what is served as `name`.
    public func path(of name: String) -> String { "\(folder)/www/\(name)" }

    /// The lines of its log, each `CONNECTION METHOD TARGET STATUS`.
    public var log: [String] { Nginx.lines("\(folder)/access.log") }

    static func lines(_ path: String) -> [String] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return String(decoding: contents(ofDescriptor: file), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }

    private init?() {
        let hasIPv6 = Nginx.freePort(AF_INET6) != nil
        for _ in 0..<5 {
            guard let port = Nginx.freePort(AF_INET) else { continue }
            var template = Array("\(TemporaryFolder.place)/rawget-nginx-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { return nil }
            let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            chmod(folder, 0o755)
            Nginx.makeFiles(in: folder)
            guard let secure = try? SecureNginx(folder) else { return nil }
            Nginx.write(
                Nginx.configuration(port, hasIPv6: hasIPv6, folder, secure), to: "\(folder)/nginx.conf")
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let errors = open("\(folder)/said", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            // `read` returns when the other end of the pipe closes, be it that the tests died.
            let shell = ChildProcess(
                "sh",
                [
                    "-c",
                    "nginx -p '\(folder)' -c nginx.conf & read _; kill $! && wait $!; rm -rf '\(folder)'",
                ],
                in: folder, input: ends[0], errors: errors)
            close(ends[0])
            close(errors)
            if Nginx.waitForAnswer(port) {
                (self.port, self.folder, self.hasIPv6, self.shell) = (port, folder, hasIPv6, shell)
                self.secure = secure
                lifeline = ends[1]
                return
            }
            print("nginx did not start: \(Nginx.read("\(folder)/said"))")
            close(ends[1])
        }
        return nil
    }

    private static func configuration(
        _ port: UInt16, hasIPv6: Bool, _ folder: String, _ secure: SecureNginx
    ) -> String {
        """
        \(getuid() == 0 ? "user root;" : "")
        daemon off; worker_processes 1; pid pid; error_log error.log;
        events { worker_connections 512; }
        http {
            default_type application/octet-stream;
            types { text/html html; text/plain txt; }
            log_format short '$connection $request_method $request_uri $status';
            access_log access.log short;
            sendfile on; keepalive_requests 100000;
            client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
            server {
                listen 127.0.0.1:\(port); \(hasIPv6 ? "listen [::1]:\(port);" : "")
                root www;
                location /included/ { alias www/; ssi on; }
                location /named { alias www/small.txt; add_header Content-Disposition
                    "attachment; filename=\\"plain.txt\\"; filename*=UTF-8''%E2%82%AC%20rates.txt"; }
                location /moved { return 302 /small.txt; }
                location /stored/ { dav_methods PUT; create_full_put_path on; client_max_body_size 0; }
                location /tight/ { dav_methods PUT; client_max_body_size 1m; }
                location /elsewhere/ { client_max_body_size 0; return 307 /stored$request_uri; }
                location /slow/ { alias www/; limit_rate 1m; }
                location /coded/ { alias www/; gzip on; gzip_types *; gzip_min_length 1; }
            }
        \(secure.configuration)
        }
        """
    }

    private static func makeFiles(in folder: String) {
        mkdir("\(folder)/www", 0o755)
        mkdir("\(folder)/www/many", 0o755)
        write("A small file.\n", to: "\(folder)/www/small.txt")
        write("", to: "\(folder)/www/empty")
        write("<p><!--#echo var=\"request_method\" --></p>\n", to: "\(folder)/www/page.html")
        for number in 0..<1000 { write("file \(number)\n", to: "\(folder)/www/many/\(number)") }
        makeNumbered("\(folder)/www/middle", middle)
        makeNumbered("\(folder)/www/large", large)
    }

    /// A file with holes that holds its own offset every 64 KiB, so that no part of it equals another.
    private static func makeNumbered(_ path: String, _ size: Int) {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        defer { close(file) }
        ftruncate(file, off_t(size))
        for offset in stride(from: 0, to: size, by: 1 << 16) {
            var number = offset + 1
            pwrite(file, &number, 8, off_t(offset + 4321))
        }
    }

    static func write(_ text: String, to path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        defer { close(file) }
        precondition(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
    }

    private static func read(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        return String(decoding: contents(ofDescriptor: file), as: UTF8.self)
    }

    // MARK: Sockets

    /// A port that nobody listens on now; `nil` where the family is not there.
    static func freePort(_ family: Int32) -> UInt16? {
        let socket = loopbackSocket(family, port: 0, bind)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        var octets = [UInt8](repeating: 0, count: 28)
        var length = socklen_t(octets.count)
        let result = octets.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { getsockname(socket, $0.assumingMemoryBound(to: sockaddr.self), &length) }
        }
        guard result == 0 else { return nil }
        return UInt16(octets[2]) << 8 | UInt16(octets[3])
    }

    private static func loopbackSocket(
        _ family: Int32, port: UInt16, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let socket = Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return -1 }
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        var octets = [UInt8](repeating: 0, count: 28)
        octets[0] = UInt8(family)
        octets[2] = UInt8(port >> 8)
        octets[3] = UInt8(port & 0xFF)
        if family == AF_INET { octets.replaceSubrange(4..<8, with: [127, 0, 0, 1]) } else { octets[23] = 1 }
        let result = octets.withUnsafeBytes { buffer in
            buffer.baseAddress.map {
                call(socket, $0.assumingMemoryBound(to: sockaddr.self), family == AF_INET ? 16 : 28)
            }
        }
        guard result == 0 else {
            close(socket)
            return -1
        }
        return socket
    }

    private static func waitForAnswer(_ port: UInt16) -> Bool {
        for _ in 0..<250 {
            let socket = loopbackSocket(AF_INET, port: port, connect)
            if socket >= 0 {
                defer { close(socket) }
                let request = "HEAD /small.txt HTTP/1.0\r\n\r\n"
                var reply = [UInt8](repeating: 0, count: 1024)
                guard send(socket, request, request.utf8.count, Int32(MSG_NOSIGNAL)) > 0,
                    case let count = recv(socket, &reply, reply.count, 0), count > 0
                else { continue }
                return String(decoding: reply[0..<count], as: UTF8.self).contains("Server: nginx")
            }
            usleep(20_000)
        }
        return false
    }
}

/// Whether two files hold the same octets. Both are read in blocks of 1 MiB.
public func holdTheSame(_ path: String, _ other: String) -> Bool {
    let files = [open(path, O_RDONLY | O_CLOEXEC), open(other, O_RDONLY | O_CLOEXEC)]
    defer { for file in files where file >= 0 { close(file) } }
    guard files.allSatisfy({ $0 >= 0 }) else { return false }
    var (block, otherBlock) = ([UInt8](repeating: 0, count: 1 << 20), [UInt8](repeating: 0, count: 1 << 20))
    while true {
        let (count, otherCount) = (read(files[0], &block, 1 << 20), read(files[1], &otherBlock, 1 << 20))
        guard count == otherCount, count >= 0 else { return false }
        if count == 0 { return true }
        guard memcmp(block, otherBlock, count) == 0 else { return false }
    }
}
