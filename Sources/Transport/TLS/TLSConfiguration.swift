public import System

/// How a client secures its connections: whom it trusts, how it proves itself, what it offers (RFC 8446, RFC 5246).
///
/// No variable of the environment is read: `SSL_CERT_FILE` and the like are the command's. Files are read when the first connection is secured, so the value is small: two are compared in no time.
public struct TLSConfiguration: Hashable, Sendable {
    /// A version of TLS that is offered.
    public enum Version: Int, Hashable, Comparable, Sendable, CaseIterable {
        case tls12
        case tls13

        /// Whether `left` is the older.
        public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
    }

    /// Which authorities may vouch for a server.
    public enum Trust: Hashable, Sendable {
        /// Those of the system; `root` is put before every path of it, empty but in tests.
        case system(root: String = "")
        /// Those in files of PEM, and in folders with hash links as `openssl rehash` makes them; no others.
        case authorities(files: [TLSFile], folders: [TLSFile])
    }

    /// How a certificate or a key is written.
    public enum Encoding: Hashable, Sendable {
        case pem
        case der
        /// PKCS#12: certificate, chain and key in one.
        case pkcs12
    }

    /// What proves who this side is.
    public struct ClientCertificate: Hashable, Sendable {
        /// The certificate; in PEM its chain follows it.
        public var certificate: TLSFile
        /// How `certificate` is written.
        public var encoding: Encoding
        /// The key; `nil` when it stands in the certificate's file.
        public var key: TLSFile?
        /// How `key` is written.
        public var keyEncoding: Encoding
        /// What the key, or the PKCS#12 file, is encrypted with.
        public var password: String?

        /// A certificate in PEM, and its key.
        public init(_ certificate: TLSFile, key: TLSFile? = nil, password: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.password = password
            encoding = .pem
            keyEncoding = .pem
        }
    }

    /// The only keys a server may have, whatever vouches for it.
    public enum PinnedKeys: Hashable, Sendable {
        /// SHA-256 of the public key (SubjectPublicKeyInfo in DER) in base64: one of them.
        case digests([String])
        /// A public key in PEM or DER.
        case key(TLSFile)
    }

    /// Which authorities may vouch for a server.
    public var trust = Trust.system()
    /// Whether a server must prove that it is the one asked for; without that anybody may answer.
    public var verifiesPeer = true
    /// The oldest version accepted; TLS 1.2 (curl accepts what OpenSSL does, the same as a rule).
    public var minimumVersion = Version.tls12
    /// The newest version offered.
    public var maximumVersion = Version.tls13
    /// What proves who this side is; `nil` gives no certificate.
    public var clientCertificate: ClientCertificate?
    /// The only keys a server may have; `nil` for any. Checked even where `verifiesPeer` is off, as curl does.
    public var pinnedKeys: PinnedKeys?
    /// Ciphers up to TLS 1.2, in OpenSSL's words; `nil` for its defaults at security level 2.
    public var ciphers: String?
    /// Cipher suites of TLS 1.3, in OpenSSL's words.
    public var cipherSuites: String?
    /// Protocols offered by ALPN (RFC 7301), the dearest first; empty offers none.
    public var protocols = ["http/1.1"]
    /// Where the secrets of connections are noted, for whoever wants to decrypt what was recorded of them.
    public var keyLog: TLSKeyLog?

    /// The system's authorities, TLS 1.2 and 1.3.
    public init() {}
}

/// A file, or octets that stand for one.
public struct TLSFile: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case path(String, directory: Int32)
        case octets(Octets)
    }

    /// Octets that are hashed by their ends only: what a pool's key is made of must be cheap.
    struct Octets: Hashable, Sendable {
        let octets: [UInt8]

        func hash(into hasher: inout Hasher) {
            hasher.combine(octets.count)
            for octet in octets.suffix(96) { hasher.combine(octet) }
        }
    }

    let content: Content

    /// The file at `path`, relative to the folder open as `directory`, which must stay open; without one to the folder
    /// that is the program's when the file is read.
    public init(path: String, in directory: Int32 = File.workingDirectory) {
        content = .path(path, directory: directory)
    }

    /// A file that has these octets.
    public init(octets: [UInt8]) { content = .octets(Octets(octets: octets)) }

    /// How messages name it.
    var name: String {
        switch content {
        case .path(let path, _): path
        case .octets: "the octets given"
        }
    }
}

/// What a finished handshake agreed on.
public struct TLSSummary: Hashable, Sendable {
    /// `TLSv1.3`.
    public var version: String
    /// OpenSSL's name of the cipher or suite.
    public var cipher: String
    /// What ALPN chose; `nil` when the server chose nothing.
    public var protocolName: String?
    /// Whether an earlier session was taken up again (RFC 8446, section 2.2).
    public var isResumed: Bool
    /// Whose the server's certificate is, as a distinguished name.
    public var subject: String
    /// Who issued it.
    public var issuer: String
    /// The last day of the server's certificate.
    public var validUntil: String
    /// Whether the certificate was checked and found good.
    public var isVerified: Bool
    /// OpenSSL's number for what the check found; 0 is good.
    public var verifyResult: Int
    /// `sha256//…` of the server's key: what a pin would be.
    public var publicKeyPin: String
}
