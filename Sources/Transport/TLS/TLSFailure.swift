/// Why a connection could not be secured, or did not stay so.
public struct TLSFailure: Error, Hashable, Sendable {
    /// What a program branches on.
    public enum Kind: Hashable, Sendable {
        /// Both sides could not agree, or one of them gave up.
        case handshake
        /// The server's certificate proves nothing to this side.
        case peerCertificate
        /// The server's key is none of those pinned.
        case pinnedKey
        /// This side's certificate or key cannot be used.
        case clientCertificate
        /// The list of ciphers cannot be used.
        case cipher
        /// The authorities could not be read.
        case authorities
        /// After the handshake: an alert, or records that cannot be decrypted.
        case broken
    }

    /// What a program branches on.
    public var kind: Kind
    /// One clause of facts for a person. Names in it are the peer's words: not safe for a terminal as they are.
    public var explanation: String
    /// OpenSSL's number for what the check of the certificate found; 0 where that is not what failed.
    public var verifyResult: Int

    /// Which of the causes that a kind may have, where each is mended in its own way.
    package var cause: Cause?

    /// What tells failures of one kind apart.
    package enum Cause: Hashable, Sendable {
        case expired
        case notYetValid
        /// The certificate is for other hosts.
        case otherName
        /// The certificate has a common name alone, which nobody looks at (RFC 9525, section 6.2).
        case commonNameAlone
        /// Nobody who is trusted vouches for the certificate.
        case unknownIssuer
        /// A key is encrypted, and there is no password.
        case passwordMissing
        case passwordWrong
        /// A file is PKCS#12, or DER, and was said to be PEM.
        case isPKCS12
        case isDER
        case plainHTTP
        /// The peer's last word (RFC 8446, section 6).
        case alert(Int)
        case version
    }

    init(_ kind: Kind, _ explanation: String, verifyResult: Int = 0, cause: Cause? = nil) {
        self.kind = kind
        self.explanation = explanation
        self.verifyResult = verifyResult
        self.cause = cause
    }
}

/// The alerts of TLS (RFC 8446, section 6; RFC 5246, section 7.2).
enum TLSAlert {
    /// Its name and what it may mean.
    static func words(_ number: Int) -> String {
        guard let alert = known[number] else { return "alert \(number)" }
        return alert.meaning.isEmpty
            ? "alert \(alert.name) (\(number))" : "alert \(alert.name) (\(number)): \(alert.meaning)"
    }

    private static let known: [Int: (name: String, meaning: String)] = [
        10: ("unexpected_message", ""),
        20: ("bad_record_mac", "what arrived was changed on the way, or keys differ"),
        21: ("decryption_failed", ""),
        22: ("record_overflow", ""),
        30: ("decompression_failure", ""),
        40: (
            "handshake_failure",
            "no version, cipher or key exchange in common, or it wants a client certificate"
        ),
        41: ("no_certificate", "it wants a client certificate"),
        42: ("bad_certificate", "it refuses the client certificate, or wants one"),
        43: ("unsupported_certificate", "it cannot use this kind of client certificate"),
        44: ("certificate_revoked", "the client certificate was revoked"),
        45: ("certificate_expired", "the client certificate has expired"),
        46: ("certificate_unknown", "it refuses the client certificate"),
        47: ("illegal_parameter", ""),
        48: ("unknown_ca", "it does not know who issued the client certificate"),
        49: ("access_denied", "the client certificate is good, and not allowed in"),
        50: ("decode_error", "it could not read what was sent"),
        51: ("decrypt_error", "a signature or key of the handshake is wrong"),
        60: ("export_restriction", ""),
        70: ("protocol_version", "it speaks no version of TLS that is offered"),
        71: ("insufficient_security", "it wants stronger ciphers than are offered"),
        80: ("internal_error", "a fault of its own"),
        86: ("inappropriate_fallback", ""),
        90: ("user_canceled", ""),
        100: ("no_renegotiation", ""),
        109: ("missing_extension", ""),
        110: ("unsupported_extension", ""),
        111: ("certificate_unobtainable", ""),
        112: ("unrecognized_name", "it serves no host of this name"),
        113: ("bad_certificate_status_response", ""),
        115: ("unknown_psk_identity", ""),
        116: ("certificate_required", "it wants a client certificate"),
        120: ("no_application_protocol", "it speaks none of the protocols offered"),
    ]
}
