import HTTPClient

extension OptionTable {
    /// Redirects, and what goes along with them: credentials and cookies.
    static let redirects: [CommandOption] = [
        CommandOption(
            "location", "L", in: .redirects,
            "Follow redirects; rawget does so anyway, --no-location saves them instead",
            .toggle { $0.transfer.followsRedirects = $1 }),
        CommandOption(
            "location-trusted", in: .redirects,
            "Follow redirects and send credentials to every host they name",
            .toggle {
                $0.transfer.followsRedirects = $1
                $0.transfer.trustsAllOrigins = $1
            }),
        CommandOption(
            "max-redirs", argument: "NUMBER", in: .redirects,
            "Follow at most NUMBER redirects (20; as curl 50); -1 is no limit",
            .count(-1...Int(Int32.max)) { $0.transfer.maximumRedirects = $1 }),
        CommandOption(
            "post301", in: .redirects, "Let POST stay POST after a 301",
            .toggle { $0.transfer.keepPOST($1, after: .movedPermanently) }),
        CommandOption(
            "post302", in: .redirects, "Let POST stay POST after a 302",
            .toggle { $0.transfer.keepPOST($1, after: .found) }),
        CommandOption(
            "post303", in: .redirects, "Let POST stay POST after a 303",
            .toggle { $0.transfer.keepPOST($1, after: .seeOther) }),
        CommandOption(
            "proto-redir", argument: "PROTOCOLS", in: .redirects,
            "Schemes redirects may lead to: =https, or -http; a comma goes between several",
            .checked { settings, text in
                guard let schemes = SchemeList(text, isCurl: settings.run.isCurl) else { return false }
                settings.transfer.redirectSchemes = schemes.allowed
                return true
            }),
        CommandOption(
            "user", "u", argument: "USER[:PASSWORD]", in: .redirects,
            "Send name and password to the server of the URL, and to no other",
            .text { $0.transfer.user = $1 }),
        CommandOption(
            "basic", in: .redirects, "Accepted: the scheme Basic is what -u means", .toggle { _, _ in }),
        CommandOption(
            "oauth2-bearer", argument: "TOKEN", in: .redirects, "Send TOKEN as bearer token",
            .text { $0.transfer.bearerToken = $1.isEmpty ? nil : $1 }),
        CommandOption(
            "cookie", "b", argument: "NAME=VALUE", in: .redirects,
            "Send this cookie to the server of the URL; a semicolon goes between several",
            .text { $0.transfer.cookies.append($1) }),
    ]
}

extension GroupOptions {
    fileprivate mutating func keepPOST(_ isKept: Bool, after status: RedirectPolicy.Statuses) {
        if isKept { keepsPOST.insert(status) } else { keepsPOST.remove(status) }
    }
}
