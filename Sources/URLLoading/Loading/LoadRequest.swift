public import HTTPCache
public import HTTPMessage

/// What is to be loaded, and how, for all styles of this module (D6, D17, D19).
///
/// It is an `HTTPRequest` with what the loading system adds: how far stored responses may answer, how long it may be
/// silent, which networks it may use.
public struct LoadRequest: Hashable, Sendable {
    /// The target URI.
    public var uri: URI
    /// What to do with the resource; GET.
    public var method: HTTPMethod
    /// Fields of the caller's.
    public var fields: HTTPFields
    /// Content to send; `nil` sends none.
    public var content: [UInt8]?
    /// Whether it may go over a cellular network, where its session may; true.
    public var allowsCellularAccess = true

    /// What the caller has said; `nil` leaves it to the session.
    private(set) var chosenPolicy: CachePolicy?
    private(set) var chosenTimeout: Duration?

    /// The limit of silence of those who choose none (D19): 60 s.
    public static let defaultTimeoutInterval = Duration.seconds(60)

    /// A request for `uri`. A session's configuration decides what is `nil` here; without a session it is the
    /// protocol's policy and 60 s.
    public init(
        _ uri: URI, method: HTTPMethod = .get, cachePolicy: CachePolicy? = nil,
        timeoutInterval: Duration? = nil, fields: HTTPFields = HTTPFields(), content: [UInt8]? = nil
    ) {
        self.uri = uri
        self.method = method
        self.fields = fields
        self.content = content
        chosenPolicy = cachePolicy
        chosenTimeout = timeoutInterval
    }

    /// How far stored responses may answer (D17).
    public var cachePolicy: CachePolicy {
        get { chosenPolicy ?? .useProtocolCachePolicy }
        set { chosenPolicy = newValue }
    }

    /// Longest time without a single octet while one is awaited, and to find the host and connect.
    public var timeoutInterval: Duration {
        get { chosenTimeout ?? LoadRequest.defaultTimeoutInterval }
        set { chosenTimeout = newValue }
    }

    /// Sets the only line of a field; `nil` removes all of its lines. False, and nothing changes, where the name is none
    /// (RFC 9110, section 5.1). A value that no line may have fails the load as `badRequest`.
    @discardableResult
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) -> Bool {
        guard let name = FieldName(name) else { return false }
        fields[name] = value
        return true
    }

    /// Adds a line of a field; as above.
    @discardableResult
    public mutating func addValue(_ value: String, forHTTPHeaderField name: String) -> Bool {
        guard let name = FieldName(name) else { return false }
        fields.append(name, value)
        return true
    }

    /// The value of a field, its lines joined; `nil` where there is none.
    public func value(forHTTPHeaderField name: String) -> String? { FieldName(name).flatMap { fields[$0] } }
}
