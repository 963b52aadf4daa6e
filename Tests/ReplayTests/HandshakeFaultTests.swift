import Replay
import TestSupport
import Testing

@Suite("Faults in a handshake (RFC 8446, section 6)")
struct HandshakeFaultTests {
    private func faulty(
        _ fault: TLSService.Fault, _ version: TLSService.Version = .tls13
    ) throws -> SecureServer {
        try serveTLS(Script(everyConnection: .init([.expectHead, .send("content here"), .close]))) {
            ($0.fault, $0.maximumVersion) = (fault, version)
        }
    }

    @Test(
        "alerts come where they are wanted",
        arguments: [TLSService.Version.tls12, .tls13], TLSService.AlertStage.allCases)
    func alerts(version: TLSService.Version, stage: TLSService.AlertStage) async throws {
        // 71 is insufficient_security, which no part of OpenSSL sends by itself here.
        let secure = try faulty(.alert(71, stage), version)
        let said = await client(secure, ["-msg"])
        #expect(said.text.contains("SSL alert number 71"), "\(said.text)")
        #expect(!said.text.contains("content here"))
        // How far the client got tells where the alert stood.
        #expect(said.text.contains(", ServerHello\n") == (stage != .serverHello), "\(said.text)")
        #expect(
            said.text.contains(", EncryptedExtensions\n") == (version == .tls13 && stage != .serverHello))
        #expect(said.text.contains(", Certificate\n") == (stage == .finished))
        #expect(!said.text.contains("NewSessionTicket"))
        #expect(secure.server.waitForHandshakes(1))
        #expect(secure.server.handshakes.first?.failure != nil)
        #expect(secure.server.requests == [])
    }

    @Test("alerts come by the version that was agreed on, not the greatest served")
    func alertsOfTheVersion() async throws {
        let said = await client(try faulty(.alert(71, .certificate)), ["-msg", "-tls1_2"])
        #expect(said.text.contains("SSL alert number 71"), "\(said.text)")
        #expect(said.text.contains(", ServerHello\n"))
        #expect(!said.text.contains(", Certificate\n"))
    }

    @Test("closing, cutting and garbage end the handshake without content")
    func others() async throws {
        let faults: [(TLSService.Fault, String)] = [
            (.closeAfterClientHello, "unexpected eof while reading"),
            (.close(afterOctets: 0), "unexpected eof while reading"),
            (.close(afterOctets: 3), "unexpected eof while reading"),
            (.close(afterOctets: 200), "unexpected eof while reading"),
            (.resetAfterClientHello, "errno=104"),
            (.plainHTTP, "wrong version number"),
            (.answer([0x80, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), "error"),
            (.spoil(octet: 300), "error"),
        ]
        for (fault, reason) in faults {
            let secure = try faulty(fault)
            let said = await client(secure)
            #expect(said.text.contains(reason), "\(fault): \(said.text)")
            #expect(secure.server.waitForConnectionsToEnd(1))
            #expect(secure.server.requests == [])
            #expect(secure.server.handshakes.first?.failure != nil, "\(fault)")
        }
    }

    @Test("a stalled handshake ends when the client goes or the server stops")
    func stalls() async throws {
        let secure = try faulty(.stallAfterClientHello)
        let url = secure.url()
        let said = await run("curl", ["-sS", "-m", "0.2", url])
        #expect(said.ending == .exit(28))
        #expect(secure.server.waitForConnectionsToEnd(1))
        let other = try faulty(.stallAfterClientHello)
        let process = ChildProcess("curl", ["-sS", other.url()])
        #expect(other.server.waitForHandshakes(1))
        other.server.stop()
        #expect(await process.ending() != .exit(0))
    }

    @Test("only the connections named have the fault")
    func choosesConnections() async throws {
        let secure = try serveTLS(
            Script(everyConnection: .init([.expectHead, .send("content here"), .close]))
        ) {
            ($0.fault, $0.faultyConnections) = (.closeAfterClientHello, [1])
        }
        for number in 0..<3 {
            let said = await client(secure)
            #expect(said.text.contains("content here") == (number != 1), "\(said.text)")
        }
    }
}
