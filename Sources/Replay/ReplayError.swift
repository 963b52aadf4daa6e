import Glibc

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

extension ReplayError: CustomStringConvertible {
    /// The call, and in words why it failed.
    public var description: String {
        let reason = errno == 0 ? "" : ReplayError.explanation(of: errno)
        switch (reason.isEmpty, detail.isEmpty) {
        case (true, true): return "\(call) failed"
        case (true, false): return "\(call): \(detail)"
        case (false, true): return "\(call): \(reason)"
        case (false, false): return "\(call): \(reason) (\(detail))"
        }
    }

    /// What the system says about an error number.
    private static func explanation(of number: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        // Safety: the buffer's length is given, and strerror_r ends what it writes by a NUL.
        guard strerror_r(number, &text, text.count) == 0 else { return "error \(number)" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
