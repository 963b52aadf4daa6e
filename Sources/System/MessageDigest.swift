import COpenSSL

/// A digest in the making, by libcrypto.
public struct MessageDigest: ~Copyable, @unchecked Sendable {
    /// How it is computed; the names are those that people write.
    public enum Algorithm: String, Hashable, Sendable, CaseIterable {
        case md5
        case sha1 = "sha-1"
        case sha224 = "sha-224"
        case sha256 = "sha-256"
        case sha384 = "sha-384"
        case sha512 = "sha-512"

        /// In octets.
        public var digestLength: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha224: 28
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }

        var method: OpaquePointer? {
            switch self {
            case .md5: EVP_md5()
            case .sha1: EVP_sha1()
            case .sha224: EVP_sha224()
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            case .sha512: EVP_sha512()
            }
        }
    }

    /// libcrypto does not compute this digest: there is no memory, or this system's rules forbid the algorithm.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// What was asked for.
        public var algorithm: Algorithm

        /// One clause for a person.
        public var description: String { "this system computes no \(algorithm.rawValue)" }
    }

    // As for TLS: libcrypto reads no configuration, and so nothing of the environment.
    private static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) == 1

    /// How it is computed.
    public let algorithm: Algorithm
    // Safety: this value's alone, made by its initialiser and freed by its `deinit`; libcrypto ties it to no thread.
    private let context: OpaquePointer
    private var isBroken = false

    /// The digest of no octets yet. Throws where libcrypto refuses the algorithm.
    public init(_ algorithm: Algorithm) throws(Refusal) {
        guard MessageDigest.isReady, let context = EVP_MD_CTX_new() else {
            throw Refusal(algorithm: algorithm)
        }
        guard EVP_DigestInit_ex(context, algorithm.method, nil) == 1 else {
            EVP_MD_CTX_free(context)
            // Left behind, the reason would be taken for one of the next handshake's.
            ERR_clear_error()
            throw Refusal(algorithm: algorithm)
        }
        self.algorithm = algorithm
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Takes in the octets that come next.
    public mutating func update(_ octets: Span<UInt8>) {
        // Safety: the buffer is lent for this call and only read.
        octets.withUnsafeBufferPointer { buffer in
            if EVP_DigestUpdate(context, buffer.baseAddress, buffer.count) != 1 { isBroken = true }
        }
    }

    /// The digest of all that was taken in; empty, and so equal to no other, should libcrypto have failed.
    public consuming func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: algorithm.digestLength)
        // Safety: libcrypto writes `digestLength` octets, as many as the array has.
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1, !isBroken else {
            ERR_clear_error()
            return []
        }
        return digest
    }

    /// The digest of these octets.
    public static func digest(of octets: Span<UInt8>, by algorithm: Algorithm) throws(Refusal) -> [UInt8] {
        var digest = try MessageDigest(algorithm)
        digest.update(octets)
        return digest.finish()
    }
}

extension MessageDigest.Algorithm: CustomStringConvertible {
    /// As people write it, such as `sha-256`.
    public var description: String { rawValue }
}
