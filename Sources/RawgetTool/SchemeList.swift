import HTTPClient
import HTTPMessage

/// What `--proto` and `--proto-redir` allow: curl's list of protocols, each with `=` (this alone), `+` or `-` before it.
struct SchemeList {
    /// The schemes of ours that are left.
    private(set) var allowed: RedirectPolicy.Schemes = [.http, .https]

    /// Protocols of curl that are not spoken here: naming them changes nothing.
    private static let foreign = [
        "dict", "file", "ftp", "ftps", "gopher", "gophers", "imap", "imaps", "ldap", "ldaps", "mqtt", "mqtts",
        "pop3", "pop3s", "rtmp", "rtmpe", "rtmps", "rtmpt", "rtmpte", "rtmpts", "rtsp", "scp", "sftp", "smb",
        "smbs", "smtp", "smtps", "telnet", "tftp", "ws", "wss",
    ]

    /// Whether curl has a protocol of that name, in lower case.
    static func isKnown(_ name: String) -> Bool {
        name == "http" || name == "https" || foreign.contains(name)
    }

    /// `nil` for an empty list or an empty name, and for a name that is no protocol: a slip of the pen would allow
    /// what it should forbid. curl takes that for a protocol it lacks, and so does `--as-curl`.
    init?(_ text: String, isCurl: Bool = false) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            var name = part[...]
            let signs = name.prefix { "=+-".contains($0) }
            name = name.dropFirst(signs.count)
            guard !name.isEmpty, signs.count <= 1 else { return nil }
            let word = name.lowercased()
            guard isCurl || word == "all" || SchemeList.isKnown(word) else { return nil }
            let named: RedirectPolicy.Schemes =
                switch word {
                case "all": [.http, .https]
                case "http": .http
                case "https": .https
                default: []
                }
            switch signs {
            case "=": allowed = named
            case "-": allowed.subtract(named)
            default: allowed.formUnion(named)
            }
        }
    }

    /// Why a URL of that scheme is not loaded; `nil` where it may be.
    static func refusal(of scheme: Scheme, by allowed: RedirectPolicy.Schemes) -> String? {
        guard !allowed.contains(scheme == .http ? RedirectPolicy.Schemes.http : .https) else { return nil }
        return "--proto does not allow \(scheme.rawValue)"
    }
}
