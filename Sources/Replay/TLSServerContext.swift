import COpenSSL
import Glibc

/// What the connections of one TLS server share: identity, settings, the keys of the tickets.
final class TLSServerContext: @unchecked Sendable {
    // Safety: not changed after `init`; OpenSSL guards the counts and caches of a context by locks of its own.
    let pointer: OpaquePointer
    let service: TLSService
    /// The protocols served in the form of the wire: each behind an octet with its length.
    let protocols: [UInt8]

    init(_ service: TLSService) throws(ReplayError) {
        guard let context = SSL_CTX_new(TLS_server_method()) else {
            throw ReplayError(openSSL: "SSL_CTX_new")
        }
        pointer = context
        self.service = service
        protocols = (service.protocols ?? []).flatMap { [UInt8(clamping: $0.utf8.count)] + Array($0.utf8) }
        // From here on `deinit` releases the context, also when a setting is refused.
        try apply()
    }

    deinit { SSL_CTX_free(pointer) }

    private func apply() throws(ReplayError) {
        SSL_CTX_set_security_level(pointer, 0)
        try require("versions") {
            copenssl_set_least_version($0, service.minimumVersion.rawValue) == 1
                && copenssl_set_greatest_version($0, service.maximumVersion.rawValue) == 1
        }
        try require("ciphers") { SSL_CTX_set_cipher_list($0, service.cipherList) == 1 }
        if let suites = service.cipherSuites {
            try require("cipher suites") { SSL_CTX_set_ciphersuites($0, suites) == 1 }
        }
        try useIdentity()
        let name = Array("rawget replay".utf8)
        try require("session id context") {
            SSL_CTX_set_session_id_context($0, name, UInt32(name.count)) == 1
        }
        copenssl_set_server_cache(pointer, service.keepsSessions ? 1 : 0)
        copenssl_choose_dh_groups(pointer)
        if !service.sendsTickets { copenssl_forbid_tickets(pointer) }
        if let authority = service.clientAuthority { try askClients(from: authority) }
        SSL_CTX_set_client_hello_cb(pointer, receiveClientHello, nil)
        SSL_CTX_set_info_callback(pointer, noteAlert)
        if service.protocols != nil { SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, nil) }
        if case .alert(_, let stage) = service.fault { try prepareAlert(at: stage) }
    }

    private func require(_ what: String, _ body: (OpaquePointer) -> Bool) throws(ReplayError) {
        guard body(pointer) else { throw ReplayError(openSSL: "SSL_CTX: \(what)") }
    }

    private func useIdentity() throws(ReplayError) {
        let certificates = try certificates(in: service.identity.certificatePEM)
        let key = try privateKey(in: service.identity.keyPEM)
        defer { EVP_PKEY_free(key) }
        guard let first = certificates.first else { throw ReplayError(openSSL: "no certificate") }
        try require("certificate") { SSL_CTX_use_certificate($0, first.pointer) == 1 }
        try require("key") { SSL_CTX_use_PrivateKey($0, key) == 1 }
        for link in certificates.dropFirst() {
            try require("chain") { copenssl_add_chain_certificate($0, link.pointer) == 1 }
        }
    }

    private func askClients(from authority: [UInt8]) throws(ReplayError) {
        let mode =
            SSL_VERIFY_PEER | (service.isClientCertificateOptional ? 0 : SSL_VERIFY_FAIL_IF_NO_PEER_CERT)
        SSL_CTX_set_verify(pointer, mode, nil)
        for certificate in try certificates(in: authority) {
            try require("client authority") {
                X509_STORE_add_cert(SSL_CTX_get_cert_store($0), certificate.pointer) == 1
                    && SSL_CTX_add_client_CA($0, certificate.pointer) == 1
            }
        }
    }

    /// Behind the ServerHello of TLS 1.3 an alert is encrypted, so OpenSSL has to send it. It does when an extension of
    /// ours refuses to be written: one of the CertificateRequest or of the ticket, which are written unasked.
    private func prepareAlert(at stage: TLSService.AlertStage) throws(ReplayError) {
        let place: UInt32
        switch stage {
        case .serverHello: return
        case .certificate:
            place = 0x4000  // SSL_EXT_TLS1_3_CERTIFICATE_REQUEST
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        case .finished: place = 0x2000  // SSL_EXT_TLS1_3_NEW_SESSION_TICKET
        }
        try require("extension") {
            // 0xFDE8 lies in the range for private use (RFC 8447, section 7); 0x20 is SSL_EXT_TLS1_3_ONLY.
            SSL_CTX_add_custom_ext($0, 0xFDE8, place | 0x20, refuseExtension, nil, nil, nil, nil) == 1
        }
    }
}

// MARK: What OpenSSL calls, on the thread of the connection

// Safety: `TLSSession` puts itself there, unretained, and lives longer than its `SSL`.
private func session(of ssl: OpaquePointer?) -> TLSSession? {
    SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
}

/// Reads what the client offers before OpenSSL acts on it.
private func receiveClientHello(
    _ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    session(of: ssl)?.noteClientHello(
        serverName: helloExtension(0, of: ssl), protocols: helloExtension(16, of: ssl))
    return SSL_CLIENT_HELLO_SUCCESS
}

// Safety: OpenSSL lends `count` octets for the time of the callback; they are copied.
private func helloExtension(_ kind: UInt32, of ssl: OpaquePointer?) -> [UInt8]? {
    var start: UnsafePointer<UInt8>?
    var count = 0
    guard SSL_client_hello_get0_ext(ssl, kind, &start, &count) == 1 else { return nil }
    return Array(UnsafeBufferPointer(start: start, count: count))
}

/// Takes the server's first protocol that the client offers; none in common is fatal (RFC 7301, section 3.2).
private func selectProtocol(
    _ ssl: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session = session(of: ssl), let selected else { return SSL_TLSEXT_ERR_NOACK }
    // Safety: the result points into `offered`, which OpenSSL keeps, or into the list it is given, where it is not
    // used: then there is no overlap.
    var start: UnsafeMutablePointer<UInt8>?
    let protocols = session.context.protocols
    let outcome = SSL_select_next_proto(
        &start, length, protocols, UInt32(clamping: protocols.count), offered, count)
    guard outcome == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    selected.pointee = UnsafePointer(start)
    return SSL_TLSEXT_ERR_OK
}

/// Keeps the number of an alert that comes in.
private func noteAlert(_ ssl: OpaquePointer?, _ place: Int32, _ value: Int32) {
    guard place == SSL_CB_READ_ALERT else { return }
    session(of: ssl)?.receivedAlert = UInt8(truncatingIfNeeded: value)
}

/// Ends the handshake with the alert that the session's fault wants; writes no extension otherwise.
private func refuseExtension(
    _ ssl: OpaquePointer?, _ kind: UInt32, _ place: UInt32,
    _ octets: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: UnsafeMutablePointer<Int>?,
    _ certificate: OpaquePointer?, _ index: Int, _ alert: UnsafeMutablePointer<Int32>?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard case .alert(let number, _) = session(of: ssl)?.fault else { return 0 }
    alert?.pointee = Int32(number)
    return -1
}
