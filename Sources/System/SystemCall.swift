import Glibc

/// A system call that failed: which one, and the `errno` it left.
public struct SystemError: Error, Hashable, Sendable {
    /// The call's name, as in section 2 of the manual.
    public var call: String
    /// The value of `errno`.
    public var errno: Int32

    /// An error of `call`.
    public init(call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    /// What the system says about `errno`, in its own words.
    public var explanation: String { SystemError.explanation(of: errno) }

    /// What the system says about `number`.
    public static func explanation(of number: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        // Safety: the buffer's length is given, and strerror_r ends what it writes by a NUL.
        guard strerror_r(number, &text, text.count) == 0 else { return "error \(number)" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension SystemError: CustomStringConvertible {
    /// The call and the system's words.
    public var description: String { "\(call): \(explanation)" }
}

/// Repeats `call` while it is interrupted by a signal; the one place that knows EINTR.
/// Returns the call's result, or the error when it is negative.
@inline(__always)
package func retrying<Value: SignedInteger>(_ name: StaticString, _ call: () -> Value) throws(SystemError)
    -> Value
{
    while true {
        let result = call()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw SystemError(call: "\(name)", errno: code) }
    }
}
