import COpenSSL
import System

/// What all connections of one configuration share: trust, keys, ciphers, and the sessions to take up again.
///
/// Making one reads files and takes a millisecond: it is made when the first connection is secured.
@NetworkActor
public final class TLSContext {
    /// Sole owner of an SSL_CTX.
    struct Handle: ~Copyable {
        let pointer: OpaquePointer

        // Safety: made by `init` of the context, freed here only; connections hold references of their own.
        deinit { SSL_CTX_free(pointer) }
    }

    /// What it was made from.
    public let configuration: TLSConfiguration
    let handle: Handle
    let sessions = SessionCache()
    let pins: PinnedKeys?
    /// Folders of certificates: OpenSSL reads them at each check, by the descriptor's number where it must.
    private let folders: [TLSFolder]

    /// The folders in which OpenSSL can find nothing.
    var foldersWithoutLinks: [String] {
        folders.filter { !SystemAuthorities.hasHashLinks($0.path) }.map(\.name)
    }

    /// Reads what the configuration names. Throws `authorities`, `clientCertificate`, `cipher`, `pinnedKey`.
    public init(_ configuration: TLSConfiguration) throws(TLSFailure) {
        ERR_clear_error()
        guard OpenSSL.isReady, let pointer = SSL_CTX_new(TLS_client_method()) else {
            throw TLSFailure(
                .handshake, "TLS cannot be used: \(OpenSSL.words(for: OpenSSL.takeErrors()) ?? "no memory")")
        }
        self.configuration = configuration
        handle = Handle(pointer: pointer)
        copenssl_set_client_defaults(pointer)
        // 2: 112 bits of strength, keys of RSA from 2048 bits, no SHA-1. A list of ciphers may say otherwise.
        SSL_CTX_set_security_level(pointer, 2)
        pins = try configuration.pinnedKeys.map { (pins) throws(TLSFailure) in try PinnedKeys(pins) }
        guard
            copenssl_set_versions(
                pointer, configuration.minimumVersion.number, configuration.maximumVersion.number) == 1,
            configuration.minimumVersion <= configuration.maximumVersion
        else { throw TLSFailure(.handshake, "no version of TLS is left between the limits that are set") }
        try TLSContext.set(configuration, on: pointer)
        do throws(TLSFailure) { folders = try TLSContext.trust(configuration.trust, on: pointer) } catch {
            // Where nothing is verified, authorities only decide what is said of the certificate.
            guard !configuration.verifiesPeer else { throw error }
            folders = []
        }
        if let certificate = configuration.clientCertificate {
            try TLSContext.use(certificate, on: pointer)
        }
        SSL_CTX_sess_set_new_cb(pointer) { ssl, session in
            // Returning 1 keeps the reference.
            guard let session, let notes = TLSNotes.of(ssl) else { return 0 }
            notes.sessions.append(TLSSession(owning: session))
            return 1
        }
        if configuration.keyLog != nil {
            SSL_CTX_set_keylog_callback(pointer) { ssl, line in
                guard let line, let log = TLSNotes.of(ssl)?.keyLog else { return }
                log.append(Array(String(cString: line).utf8))
            }
        }
        // What the calls above left would be taken for the first connection's.
        ERR_clear_error()
    }

    private static func set(
        _ configuration: TLSConfiguration, on context: OpaquePointer
    ) throws(TLSFailure) {
        if let ciphers = configuration.ciphers, SSL_CTX_set_cipher_list(context, ciphers) != 1 {
            throw TLSFailure(.cipher, "no cipher of TLS 1.2 is known by the list \"\(ciphers)\"")
        }
        if let suites = configuration.cipherSuites, SSL_CTX_set_ciphersuites(context, suites) != 1 {
            throw TLSFailure(.cipher, "\"\(suites)\" is no list of cipher suites of TLS 1.3")
        }
        // RFC 7301, section 3.1: each name with its length before it.
        let names = configuration.protocols.flatMap { [UInt8(clamping: $0.utf8.count)] + Array($0.utf8) }
        if !names.isEmpty, SSL_CTX_set_alpn_protos(context, names, UInt32(clamping: names.count)) != 0 {
            throw TLSFailure(.handshake, "the list of protocols for ALPN cannot be written")
        }
    }
}

extension TLSConfiguration.Version {
    /// The number in the protocol.
    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }

    /// The name.
    var name: String {
        switch self {
        case .tls12: "TLS 1.2"
        case .tls13: "TLS 1.3"
        }
    }
}

extension TLSConfiguration {
    /// What is offered, in words.
    var offeredVersions: String {
        minimumVersion == maximumVersion
            ? "\(minimumVersion.name) alone" : "\(minimumVersion.name) to \(maximumVersion.name.dropFirst(4))"
    }
}
