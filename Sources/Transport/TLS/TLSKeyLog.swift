public import System

/// A file to which the secrets of connections are appended, in the format of NSS (RFC 9850).
public final class TLSKeyLog: Hashable, Sendable {
    private let descriptor: FileDescriptor

    /// Appends to an open file.
    public init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    /// Appends one line, whole: several processes may write. A log that takes no more harms no transfer.
    func append(_ line: [UInt8]) {
        // What cannot be noted is only missing from a file for debugging.
        _ = try? File.writeSome((line + [0x0A]).span, to: descriptor.rawValue)
    }

    /// Two logs are the same only when they are one.
    public static func == (left: TLSKeyLog, right: TLSKeyLog) -> Bool { left === right }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
