/// All other long options of curl. None of them may be taken for an abbreviation of a longer name: it would be obeyed
/// as something that was not asked for.
enum CurlOptions {
    private static let names = [
        "abstract-unix-socket", "alpn", "append", "aws-sigv4", "cert-status", "clobber", "compressed-ssh",
        "create-file-mode", "crlf", "crlfile", "curves", "delegation", "disable-eprt", "disable-epsv",
        "disallow-username-in-url", "dns-interface", "dns-ipv4-addr", "dns-ipv6-addr", "dns-servers",
        "doh-cert-status", "doh-insecure", "doh-url", "egd-file", "engine", "false-start", "form-escape",
        "form-string", "ftp-account", "ftp-alternative-to-user", "ftp-create-dirs", "ftp-method",
        "ftp-pasv", "ftp-port", "ftp-pret", "ftp-skip-pasv-ip", "ftp-ssl-ccc", "ftp-ssl-ccc-mode",
        "ftp-ssl-control", "haproxy-protocol", "hostpubmd5", "hostpubsha256", "http2-prior-knowledge",
        "http3-only", "krb", "libcurl", "list-only", "local-port", "login-options", "mail-auth",
        "mail-from", "mail-rcpt", "mail-rcpt-allowfails", "manual", "metalink", "npn", "ntlm-wb",
        "parallel-immediate", "proxy-anyauth", "proxy-basic", "proxy-capath", "proxy-cert",
        "proxy-cert-type", "proxy-ciphers", "proxy-crlfile", "proxy-digest", "proxy-key", "proxy-key-type",
        "proxy-negotiate", "proxy-ntlm", "proxy-pass", "proxy-pinnedpubkey", "proxy-service-name",
        "proxy-ssl-allow-beast", "proxy-ssl-auto-client-cert", "proxy-tls13-ciphers", "proxy-tlsauthtype",
        "proxy-tlspassword", "proxy-tlsuser", "proxy-tlsv1", "proxy1.0", "pubkey", "quote", "random-file",
        "rate", "remove-on-error", "sasl-authzid", "sasl-ir", "service-name", "sessionid",
        "socks4", "socks4a", "socks5-basic", "socks5-gssapi", "socks5-gssapi-nec", "socks5-gssapi-service",
        "ssl", "ssl-allow-beast", "ssl-auto-client-cert", "ssl-no-revoke", "ssl-revoke-best-effort",
        "sslv2", "sslv3", "styled-output", "suppress-connect-headers", "tcp-fastopen", "telnet-option",
        "tftp-blksize", "tftp-no-options", "tlsauthtype", "tlspassword", "tlsuser", "tr-encoding",
        "use-ascii", "xattr", "no-alpn", "no-clobber", "no-npn", "no-sessionid",
    ]

    /// Whether curl has a long option of that name.
    static func contains(_ name: String) -> Bool { names.contains(name) }
}
