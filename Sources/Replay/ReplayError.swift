/// A system call that failed while a replay server was set up.
public struct ReplayError: Error, Hashable, Sendable {
    /// The name of the call.
    public var call: String
    /// Its `errno`.
    public var errno: Int32

    /// The failure of `call`.
    public init(call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }
}
