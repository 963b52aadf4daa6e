/// The kind of a key that a test makes.
public enum TestKey: Hashable, Sendable {
    /// An elliptic curve key on P-256.
    case p256
    /// An elliptic curve key on P-384.
    case p384
    /// An Edwards curve key.
    case ed25519
    /// An RSA key of so many bits.
    case rsa(Int)
}

/// What is hashed when a certificate is signed. Ed25519 keys have a digest of their own and ignore it.
public enum TestDigest: Hashable, Sendable {
    /// What is in use today.
    case sha256
    /// Refused at OpenSSL's security level 1 and above.
    case sha1
    /// Refused like SHA-1.
    case md5
}

/// What is asked of a certificate for a test, mistakes included.
public struct TestCertificate: Sendable {
    /// What the key may be used for (RFC 5280, section 4.2.1.12).
    public enum Purpose: Hashable, Sendable {
        /// Only TLS servers.
        case server
        /// Only TLS clients.
        case client
        /// The certificate does not say.
        case none
    }

    /// The subject's common name.
    public var commonName: String
    /// The DNS names of the subject alternative name, put in as they are: any octets, NUL included.
    public var names: [[UInt8]]
    /// The IP addresses of the subject alternative name, in text: `127.0.0.1`, `::1`.
    public var addresses: [String]
    /// When the certificate begins to be valid, counted from now.
    public var validFrom: Duration = .seconds(-3600)
    /// When it ends to be valid, counted from now.
    public var validUntil: Duration = .seconds(86_400)
    /// The subject's key.
    public var key = TestKey.p256
    /// What the issuer hashes.
    public var digest = TestDigest.sha256
    /// The extended key usage.
    public var purpose = Purpose.server
    /// Whether it may issue others; adds the key usage of an authority.
    public var isAuthority = false
    /// How many authorities may follow below this one; without `isAuthority` it means nothing.
    public var pathLength: Int?
    /// DNS names to which an authority is confined (RFC 5280, section 4.2.1.10).
    public var permittedNames: [String] = []
    /// Adds a critical extension nobody knows, which must make verification fail (RFC 5280, section 4.2).
    public var hasUnknownExtension = false
    /// Spoils the signature's last octet.
    public var hasBrokenSignature = false

    /// A server's certificate for these names and addresses; the first name or address is the common name unless
    /// one is given.
    public init(_ names: [String] = [], addresses: [String] = [], commonName: String? = nil) {
        self.names = names.map { Array($0.utf8) }
        self.addresses = addresses
        self.commonName = commonName ?? names.first ?? addresses.first ?? "rawget test"
    }
}
