import COpenSSL

/// What OpenSSL's callbacks tell of one connection while a call runs.
///
/// Isolated to nothing: callbacks are plain functions, called on the thread that called OpenSSL.
final class TLSNotes {
    /// What the check of the chain found first.
    struct Verification {
        var result: Int32
        /// 0 is the server's own certificate, above it are its issuers.
        var depth: Int32
        var subject: String
        var issuer: String
        var validFrom: String
        var validUntil: String
        /// The names the server's certificate is for.
        var names: String
        /// Whether it has any, beside its common name.
        var hasNames: Bool
    }

    var verification: Verification?
    /// Sessions that came, oldest first.
    var sessions: [TLSSession] = []
    let keyLog: TLSKeyLog?

    init(keyLog: TLSKeyLog?) { self.keyLog = keyLog }

    /// The notes of a connection, put there by its engine, which outlives it.
    static func of(_ ssl: OpaquePointer?) -> TLSNotes? {
        guard let ssl, let pointer = SSL_get_ex_data(ssl, 0) else { return nil }
        // Safety: only `TLSEngine` sets it, to its own notes, which live as long as the engine's SSL.
        return Unmanaged<TLSNotes>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// OpenSSL's callback for each certificate of a chain and each fault; it changes no verdict.
    static let verify: @convention(c) (Int32, OpaquePointer?) -> Int32 = { isGood, store in
        guard isGood != 1, let store,
            let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let notes = TLSNotes.of(OpaquePointer(ssl)), notes.verification == nil
        else { return isGood }
        let leaf = X509_STORE_CTX_get0_cert(store)
        guard let certificate = X509_STORE_CTX_get_current_cert(store) ?? leaf else { return isGood }
        notes.verification = Verification(
            result: X509_STORE_CTX_get_error(store), depth: X509_STORE_CTX_get_error_depth(store),
            subject: CertificateText.subject(of: certificate),
            issuer: CertificateText.issuer(of: certificate),
            validFrom: CertificateText.validFrom(certificate),
            validUntil: CertificateText.validUntil(certificate),
            names: leaf.map { CertificateText.names(of: $0) } ?? "",
            hasNames: leaf.map { X509_get_ext_by_NID($0, NID_subject_alt_name, -1) >= 0 } ?? false)
        return isGood
    }
}
