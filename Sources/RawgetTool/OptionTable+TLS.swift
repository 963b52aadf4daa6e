import Transport

extension OptionTable {
    /// How servers are told to be who they say, and how this side proves itself.
    static let tls: [CommandOption] = [
        CommandOption(
            "cacert", argument: "FILE", in: .tls,
            "Trust the CA certificates in FILE (PEM), not the system's",
            .text { $0.transfer.tls.authorityFile = $1 }),
        CommandOption(
            "capath", argument: "DIR", in: .tls,
            "Trust the CA certificates in DIR (made ready by `openssl rehash`), not the system's",
            .text { $0.transfer.tls.authorityFolder = $1 }),
        CommandOption(
            "insecure", "k", in: .tls, "Accept any certificate: whoever answers is believed",
            .toggle { $0.transfer.tls.isInsecure = $1 }),
        CommandOption(
            "pinnedpubkey", argument: "KEYS", in: .tls,
            "Accept only a server with one of these keys: sha256//BASE64 with ; between, or a file (PEM, DER)",
            .text { $0.transfer.tls.pinnedKeys = $1 }),
        CommandOption(
            "cert", "E", argument: "FILE[:PASSWORD]", in: .tls,
            "Prove who you are by the certificate in FILE; a colon in its name is written \\:",
            .text { $0.transfer.tls.certificate = CertificateOption($1) }),
        CommandOption(
            "cert-type", argument: "TYPE", in: .tls, "PEM (the default), DER or P12",
            .text { $0.transfer.tls.certificateType = $1 }),
        CommandOption(
            "key", argument: "FILE", in: .tls, "The certificate's key, where its own file has none",
            .text { $0.transfer.tls.key = $1 }),
        CommandOption(
            "key-type", argument: "TYPE", in: .tls, "PEM (the default) or DER",
            .text { $0.transfer.tls.keyType = $1 }),
        CommandOption(
            "pass", argument: "PASSWORD", in: .tls, "What the key is encrypted with",
            .text { $0.transfer.tls.password = $1 }),
        CommandOption(
            "tlsv1", "1", in: .tls, "Accepted: TLS 1.2 or newer fulfils it",
            .flag { $0.transfer.tls.minimumVersion = nil }),
        CommandOption(
            "tlsv1.0", in: .tls, "Accepted, as --tlsv1",
            .flag { $0.transfer.tls.minimumVersion = nil }),
        CommandOption(
            "tlsv1.1", in: .tls, "Accepted, as --tlsv1",
            .flag { $0.transfer.tls.minimumVersion = nil }),
        CommandOption(
            "ssl-reqd", in: .tls, "Accepted: what https asks for is never done without TLS",
            .toggle { _, _ in }),
        CommandOption(
            "tlsv1.2", in: .tls, "Accept TLS 1.2 or newer, which is the default",
            .flag { $0.transfer.tls.minimumVersion = .tls12 }),
        CommandOption(
            "tlsv1.3", in: .tls, "Accept TLS 1.3 or newer alone",
            .flag { $0.transfer.tls.minimumVersion = .tls13 }),
        CommandOption(
            "tls-max", argument: "VERSION", in: .tls, "Offer no newer TLS than 1.2 or 1.3 (default)",
            .text { $0.transfer.tls.maximumVersion = $1 }),
        CommandOption(
            "ciphers", argument: "LIST", in: .tls, "Ciphers of TLS 1.2 to offer, in OpenSSL's words",
            .text { $0.transfer.tls.ciphers = $1 }),
        CommandOption(
            "tls13-ciphers", argument: "LIST", in: .tls, "Cipher suites of TLS 1.3 to offer",
            .text { $0.transfer.tls.cipherSuites = $1 }),
    ]
}
