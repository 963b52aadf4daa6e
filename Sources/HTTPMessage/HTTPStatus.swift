/// The three-digit code of a response (RFC 9110, section 15, which the sections below are of).
public struct HTTPStatus: Hashable, Comparable, Sendable {
    /// 100 to 999.
    public let code: UInt16

    /// `nil` unless `code` has three digits and does not begin with 0.
    public init?(_ code: Int) {
        guard (100...999).contains(code) else { return nil }
        self.code = UInt16(code)
    }

    private init(known code: UInt16) { self.code = code }

    /// 100 (section 15.2.1).
    public static let `continue` = HTTPStatus(known: 100)
    /// 101 (section 15.2.2).
    public static let switchingProtocols = HTTPStatus(known: 101)
    /// 103 (RFC 8297).
    public static let earlyHints = HTTPStatus(known: 103)
    /// 200 (section 15.3.1).
    public static let ok = HTTPStatus(known: 200)
    /// 204: there is no content (section 15.3.5).
    public static let noContent = HTTPStatus(known: 204)
    /// 205: there is no content (section 15.3.6).
    public static let resetContent = HTTPStatus(known: 205)
    /// 206: what Content-Range tells (section 15.3.7).
    public static let partialContent = HTTPStatus(known: 206)
    /// 300; Location may name one of several choices (section 15.4.1).
    public static let multipleChoices = HTTPStatus(known: 300)
    /// 301; POST may become GET (section 15.4.2).
    public static let movedPermanently = HTTPStatus(known: 301)
    /// 302; POST may become GET (section 15.4.3).
    public static let found = HTTPStatus(known: 302)
    /// 303: get the other one (section 15.4.4).
    public static let seeOther = HTTPStatus(known: 303)
    /// 304: what is stored is valid (section 15.4.5).
    public static let notModified = HTTPStatus(known: 304)
    /// 305, deprecated (section 15.4.6).
    public static let useProxy = HTTPStatus(known: 305)
    /// 307; the method stays (section 15.4.8).
    public static let temporaryRedirect = HTTPStatus(known: 307)
    /// 308; the method stays (section 15.4.9).
    public static let permanentRedirect = HTTPStatus(known: 308)
    /// 400 (section 15.5.1).
    public static let badRequest = HTTPStatus(known: 400)
    /// 401: credentials are wanted (section 15.5.2).
    public static let unauthorized = HTTPStatus(known: 401)
    /// 403 (section 15.5.4).
    public static let forbidden = HTTPStatus(known: 403)
    /// 404 (section 15.5.5).
    public static let notFound = HTTPStatus(known: 404)
    /// 412: If-Match or the like did not hold (section 15.5.13).
    public static let preconditionFailed = HTTPStatus(known: 412)
    /// 416: Content-Range tells the length (section 15.5.17).
    public static let rangeNotSatisfiable = HTTPStatus(known: 416)
    /// 417: send again without Expect (section 15.5.18).
    public static let expectationFailed = HTTPStatus(known: 417)
    /// 429; Retry-After may tell how long to wait (RFC 6585, section 4).
    public static let tooManyRequests = HTTPStatus(known: 429)
    /// 503; Retry-After may tell how long to wait (section 15.6.4).
    public static let serviceUnavailable = HTTPStatus(known: 503)
    /// 504 (section 15.6.5).
    public static let gatewayTimeout = HTTPStatus(known: 504)

    /// 1xx: more follows (RFC 9110, section 15.2).
    public var isInterim: Bool { code < 200 }
    /// 2xx (RFC 9110, section 15.3).
    public var isSuccess: Bool { (200...299).contains(code) }
    /// 3xx (RFC 9110, section 15.4).
    public var isRedirection: Bool { (300...399).contains(code) }
    /// 400 and above: the request failed (RFC 9110, sections 15.5 and 15.6).
    public var isFailure: Bool { code >= 400 }

    /// By code.
    public static func < (left: HTTPStatus, right: HTTPStatus) -> Bool { left.code < right.code }
}

extension HTTPStatus: CustomStringConvertible {
    /// The three digits.
    public var description: String { String(code) }
}
