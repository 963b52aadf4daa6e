import Glibc
import System
import Transport

/// What the command line says about TLS.
struct TLSOptions: Hashable, Sendable {
    /// What `-k` means, for whoever gave it.
    static let insecureWarning =
        "-k: servers do not have to prove who they are; anybody on the way may answer"

    /// `--cacert`.
    var authorityFile: String?
    /// `--capath`.
    var authorityFolder: String?
    /// `-k`.
    var isInsecure = false
    /// `--pinnedpubkey`, as given.
    var pinnedKeys: String?
    /// `-E`.
    var certificate: CertificateOption?
    /// `--cert-type`, as given.
    var certificateType: String?
    /// `--key`.
    var key: String?
    /// `--key-type`, as given.
    var keyType: String?
    /// `--pass`.
    var password: String?
    /// `--tlsv1.2` and `--tlsv1.3`.
    var minimumVersion: TLSConfiguration.Version?
    /// `--tls-max`, as given.
    var maximumVersion: String?
    /// `--ciphers`.
    var ciphers: String?
    /// `--tls13-ciphers`.
    var cipherSuites: String?

    /// The client's settings. Throws when a value makes no sense; files are read when they are needed.
    func configuration(_ console: Console, isCurl: Bool) throws(UsageError) -> TLSConfiguration {
        // A variable that was never set must not make everything allowed.
        let texts: [(String?, String)] = [
            (authorityFile, "--cacert"), (authorityFolder, "--capath"), (pinnedKeys, "--pinnedpubkey"),
            (key, "--key"), (ciphers, "--ciphers"), (cipherSuites, "--tls13-ciphers"),
        ]
        for (text, option) in texts where text?.isEmpty ?? false {
            throw UsageError("\(option): its argument is empty")
        }
        let invocation = console.invocation
        var configuration = TLSConfiguration()
        configuration.trust = trust(invocation, isCurl: isCurl)
        configuration.verifiesPeer = !isInsecure
        configuration.minimumVersion = minimumVersion ?? .tls12
        configuration.maximumVersion = try newestVersion()
        guard configuration.minimumVersion <= configuration.maximumVersion else {
            throw UsageError("--tls-max is below the oldest version that is accepted (--tlsv1.3)")
        }
        configuration.clientCertificate = try clientCertificate(console)
        configuration.pinnedKeys = try pins(in: invocation.directory)
        configuration.ciphers = ciphers
        configuration.cipherSuites = cipherSuites
        configuration.keyLog = keyLog(console)
        return configuration
    }

    /// Options go before the environment, which is read as curl reads it.
    private func trust(_ invocation: Invocation, isCurl: Bool) -> TLSConfiguration.Trust {
        func variable(_ name: String) -> String? {
            invocation.environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        func file(_ path: String) -> TLSFile { TLSOptions.file(path, in: invocation.directory) }
        if authorityFile != nil || authorityFolder != nil {
            return .authorities(
                files: authorityFile.map { [file($0)] } ?? [],
                folders: authorityFolder.map { TLSOptions.folders($0, in: invocation.directory) } ?? [])
        }
        // Nothing is verified: what somebody else set for the environment shall not make that fail.
        if isInsecure { return .system() }
        if isCurl, let bundle = variable("CURL_CA_BUNDLE") {
            return .authorities(files: [file(bundle)], folders: [])
        }
        let files = variable("SSL_CERT_FILE").map { [file($0)] } ?? []
        let folders = variable("SSL_CERT_DIR").map { TLSOptions.folders($0, in: invocation.directory) } ?? []
        return files.isEmpty && folders.isEmpty ? .system() : .authorities(files: files, folders: folders)
    }

    /// A list with colons between, as OpenSSL reads it: one that is not there is passed over, if another one is.
    private static func folders(_ list: String, in directory: Int32) -> [TLSFile] {
        let all = list.split(separator: ":").map(String.init)
        let there = all.filter {
            (try? File.status(of: $0, in: directory, followsLinks: true))?.kind == .folder
        }
        return (there.isEmpty ? all : there).map { TLSFile(path: $0, in: directory) }
    }

    /// What is no regular file is read now: a pipe can be waited for only as long as nothing runs. What cannot be read is
    /// told when it is needed.
    private static func file(_ path: String, in directory: Int32) -> TLSFile {
        let named = TLSFile(path: path, in: directory)
        guard (try? File.status(of: path, in: directory, followsLinks: true))?.kind == .special,
            let descriptor = try? File.open(path, in: directory, flags: O_RDONLY | O_NOCTTY),
            let octets = try? File.contents(of: descriptor.rawValue, limit: TLSFile.longest)
        else { return named }
        return TLSFile(octets: octets)
    }

    private func newestVersion() throws(UsageError) -> TLSConfiguration.Version {
        switch maximumVersion {
        case nil, "default", "1.3": return .tls13
        case "1.2": return .tls12
        case "1.0", "1.1":
            throw UsageError("--tls-max: TLS 1.0 and 1.1 are not safe and not offered; the oldest is 1.2")
        case .some(let text):
            throw UsageError("--tls-max: \"\(text.escapedForTerminal)\" is not 1.2, 1.3 or default")
        }
    }

    private func clientCertificate(
        _ console: Console
    ) throws(UsageError) -> TLSConfiguration.ClientCertificate? {
        let directory = console.invocation.directory
        let encoding = try TLSOptions.encoding(certificateType, of: "--cert-type")
        let keyEncoding = try TLSOptions.encoding(keyType, of: "--key-type")
        guard keyEncoding != .pkcs12 else {
            throw UsageError("--key-type: a key alone is PEM or DER; a P12 file is named by --cert")
        }
        guard let certificate else {
            guard key == nil else { throw UsageError("--key needs the certificate, by -E, --cert") }
            return nil
        }
        guard !certificate.path.isEmpty else { throw UsageError("-E, --cert: the name of a file is empty") }
        var identity = TLSConfiguration.ClientCertificate(
            TLSOptions.file(certificate.path, in: directory),
            key: key.map { TLSOptions.file($0, in: directory) }, password: password ?? certificate.password)
        identity.encoding = encoding
        identity.keyEncoding = keyEncoding
        // Where nobody can answer, the failure of the handshake says what is missing.
        if console.invocation.isTerminal(console.invocation.standardInput), identity.lacksPassword {
            let octets = try console.askPassword(for: key ?? certificate.path)
            identity.password = String(decoding: octets, as: UTF8.self)
        }
        return identity
    }

    private static func encoding(
        _ text: String?, of option: String
    ) throws(UsageError) -> TLSConfiguration.Encoding {
        switch text?.uppercased() {
        case nil, "PEM": return .pem
        case "DER": return .der
        case "P12": return .pkcs12
        case "ENG", "PROV":
            throw UsageError("\(option): keys in devices are not supported; use PEM, DER or P12")
        case .some:
            throw UsageError("\(option): \"\((text ?? "").escapedForTerminal)\" is not PEM, DER or P12")
        }
    }

    private func pins(in directory: Int32) throws(UsageError) -> TLSConfiguration.PinnedKeys? {
        guard let pinnedKeys else { return nil }
        guard pinnedKeys.hasPrefix("sha256//") else {
            return .key(TLSOptions.file(pinnedKeys, in: directory))
        }
        var digests: [String] = []
        for pin in pinnedKeys.split(separator: ";") {
            let digest = pin.dropFirst(8)
            // 32 octets in base64: 43 digits and a filler.
            guard pin.hasPrefix("sha256//"), digest.utf8.count == 44, digest.hasSuffix("=") else {
                throw UsageError(
                    "--pinnedpubkey: \"\(String(pin).escapedForTerminal)\" is not sha256// and 44 characters of base64"
                )
            }
            digests.append(String(digest))
        }
        return .digests(digests)
    }

    private func keyLog(_ console: Console) -> TLSKeyLog? {
        guard let path = console.invocation.environment("SSLKEYLOGFILE"), !path.isEmpty else { return nil }
        do throws(SystemError) {
            let descriptor = try File.open(
                path, in: console.invocation.directory,
                flags: O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY,
                permissions: 0o600)
            return TLSKeyLog(descriptor)
        } catch {
            console.warn(
                "SSLKEYLOGFILE: could not open \(path.escapedForTerminal): \(error.explanation); no keys are noted"
            )
            return nil
        }
    }
}

/// `-E FILE[:PASSWORD]`.
struct CertificateOption: Hashable, Sendable {
    var path: String
    var password: String?

    /// Reads `text` as curl does: the first colon without a backslash before it ends the file's name; a backslash
    /// stands for itself before anything but a colon and another backslash.
    init(_ text: String) {
        var path: [UInt8] = []
        var rest = text.utf8[...]
        let backslash = UInt8(ascii: "\\")
        let colon = UInt8(ascii: ":")
        while let octet = rest.popFirst() {
            if octet == colon {
                if !rest.isEmpty { password = String(Substring(rest)) }
                break
            }
            if octet == backslash, let next = rest.first, next == backslash || next == colon {
                path.append(next)
                rest.removeFirst()
            } else {
                path.append(octet)
            }
        }
        self.path = String(decoding: path, as: UTF8.self)
    }
}
