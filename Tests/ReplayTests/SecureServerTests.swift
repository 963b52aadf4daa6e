import Glibc
import Replay
import TestSupport
import Testing

private let answerText = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
private let answering = Script(everyConnection: .init([.expectHead, .send(answerText), .close]))

/// curl with the server's authority trusted and `name.test` led to it.
private func curl(_ secure: SecureServer, _ arguments: [String] = [], name: String = "name.test") async
    -> Said
{
    await run(
        "curl",
        [
            "-sS", "--noproxy", "*", "--cacert", secure.authorityFile, "--resolve",
            secure.resolution(of: "name.test"),
        ] + arguments + [secure.url(name: name)])
}

@Suite("The replay server over TLS (RFC 8446, RFC 5246)")
struct SecureServerTests {
    @Test(
        "answers curl and records what was agreed on", arguments: [TLSService.Version.tls12, .tls13],
        [TestKey.p256, .rsa(2048), .ed25519])
    func answersCurl(version: TLSService.Version, key: TestKey) async throws {
        var request = testNames
        request.key = key
        let secure = try serveTLS(answering, request) { $0.maximumVersion = version }
        let said = await curl(secure)
        #expect(said.text == "hi")
        #expect(said.ending == .exit(0))
        #expect(secure.server.waitForHandshakes(1))
        let handshake = try #require(secure.server.handshakes.first)
        #expect(handshake.version == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
        #expect(!handshake.cipher.isEmpty)
        #expect(handshake.serverName == "name.test")
        #expect(handshake.offeredProtocols == ["h2", "http/1.1"])
        #expect(!handshake.isResumed)
        #expect(handshake.clientSubject == nil)
        #expect(handshake.failure == nil)
        #expect(secure.server.requests.first?.value(of: "Host") == "name.test:\(secure.server.port)")
        #expect(secure.server.complaints == [])
    }

    @Test("sees no name where the client gave an address")
    func seesNoName() async throws {
        let secure = try serveTLS(answering)
        #expect(await curl(secure, name: "127.0.0.1").text == "hi")
        #expect(secure.server.handshakes.map(\.serverName) == [nil])
    }

    @Test("keeps the client's alert when it refuses the certificate")
    func keepsAlerts() async throws {
        let secure = try serveTLS(answering, TestCertificate(["other.test"]))
        #expect(await curl(secure).ending == .exit(60))
        let stranger = try serveTLS(answering, authority: TestAuthority(named: "stranger"))
        stranger.folder.write(secure.authority.certificatePEM, to: "ca.pem")
        #expect(await curl(stranger).ending == .exit(60))
        #expect(stranger.server.waitForHandshakes(1))
        #expect(stranger.server.handshakes.first?.failure?.contains("alert unknown ca") == true)
        #expect(stranger.server.handshakes.first?.receivedAlert == 48)
        #expect(stranger.server.complaints == [])
    }

    @Test("sends a close_notify before it closes, or cuts", arguments: [true, false])
    func closes(inOrder: Bool) async throws {
        let cut = Script(
            everyConnection: .init([
                .expectHead, .send("HTTP/1.1 200 OK\r\n\r\ncontent here"),
                inOrder ? .close : .closeWithoutNotify,
            ]))
        let secure = try serveTLS(cut)
        let said = await client(secure)
        #expect(said.text.contains("content here"))
        #expect(said.text.contains("unexpected eof while reading") == !inOrder)
    }

    @Test(
        "lets sessions be resumed by tickets and by identifiers",
        arguments: [
            (TLSService.Version.tls12, true, false, true), (.tls12, false, true, true),
            (.tls13, true, false, true),
            (.tls12, false, false, false), (.tls13, false, false, false),
        ])
    func resumes(version: TLSService.Version, tickets: Bool, kept: Bool, isResumed: Bool) async throws {
        let secure = try serveTLS(answering) {
            ($0.maximumVersion, $0.sendsTickets, $0.keepsSessions) = (version, tickets, kept)
        }
        let file = secure.folder.path(of: "session")
        _ = await client(secure, ["-sess_out", file])
        // A session without ticket and identifier is none, and is not even written.
        #expect((access(file, F_OK) == 0) == isResumed)
        guard isResumed else { return }
        _ = await client(secure, ["-sess_in", file])
        #expect(secure.server.waitForHandshakes(2))
        #expect(secure.server.handshakes.map(\.isResumed) == [false, true])
    }

    @Test("asks for a client certificate", arguments: ["given", "missing", "stranger", "optional"])
    func asksClients(kind: String) async throws {
        let clients = try TestAuthority(named: "clients")
        let secure = try serveTLS(answering) {
            $0.clientAuthority = clients.certificatePEM
            $0.isClientCertificateOptional = kind == "optional"
            $0.maximumVersion = .tls12
        }
        var request = TestCertificate(commonName: "somebody")
        request.purpose = .client
        let issuer = kind == "stranger" ? try TestAuthority() : clients
        let files = secure.write(try issuer.issue(request))
        let options =
            ["given", "stranger"].contains(kind) ? ["-E", files.certificate, "--key", files.key] : []
        let said = await curl(secure, options)
        #expect(secure.server.waitForHandshakes(1))
        let handshake = try #require(secure.server.handshakes.first)
        switch kind {
        case "given":
            #expect(said.text == "hi")
            #expect(handshake.clientSubject == "CN = somebody")
        case "optional":
            #expect(said.text == "hi")
            #expect(handshake.clientSubject == nil)
        case "missing": #expect(handshake.failure == "peer did not return a certificate")
        default: #expect(handshake.failure == "certificate verify failed")
        }
    }

    @Test("speaks what clients ought to refuse", arguments: [("-tls1", "TLSv1"), ("-tls1_1", "TLSv1.1")])
    func speaksOldVersions(option: String, name: String) async throws {
        let secure = try serveTLS(answering) { $0.minimumVersion = .tls10 }
        let said = await client(secure, [option, "-cipher", "DEFAULT:@SECLEVEL=0"])
        #expect(said.text.hasSuffix("hi") || said.text.contains("hiclosed"), "\(said.text)")
        #expect(secure.server.handshakes.map(\.version) == [name])
    }

    @Test("reads requests whole whose records are small, and sends small pieces")
    func takesPieces() async throws {
        let script = Script(
            everyConnection: .init([
                .expectHead, .expectContent(.declared), .pieces(of: 7), .send(answerText), .close,
            ]))
        let secure = try serveTLS(script)
        let content = String(repeating: "abcdefghi", count: 10_000)
        secure.folder.write(content, to: "body")
        let said = await curl(
            secure, ["-H", "Expect:", "--data-binary", "@" + secure.folder.path(of: "body")])
        #expect(said.text == "hi")
        #expect(secure.server.requests.first?.content == Array(content.utf8))
    }

    @Test("sends content of many records byte for byte, with new keys in the middle")
    func sendsMuch() async throws {
        let count: UInt64 = 3_000_001
        let secure = try serveTLS(
            Script(
                everyConnection: .init([
                    .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"),
                    .sendGenerated(seed: 5, range: 0..<1_500_000), .updateKeys,
                    .sendGenerated(seed: 5, range: 1_500_000..<count), .close,
                ])))
        let file = secure.folder.path(of: "got")
        #expect(await curl(secure, ["-o", file]).ending == .exit(0))
        let got = try #require(secure.folder.octets(of: "got"))
        #expect(got.count == Int(count))
        #expect(GeneratedContent(seed: 5).matches(got))
    }

    @Test("half-closes with a close_notify and still reads")
    func halfCloses() async throws {
        let secure = try serveTLS(
            Script(
                everyConnection: .init([
                    .expectHead, .send("HTTP/1.1 200 OK\r\n\r\ncontent here"), .halfClose, .expectHead,
                ])))
        let said = await client(secure, request: "GET /1 HTTP/1.1\n\nGET /2 HTTP/1.1\n\n")
        #expect(said.text.contains("content here"))
        #expect(secure.server.waitForRequests(2))
        #expect(secure.server.requests.map(\.target) == ["/1", "/2"])
    }
}
