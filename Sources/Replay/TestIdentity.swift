import COpenSSL

/// A key with its certificate and what leads from that to an authority.
public struct TestIdentity: Sendable {
    /// The certificate, then those of its chain, without the root's.
    public let certificatePEM: [UInt8]
    /// The private key, not encrypted.
    public let keyPEM: [UInt8]
    /// The certificate alone, as DER.
    public let certificateDER: [UInt8]
    /// The SHA-256 of the public key in the form of `--pinnedpubkey`: `sha256//` and Base64.
    public let publicKeyPin: String
    private let key: CertificateKey

    init(_ certificate: Certificate, key: CertificateKey, chain: [Certificate]) throws(ReplayError) {
        var pem = try certificate.pem()
        for link in chain { pem += try link.pem() }
        certificatePEM = pem
        certificateDER = certificate.der
        keyPEM = try key.pem(password: nil)
        publicKeyPin = try key.pin()
        self.key = key
    }

    /// The key and its certificate as PKCS#12, encrypted with a password.
    public func pkcs12(password: String) throws(ReplayError) -> [UInt8] {
        let leaf = try Certificate(der: certificateDER)
        guard let archive = PKCS12_create(password, nil, key.pointer, leaf.pointer, nil, 0, 0, 0, 0, 0)
        else { throw ReplayError(openSSL: "PKCS12_create") }
        defer { PKCS12_free(archive) }
        return try written { i2d_PKCS12_bio($0, archive) }
    }

    /// The private key, encrypted with a password.
    public func encryptedKeyPEM(password: String) throws(ReplayError) -> [UInt8] {
        try key.pem(password: password)
    }
}

/// Sole owner of a private key.
final class CertificateKey: @unchecked Sendable {
    // Safety: the key is not changed after `init`; OpenSSL counts references under locks of its own.
    let pointer: OpaquePointer

    init(_ kind: TestKey) throws(ReplayError) {
        let key =
            switch kind {
            case .p256: copenssl_generate_ec("P-256")
            case .p384: copenssl_generate_ec("P-384")
            case .ed25519: copenssl_generate_ed25519()
            case .rsa(let bits): copenssl_generate_rsa(UInt32(clamping: bits))
            }
        guard let key else { throw ReplayError(openSSL: "EVP_PKEY_Q_keygen") }
        pointer = key
    }

    deinit { EVP_PKEY_free(pointer) }

    func pem(password: String?) throws(ReplayError) -> [UInt8] {
        let cipher = password == nil ? nil : EVP_aes_256_cbc()
        let octets = Array((password ?? "").utf8)
        return try written { bio in
            octets.withUnsafeBufferPointer { octets in
                PEM_write_bio_PrivateKey(
                    bio, pointer, cipher, password == nil ? nil : octets.baseAddress,
                    Int32(clamping: octets.count), nil, nil)
            }
        }
    }

    func pin() throws(ReplayError) -> String {
        let info = try written { i2d_PUBKEY_bio($0, pointer) }
        var hash = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(info, info.count, &hash, nil, EVP_sha256(), nil) == 1 else {
            throw ReplayError(openSSL: "EVP_Digest")
        }
        var text = [UInt8](repeating: 0, count: 45)  // 44 of Base64 and a NUL
        EVP_EncodeBlock(&text, hash, 32)
        return "sha256//" + String(decoding: text.dropLast(), as: UTF8.self)
    }
}

/// Sole owner of a certificate.
final class Certificate: @unchecked Sendable {
    // Safety: the certificate is not changed after `init`; OpenSSL guards what it caches in it by locks of its own.
    let pointer: OpaquePointer
    let der: [UInt8]

    init(der: [UInt8]) throws(ReplayError) {
        // Safety: d2i reads at most the array's own octets.
        let parsed = der.withUnsafeBufferPointer { octets -> OpaquePointer? in
            var start = octets.baseAddress
            return d2i_X509(nil, &start, octets.count)
        }
        guard let parsed else { throw ReplayError(openSSL: "d2i_X509") }
        pointer = parsed
        self.der = der
    }

    deinit { X509_free(pointer) }

    func pem() throws(ReplayError) -> [UInt8] { try written { PEM_write_bio_X509($0, pointer) } }
}

/// The octets that `body` writes to a memory BIO.
func written(_ body: (OpaquePointer) -> Int32) throws(ReplayError) -> [UInt8] {
    guard let bio = BIO_new(BIO_s_mem()) else { throw ReplayError(openSSL: "BIO_new") }
    defer { BIO_free(bio) }
    guard body(bio) == 1 else { throw ReplayError(openSSL: "writing") }
    return drained(bio)
}

/// All octets that stand in a memory BIO.
func drained(_ bio: OpaquePointer) -> [UInt8] {
    let count = BIO_ctrl_pending(bio)
    guard count > 0 else { return [] }
    // Safety: BIO_read writes at most the array's capacity.
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        initialized = max(0, Int(BIO_read(bio, buffer.baseAddress, Int32(clamping: buffer.count))))
    }
}

extension ReplayError {
    /// The failure of a call of OpenSSL, with the first error of its queue, which is then empty.
    init(openSSL call: String) {
        self.init(call: call, errno: 0, detail: takenOpenSSLError() ?? "")
    }
}

/// The first error of the thread's queue in OpenSSL's words; the queue is empty then.
func takenOpenSSLError() -> String? {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return nil }
    guard let reason = ERR_reason_error_string(code) else { return "error \(code)" }
    return String(cString: reason)
}

/// The certificates of a PEM text, in its order.
func certificates(in pem: [UInt8]) throws(ReplayError) -> [Certificate] {
    guard let bio = bio(over: pem) else { throw ReplayError(openSSL: "BIO_new") }
    defer { BIO_free(bio) }
    var certificates: [Certificate] = []
    while let parsed = PEM_read_bio_X509(bio, nil, nil, nil) {
        defer { X509_free(parsed) }
        certificates.append(try Certificate(der: written { i2d_X509_bio($0, parsed) }))
    }
    ERR_clear_error()  // the end of the text counts as one
    return certificates
}

/// The private key of a PEM text; the caller releases it.
func privateKey(in pem: [UInt8]) throws(ReplayError) -> OpaquePointer {
    guard let bio = bio(over: pem) else { throw ReplayError(openSSL: "BIO_new") }
    defer { BIO_free(bio) }
    guard let key = PEM_read_bio_PrivateKey(bio, nil, nil, nil) else {
        throw ReplayError(openSSL: "PEM_read_bio_PrivateKey")
    }
    return key
}

/// A memory BIO that holds a copy of these octets.
private func bio(over octets: [UInt8]) -> OpaquePointer? {
    guard let bio = BIO_new(BIO_s_mem()) else { return nil }
    BIO_write(bio, octets, Int32(clamping: octets.count))
    return bio
}
