import COpenSSL

/// The server's side of one TLS connection: octets of records in and out, no socket.
final class TLSSession {
    /// The outcome of a step.
    enum Outcome {
        case done
        case wantsInput  // records are missing
        case ended  // the peer's close_notify came
        case failed(String)
    }

    let context: TLSServerContext
    let fault: TLSService.Fault?
    private let ssl: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private(set) var serverName: String?
    private(set) var offeredProtocols: [String] = []
    /// The last alert that came.
    var receivedAlert: UInt8?

    init(_ context: TLSServerContext, fault: TLSService.Fault?) throws(ReplayError) {
        guard let ssl = SSL_new(context.pointer) else { throw ReplayError(openSSL: "SSL_new") }
        guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw ReplayError(openSSL: "BIO_new")
        }
        SSL_set_bio(ssl, incoming, outgoing)  // which owns both from here on
        SSL_set_accept_state(ssl)
        self.context = context
        self.fault = fault
        self.ssl = ssl
        self.incoming = incoming
        self.outgoing = outgoing
        // Safety: unretained, since `deinit` frees the SSL before the object is gone.
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { SSL_free(ssl) }

    // MARK: Records

    /// Takes octets that came from the peer.
    func feed(_ octets: [UInt8]) { BIO_write(incoming, octets, Int32(clamping: octets.count)) }

    /// The octets that are to be sent.
    func takeOutput() -> [UInt8] { drained(outgoing) }

    // MARK: Steps

    func shakeHands() -> Outcome { attempt { SSL_do_handshake(ssl) } }

    /// Appends content that has arrived, one record at most.
    func read(into octets: inout [UInt8]) -> Outcome {
        // Safety: SSL_read_ex writes at most the capacity and reports how many octets it initialized.
        var outcome = Outcome.wantsInput
        octets.append(addingCapacity: 16_384) { output in
            output.withUnsafeMutableBufferPointer { buffer, initialized in
                outcome = attempt {
                    var count = 0
                    let start = buffer.baseAddress.map { $0 + initialized }
                    let result = SSL_read_ex(ssl, start, buffer.count - initialized, &count)
                    initialized += count
                    return result
                }
            }
        }
        return outcome
    }

    /// Makes records of content; they stand in the output.
    func write(_ octets: UnsafeRawBufferPointer) -> Outcome {
        guard !octets.isEmpty else { return .done }
        var count = 0
        return attempt { SSL_write_ex(ssl, octets.baseAddress, octets.count, &count) }
    }

    /// Puts the close_notify into the output, once.
    func close() {
        ERR_clear_error()
        if SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 { SSL_shutdown(ssl) }
    }

    /// Puts a KeyUpdate of TLS 1.3 into the output, which asks the peer for one of its own (RFC 8446, section 4.6.3).
    func updateKeys() -> Outcome {
        attempt {
            SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1 ? SSL_do_handshake(ssl) : 0
        }
    }

    private func attempt(_ step: () -> Int32) -> Outcome {
        ERR_clear_error()
        let result = step()
        if result == 1 { return .done }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wantsInput
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: return .failed(takenOpenSSLError() ?? "unknown failure")
        }
    }

    /// Whether the peer's close_notify came.
    var hasPeerClosed: Bool { SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }

    // MARK: What was agreed on

    /// Whether TLS 1.3 was chosen; known from the ServerHello on.
    var isTLS13: Bool { SSL_version(ssl) == TLSService.Version.tls13.rawValue }

    /// Puts what is known into a record.
    func describe(in record: inout RecordedHandshake) {
        record.serverName = serverName
        record.offeredProtocols = offeredProtocols
        record.receivedAlert = receivedAlert
        guard SSL_is_init_finished(ssl) == 1 else { return }
        record.version = String(cString: SSL_get_version(ssl))
        record.cipher = SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? ""
        record.isResumed = SSL_session_reused(ssl) == 1
        if let certificate = SSL_get1_peer_certificate(ssl) {
            defer { X509_free(certificate) }
            record.clientSubject = try? subject(of: certificate)
        }
    }

    private func subject(of certificate: OpaquePointer) throws(ReplayError) -> String {
        let name = X509_get_subject_name(certificate)
        let text = try written { copenssl_print_name($0, name) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Keeps what the ClientHello says: the name (RFC 6066, section 3) and the protocols (RFC 7301, section 3.1).
    func noteClientHello(serverName name: [UInt8]?, protocols: [UInt8]?) {
        // The list's length, the kind 0 of a host name, the name's length, the name.
        if let name, name.count >= 5, name[2] == 0 {
            serverName = String(decoding: name[5...].prefix(Int(name[3]) << 8 | Int(name[4])), as: UTF8.self)
        }
        guard let protocols else { return }
        offeredProtocols = []
        var rest = protocols.dropFirst(2)
        while let count = rest.popFirst() {
            offeredProtocols.append(String(decoding: rest.prefix(Int(count)), as: UTF8.self))
            rest = rest.dropFirst(Int(count))
        }
    }
}
