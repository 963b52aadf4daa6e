import COpenSSL
import Glibc
import NetworkProbes
import Replay
import Testing

@testable import Transport

@Suite("TLS over any stream (RFC 8446, RFC 5246)", .timeLimit(.minutes(1)))
@NetworkActor
struct TLSStreamTests {
    private let authority: TestAuthority
    private let identity: TestIdentity

    init() throws {
        authority = try TestAuthority()
        identity = try authority.issue(TestCertificate(["fixture.test"]))
    }

    private func context(_ change: (inout TLSConfiguration) -> Void = { _ in }) throws -> TLSContext {
        var configuration = TLSConfiguration()
        configuration.trust = .authorities(files: [TLSFile(octets: authority.certificatePEM)], folders: [])
        change(&configuration)
        return try TLSContext(configuration)
    }

    private static let soon = Deadline(.idle, in: .seconds(5))

    private func secure(_ lower: any ByteStream, _ context: TLSContext? = nil) async throws -> TLSStream {
        try await TLSStream.secure(
            lower, host: "fixture.test", port: 443, context: try context ?? self.context(), until: Self.soon)
    }

    /// A generator that gives the same sizes in every run.
    private struct Sizes {
        var state: UInt64

        mutating func next(below limit: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % limit) + 1
        }
    }

    private func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 7
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    private struct Setting: Sendable, CustomTestStringConvertible {
        var version: Int32
        var layers: Int
        var largest: UInt64
        var interrupts: Bool
        var testDescription: String {
            "\(version == TLS1_3_VERSION ? "TLS 1.3" : "TLS 1.2"), \(layers) layers, pieces up to \(largest), "
                + (interrupts ? "interrupted" : "uninterrupted")
        }
        static let all = [TLS1_2_VERSION, TLS1_3_VERSION].flatMap { version in
            [1, 2].flatMap { layers in
                [UInt64(7), 5000, 300_000].flatMap { largest in
                    [true, false].map {
                        Setting(version: version, layers: layers, largest: largest, interrupts: $0)
                    }
                }
            }
        }
    }

    @Test("nothing is lost, repeated or changed both ways, whatever the pieces", arguments: Setting.all)
    private func bothWays(_ setting: Setting) async throws {
        let octets = noise(setting.largest < 100 ? 50_000 : 1_200_000)
        let peer = try MemoryPeer(identity, version: setting.version, layers: setting.layers)
        var sizes = Sizes(state: 42)
        peer.portion = { sizes.next(below: setting.largest) }
        peer.answer = { $0 }
        peer.interruptsSending = setting.interrupts
        var stream: any ByteStream = peer
        let context = try context()
        for _ in 0..<setting.layers { stream = try await secure(stream, context) }

        let buffer = try ReceiveBuffer()
        var echo: [UInt8] = []
        func receive() async throws {
            let count = try await stream.receive(into: buffer, atMost: 1 << 20, until: Self.soon)
            #expect(count > 0)
            buffer.read { span in span.withUnsafeBufferPointer { echo += $0 } }
            buffer.consume(count)
        }
        var sent = 0
        while sent < octets.count {
            switch try await stream.send(octets, from: sent, until: Self.soon) {
            case .sent(let end): sent = end
            case .peerSpeaks(let end):
                sent = end
                try await receive()
            }
        }
        while echo.count < octets.count { try await receive() }
        #expect(peer.received == octets)
        #expect(echo == octets)
    }

    @Test("tickets on an idle connection are its own affair; content, an end or a fault is not")
    func idleConnection() async throws {
        let context = try context()
        for ending in 0..<4 {
            let peer = try MemoryPeer(identity, version: TLS1_3_VERSION)
            let stream = try await secure(peer, context)
            #expect(!peer.toClient.isEmpty, "the tickets should be on their way")
            #expect(stream.mayHaveInput)
            #expect(stream.isQuiet && peer.toClient.isEmpty)
            peer.updateKeys()
            #expect(stream.isQuiet)
            switch ending {
            case 0: peer.say([1])
            case 1: peer.sayGoodbye()
            case 2: peer.isEnded = true
            default: peer.inject([0x17, 3, 3, 0, 20] + [UInt8](repeating: 0, count: 20))
            }
            #expect(!stream.isQuiet)
            stream.close()
        }
        #expect(context.sessions.count == 5, "each connection takes one and gets two")
    }

    @Test("the end is an end only with a close_notify", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func ends(version: Int32) async throws {
        let peer = try MemoryPeer(identity, version: version)
        let stream = try await secure(peer)
        peer.say(Array("hello".utf8))
        peer.sayGoodbye()
        peer.isEnded = true
        #expect(try await stream.receive(5) == Array("hello".utf8))
        #expect(try await stream.receive(1).isEmpty)

        for lost in [0, 1] {
            let peer = try MemoryPeer(identity, version: version)
            let stream = try await secure(peer)
            peer.say(Array("hello".utf8))
            peer.say(Array("again".utf8))
            peer.lose(lost)
            peer.isEnded = true
            #expect(try await stream.receive(lost == 0 ? 10 : 5).count == (lost == 0 ? 10 : 5))
            await #expect(throws: TransportError(.cutShort)) { try await stream.receive(1) }
        }
    }

    @Test("what was read before a fault is handed over, and the fault after it")
    func faultBehindContent() async throws {
        let peer = try MemoryPeer(identity, version: TLS1_3_VERSION)
        let stream = try await secure(peer)
        peer.say(Array("hello".utf8))
        peer.inject([0x17, 3, 3, 0, 20] + [UInt8](repeating: 0, count: 20))
        #expect(try await stream.receive(5) == Array("hello".utf8))
        let error = await #expect(throws: TransportError.self) { try await stream.receive(1) }
        guard case .tlsFailed(let failure) = error?.reason else { throw MemoryPeer.PeerError() }
        #expect(failure.kind == .broken && failure.explanation.contains("bad record mac"))
    }

    @Test("a fault met in the same call as content is told with its reason, again and again")
    func faultInOneCall() async throws {
        let peer = try MemoryPeer(identity, version: TLS1_3_VERSION)
        let stream = try await secure(peer)
        peer.say(Array("hello".utf8))
        peer.inject([0x17, 3, 3, 0, 20] + [UInt8](repeating: 0, count: 20))
        let buffer = try await NetworkActor.run { () throws(TransportError) in try ReceiveBuffer() }
        #expect(try await stream.receive(into: buffer, atMost: 1 << 20, until: Self.soon) == 5)
        for _ in 0..<2 {
            let error = await #expect(throws: TransportError.self) { try await stream.receive(1) }
            guard case .tlsFailed(let failure) = error?.reason else { throw MemoryPeer.PeerError() }
            #expect(failure.explanation.contains("bad record mac"))
        }
    }

    @Test("a change of keys is answered, in the middle of content too")
    func keyUpdate() async throws {
        let peer = try MemoryPeer(identity, version: TLS1_3_VERSION)
        let stream = try await secure(peer)
        for round in 0..<5 {
            peer.say([UInt8(round)])
            peer.updateKeys()
            peer.say([UInt8(round) + 100])
            #expect(try await stream.receive(2) == [UInt8(round), UInt8(round) + 100])
            _ = try await stream.send([UInt8(round)], from: 0, until: Self.soon)
            #expect(peer.received.last == UInt8(round))
        }
    }

    @Test("a peer that only chatters is given up")
    func chatter() async throws {
        let peer = try MemoryPeer(identity, version: TLS1_3_VERSION)
        let stream = try await secure(peer)
        for _ in 0..<60_000 { peer.updateKeys(isRequest: false) }
        let error = await #expect(throws: TransportError.self) { try await stream.receive(1) }
        guard case .tlsFailed(let failure) = error?.reason else { throw MemoryPeer.PeerError() }
        #expect(failure.kind == .broken && failure.explanation.contains("without any content"))
    }

    @Test("a client certificate cannot be asked for behind the handshake (RFC 8446, section 4.6.2)")
    func lateAuthentication() async throws {
        let peer = try MemoryPeer(identity, version: TLS1_3_VERSION)
        let stream = try await secure(peer)
        #expect(ERR_GET_REASON(peer.askForCertificate()) == SSL_R_EXTENSION_NOT_RECEIVED)
        #expect(stream.isQuiet)
    }

    @Test("a new handshake is refused (RFC 9325, section 3.5)")
    func renegotiation() async throws {
        let peer = try MemoryPeer(identity, version: TLS1_2_VERSION)
        let stream = try await secure(peer)
        peer.renegotiate()
        await #expect(throws: TransportError.self) { try await stream.receive(1) }
        #expect(ERR_GET_REASON(peer.lastError) == SSL_R_NO_RENEGOTIATION)
    }

    @Test("closing says goodbye, once, and closes the stream below")
    func closing() async throws {
        let peer = try MemoryPeer(identity, version: TLS1_2_VERSION)
        let stream = try await secure(peer)
        stream.close()
        stream.close()
        #expect(peer.isClosed && peer.hasClientSaidGoodbye)
        await #expect(throws: TransportError(.closed)) { try await stream.receive(1) }
        #expect(!stream.isQuiet)
    }

    @Test("only what is certain to come in ciphertext is waited for")
    func bulk() async throws {
        let peer = try MemoryPeer(identity, version: TLS1_2_VERSION)
        let stream = try await secure(peer)
        stream.expectBulk(1_000_000)
        stream.expectBulk(1000)
        stream.expectBulk(0)
        let last = peer.expected.suffix(3)
        #expect(last.first ?? 0 > 980_000 && last.first ?? 0 < 1_000_000)
        #expect(Array(last.dropFirst()) == [0, 0])
    }

    @Test("the key log has the lines that the server has", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func keyLog(version: Int32) async throws {
        let folder = TemporaryFolder()
        let log = TLSKeyLog(try folder.open("keys", flags: O_WRONLY | O_CREAT | O_APPEND))
        let peer = try MemoryPeer(identity, version: version)
        _ = try await secure(peer, context { $0.keyLog = log })
        let lines = folder.text(of: "keys")?.split(separator: "\n").map(String.init) ?? []
        #expect(Set(lines) == Set(peer.keyLines) && !lines.isEmpty)
    }

    @Test(
        "a session is taken up again, by the same host and port alone",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func resumption(version: Int32) async throws {
        let context = try context()
        let peer = try MemoryPeer(identity, version: version)
        var resumed: [Bool] = []
        for port in [1, 1, 2, 1, 1] as [UInt16] {
            let stream = try await TLSStream.secure(
                peer, host: "Fixture.test.", port: port, context: context, until: Self.soon)
            #expect(stream.isQuiet)  // takes the tickets
            resumed.append(stream.summary.isResumed)
            #expect(stream.summary.isVerified && stream.summary.verifyResult == 0)
            #expect(stream.summary.subject == "CN=fixture.test")
            #expect(stream.summary.publicKeyPin == identity.publicKeyPin)
            stream.close()
            try peer.reconnect()
        }
        #expect(resumed == [false, true, false, true, true])
    }

    @Test("a session does not get around a pin")
    func resumptionAndPins() async throws {
        let context = try context { $0.pinnedKeys = .digests([String(identity.publicKeyPin.dropFirst(8))]) }
        let peer = try MemoryPeer(identity, version: TLS1_3_VERSION)
        for _ in 0..<2 {
            let stream = try await secure(peer, context)
            #expect(stream.isQuiet)
            stream.close()
            try peer.reconnect()
        }
        let strict = try self.context { $0.pinnedKeys = .digests(["AAAA"]) }
        for _ in 0..<2 {
            await #expect(throws: TransportError.self) { try await secure(peer, strict) }
            try peer.reconnect()
        }
    }

    @Test("sessions are bounded in number; the oldest goes first")
    func boundedSessions() throws {
        let cache = SessionCache()
        func session() throws -> TLSSession { TLSSession(owning: try #require(SSL_SESSION_new())) }
        for port in 0..<UInt16(100) { cache.keep(try session(), for: .init(host: "a", port: port)) }
        #expect(cache.count == SessionCache.capacity)
    }
}
