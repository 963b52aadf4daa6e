/// Whether a connection can serve another request, or why it cannot (RFC 9112, section 9.3).
public enum ReuseVerdict: Hashable, Sendable {
    /// It can.
    case reusable
    /// The response has not been read to its end.
    case responseIncomplete
    /// The response came before the whole request was sent.
    case requestIncomplete
    /// What came is no valid response.
    case exchangeFailed
    /// The server said it closes.
    case closeAnnounced
    /// The request said that this side closes.
    case closeRequested
    /// HTTP/1.0 without "keep-alive".
    case versionWithoutPersistence
    /// Content has no other end than the connection's.
    case contentEndsWithConnection
    /// Both Content-Length and Transfer-Encoding came.
    case lengthAndCoding
    /// Transfer-Encoding came in a response of HTTP/1.0.
    case codingInOldVersion
    /// A 204 announced content, which may still come.
    case contentNotAllowed
    /// It speaks another protocol now.
    case upgraded
    /// It is a tunnel now.
    case tunnel
    /// So many octets came that belong to no response.
    case unexpectedOctets(Int)
    /// The server closed it.
    case connectionEnded
}

extension ReuseVerdict: CustomStringConvertible {
    /// One clause for the log.
    public var description: String {
        switch self {
        case .reusable: "connection can be used again"
        case .responseIncomplete: "response not read to its end (RFC 9112, section 9.3)"
        case .requestIncomplete:
            "request not sent to its end: the response came before (RFC 9112, section 9.5)"
        case .exchangeFailed: "response was invalid"
        case .closeAnnounced: "server announced to close (RFC 9112, section 9.6)"
        case .closeRequested: "request asked to close (RFC 9112, section 9.6)"
        case .versionWithoutPersistence: "HTTP/1.0 response without keep-alive (RFC 9112, section 9.3)"
        case .contentEndsWithConnection: "content ends with the connection (RFC 9112, section 6.3)"
        case .lengthAndCoding:
            "response had both Content-Length and Transfer-Encoding (RFC 9112, section 6.3)"
        case .codingInOldVersion: "Transfer-Encoding in an HTTP/1.0 response (RFC 9112, section 6.1)"
        case .contentNotAllowed: "204 response announced content (RFC 9112, section 6.3)"
        case .upgraded: "connection was upgraded to another protocol (RFC 9110, section 7.8)"
        case .tunnel: "connection became a tunnel (RFC 9110, section 9.3.6)"
        case .unexpectedOctets(let count):
            "\(count) octets behind the response that nobody asked for (RFC 9112, section 6.3)"
        case .connectionEnded: "server closed the connection"
        }
    }
}
