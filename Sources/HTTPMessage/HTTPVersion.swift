/// The version in a request line or status line (RFC 9112, section 2.3).
public struct HTTPVersion: Hashable, Comparable, Sendable {
    /// The digit before the point.
    public var major: UInt8
    /// The digit after the point.
    public var minor: UInt8

    /// The version `major.minor`.
    public init(major: UInt8, minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    /// A response without any head, allowed only when asked for.
    public static let http09 = HTTPVersion(major: 0, minor: 9)
    /// HTTP/1.0: a connection ends with its response unless keep-alive is agreed on.
    public static let http10 = HTTPVersion(major: 1, minor: 0)
    /// HTTP/1.1 (RFC 9112).
    public static let http11 = HTTPVersion(major: 1, minor: 1)

    /// Whether `left` is the older version.
    public static func < (left: HTTPVersion, right: HTTPVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}

extension HTTPVersion: CustomStringConvertible {
    /// As in a request line: `HTTP/1.1`.
    public var description: String { "HTTP/\(major).\(minor)" }
}
