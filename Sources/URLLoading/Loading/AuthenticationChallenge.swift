public import HTTPMessage

/// What credentials are asked for: a realm of an origin (RFC 9110, section 11.5).
public struct ProtectionSpace: Hashable, Sendable {
    /// The origin that asks.
    public var origin: Origin
    /// The part of the origin, as it calls it; empty where it has no name.
    public var realm: String
    /// The scheme; always Basic for now.
    public var authenticationMethod = "Basic"

    /// A realm of an origin.
    public init(origin: Origin, realm: String) {
        self.origin = origin
        self.realm = realm
    }

    /// The origin's host.
    public var host: String { origin.host.unbracketed }
    /// The origin's port.
    public var port: UInt16 { origin.port }
}

/// A server wants to know who asks (status 401).
public struct AuthenticationChallenge: Sendable {
    /// What for.
    public var protectionSpace: ProtectionSpace
    /// How often credentials were refused in this load.
    public var previousFailureCount: Int
    /// The answer that asks.
    public var failureResponse: HTTPResponse
}

/// A user's name and password.
public struct Credential: Hashable, Sendable {
    /// How long credentials are kept.
    public enum Persistence: Hashable, Sendable {
        /// For the load that has asked.
        case none
        /// For all tasks of the session that are asked by the same realm, as long as they are not refused.
        case forSession
    }

    /// The name; a colon in it would end it for the server.
    public var user: String
    /// The password.
    public var password: String
    /// How long it is kept.
    public var persistence: Persistence

    /// Credentials of these texts, sent as UTF-8.
    public init(user: String, password: String, persistence: Persistence = .none) {
        self.user = user
        self.password = password
        self.persistence = persistence
    }
}

/// How a challenge is answered.
public enum AuthenticationAnswer: Hashable, Sendable {
    /// The request goes out again with these credentials.
    case useCredential(Credential)
    /// As without a delegate: the answer that asks is delivered like any other.
    case performDefaultHandling
    /// The load is cancelled.
    case cancelAuthenticationChallenge
    /// Not this one; the next challenge of the same answer is asked about.
    case rejectProtectionSpace
}
