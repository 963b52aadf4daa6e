import COpenSSL
import Glibc

extension TLSEngine {
    /// What OpenSSL's errors mean for a person.
    func failure(isHandshakeDone: Bool, _ errors: [UInt]) -> TLSFailure {
        // Parts of OpenSSL below leave reasons of their own before.
        let own = errors.filter { ERR_GET_LIB($0) == ERR_LIB_SSL }
        let reason = own.first.map { ERR_GET_REASON($0) } ?? 0
        let words = OpenSSL.words(for: own.isEmpty ? errors : own) ?? "no reason is known"
        // An alert that came is the peer's last word. OpenSSL numbers them from 1000 on.
        if let alert = own.map({ ERR_GET_REASON($0) }).first(where: { (1000..<1256).contains($0) }) {
            let text = "it answered with \(TLSAlert.words(Int(alert) - 1000))"
            // In TLS 1.3 a server says only after this side's last message what it thinks of it.
            let isRefusal = !hasReceivedContent
            guard isHandshakeDone, !isRefusal else {
                let offer = alert == 1070 ? " (\(context.configuration.offeredVersions))" : ""
                return TLSFailure(.handshake, text + offer, cause: .alert(Int(alert) - 1000))
            }
            return TLSFailure(.broken, text)
        }
        guard !isHandshakeDone else { return TLSFailure(.broken, "its TLS records are broken: \(words)") }
        if reason == SSL_R_CERTIFICATE_VERIFY_FAILED, let found = notes.verification {
            return TLSFailure(
                .peerCertificate, explanation(of: found), verifyResult: Int(found.result),
                cause: cause(of: found))
        }
        if let failure = otherProtocol { return failure }
        switch reason {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_WRONG_SSL_VERSION,
            SSL_R_WRONG_VERSION_NUMBER:
            return TLSFailure(
                .handshake,
                "it speaks another version of TLS than is offered: \(context.configuration.offeredVersions)",
                cause: .version)
        case SSL_R_NO_CIPHERS_AVAILABLE:
            return TLSFailure(
                .cipher,
                "no cipher is left for \(context.configuration.offeredVersions) by the lists that are set")
        case SSL_R_DH_KEY_TOO_SMALL, SSL_R_EE_KEY_TOO_SMALL, SSL_R_CA_KEY_TOO_SMALL:
            return TLSFailure(.handshake, "its key is too short to be safe: \(words)")
        default: return TLSFailure(.handshake, words)
        }
    }

    /// The peer ended the connection before the handshake was done.
    var endedEarly: TLSFailure {
        if let failure = otherProtocol { return failure }
        let octets = received
        return TLSFailure(
            .handshake,
            octets == 0
                ? "it closed the connection without an answer to the first message; it may not speak TLS"
                : "it closed the connection in the middle, after \(octets) octets")
    }

    /// What the first octets tell when they are no TLS: a record begins with its type, 20 to 24, and version 3.
    private var otherProtocol: TLSFailure? {
        let octets = firstOctets
        guard octets.count >= 2 else { return nil }
        if octets.starts(with: Array("HTTP/".utf8)) {
            return TLSFailure(
                .handshake, "it speaks plain HTTP on this port: use http:// in place of https://",
                cause: .plainHTTP)
        }
        guard !(20...24).contains(octets[0]) || octets[1] != 3 else { return nil }
        let shown = octets.map { octet in
            let digits = String(octet, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }
        return TLSFailure(
            .handshake,
            "it does not speak TLS on this port: its first octets are \(shown.joined(separator: " "))")
    }

    private func cause(of found: TLSNotes.Verification) -> TLSFailure.Cause? {
        switch found.result {
        case X509_V_ERR_CERT_HAS_EXPIRED: .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            found.hasNames ? .otherName : .commonNameAlone
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            .unknownIssuer
        default: nil
        }
    }

    /// Folders of authorities in which nothing can be found.
    private var wordsForFolders: String {
        context.foldersWithoutLinks.map {
            "; no certificate in \($0) can be found, as it lacks the links that `openssl rehash` makes"
        }.joined()
    }

    /// Why a certificate is not good, in one clause. "it" is the server.
    private func explanation(of found: TLSNotes.Verification) -> String {
        // Subject and issuer are in the peer's words.
        let which =
            found.depth == 0
            ? "its certificate (\(found.subject))" : "the certificate of its issuer (\(found.subject))"
        switch found.result {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return "\(which) expired on \(found.validUntil); now it is \(CertificateText.now)"
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return "\(which) is not valid before \(found.validFrom); now it is \(CertificateText.now)"
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            return "its certificate is not for \(host): \(found.names)"
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            return "\(which) is signed by itself and not trusted" + wordsForFolders
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            return "its chain ends with \(found.subject), which is not trusted here" + wordsForFolders
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            return "\(which) was issued by \(found.issuer), whose certificate is neither trusted here "
                + "nor sent by the server" + wordsForFolders
        case X509_V_ERR_INVALID_PURPOSE:
            return "\(which) is not for servers"
        case X509_V_ERR_INVALID_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
            return "\(which) is of one that may not issue certificates"
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL:
            return "\(which) has a key too short to be safe"
        case X509_V_ERR_CA_MD_TOO_WEAK:
            return "\(which) is signed with a digest that is not safe any more, such as SHA-1 or MD5"
        case X509_V_ERR_CERT_REVOKED:
            return "\(which) was revoked"
        default:
            let words = X509_verify_cert_error_string(Int(found.result)).map { String(cString: $0) } ?? ""
            return "\(which) is not good: \(words)"
        }
    }
}
