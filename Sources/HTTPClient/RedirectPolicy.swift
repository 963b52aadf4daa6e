public import HTTPMessage

/// Which redirects are followed, and how.
public struct RedirectPolicy: Hashable, Sendable {
    /// Most redirects of one transfer; `nil` sets no limit. 20, as wget and browsers (curl 50, Go 10).
    public var maximum: Int? = 20
    /// Statuses (301, 302, 303) after which POST stays POST, as with curl's `--post301`.
    public var keepsPOST: Set<HTTPStatus> = []
    /// Whether the method stays whatever the status says, as with curl's `-X`: only the content goes.
    public var keepsMethod = false
    /// Whether credentials go to every host that a redirect names, as with curl's `--location-trusted`.
    public var trustsAllOrigins = false
    /// Whether each redirect names in Referer where it comes from, as with curl's `-e ';auto'`.
    public var setsReferer = false
    /// Schemes that redirects may lead to.
    public var schemes: Set<Scheme> = [.http, .https]
    /// Longest Location in octets; 65,536. The limits of a head are smaller, unless raised.
    public var maximumLocation = 1 << 16

    /// What browsers do, with a limit of 20.
    public init() {}
}

/// A redirect that was followed.
public struct Redirect: Hashable, Sendable {
    /// The status that said so.
    public var status: HTTPStatus
    /// The URI that answered so.
    public var uri: URI
    /// Where it led.
    public var target: URI
    /// When each step of that exchange was done.
    public var timings: Timings
}
