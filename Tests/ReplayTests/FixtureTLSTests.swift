import Glibc
import Replay
import TestSupport
import Testing

/// A stage with one server that speaks TLS, and what `openssl s_client` says to it.
private final class SecureStage {
    let stage: FixtureStage
    let folder = TemporaryFolder()

    init(_ tls: Fixture.TLS, host: String = "fixture.test", _ runs: [Fixture.Connection]...) throws {
        var server = Fixture.Server(host: host)
        server.tls = tls
        server.line = 50
        stage = try FixtureStage(fixture(servers: [server], runs), patience: .seconds(20))
        try stage.start()
        stage.begin(run: 0)
        folder.write(stage.authorityPEM, to: "ca.pem")
        folder.write(stage.clientCertificatePEM, to: "client.pem")
        folder.write(stage.clientKeyPEM, to: "key.pem")
    }

    func client(_ arguments: [String] = [], request: String = requestText()) async -> Said {
        await run(
            "openssl",
            [
                "s_client", "-connect", "127.0.0.1:\(stage.port)", "-CAfile", folder.path(of: "ca.pem"),
                "-servername", "fixture.test", "-verify_hostname", "fixture.test", "-verify_return_error",
                "-ign_eof",
            ] + arguments, input: request)
    }
}

@Suite("TLS of fixtures (RFC 8446)")
struct FixtureTLSTests {
    @Test(
        "certificates are of their kind",
        arguments: [
            (.good, nil), (.chain, nil), (.expired, "certificate has expired"),
            (.notYetValid, "certificate is not yet valid"), (.wrongName, "hostname mismatch"),
            (.selfSigned, "self-signed certificate"), (.unknownCA, "unable to get local issuer certificate"),
            (.brokenChain, "unable to get local issuer certificate"), (.addressAsName, nil),
        ] as [(Fixture.TLS.Certificate, String?)])
    func certificates(kind: Fixture.TLS.Certificate, reason: String?) async throws {
        let secure = try SecureStage(
            Fixture.TLS(kind), [connection(asks(2, "GET / HTTP/1.1"), says(3, "content here"), at(4, .close))]
        )
        let said = await secure.client()
        let texts = secure.stage.ended().texts
        if let reason {
            #expect(said.text.contains(reason), "\(said.text)")
            #expect(!said.text.contains("content here"))
            #expect(texts.count == 1)
            #expect(
                texts.allSatisfy {
                    $0.hasPrefix("2: TLS did not begin: ")
                        && $0.hasSuffix("; this request was still expected")
                }, "\(texts)")
        } else {
            #expect(said.text.contains("content here"), "\(said.text)")
            #expect(texts == [])
        }
        #expect(secure.stage.pin?.hasPrefix("sha256//") == true)
    }

    @Test("a connection without steps is for those that refuse the certificate")
    func refusals() async throws {
        let secure = try SecureStage(Fixture.TLS(.expired), [connection()])
        #expect(await secure.client().text.contains("certificate has expired"))
        #expect(secure.stage.ended() == .init(problems: [], connections: [1], requests: [0]))
    }

    @Test(
        "one version alone is spoken",
        arguments: [("1.0", .tls10), ("1.1", .tls11), ("1.2", .tls12), ("1.3", .tls13)]
            as [(String, TLSService.Version)])
    func versions(name: String, version: TLSService.Version) async throws {
        var tls = Fixture.TLS()
        tls.version = version
        let secure = try SecureStage(
            tls, [connection(asks(1, "GET / HTTP/1.1"), says(2, "content here"), at(3, .close))])
        let said = await secure.client(["-cipher", "DEFAULT:@SECLEVEL=0", "-min_protocol", "TLSv1"])
        #expect(said.text.contains("content here"), "\(said.text)")
        #expect(
            said.text.contains(name == "1.0" ? "New, TLSv1.0" : "New, TLSv\(name)")
                || said.text.contains("Protocol: TLSv\(name)")
                || said.text.contains("Protocol  : TLSv\(name == "1.0" ? "1" : name)"), "\(said.text)")
        #expect(secure.stage.ended().texts == [])
    }

    @Test(
        "clients are asked for a certificate",
        arguments: [Fixture.TLS.ClientCertificate.optional, .required], [true, false])
    func clients(asked: Fixture.TLS.ClientCertificate, isGiven: Bool) async throws {
        var tls = Fixture.TLS()
        tls.client = asked
        tls.version = .tls12
        let secure = try SecureStage(
            tls, [connection(asks(1, "GET / HTTP/1.1"), says(2, "content here"), at(3, .close))])
        let identity = [
            "-cert", secure.folder.path(of: "client.pem"), "-key", secure.folder.path(of: "key.pem"),
        ]
        let said = await secure.client(isGiven ? identity : [])
        let isFine = isGiven || asked == .optional
        #expect(said.text.contains("content here") == isFine, "\(said.text)")
        #expect(
            secure.stage.ended().texts
                == (isFine
                    ? []
                    : [
                        "1: TLS did not begin: peer did not return a certificate; this request was still expected"
                    ]))
    }

    @Test(
        "faults come in place of the ServerHello",
        arguments: [
            (.close, "unexpected eof while reading"), (.reset, "errno=104"), (.http, "wrong version number"),
            (.alert(71), "SSL alert number 71"),
        ] as [(Fixture.TLS.Fault, String)])
    func faults(fault: Fixture.TLS.Fault, reason: String) async throws {
        var tls = Fixture.TLS()
        tls.fault = fault
        let secure = try SecureStage(tls, [connection()])
        let said = await secure.client(["-msg"])
        #expect(said.text.contains(reason), "\(said.text)")
        #expect(!said.text.contains(", ServerHello\n"))
        #expect(secure.stage.ended().texts == [])
    }

    @Test(
        "a client that vanishes without a close_notify has not closed as it must (RFC 9112, section 9.8)",
        arguments: [TLSService.Version.tls12, .tls13])
    func vanishing(version: TLSService.Version) async throws {
        var tls = Fixture.TLS()
        tls.version = version
        let secure = try SecureStage(
            tls, [connection(asks(1, "GET / HTTP/1.1"), says(2, "content here"), at(3, .awaitClose))])
        let input = NamelessFile(Array(requestText().utf8))
        let output = NamelessFile()
        let process = ChildProcess(
            "openssl", ["s_client", "-connect", "127.0.0.1:\(secure.stage.port)", "-ign_eof"],
            input: input.descriptor, output: output.descriptor)
        let ending = await process.ending(within: .seconds(20)) {
            if output.text.contains("content here") { process.signal(SIGKILL) }
        }
        #expect(ending == .signal(SIGKILL))
        #expect(
            secure.stage.ended().texts == ["3: the client closed the connection without a close_notify"])
    }

    @Test("a client that says goodbye has closed", arguments: [TLSService.Version.tls12, .tls13])
    func leaving(version: TLSService.Version) async throws {
        var tls = Fixture.TLS()
        tls.version = version
        let secure = try SecureStage(tls, [connection(asks(1, "GET / HTTP/1.1"), at(2, .awaitClose))])
        // It closes where its input ends.
        _ = await run(
            "openssl", ["s_client", "-connect", "127.0.0.1:\(secure.stage.port)"], input: requestText())
        #expect(secure.stage.ended().texts == [])
    }

    @Test("a stalled handshake ends with the run")
    func stalls() async throws {
        var tls = Fixture.TLS()
        tls.fault = .stall
        let secure = try SecureStage(tls, [connection(asks(1, "GET / HTTP/1.1"))])
        let process = ChildProcess("openssl", ["s_client", "-connect", "127.0.0.1:\(secure.stage.port)"])
        while secure.stage.isIdle, !process.hasEnded {}
        let texts = secure.stage.end(run: 0).texts
        #expect(texts.count == 1)
        #expect(texts.first?.hasPrefix("1: TLS did not begin: ") == true)
        _ = await process.ending(within: .seconds(10))
    }

    @Test("it is cut off, gets new keys, and octets past it", arguments: ["cut", "keys", "past"])
    func odd(kind: String) async throws {
        let middle: [Fixture.Located<Fixture.Step>] =
            switch kind {
            case "cut": [at(3, .cut)]
            case "keys": [at(3, .updateKeys), says(4, "more here"), at(5, .close)]
            default: [at(3, .unprotected(.text("garbage!"))), at(4, .close)]
            }
        let secure = try SecureStage(
            Fixture.TLS(),
            [Fixture.Connection(line: 1, [asks(1, "GET / HTTP/1.1"), says(2, "content here")] + middle)])
        let said = await secure.client(["-msg"])
        #expect(said.text.contains("content here"))
        switch kind {
        case "cut": #expect(said.text.contains("unexpected eof while reading"), "\(said.text)")
        case "keys":
            #expect(said.text.contains("KeyUpdate"), "\(said.text)")
            #expect(said.text.contains("more here"))
        default:
            #expect(
                said.text.contains("wrong version number") || said.text.contains("packet length too long"),
                "\(said.text)")
        }
        #expect(secure.stage.ended().texts == [])
    }

    @Test("it begins in the middle, with a certificate for the host of the CONNECT, octets at hand included")
    func tunnels() async throws {
        let stage = try staged([
            connection(
                asks(1, "CONNECT behind.test:443 HTTP/1.1"), says(2, "HTTP/1.1 200 OK\r\n\r\n"),
                at(3, .tls(Fixture.TLS())), asks(4, "GET /in HTTP/1.1"), says(5, answerText("inner")),
                at(6, .close))
        ])
        let folder = TemporaryFolder()
        folder.write(stage.authorityPEM, to: "ca.pem")
        let said = await run(
            "curl",
            [
                "-sS", "--cacert", folder.path(of: "ca.pem"), "-x", "http://127.0.0.1:\(stage.port)",
                "--proxytunnel",
                "https://behind.test/in",
            ])
        #expect(said.text == "inner")
        #expect(stage.ended() == .init(problems: [], connections: [1], requests: [2]))
    }

    @Test("inside of TLS it is told that it cannot be played")
    func inside() async throws {
        let secure = try SecureStage(
            Fixture.TLS(), [connection(asks(1, "GET / HTTP/1.1"), at(2, .tls(Fixture.TLS())))])
        _ = await secure.client()
        #expect(secure.stage.ended().texts == ["2: TLS inside of TLS cannot be played"])
    }

    @Test("keys cannot be updated in TLS 1.2")
    func oldKeys() async throws {
        var tls = Fixture.TLS()
        tls.version = .tls12
        let secure = try SecureStage(
            tls, [connection(asks(1, "GET / HTTP/1.1"), at(2, .updateKeys), at(3, .close))])
        _ = await secure.client()
        #expect(secure.stage.ended().texts == ["2: keys cannot be updated: this is no TLS 1.3"])
    }

    @Test("the authority and the identities are made once for all fixtures")
    func sharing() throws {
        var server = Fixture.Server(host: "shared.test")
        server.tls = Fixture.TLS()
        let stages = try (0..<2).map { _ in try FixtureStage(fixture(servers: [server], [])) }
        #expect(stages[0].authorityPEM == stages[1].authorityPEM)
        #expect(stages[0].pin == stages[1].pin)
        #expect(stages[0].clientKeyPEM == stages[1].clientKeyPEM)
    }
}
