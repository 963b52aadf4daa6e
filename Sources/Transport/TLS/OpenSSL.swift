import COpenSSL
import Glibc

/// What several places need of OpenSSL.
enum OpenSSL {
    /// The method of BIOs that lend octets; `nil` without memory.
    // Safety: written once, before its first use, and only read by OpenSSL.
    nonisolated(unsafe) static let sourceMethod: OpaquePointer? = copenssl_source_method()

    /// OpenSSL reads no configuration, and so nothing of the environment: what it does is what is set here.
    static let isReady: Bool = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) == 1

    /// The reasons that calls left, the first one first, and forgets them.
    static func takeErrors() -> [UInt] {
        var errors: [UInt] = []
        while true {
            let error = ERR_get_error()
            guard error != 0 else { return errors }
            errors.append(error)
        }
    }

    /// The words for the first error, in lower case; `nil` without one.
    static func words(for errors: [UInt]) -> String? {
        guard let error = errors.first else { return nil }
        if ERR_GET_LIB(error) == ERR_LIB_SYS {
            return String(cString: strerror(ERR_GET_REASON(error)))
        }
        return ERR_reason_error_string(error).map { String(cString: $0) } ?? "error \(error)"
    }

    /// What a memory BIO holds.
    static func octets(in bio: OpaquePointer) -> [UInt8] {
        var start: UnsafePointer<CChar>?
        let count = copenssl_memory(bio, &start)
        // Safety: the BIO's own pointer and count; it is not written while they are read.
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Reads octets as a file of OpenSSL's.
    static func withBIO<Result, Failure: Error>(
        _ octets: [UInt8], _ body: (OpaquePointer?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        // A failed write shows as a file that ends early.
        if let bio { BIO_write(bio, octets, Int32(clamping: octets.count)) }
        return try body(bio)
    }

    /// `octets` in base64 (RFC 4648, section 4).
    static func base64(_ octets: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (octets.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, octets, Int32(clamping: octets.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }

    /// SHA-256 of `octets`.
    static func digest(_ octets: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(octets, octets.count, &digest, nil, EVP_sha256(), nil) == 1 else { return [] }
        return digest
    }

    /// What `write` puts into memory of OpenSSL's, as a DER encoding.
    static func encoding(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = write(&start)
        defer { CRYPTO_free(start, "", 0) }
        guard count > 0 else { return [] }
        // Safety: i2d_… allocated `count` octets at `start`.
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// The public key of a certificate as SubjectPublicKeyInfo in DER.
    static func publicKey(of certificate: OpaquePointer) -> [UInt8] {
        let key = X509_get_X509_PUBKEY(certificate)
        return encoding { i2d_X509_PUBKEY(key, $0) }
    }

    /// `sha256//…` of a certificate's key, as curl writes a pin.
    static func pin(of certificate: OpaquePointer) -> String {
        "sha256//" + base64(digest(publicKey(of: certificate)))
    }
}
