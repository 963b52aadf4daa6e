extension TLSService {
    /// A version of the protocol. Everything is spoken at OpenSSL's security level 0: it is the client that refuses.
    public enum Version: Int32, Hashable, Sendable, CaseIterable {
        /// TLS 1.0, which clients must refuse (RFC 8996).
        case tls10 = 0x0301
        /// TLS 1.1, likewise.
        case tls11 = 0x0302
        /// TLS 1.2 (RFC 5246).
        case tls12 = 0x0303
        /// TLS 1.3 (RFC 8446).
        case tls13 = 0x0304
    }
}
