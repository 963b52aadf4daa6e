/// Options that people know from curl and that this version lacks: who types one is told so.
enum LaterOptions {
    /// Letter, where there is one, and long name.
    private static let known: [(letter: Character?, name: String)] = [
        ("F", "form"), (nil, "digest"), (nil, "ntlm"), (nil, "negotiate"),
        (nil, "anyauth"), ("n", "netrc"), (nil, "netrc-file"), (nil, "netrc-optional"), ("c", "cookie-jar"),
        (nil, "junk-session-cookies"), ("x", "proxy"), ("U", "proxy-user"), (nil, "proxy-header"),
        (nil, "proxy-cacert"), (nil, "proxy-insecure"), (nil, "preproxy"), (nil, "socks5"),
        (nil, "socks5-hostname"), (nil, "noproxy"), ("p", "proxytunnel"), (nil, "trace"),
        (nil, "trace-ascii"), (nil, "trace-time"),
        (nil, "http2"), (nil, "http3"), (nil, "hsts"), (nil, "alt-svc"),
    ]

    /// Whether curl has a long option of that name that is missing here.
    static func contains(name: String) -> Bool { known.contains { $0.name == name } }

    /// Whether curl has an option of that letter that is missing here.
    static func contains(letter: Unicode.Scalar) -> Bool { known.contains { $0.letter == Character(letter) } }
}
