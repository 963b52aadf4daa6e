import COpenSSL
import Replay

@testable import Transport

/// OpenSSL's own server side in memory, one layer or TLS inside of TLS: what a stream under test runs over.
///
/// It never waits: a receive with nothing to come times out at once, so that a test cannot hang.
@NetworkActor
final class MemoryPeer: ByteStream {
    /// One layer of TLS.
    private final class Layer {
        let ssl: OpaquePointer
        let input: OpaquePointer
        let output: OpaquePointer
        var isOpen = false

        init(_ context: OpaquePointer) throws {
            guard let ssl = SSL_new(context), let input = BIO_new(BIO_s_mem()),
                let output = BIO_new(BIO_s_mem())
            else { throw PeerError() }
            SSL_set_bio(ssl, input, output)
            SSL_set_accept_state(ssl)
            (self.ssl, self.input, self.output) = (ssl, input, output)
        }

        deinit { SSL_free(ssl) }
    }

    struct PeerError: Error {}

    private let context: OpaquePointer
    private var layers: [Layer] = []
    /// Ciphertext on its way to the client.
    private(set) var toClient: [UInt8] = []
    /// What the client said, decrypted.
    private(set) var received: [UInt8] = []
    /// What the innermost layer answers to what it has read.
    var answer: ([UInt8]) -> [UInt8] = { _ in [] }
    /// Octets handed over in one call.
    var portion: () -> Int = { .max }
    /// Whether the client is told that the peer speaks, wherever something is on its way.
    var interruptsSending = false
    /// Whether the connection ends behind what is on its way.
    var isEnded = false
    private(set) var isClosed = false
    /// What the client's last handshake message or alert led to on this side.
    private(set) var lastError: UInt = 0
    /// The lines a server would write to its own key log.
    var keyLines: [String] { log.lines }
    /// Whether the innermost layer got a close_notify.
    var hasClientSaidGoodbye: Bool {
        SSL_get_shutdown(layers[layers.count - 1].ssl) & SSL_RECEIVED_SHUTDOWN != 0
    }
    private let log = Log()

    private final class Log { var lines: [String] = [] }

    init(_ identity: TestIdentity, version: Int32, layers count: Int = 1) throws {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw PeerError() }
        self.context = context
        copenssl_set_least_version(context, version)
        copenssl_set_greatest_version(context, version)
        let certificate = try Self.read(identity.certificatePEM) { PEM_read_bio_X509($0, nil, nil, nil) }
        let key = try Self.read(identity.keyPEM) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        defer {
            X509_free(certificate)
            EVP_PKEY_free(key)
        }
        guard SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1
        else { throw PeerError() }
        SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(log).toOpaque())
        SSL_CTX_set_keylog_callback(context) { ssl, line in
            guard let line, let log = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0) else { return }
            Unmanaged<Log>.fromOpaque(log).takeUnretainedValue().lines.append(String(cString: line))
        }
        for _ in 0..<count { layers.append(try Layer(context)) }
    }

    private static func read(_ octets: [UInt8], _ body: (OpaquePointer) -> OpaquePointer?) throws
        -> OpaquePointer
    {
        guard let bio = BIO_new(BIO_s_mem()) else { throw PeerError() }
        defer { BIO_free(bio) }
        BIO_write(bio, octets, Int32(octets.count))
        guard let value = body(bio) else { throw PeerError() }
        return value
    }

    /// A new connection of the same server: its sessions can be resumed.
    func reconnect() throws {
        layers = try layers.map { _ in try Layer(context) }
        toClient = []
        isClosed = false
        isEnded = false
    }

    isolated deinit {
        layers = []
        SSL_CTX_free(context)
    }

    // MARK: What a test makes it do

    /// Says these octets.
    func say(_ octets: [UInt8]) {
        write(octets, at: layers.count - 1)
        flush()
    }

    /// Says that it sends no more.
    func sayGoodbye() {
        SSL_shutdown(layers[layers.count - 1].ssl)
        flush()
    }

    /// Changes its keys and wants the client to do so (RFC 8446, section 4.6.3).
    func updateKeys(isRequest: Bool = true) {
        let ssl = layers[layers.count - 1].ssl
        SSL_key_update(ssl, isRequest ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED)
        SSL_do_handshake(ssl)
        flush()
    }

    /// Asks for a new handshake, as TLS 1.2 allows (RFC 5246, section 7.4.1.1).
    func renegotiate() {
        let ssl = layers[layers.count - 1].ssl
        SSL_renegotiate(ssl)
        SSL_do_handshake(ssl)
        flush()
    }

    /// Wants a certificate of the client's behind the handshake; returns why it cannot.
    func askForCertificate() -> UInt {
        let ssl = layers[layers.count - 1].ssl
        ERR_clear_error()
        SSL_set_verify(ssl, SSL_VERIFY_PEER, nil)
        return SSL_verify_client_post_handshake(ssl) == 1 ? 0 : ERR_get_error()
    }

    /// Puts octets on the wire past all layers.
    func inject(_ octets: [UInt8]) { toClient += octets }

    /// Loses the last octets that are on their way.
    func lose(_ count: Int) { toClient.removeLast(count) }

    // MARK: The machinery

    private func write(_ octets: [UInt8], at layer: Int) {
        guard !octets.isEmpty else { return }
        _ = SSL_write(layers[layer].ssl, octets, Int32(octets.count))
    }

    private func take(_ bio: OpaquePointer) -> [UInt8] {
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = BIO_read(bio, &chunk, Int32(chunk.count))
            guard count > 0 else { return octets }
            octets += chunk[0..<Int(count)]
        }
    }

    private func pump(_ octets: [UInt8]) {
        var octets = octets
        for layer in layers {
            if !octets.isEmpty { BIO_write(layer.input, octets, Int32(octets.count)) }
            octets = []
            ERR_clear_error()
            if !layer.isOpen { layer.isOpen = SSL_do_handshake(layer.ssl) == 1 }
            var chunk = [UInt8](repeating: 0, count: 1 << 14)
            while layer.isOpen {
                let count = SSL_read(layer.ssl, &chunk, Int32(chunk.count))
                guard count > 0 else { break }
                octets += chunk[0..<Int(count)]
            }
            let error = ERR_peek_last_error()
            if error != 0 { lastError = error }
        }
        if !octets.isEmpty {
            received += octets
            write(answer(octets), at: layers.count - 1)
        }
        flush()
    }

    private func flush() {
        for index in layers.indices.reversed() {
            let octets = take(layers[index].output)
            if index == 0 { toClient += octets } else { write(octets, at: index - 1) }
        }
    }

    // MARK: The stream

    var remoteAddress: SocketAddress? { nil }
    var localAddress: SocketAddress? { nil }
    var canSplice: Bool { false }
    var isQuiet: Bool { toClient.isEmpty && !isEnded && !isClosed }
    var mayHaveInput: Bool { !toClient.isEmpty || isEnded }
    private(set) var expected: [UInt64] = []
    func expectBulk(_ octets: UInt64) { expected.append(octets) }
    func close() { isClosed = true }

    func receive(
        into buffer: ReceiveBuffer, atMost limit: Int, until deadline: Deadline
    ) async throws(TransportError) -> Int {
        guard let count = receiveAtHand(into: buffer, atMost: limit) else {
            throw TransportError(.timedOut(deadline.limit, after: deadline.duration))
        }
        return count
    }

    func receiveAtHand(into buffer: ReceiveBuffer, atMost limit: Int) -> Int? {
        guard !toClient.isEmpty else { return isEnded ? 0 : nil }
        let count = max(1, min(limit, portion(), toClient.count))
        let filled = buffer.fill(atMost: count) { room in
            room.copyBytes(from: toClient[0..<min(count, room.count)])
            return min(count, room.count)
        }
        toClient.removeFirst(filled)
        return filled
    }

    func send(
        _ octets: [UInt8], from offset: Int, until deadline: Deadline
    ) async throws(TransportError) -> SendResult {
        if interruptsSending, !toClient.isEmpty { return .peerSpeaks(at: offset) }
        let end = offset + max(1, min(portion(), octets.count - offset))
        pump(Array(octets[offset..<end]))
        return .sent(upTo: end)
    }

    func sendAtOnce(_ octets: [UInt8]) { pump(octets) }

    func splice(
        to target: Int32, at offset: Int64?, atMost count: UInt64, until deadline: Deadline
    ) async throws(TransportError) -> SpliceResult { .refused(moved: 0, leftover: []) }
}
