import Glibc
import NetworkProbes
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("What was recorded over TLS replays", .timeLimit(.minutes(2)))
struct RecordingSecureTests {
    private let authority: TestAuthority
    private let plain: ReplayServer

    init() throws {
        authority = try TestAuthority()
        plain = try serve(answer("200 OK", [], "in clear"))
    }

    private func good() throws -> TestIdentity { try authority.issue(TestCertificate(["fixture.test"])) }

    /// Records a run against a server over TLS, then replays it. Returns the text of the fixture.
    private func roundTrip(
        _ arguments: [String], exit: Int32 = 0, identity: TestIdentity? = nil,
        environment: [String: String] = [:], adjust: (inout TLSService) -> Void = { _ in },
        steps: [Script.Step] = answer("200 OK", [], "behind TLS\n"), files: [String: [UInt8]] = [:]
    ) async throws -> String {
        let identity = try identity ?? good()
        var service = TLSService(identity)
        adjust(&service)
        let server = try ReplayServer(tls: service) { [plain] request in
            request.target == "/down"
                ? answer("302 Found", ["Location: http://fixture.test:\(plain.port)/"], "") : steps
        }
        try server.start()
        let folder = TemporaryFolder()
        folder.write(authority.certificatePEM, to: "ca.pem")
        var client = TestCertificate(["client"])
        client.purpose = .client
        let identityOfClient = try authority.issue(client)
        folder.write(identityOfClient.certificatePEM + identityOfClient.keyPEM, to: "me.pem")
        folder.write(
            "next\ninsecure\nresolve = fixture.test:\(server.port):127.0.0.1\nuser = \"me:s3cret\"\n"
                + "url = https://fixture.test:\(server.port)/2\noutput = y\n", to: "config")
        for (name, octets) in files { folder.write(octets, to: name) }
        let places = [
            "--resolve", "fixture.test:\(server.port):127.0.0.1", "--resolve",
            "fixture.test:\(plain.port):127.0.0.1",
        ]
        let words = arguments.flatMap { word -> [String] in
            switch word {
            case "S/": ["https://fixture.test:\(server.port)/"]
            case "S/down": ["https://fixture.test:\(server.port)/down"]
            case "PIN": [identity.publicKeyPin]
            case "--next": ["--next"] + places
            default: [word]
            }
        }
        let run = await rawget(["--record", "r.wire"] + places + words, in: folder) {
            $0.environment = { environment[$0] }
        }
        #expect(run.exit == exit, "\(arguments): \(run.errors)")
        let text = try #require(folder.text(of: "r.wire"))
        let problems = try await problems(playing: Array(text.utf8))
        #expect(problems == [], "\(arguments): \(problems.joined(separator: "\n"))\n\(text)")
        return text
    }

    @Test(
        "whoever is trusted, and however",
        arguments: [
            ["--cacert", "ca.pem", "S/"], ["-k", "S/", "S/"], ["--cacert", "ca.pem", "S/down"],
            ["-k", "S/", "-o", "x", "--next", "--cacert", "ca.pem", "-o", "y", "S/"],
            ["--cacert", "ca.pem", "-E", "me.pem", "S/"], ["-k", "--pinnedpubkey", "PIN", "S/"],
            ["-k", "--tlsv1.3", "--tls13-ciphers", "TLS_AES_256_GCM_SHA384", "S/"],
            ["-k", "--tls-max", "1.2", "S/"], ["-k", "S/", "-o", "x", "-K", "config"],
        ])
    func trusted(arguments: [String]) async throws {
        let text = try await roundTrip(arguments) { service in
            if arguments.contains("-E") { service.clientAuthority = authority.certificatePEM }
        }
        #expect(text.firstRange(of: " tls good") != nil && text.firstRange(of: "--cacert {ca}") != nil)
        for gone in ["-k", "ca.pem", "me.pem", "--resolve", "--tls13"] {
            #expect(text.firstRange(of: " \(gone)") == nil, "\(gone) in \(text)")
        }
    }

    @Test("authorities that the environment names")
    func environment() async throws {
        _ = try await roundTrip(["S/"], environment: ["SSL_CERT_FILE": "ca.pem"])
        _ = try await roundTrip(["S/"], exit: 77, environment: ["SSL_CERT_FILE": "gone.pem"])
        _ = try await roundTrip(["--cacert", "gone.pem", "S/"], exit: 77)
        let text = try await roundTrip(["-k", "-E", "gone.pem:s3cret", "--pass", "s3cret", "S/"], exit: 58)
        #expect(text.firstRange(of: "-E gone.pem ") != nil && text.firstRange(of: "s3cret") == nil)
        _ = try await roundTrip(["-k", "--ciphers", "NONSENSE", "S/"], exit: 59)
    }

    @Test("certificates that prove nothing")
    func certificates() async throws {
        var expired = TestCertificate(["fixture.test"])
        (expired.validFrom, expired.validUntil) = (.seconds(-7200), .seconds(-3600))
        var early = TestCertificate(["fixture.test"])
        (early.validFrom, early.validUntil) = (.seconds(3600), .seconds(7200))
        let ca = ["--cacert", "ca.pem", "S/"]
        var text = try await roundTrip(ca, exit: 60, identity: authority.issue(expired))
        #expect(text.firstRange(of: "tls expired") != nil)
        text = try await roundTrip(ca, exit: 60, identity: authority.issue(early))
        #expect(text.firstRange(of: "tls not-yet-valid") != nil)
        text = try await roundTrip(
            ca, exit: 60, identity: TestAuthority.selfSigned(TestCertificate(["fixture.test"])))
        #expect(text.firstRange(of: "tls self-signed") != nil)
        text = try await roundTrip(ca, exit: 60, identity: authority.issue(TestCertificate(["other.test"])))
        #expect(text.firstRange(of: "tls wrong-name") != nil)
        text = try await roundTrip(
            ca, exit: 60, identity: TestAuthority().issue(TestCertificate(["fixture.test"])))
        #expect(text.firstRange(of: "tls unknown-ca") != nil)
        text = try await roundTrip(
            ca + ["--pinnedpubkey", "sha256//\(String(repeating: "A", count: 43))="], exit: 90)
        #expect(text.firstRange(of: "tls good") != nil && text.firstRange(of: "AAAA") != nil)
        let key = Array("-----BEGIN PUBLIC KEY-----\n".utf8)
        _ = try await roundTrip(ca + ["--pinnedpubkey", "key.pem"], exit: 90, files: ["key.pem": key])
    }

    @Test("handshakes that fail")
    func handshakes() async throws {
        let ca = ["--cacert", "ca.pem", "S/"]
        _ = try await roundTrip(ca, exit: 35, adjust: { $0.fault = .closeAfterClientHello })
        _ = try await roundTrip(ca, exit: 35, adjust: { $0.fault = .resetAfterClientHello })
        _ = try await roundTrip(ca, exit: 35, adjust: { $0.fault = .plainHTTP })
        _ = try await roundTrip(ca, exit: 35, adjust: { $0.fault = .alert(80, .serverHello) })
        _ = try await roundTrip(
            ca + ["-m", "0.3"], exit: 28, adjust: { $0.fault = .stallAfterClientHello })
        _ = try await roundTrip(
            ca, exit: 35, adjust: { ($0.minimumVersion, $0.maximumVersion) = (.tls11, .tls11) })
    }

    @Test("a certificate that the client does not have")
    func missingCertificate() async throws {
        for version in [TLSService.Version.tls12, .tls13] {
            let text = try await roundTrip(["--cacert", "ca.pem", "S/"], exit: 35) {
                $0.clientAuthority = authority.certificatePEM
                ($0.minimumVersion, $0.maximumVersion) = (version, version)
            }
            #expect(text.firstRange(of: version == .tls12 ? "handshake alert" : "client required") != nil)
        }
    }

    @Test("how the connection ends", arguments: [true, false])
    func endings(hasNotify: Bool) async throws {
        let text = try await roundTrip(
            ["--cacert", "ca.pem", "S/"], exit: hasNotify ? 0 : 56,
            steps: [.send("HTTP/1.1 200 OK\r\n\r\nsome of it"), hasNotify ? .close : .closeWithoutNotify])
        #expect(text.firstRange(of: hasNotify ? "! close\n" : "! cut\n") != nil)
    }
}
