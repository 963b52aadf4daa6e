/// A call that failed while a replay server was set up, or a key or certificate made.
public struct ReplayError: Error, Hashable, Sendable {
    /// The name of the call.
    public var call: String
    /// Its `errno`; 0 where the call has none.
    public var errno: Int32
    /// What OpenSSL said of it, where it did.
    public var detail: String

    /// The failure of `call`.
    public init(call: String, errno: Int32, detail: String = "") {
        self.call = call
        self.errno = errno
        self.detail = detail
    }
}
