import COpenSSL
import Glibc

/// One side of a TLS connection without its socket: what was received goes in, what is to be sent comes out
/// (RFC 8446, RFC 5246).
///
///     ciphertext → ReceiveBuffer ─ lent ─→ engine ─→ plaintext
///     plaintext ─────────────────────────→ engine ─→ takeOutput() → ciphertext
@NetworkActor
final class TLSEngine {
    /// What a step led to.
    enum Step: Hashable {
        /// It is done.
        case done
        /// All input is used; come again with more.
        case needsInput
        /// The peer said that it sends no more (close_notify).
        case closed
    }

    /// Sole owner of an SSL and of what its BIO reads.
    private struct Handle: ~Copyable {
        let ssl: OpaquePointer
        let source: UnsafeMutablePointer<copenssl_source>
        let output: OpaquePointer

        init(_ context: OpaquePointer) throws(TLSFailure) {
            guard let ssl = SSL_new(context) else { throw Handle.outOfMemory }
            let source = UnsafeMutablePointer<copenssl_source>.allocate(capacity: 1)
            source.initialize(to: copenssl_source())
            let input = OpenSSL.sourceMethod.flatMap { copenssl_source_new($0, source) }
            guard let input, let output = BIO_new(BIO_s_mem()) else {
                BIO_free(input)
                source.deallocate()
                SSL_free(ssl)
                throw Handle.outOfMemory
            }
            SSL_set_bio(ssl, input, output)
            self.ssl = ssl
            self.source = source
            self.output = output
        }

        private static var outOfMemory: TLSFailure { TLSFailure(.handshake, "there is no memory for TLS") }

        // Safety: made by `init`; the SSL frees both BIOs, after which nobody reads the source.
        deinit {
            SSL_free(ssl)
            source.deallocate()
        }
    }

    let context: TLSContext
    /// The host as the URI has it, without brackets or the dot at its end.
    let host: String
    let notes: TLSNotes
    private let key: SessionCache.Key
    private let handle: Handle
    private var isHandshakeDone = false
    /// A fault met behind content, or while only looking: OpenSSL tells the reason once, whoever receives next is told.
    private var deferred: TLSFailure?
    /// The first octets that came: they tell when the peer speaks no TLS at all.
    private(set) var firstOctets: [UInt8] = []
    /// Octets of ciphertext received so far.
    private(set) var received: UInt64 = 0
    /// Whether application data has come: from then on the server has taken the handshake for good.
    private(set) var hasReceivedContent = false
    private(set) var summary: TLSSummary?

    /// The client side of a connection to `host`, which is a name or an address.
    init(_ context: TLSContext, host: String, port: UInt16) throws(TLSFailure) {
        self.context = context
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        self.host = name.lowercased()
        key = SessionCache.Key(host: self.host, port: port)
        notes = TLSNotes(keyLog: context.configuration.keyLog)
        ERR_clear_error()
        handle = try Handle(context.handle.pointer)
        SSL_set_ex_data(handle.ssl, 0, Unmanaged.passUnretained(notes).toOpaque())
        SSL_set_connect_state(handle.ssl)
        try setHost()
        if let session = context.sessions.take(for: key) { SSL_set_session(handle.ssl, session.pointer) }
    }

    private func setHost() throws(TLSFailure) {
        let isAddress = SocketAddress(literal: host, port: 0) != nil
        // An address is never sent as a name (RFC 6066, section 3).
        if !isAddress, copenssl_set_server_name(handle.ssl, host) != 1 {
            throw TLSFailure(
                .handshake, "\"\(host.prefix(CertificateText.longestName))\" cannot be sent as a host name")
        }
        let verifies = context.configuration.verifiesPeer
        SSL_set_verify(handle.ssl, verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, TLSNotes.verify)
        guard verifies else { return }
        let parameters = SSL_get0_param(handle.ssl)
        // Hosts are looked for among the alternative names alone, and `*` stands for a whole label
        // (RFC 9525, sections 6.3 and 6.4).
        X509_VERIFY_PARAM_set_hostflags(
            parameters,
            UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        let isSet =
            isAddress
            ? X509_VERIFY_PARAM_set1_ip_asc(parameters, host)
            : X509_VERIFY_PARAM_set1_host(parameters, host, 0)
        guard isSet == 1, !host.isEmpty else {
            throw TLSFailure(.handshake, "the host cannot be looked for in certificates")
        }
    }

    // MARK: Input and output

    /// Lends the unread ciphertext to OpenSSL for the time of `body`.
    private func lending<Result>(_ input: ReceiveBuffer, _ body: (OpaquePointer) -> Result) -> Result {
        ERR_clear_error()
        let before = input.unreadCount
        let result = input.read { span in
            span.withUnsafeBufferPointer { octets in
                // Safety: OpenSSL reads the source only inside of `body`, while the span is lent.
                handle.source.pointee = copenssl_source(octets: octets.baseAddress, count: octets.count)
                return body(handle.ssl)
            }
        }
        let left = handle.source.pointee.count
        handle.source.pointee = copenssl_source()
        input.consume(before - left)
        received += UInt64(before - left)
        if !notes.sessions.isEmpty {
            for session in notes.sessions { context.sessions.keep(session, for: key) }
            notes.sessions = []
        }
        return result
    }

    /// Ciphertext that is to be sent.
    func takeOutput() -> [UInt8] {
        let octets = OpenSSL.octets(in: handle.output)
        if !octets.isEmpty { copenssl_empty(handle.output) }
        return octets
    }

    /// Octets decrypted and not read.
    var pendingCount: Int { Int(SSL_pending(handle.ssl)) }

    // MARK: Steps

    /// Goes on with the handshake.
    func shakeHands(_ input: ReceiveBuffer) throws(TLSFailure) -> Step {
        if firstOctets.count < 5 {
            input.read { span in
                for index in 0..<min(span.count, 5 - firstOctets.count) { firstOctets.append(span[index]) }
            }
        }
        let result = lending(input) { SSL_do_handshake($0) }
        guard result == 1 else { return try step(after: result) }
        try finishHandshake()
        return .done
    }

    /// Decrypts into `room` until that has no place for another whole record, or input is lacking. The count is that
    /// of the octets it filled; `done` means that more may be had at once.
    func read(
        _ input: ReceiveBuffer, into room: UnsafeMutableRawBufferPointer, count: inout Int
    ) throws(TLSFailure) -> Step {
        if let deferred { throw deferred }
        var result: Int32 = 1
        lending(input) { ssl in
            repeat {
                var some = 0
                result = SSL_read_ex(ssl, room.baseAddress.map { $0 + count }, room.count - count, &some)
                count += some
            } while result == 1 && room.count - count >= TLSEngine.longestRecord
        }
        guard count > 0 else { return try step(after: result) }
        hasReceivedContent = true
        // What was read before a fault is good: the fault is the next call's.
        if result != 1 {
            do throws(TLSFailure) { _ = try step(after: result) } catch { deferred = error }
        }
        return .done
    }

    /// Looks at what came without taking content: `done` when there is some.
    func look(_ input: ReceiveBuffer) throws(TLSFailure) -> Step {
        if let deferred { throw deferred }
        let result = lending(input) { ssl in
            var octet: UInt8 = 0
            var count = 0
            return SSL_peek_ex(ssl, &octet, 1, &count)
        }
        guard result != 1 else { return .done }
        do throws(TLSFailure) { return try step(after: result) } catch {
            deferred = error
            throw error
        }
    }

    /// Encrypts `octets`; all of them, since the output takes what comes.
    func write(_ octets: UnsafeRawBufferPointer) throws(TLSFailure) {
        ERR_clear_error()
        var written = 0
        while written < octets.count {
            var count = 0
            let result = SSL_write_ex(
                handle.ssl, octets.baseAddress.map { $0 + written }, octets.count - written, &count)
            guard result == 1 else {
                guard try step(after: result) == .closed else {
                    throw TLSFailure(.broken, "TLS takes nothing to send")
                }
                throw TLSFailure(.broken, "the connection was closed for sending")
            }
            written += count
        }
    }

    /// Says that nothing more will be sent (RFC 8446, section 6.1).
    func sayGoodbye() {
        guard isHandshakeDone else { return }
        ERR_clear_error()
        SSL_shutdown(handle.ssl)
        ERR_clear_error()
    }

    /// Longest content of a record (RFC 8446, section 5.1).
    static let longestRecord = 16 << 10

    private func step(after result: Int32) throws(TLSFailure) -> Step {
        switch SSL_get_error(handle.ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsInput
        case SSL_ERROR_ZERO_RETURN: return .closed
        default: throw failure(isHandshakeDone: isHandshakeDone, OpenSSL.takeErrors())
        }
    }

    // MARK: What was agreed on

    private func finishHandshake() throws(TLSFailure) {
        isHandshakeDone = true
        let ssl = handle.ssl
        let certificate = SSL_get0_peer_certificate(ssl)
        let verifyResult = Int(SSL_get_verify_result(ssl))
        // OpenSSL has checked this for a new session; one that is taken up again brings what was found then.
        if context.configuration.verifiesPeer, verifyResult != Int(X509_V_OK) || certificate == nil {
            throw TLSFailure(
                .peerCertificate, "its certificate was not verified", verifyResult: verifyResult)
        }
        try context.pins?.check(certificate)
        let protocolName = try agreedProtocol()
        let isResumed = SSL_session_reused(ssl) == 1
        // A session of TLS 1.2 serves again and again; only a new ticket calls back.
        if isResumed, SSL_version(ssl) == TLS1_2_VERSION, !context.sessions.has(key),
            let session = SSL_get1_session(ssl)
        {
            context.sessions.keep(TLSSession(owning: session), for: key)
        }
        summary = TLSSummary(
            version: String(cString: SSL_get_version(ssl)),
            cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? "none",
            protocolName: protocolName, isResumed: isResumed,
            subject: certificate.map { CertificateText.subject(of: $0) } ?? "(no certificate)",
            issuer: certificate.map { CertificateText.issuer(of: $0) } ?? "(no certificate)",
            validUntil: certificate.map { CertificateText.validUntil($0) } ?? "",
            isVerified: context.configuration.verifiesPeer, verifyResult: verifyResult,
            publicKeyPin: certificate.map { OpenSSL.pin(of: $0) } ?? "")
    }

    /// What ALPN chose. A protocol that was not offered must not be spoken (RFC 7301, section 3.2).
    private func agreedProtocol() throws(TLSFailure) -> String? {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(handle.ssl, &start, &count)
        // Safety: OpenSSL's own pointer and length, good until the next call.
        let octets = Array(UnsafeBufferPointer(start: start, count: Int(count)))
        guard !octets.isEmpty else { return nil }
        let name = String(decoding: octets, as: UTF8.self)
        guard context.configuration.protocols.contains(name) else {
            throw TLSFailure(.handshake, "it chose the protocol \"\(name)\", which was not offered")
        }
        return name
    }
}
