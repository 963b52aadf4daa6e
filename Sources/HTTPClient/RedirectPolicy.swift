public import HTTPMessage

/// Which redirects are followed, and how.
public struct RedirectPolicy: Hashable, Sendable {
    /// Most redirects of one transfer; `nil` sets no limit. 20, as wget and browsers (curl 50, Go 10).
    public var maximum: Int? = 20
    /// Statuses (301, 302, 303) after which POST stays POST, as with curl's `--post301`.
    public var keepsPOST: Statuses = []
    /// Whether the method stays whatever the status says, as with curl's `-X`: only the content goes.
    public var keepsMethod = false
    /// Whether credentials go to every host that a redirect names, as with curl's `--location-trusted`.
    public var trustsAllOrigins = false
    /// Whether each redirect names in Referer where it comes from, as with curl's `-e ';auto'`.
    public var setsReferer = false
    /// Whether userinfo in a Location is left out, in place of the error that it is (RFC 9110, section 4.2.4).
    public var dropsUserinfo = false
    /// Schemes that redirects may lead to.
    public var schemes: Schemes = [.http, .https]
    /// Longest Location in octets; 65,536. The limits of a head are smaller, unless raised.
    public var maximumLocation = 1 << 16

    /// What browsers do, with a limit of 20.
    public init() {}

    // Sets of options: a `Set` would cost every start of a program the search for its element's conformance.

    /// Statuses that change POST to GET.
    public struct Statuses: OptionSet, Hashable, Sendable {
        /// One bit a status.
        public let rawValue: UInt8
        /// The statuses of these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// 301.
        public static let movedPermanently = Statuses(rawValue: 1)
        /// 302.
        public static let found = Statuses(rawValue: 2)
        /// 303.
        public static let seeOther = Statuses(rawValue: 4)

        /// Whether `status` is among them.
        func contains(_ status: HTTPStatus) -> Bool {
            switch status {
            case .movedPermanently: contains(Statuses.movedPermanently)
            case .found: contains(Statuses.found)
            case .seeOther: contains(Statuses.seeOther)
            default: false
            }
        }
    }

    /// Schemes of URIs.
    public struct Schemes: OptionSet, Hashable, Sendable {
        /// One bit a scheme.
        public let rawValue: UInt8
        /// The schemes of these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// http.
        public static let http = Schemes(rawValue: 1)
        /// https.
        public static let https = Schemes(rawValue: 2)

        /// Whether `scheme` is among them.
        func contains(_ scheme: Scheme) -> Bool { contains(scheme == .http ? Schemes.http : .https) }
    }
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
