import Glibc
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("Options of TLS", .timeLimit(.minutes(1)))
struct TLSOptionsTests {
    private let folder = TemporaryFolder()
    private let authority: TestAuthority
    private let identity: TestIdentity

    init() throws {
        authority = try TestAuthority()
        identity = try authority.issue(TestCertificate(["fixture.test"], addresses: ["127.0.0.1"]))
        folder.write(authority.certificatePEM, to: "ca.pem")
    }

    private func serve(_ change: (inout TLSService) -> Void = { _ in }) throws -> ReplayServer {
        var service = TLSService(identity)
        change(&service)
        return try TestSupport.serve(tls: service)
    }

    private func run(
        _ arguments: [String], _ server: ReplayServer, environment: [String: String] = [:],
        called name: String = "rawget"
    ) async -> ToolRun {
        await rawget(
            ["-sS", "-o", "-", "https://\(server.authority)/"] + arguments, in: folder, called: name
        ) { invocation in
            invocation.environment = { environment[$0] }
        }
    }

    @Test("--cacert, and authorities named by the environment, after it")
    func authorities() async throws {
        let server = try serve()
        folder.write(try TestAuthority(named: "other").certificatePEM, to: "other.pem")
        let cases: [([String], [String: String], String, Int32)] = [
            (["--cacert", "ca.pem"], [:], "rawget", 0), (["--cacert", "other.pem"], [:], "rawget", 60),
            (["--cacert", "missing.pem"], [:], "rawget", 77),
            ([], ["SSL_CERT_FILE": "ca.pem"], "rawget", 0), ([], ["SSL_CERT_FILE": "gone"], "rawget", 77),
            (["--cacert", "other.pem"], ["SSL_CERT_FILE": "ca.pem"], "rawget", 60),
            ([], ["CURL_CA_BUNDLE": "ca.pem"], "curl", 0), ([], ["CURL_CA_BUNDLE": "ca.pem"], "rawget", 60),
            ([], ["CURL_CA_BUNDLE": "ca.pem", "SSL_CERT_FILE": "gone"], "curl", 0),
            ([], ["SSL_CERT_DIR": "gone"], "rawget", 77), (["--capath", "gone"], [:], "rawget", 77),
            (["-k"], ["SSL_CERT_FILE": "gone"], "rawget", 0), (["-k", "--no-insecure"], [:], "rawget", 60),
        ]
        for (arguments, environment, name, exit) in cases {
            let run = await run(arguments, server, environment: environment, called: name)
            #expect(run.exit == exit, "\(arguments) \(environment): \(run.errors)")
            #expect(run.text == (exit == 0 ? "content" : ""))
        }
    }

    @Test("a certificate may come through a pipe; folders that are not there are passed over in a list")
    func pipesAndLists() async throws {
        let server = try serve()
        mkfifo(folder.path(of: "pipe"), 0o600)
        let path = folder.path(of: "pipe")
        let certificate = authority.certificatePEM
        let writer = Task.detached {
            let file = open(path, O_WRONLY)
            _ = certificate.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            close(file)
        }
        #expect(await run(["--cacert", "pipe"], server).text == "content")
        await writer.value
        folder.makeFolder("hashed")
        folder.write(certificate, to: "hashed/ca.pem")
        let hash = ChildProcess("openssl", ["rehash", folder.path(of: "hashed")], in: folder.path)
        #expect(await hash.ending {} == .exit(0))
        for list in ["gone:hashed", "hashed:gone"] {
            #expect(await run([], server, environment: ["SSL_CERT_DIR": list]).text == "content", "\(list)")
            #expect(await run(["--capath", list], server).text == "content", "\(list)")
        }
    }

    @Test("a key log that is a pipe without a reader holds nothing up")
    func keyLogPipe() async throws {
        let server = try serve()
        mkfifo(folder.path(of: "log"), 0o600)
        let run = await run(["--cacert", "ca.pem"], server, environment: ["SSLKEYLOGFILE": "log"])
        #expect(run.text == "content")
    }

    @Test(
        "what pins nothing, or allows nothing, is refused",
        arguments: ["--cacert", "--capath", "--pinnedpubkey", "--key", "--ciphers", "--tls13-ciphers"])
    func empty(option: String) async throws {
        let server = try serve()
        let run = await run(["--cacert", "ca.pem", option, ""], server)
        #expect(run.exit == 2 && run.text.isEmpty && run.errors.contains(option))
    }

    @Test("-k warns once, and not where the command stands in for curl")
    func insecure() async throws {
        let server = try serve()
        let url = "https://\(server.authority)/"
        let run = await rawget(
            ["-k", "-o", "a", url, "-o", "b", url, "--next", "-k", "-o", "c", url], in: folder)
        #expect(run.exit == 0 && run.errors.split(separator: "\n").count == 1)
        #expect(run.errors.contains("warning: -k"))
        let quiet = await rawget(["-k", "-s", "-S", url], in: folder, called: "curl")
        #expect(quiet.exit == 0 && quiet.errors.isEmpty)
    }

    @Test("-w tells the result of the check and the time it took")
    func writeOut() async throws {
        let server = try serve()
        let format = ["-w", "%{ssl_verify_result} %{scheme} %{time_connect} %{time_appconnect}"]
        for (arguments, result) in [
            (["--cacert", "ca.pem"], 0), (["-k", "--cacert", "ca.pem"], 0), (["-k"], 20),
            ([], 20),
        ] {
            let run = await run(arguments + format, server)
            let words = run.text.replacing("content", with: "").split(separator: " ")
            #expect(words.first == "\(result)" && words[1] == "https", "\(run.text) \(run.errors)")
            if run.exit == 0 { #expect(words[2] < words[3] && words[3] != "0.000000") }
        }
    }

    @Test("-v tells what was agreed on, and whose certificate it is")
    func verbose() async throws {
        let server = try serve()
        let run = await run(["-v", "--cacert", "ca.pem"], server)
        let handshake = try #require(server.handshakes.first)
        #expect(run.errors.contains("* secured by TLSv1.3, \(handshake.cipher), http/1.1\n"), "\(run.errors)")
        #expect(
            run.errors.contains(
                "* certificate of CN=fixture.test, issued by CN=rawget test CA, good until 20"))
        #expect(run.errors.contains("* its key is \(identity.publicKeyPin)\n"))
    }

    @Test("--pinnedpubkey: one of several digests, or the key in a file")
    func pins() async throws {
        let server = try serve()
        let wrong = "sha256//" + String(repeating: "A", count: 43) + "="
        for (pins, exit) in [
            (identity.publicKeyPin, 0), ("\(wrong);\(identity.publicKeyPin)", 0), (wrong, 90),
            ("sha256//short", 2), ("missing.pem", 90), ("ca.pem", 90),
        ] as [(String, Int32)] {
            let run = await run(["--cacert", "ca.pem", "--pinnedpubkey", pins], server)
            #expect(run.exit == exit, "\(pins): \(run.errors)")
            if exit == 90, pins == wrong { #expect(run.errors.contains("it has \(identity.publicKeyPin)")) }
        }
    }

    @Test("-E, --key, --pass: the server sees the certificate")
    func clientCertificate() async throws {
        let server = try serve { $0.clientAuthority = authority.certificatePEM }
        var request = TestCertificate(commonName: "a client")
        request.purpose = .client
        let client = try authority.intermediate(named: "clients").issue(request)
        folder.write(client.certificatePEM, to: "cert.pem")
        folder.write(client.keyPEM, to: "key.pem")
        folder.write(try client.encryptedKeyPEM(password: "a:b"), to: "locked.pem")
        folder.write(client.certificatePEM + (try client.encryptedKeyPEM(password: "a:b")), to: "both:1.pem")
        let good: [[String]] = [
            ["-E", "cert.pem", "--key", "key.pem"], ["-E", "cert.pem:a:b", "--key", "locked.pem"],
            ["--cert", "cert.pem", "--key", "locked.pem", "--pass", "a:b"], ["-E", "both\\:1.pem:a:b"],
        ]
        for arguments in good {
            let run = await run(["--cacert", "ca.pem"] + arguments, server)
            #expect(run.exit == 0, "\(arguments): \(run.errors)")
        }
        #expect(server.handshakes.compactMap(\.clientSubject).count == good.count)
        for (arguments, exit) in [
            (["-E", "cert.pem:wrong", "--key", "locked.pem"], 58), (["-E", "missing.pem"], 58),
            (["-E", "cert.pem"], 58), (["-E", "cert.pem", "--key", "key.pem", "--cert-type", "P12"], 58),
            (["-E", "cert.pem", "--cert-type", "ENG"], 2), (["--key", "key.pem"], 2),
            (["-E", "cert.pem", "--key-type", "P12"], 2),
        ] as [([String], Int32)] {
            let run = await run(["--cacert", "ca.pem"] + arguments, server)
            #expect(run.exit == exit, "\(arguments): \(run.errors)")
            #expect(!run.errors.contains("wrong:") && !run.errors.contains(":wrong"))
        }
    }

    /// A certificate with a key that is encrypted with `secret`, in PEM and as PKCS#12.
    private func writeLockedIdentity() throws {
        var request = TestCertificate(commonName: "a client")
        request.purpose = .client
        let client = try authority.issue(request)
        folder.write(client.certificatePEM, to: "cert.pem")
        folder.write(try client.encryptedKeyPEM(password: "secret"), to: "locked.pem")
        folder.write(try client.pkcs12(password: "secret"), to: "me.p12")
    }

    @Test("a key that is encrypted: how to give the password, and that a wrong one is wrong")
    func lockedKey() async throws {
        let server = try serve { $0.clientAuthority = authority.certificatePEM }
        try writeLockedIdentity()
        let pem = ["-E", "cert.pem", "--key", "locked.pem"]
        let archive = ["-E", "me.p12", "--cert-type", "P12"]
        let missing = "Give the password with --pass, or as -E FILE:PASSWORD."
        for (arguments, words) in [
            (pem, missing), (archive, missing), (pem + ["--pass", "nonsense"], "the password is wrong"),
            (archive + ["--pass", "nonsense"], "the password is wrong"),
            (pem + ["--pass", "nonsense"], "Check the password given with --pass or -E."),
            (["-E", "me.p12", "--pass", "secret"], "me.p12 is not written in PEM. Add --cert-type P12."),
        ] {
            let run = await run(["--cacert", "ca.pem"] + arguments, server)
            #expect(run.exit == 58 && run.errors.contains(words), "\(arguments): \(run.errors)")
            #expect(!run.errors.contains("nonsense"))
        }
    }

    @Test(
        "at a terminal the password of a key is asked for once, and only where it is needed",
        arguments: [
            (["-E", "cert.pem", "--key", "locked.pem"], "locked.pem"),
            (["-E", "me.p12", "--cert-type", "P12"], "me.p12"),
        ])
    func promptForKey(_ arguments: [String], _ name: String) async throws {
        let server = try serve { $0.clientAuthority = authority.certificatePEM }
        try writeLockedIdentity()
        let terminal = try #require(PseudoTerminal())
        let person = terminal.typeSecretly("secret\n")
        let url = "https://\(server.authority)/"
        let options = ["--cacert", "ca.pem", "-o", "f"] + arguments + [url]
        let run = await rawget(options + ["--next"] + options, in: folder) {
            $0.standardInput = terminal.descriptor
            $0.isTerminal = { $0 == terminal.descriptor }
        }
        #expect(await person.value)
        #expect(run.exit == 0 && run.errors.hasPrefix("password for \(name): \n"), "\(run.errors)")
        #expect(!run.errors.dropFirst(20).contains("password for") && !terminal.hasShown)
        let given = await rawget(options + ["--pass", "secret"], in: folder) {
            $0.standardInput = terminal.descriptor
            $0.isTerminal = { $0 == terminal.descriptor }
        }
        #expect(given.exit == 0 && !given.errors.contains("password for"), "\(given.errors)")
    }

    @Test("versions and ciphers: what the server sees, and lists that make no sense")
    func versions() async throws {
        let server = try serve()
        let cases: [([String], Int32, String)] = [
            ([], 0, "TLSv1.3"), (["--tlsv1.2"], 0, "TLSv1.3"), (["--tlsv1.3"], 0, "TLSv1.3"),
            (["--tls-max", "1.2"], 0, "TLSv1.2"), (["--tls-max", "default"], 0, "TLSv1.3"),
            (["--tls-max", "1.3"], 0, "TLSv1.3"), (["--tls-max", "1.1"], 2, "1.0 and 1.1 are not safe"),
            (["--tls-max", "2"], 2, "is not 1.2, 1.3 or default"),
            (["--tlsv1.3", "--tls-max", "1.2"], 2, "below"),
            (["--ciphers", "NONSENSE"], 59, "NONSENSE"), (["--tls13-ciphers", "NONSENSE"], 59, "NONSENSE"),
            (["--tls13-ciphers", "TLS_CHACHA20_POLY1305_SHA256"], 0, "TLS_CHACHA20_POLY1305_SHA256"),
            (
                ["--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-AES128-GCM-SHA256"], 0,
                "ECDHE-ECDSA-AES128-GCM-SHA256"
            ),
        ]
        for (arguments, exit, words) in cases {
            let run = await run(["--cacert", "ca.pem"] + arguments, server)
            #expect(run.exit == exit, "\(arguments): \(run.errors)")
            if exit == 0 {
                let handshake = try #require(server.handshakes.last)
                #expect([handshake.version, handshake.cipher].contains(words), "\(handshake)")
            } else {
                #expect(run.errors.contains(words), "\(run.errors)")
            }
        }
    }

    @Test("SSLKEYLOGFILE: lines of both directions, appended, for the owner alone; not opened is a warning")
    func keyLog() async throws {
        let server = try serve()
        for count in 1...2 {
            let run = await run(["--cacert", "ca.pem"], server, environment: ["SSLKEYLOGFILE": "keys"])
            #expect(run.exit == 0 && run.errors.isEmpty)
            let lines = folder.text(of: "keys")?.split(separator: "\n") ?? []
            #expect(lines.filter { $0.hasPrefix("SERVER_TRAFFIC_SECRET_0 ") }.count == count)
            #expect(lines.filter { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") }.count == count)
        }
        #expect((folder.status(of: "keys")?.st_mode ?? 0) & 0o777 == 0o600)
        let run = await rawget(
            ["--cacert", "ca.pem", "-o", "f", "https://\(server.authority)/"], in: folder
        ) { $0.environment = { $0 == "SSLKEYLOGFILE" ? "gone/keys" : nil } }
        #expect(run.exit == 0 && run.errors.contains("SSLKEYLOGFILE"))
    }

    @Test("what a certificate says of itself reaches no terminal unescaped")
    func escapes() async throws {
        let evil = try TestAuthority.selfSigned(
            TestCertificate(["fixture.test"], commonName: "a\u{1B}[31m\u{202E}b"))
        let server = try TestSupport.serve(tls: TLSService(evil))
        for arguments in [["-v"], ["-v", "-k"]] {
            let run = await run(arguments, server)
            #expect(run.errors.contains("CN=a"))
            #expect(!run.errors.contains("\u{1B}") && !run.errors.contains("\u{202E}"), "\(run.errors)")
        }
    }

    @Test(
        "-E reads its argument as curl does",
        arguments: [
            ("cert.pem", "cert.pem", nil), ("cert.pem:secret", "cert.pem", "secret"),
            ("cert.pem:a:b", "cert.pem", "a:b"), ("a\\:b:c", "a:b", "c"), ("a\\\\b", "a\\b", nil),
            ("a\\b:c", "a\\b", "c"), ("cert:", "cert", nil), ("a\\", "a\\", nil), ("p:x\\:y", "p", "x\\:y"),
        ] as [(String, String, String?)])
    func certificateArgument(text: String, path: String, password: String?) {
        let option = CertificateOption(text)
        #expect(option.path == path && option.password == password)
    }
}
