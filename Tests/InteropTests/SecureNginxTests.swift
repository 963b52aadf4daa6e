import Download
import HTTPClient
import HTTPMessage
import RawgetTool
import TestSupport
import Testing
import Transport

@Suite("Downloads from nginx over TLS (RFC 8446, RFC 5246)")
struct SecureNginxTests {
    private let nginx: Nginx
    private let folder = TemporaryFolder()

    init() throws { nginx = try #require(Nginx.shared, "nginx is needed: .ci/setup installs it") }

    private var trust: [String] { ["--cacert", nginx.secure.authorityFile] }

    private func entries(_ mark: String, _ count: Int = 1) -> [SecureNginx.Entry] {
        nginx.secure.entries(mark, count: count)
    }

    @Test(
        "1 GiB comes octet for octet, by a chain with an intermediate", arguments: SecureNginx.services)
    func large(service: SecureNginx.Service) async throws {
        let mark = "large-\(service.version)-\(service.key)"
        let run = await rawget(
            trust + ["-o", "large", nginx.secure.url("large?\(mark)", of: service)], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(holdTheSame(folder.path(of: "large"), nginx.path(of: "large")))
        #expect(folder.names == ["large"])
        #expect(entries(mark).map(\.version) == [service.version])
    }

    @Test("1,000 files come over one connection, by one handshake", arguments: SecureNginx.services)
    func many(service: SecureNginx.Service) async throws {
        let mark = "many-\(service.version)-\(service.key)"
        let list = (0..<1000).map {
            "url=\(nginx.secure.url("many/\($0)?\(mark)", of: service))\noutput=\($0)"
        }
        let run = await rawget(trust + ["-K", "-"], in: folder, input: list.joined(separator: "\n"))
        #expect(run.exit == 0, "\(run.errors)")
        #expect((0..<1000).allSatisfy { folder.text(of: "\($0)") == "file \($0)\n" })
        let entries = entries(mark, 1000)
        #expect(entries.count == 1000)
        #expect(Set(entries.map(\.connection)).count == 1)
    }

    @Test("a second connection resumes the session, as the server sees", arguments: SecureNginx.services)
    func resumes(service: SecureNginx.Service) async throws {
        let mark = "resumed-\(service.version)-\(service.key)"
        // The request to close makes the next one a connection of its own.
        let url = nginx.secure.url("small.txt?\(mark)", of: service)
        let run = await rawget(
            trust + ["-H", "Connection: close", "-o", "1", url, "-o", "2", url, "-o", "3", url], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(["1", "2", "3"].allSatisfy { folder.text(of: $0) == "A small file.\n" })
        let entries = entries(mark, 3)
        #expect(Set(entries.map(\.connection)).count == 3)
        #expect(entries.map(\.isResumed) == [false, true, true])
    }

    @Test("the name goes to the server, an address does not (RFC 6066, section 3)")
    func names() async throws {
        let service = SecureNginx.services[3]
        let port = nginx.secure.port(of: service)
        let run = await rawget(
            trust + [
                "--resolve", "name.test:\(port):127.0.0.1", "-o", "1",
                nginx.secure.url("small.txt?named", of: service, name: "name.test"), "-o", "2",
                nginx.secure.url("small.txt?named", of: service),
            ], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(entries("named", 2).map(\.serverName) == ["name.test", "-"])
    }

    @Test("without the authority the certificate is refused and nothing asked for")
    func refuses() async throws {
        let service = SecureNginx.services[0]
        let run = await rawget(["-o", "f", nginx.secure.url("small.txt?refused", of: service)], in: folder)
        #expect(run.exit == 60, "\(run.errors)")
        #expect(folder.names.isEmpty)
        #expect(entries("refused", 0).isEmpty)
    }

    @Test("a client certificate is shown where one is required", arguments: ["TLSv1.2", "TLSv1.3"])
    func clientCertificate(version: String) async throws {
        let mark = "client-\(version)"
        let files = nginx.secure.clientFiles
        let run = await rawget(
            trust + [
                "-E", files.certificate, "--key", files.key, "-o", "f",
                nginx.secure.clientURL("small.txt?\(mark)", version: version),
            ], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(folder.text(of: "f") == "A small file.\n")
        #expect(entries(mark).map(\.client) == ["CN=client of nginx"])
    }

    @Test(
        "without a client certificate nginx answers 400, and nothing is saved",
        arguments: ["TLSv1.2", "TLSv1.3"])
    func noClientCertificate(version: String) async throws {
        let mark = "stranger-\(version)"
        let run = await rawget(
            trust + ["-f", "-o", "f", nginx.secure.clientURL("small.txt?\(mark)", version: version)],
            in: folder)
        #expect(run.exit == 22, "\(run.errors)")
        #expect(run.errors.contains("400"))
        #expect(folder.names.isEmpty)
        #expect(entries(mark).map(\.client) == ["-"])
    }
}
