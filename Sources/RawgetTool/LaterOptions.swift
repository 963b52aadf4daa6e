/// Options that people know from curl and that this version lacks: who types one is told so.
enum LaterOptions {
    /// Letter, where there is one, and long name.
    private static let known: [(letter: Character?, name: String)] = [
        ("L", "location"), (nil, "max-redirs"), ("C", "continue-at"), ("d", "data"), (nil, "data-binary"),
        (nil, "data-raw"), (nil, "data-urlencode"), (nil, "json"), ("G", "get"), ("T", "upload-file"),
        ("F", "form"), ("z", "time-cond"), ("u", "user"), (nil, "basic"), (nil, "digest"),
        (nil, "oauth2-bearer"), ("n", "netrc"), (nil, "netrc-file"), ("b", "cookie"), ("c", "cookie-jar"),
        ("k", "insecure"), (nil, "cacert"), (nil, "capath"), ("E", "cert"), (nil, "key"),
        (nil, "pinnedpubkey"), (nil, "tlsv1.2"), (nil, "tlsv1.3"), (nil, "tls-max"), ("x", "proxy"),
        ("U", "proxy-user"), (nil, "proxy-header"), (nil, "noproxy"), (nil, "interface"),
        (nil, "speed-limit"), ("y", "speed-time"), ("Y", "speed-limit"), (nil, "retry"),
        (nil, "retry-delay"), (nil, "retry-max-time"), (nil, "retry-all-errors"), (nil, "limit-rate"),
        (nil, "compressed"), (nil, "raw"), (nil, "ignore-content-length"), (nil, "trace"),
        (nil, "trace-ascii"), ("0", "http1.0"), (nil, "http0.9"), (nil, "path-as-is"), (nil, "etag-save"),
        (nil, "etag-compare"), (nil, "no-keepalive"), (nil, "keepalive-time"), (nil, "expect100-timeout"),
        (nil, "ciphers"), (nil, "tls13-ciphers"),
    ]

    /// Whether curl has a long option of that name that is missing here.
    static func contains(name: String) -> Bool { known.contains { $0.name == name } }

    /// Whether curl has an option of that letter that is missing here.
    static func contains(letter: Unicode.Scalar) -> Bool { known.contains { $0.letter == Character(letter) } }
}
