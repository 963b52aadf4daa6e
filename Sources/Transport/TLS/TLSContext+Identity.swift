import COpenSSL
import Glibc
import System

extension TLSContext {
    /// Makes this side prove itself by a certificate, where a server asks for one.
    static func use(
        _ identity: TLSConfiguration.ClientCertificate, on context: OpaquePointer
    ) throws(TLSFailure) {
        ERR_clear_error()
        let octets = try read(identity.certificate, "the client certificate")
        if identity.encoding == .pkcs12 { return try usePKCS12(octets, identity, on: context) }
        try useCertificate(octets, identity, on: context)
        let key = try readKey(identity, certificate: octets)
        defer { EVP_PKEY_free(key) }
        try use(key, identity, on: context)
    }

    private static func use(
        _ key: OpaquePointer, _ identity: TLSConfiguration.ClientCertificate, on context: OpaquePointer
    ) throws(TLSFailure) {
        guard SSL_CTX_use_PrivateKey(context, key) == 1, SSL_CTX_check_private_key(context) == 1 else {
            let file = (identity.key ?? identity.certificate).name
            throw failure(
                "the key in \(file) does not belong to the certificate in \(identity.certificate.name)")
        }
    }

    private static func read(_ file: TLSFile, _ what: String) throws(TLSFailure) -> [UInt8] {
        do throws(SystemError) { return try file.read() } catch {
            throw TLSFailure(
                .clientCertificate, "could not read \(what) in \(file.name): \(error.explanation)")
        }
    }

    /// With what OpenSSL has to say.
    private static func failure(_ explanation: String) -> TLSFailure {
        let words = OpenSSL.words(for: OpenSSL.takeErrors()).map { " (\($0))" } ?? ""
        return TLSFailure(.clientCertificate, explanation + words)
    }

    private static func useCertificate(
        _ octets: [UInt8], _ identity: TLSConfiguration.ClientCertificate, on context: OpaquePointer
    ) throws(TLSFailure) {
        let name = identity.certificate.name
        try OpenSSL.withBIO(octets) { (bio) throws(TLSFailure) in
            let isPEM = identity.encoding == .pem
            let leaf = isPEM ? PEM_read_bio_X509_AUX(bio, nil, refusePassword, nil) : d2i_X509_bio(bio, nil)
            guard let leaf else {
                if isPEM, let cause = otherEncoding(of: octets) {
                    ERR_clear_error()
                    throw TLSFailure(
                        .clientCertificate, "the certificate in \(name) is not written in PEM", cause: cause)
                }
                throw failure("there is no certificate in \(isPEM ? "PEM" : "DER") in \(name)")
            }
            defer { X509_free(leaf) }
            guard SSL_CTX_use_certificate(context, leaf) == 1 else {
                throw failure("the client certificate in \(name) cannot be used")
            }
            while isPEM, let issuer = PEM_read_bio_X509(bio, nil, refusePassword, nil) {
                defer { X509_free(issuer) }
                guard copenssl_add_chain_certificate(context, issuer) == 1 else {
                    throw failure("the chain in \(name) cannot be used")
                }
            }
            ERR_clear_error()
        }
    }

    /// What a file that is no PEM may be.
    private static func otherEncoding(of octets: [UInt8]) -> TLSFailure.Cause? {
        if let archive = OpenSSL.withBIO(octets, { d2i_PKCS12_bio($0, nil) }) {
            PKCS12_free(archive)
            return .isPKCS12
        }
        guard let certificate = OpenSSL.withBIO(octets, { d2i_X509_bio($0, nil) }) else { return nil }
        X509_free(certificate)
        return .isDER
    }

    private static func readKey(
        _ identity: TLSConfiguration.ClientCertificate, certificate: [UInt8]
    ) throws(TLSFailure) -> OpaquePointer {
        let file = identity.key ?? identity.certificate
        let octets =
            try identity.key.map { (key) throws(TLSFailure) in try read(key, "the key") } ?? certificate
        let encoding = identity.key == nil ? identity.encoding : identity.keyEncoding
        let key =
            if let password = identity.password {
                password.withCString { readKey(octets, encoding, UnsafeMutableRawPointer(mutating: $0)) }
            } else {
                readKey(octets, encoding, nil)
            }
        guard let key else { throw keyFailure(file, octets, identity, encoding) }
        return key
    }

    /// Reads a key; `password` is text that ends with a NUL.
    private static func readKey(
        _ octets: [UInt8], _ encoding: TLSConfiguration.Encoding, _ password: UnsafeMutableRawPointer?
    ) -> OpaquePointer? {
        OpenSSL.withBIO(octets) { bio in
            guard encoding == .pem else { return d2i_PrivateKey_bio(bio, nil) }
            // Safety: the password is lent for this call, which calls back before it returns.
            return PEM_read_bio_PrivateKey(
                bio, nil,
                { target, capacity, _, password in
                    guard let target, let password else { return -1 }
                    let text = password.assumingMemoryBound(to: CChar.self)
                    let count = strlen(text)
                    guard count <= Int(capacity) else { return -1 }
                    memcpy(target, text, count)
                    return Int32(clamping: count)
                }, password)
        }
    }

    private static func keyFailure(
        _ file: TLSFile, _ octets: [UInt8], _ identity: TLSConfiguration.ClientCertificate,
        _ encoding: TLSConfiguration.Encoding
    ) -> TLSFailure {
        let errors = OpenSSL.takeErrors()
        // OpenSSL's reasons differ by version and kind of key; what stands in the file does not (RFC 7468).
        let lines = encoding == .pem ? octets.split { $0 == 0x0A || $0 == 0x0D } : []
        func hasLine(endingWith text: String) -> Bool {
            lines.contains { $0.suffix(text.utf8.count).elementsEqual(text.utf8) }
        }
        let isEncrypted = encoding == .pem && TLSConfiguration.isEncryptedKey(octets)
        let explanation =
            if encoding == .pem, !hasLine(endingWith: "PRIVATE KEY-----") {
                "there is no private key in \(file.name)"
            } else if isEncrypted, identity.password == nil {
                "the key in \(file.name) is encrypted, and no password was given"
            } else if isEncrypted {
                "the key in \(file.name) cannot be decrypted: the password is wrong, or the key is damaged"
            } else {
                "the key in \(file.name) cannot be read: \(OpenSSL.words(for: errors) ?? "no key")"
            }
        var cause: TLSFailure.Cause?
        if isEncrypted { cause = identity.password == nil ? .passwordMissing : .passwordWrong }
        return TLSFailure(.clientCertificate, explanation, cause: cause)
    }

    private static func usePKCS12(
        _ octets: [UInt8], _ identity: TLSConfiguration.ClientCertificate, on context: OpaquePointer
    ) throws(TLSFailure) {
        let name = identity.certificate.name
        guard let archive = OpenSSL.withBIO(octets, { d2i_PKCS12_bio($0, nil) }) else {
            throw failure("\(name) is no PKCS#12 file")
        }
        defer { PKCS12_free(archive) }
        var key: OpaquePointer?
        var leaf: OpaquePointer?
        var chain: OpaquePointer?
        guard PKCS12_parse(archive, identity.password ?? "", &key, &leaf, &chain) == 1 else {
            let errors = OpenSSL.takeErrors()
            let isPassword = errors.contains { ERR_GET_REASON($0) == PKCS12_R_MAC_VERIFY_FAILURE }
            let why =
                isPassword
                ? (identity.password == nil ? "it needs a password" : "the password is wrong")
                : OpenSSL.words(for: errors) ?? "it cannot be read"
            var cause: TLSFailure.Cause?
            if isPassword { cause = identity.password == nil ? .passwordMissing : .passwordWrong }
            throw TLSFailure(
                .clientCertificate, "the client certificate in \(name) cannot be used: \(why)", cause: cause)
        }
        defer {
            EVP_PKEY_free(key)
            X509_free(leaf)
            copenssl_free_certificates(chain)
        }
        guard let key, let leaf else {
            throw TLSFailure(.clientCertificate, "\(name) lacks a certificate or its key")
        }
        guard SSL_CTX_use_certificate(context, leaf) == 1 else {
            throw failure("the client certificate in \(name) cannot be used")
        }
        var index: Int32 = 0
        while let issuer = chain.flatMap({ copenssl_certificate_at($0, index) }) {
            guard copenssl_add_chain_certificate(context, issuer) == 1 else {
                throw failure("the chain in \(name) cannot be used")
            }
            index += 1
        }
        try use(key, identity, on: context)
    }
}

extension TLSConfiguration {
    /// Whether a key in PEM is encrypted. OpenSSL's reasons differ by version and kind of key; what stands in the file
    /// does not (RFC 7468, RFC 1421).
    static func isEncryptedKey(_ octets: [UInt8]) -> Bool {
        octets.split { $0 == 0x0A || $0 == 0x0D }.contains { line in
            ["ENCRYPTED PRIVATE KEY-----", "4,ENCRYPTED"].contains { line.hasSuffix($0.utf8) }
        }
    }
}

extension TLSConfiguration.ClientCertificate {
    /// Whether its key can be read with a password alone, and there is none. False where a file cannot be read: that
    /// shows when it is used.
    package var lacksPassword: Bool {
        guard password == nil else { return false }
        if encoding == .pkcs12 {
            guard let octets = try? certificate.read(),
                let archive = OpenSSL.withBIO(octets, { d2i_PKCS12_bio($0, nil) })
            else { return false }
            defer { PKCS12_free(archive) }
            defer { ERR_clear_error() }
            return PKCS12_verify_mac(archive, "", 0) != 1 && PKCS12_verify_mac(archive, nil, 0) != 1
        }
        guard (key == nil ? encoding : keyEncoding) == .pem, let octets = try? (key ?? certificate).read()
        else { return false }
        return TLSConfiguration.isEncryptedKey(octets)
    }
}

extension Collection where Element == UInt8 {
    fileprivate func hasSuffix(_ text: some Collection<UInt8>) -> Bool {
        suffix(text.count).elementsEqual(text)
    }
}
