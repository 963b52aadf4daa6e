import COpenSSL
import System

/// The only keys a server may have, read and ready to compare (RFC 7469, section 2.4, has the digest's form).
struct PinnedKeys: Sendable {
    private let digests: [String]
    private let key: [UInt8]?

    /// Reads the key's file, if one is named. Throws `pinnedKey` when that cannot be read.
    init(_ pins: TLSConfiguration.PinnedKeys) throws(TLSFailure) {
        switch pins {
        case .digests(let digests):
            self.digests = digests
            key = nil
        case .key(let file):
            digests = []
            let octets: [UInt8]
            do throws(SystemError) { octets = try file.read() } catch {
                throw TLSFailure(
                    .pinnedKey, "could not read the pinned key in \(file.name): \(error.explanation)")
            }
            key = PinnedKeys.publicKey(in: octets)
        }
    }

    /// A public key in PEM as DER; anything else is taken for DER already.
    private static func publicKey(in octets: [UInt8]) -> [UInt8] {
        defer { ERR_clear_error() }
        guard let key = OpenSSL.withBIO(octets, { PEM_read_bio_PUBKEY($0, nil, refusePassword, nil) }) else {
            return octets
        }
        defer { EVP_PKEY_free(key) }
        return OpenSSL.encoding { i2d_PUBKEY(key, $0) }
    }

    /// Throws `pinnedKey`, with the pin that would have matched.
    func check(_ certificate: OpaquePointer?) throws(TLSFailure) {
        guard let certificate else { throw TLSFailure(.pinnedKey, "it has no certificate") }
        let pin = OpenSSL.pin(of: certificate)
        if let key {
            if !key.isEmpty, key == OpenSSL.publicKey(of: certificate) { return }
        } else if digests.contains(where: { "sha256//\($0)" == pin }) {
            return
        }
        throw TLSFailure(.pinnedKey, "its key is none of those pinned: it has \(pin)")
    }
}
