/// What a request line names (RFC 9112, section 3.2): one of four forms, as text that is sent as it is, or what else a
/// tester wants to see there.
public enum RequestTarget: Hashable, Sendable {
    /// An absolute path with its query, to an origin server.
    case origin(String)
    /// A whole URI, to a proxy.
    case absolute(String)
    /// A host and its port, for CONNECT.
    case authority(String)
    /// The server as a whole, for OPTIONS.
    case asterisk
    /// Whatever the caller says, in no certain form.
    case asGiven(String)

    /// As it stands on the request line.
    public var text: String {
        switch self {
        case .origin(let text), .absolute(let text), .authority(let text), .asGiven(let text): text
        case .asterisk: "*"
        }
    }
}
