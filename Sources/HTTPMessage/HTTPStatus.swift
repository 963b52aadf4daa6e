/// The three-digit code of a response (RFC 9110, section 15).
public struct HTTPStatus: Hashable, Comparable, Sendable {
    /// 100 to 999.
    public let code: UInt16

    /// `nil` unless `code` has three digits and does not begin with 0.
    public init?(_ code: Int) {
        guard (100...999).contains(code) else { return nil }
        self.code = UInt16(code)
    }

    private init(known code: UInt16) { self.code = code }

    public static let `continue` = HTTPStatus(known: 100)
    public static let switchingProtocols = HTTPStatus(known: 101)
    public static let earlyHints = HTTPStatus(known: 103)
    public static let ok = HTTPStatus(known: 200)
    public static let noContent = HTTPStatus(known: 204)
    public static let resetContent = HTTPStatus(known: 205)
    public static let partialContent = HTTPStatus(known: 206)
    public static let movedPermanently = HTTPStatus(known: 301)
    public static let found = HTTPStatus(known: 302)
    public static let seeOther = HTTPStatus(known: 303)
    public static let notModified = HTTPStatus(known: 304)
    public static let temporaryRedirect = HTTPStatus(known: 307)
    public static let permanentRedirect = HTTPStatus(known: 308)
    public static let badRequest = HTTPStatus(known: 400)
    public static let unauthorized = HTTPStatus(known: 401)
    public static let forbidden = HTTPStatus(known: 403)
    public static let notFound = HTTPStatus(known: 404)
    public static let preconditionFailed = HTTPStatus(known: 412)
    public static let rangeNotSatisfiable = HTTPStatus(known: 416)
    public static let expectationFailed = HTTPStatus(known: 417)
    public static let tooManyRequests = HTTPStatus(known: 429)
    public static let serviceUnavailable = HTTPStatus(known: 503)
    public static let gatewayTimeout = HTTPStatus(known: 504)

    /// 1xx: more follows (RFC 9110, section 15.2).
    public var isInterim: Bool { code < 200 }
    /// 2xx (RFC 9110, section 15.3).
    public var isSuccess: Bool { (200...299).contains(code) }
    /// 3xx (RFC 9110, section 15.4).
    public var isRedirection: Bool { (300...399).contains(code) }
    /// 400 and above: the request failed (RFC 9110, sections 15.5 and 15.6).
    public var isFailure: Bool { code >= 400 }

    public static func < (left: HTTPStatus, right: HTTPStatus) -> Bool { left.code < right.code }
}

extension HTTPStatus: CustomStringConvertible {
    public var description: String { String(code) }
}
