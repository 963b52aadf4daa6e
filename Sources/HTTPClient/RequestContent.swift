import Glibc
public import System
public import Transport

/// Content of a request that is read while it is sent, called on the loop.
@NetworkActor
public protocol RequestContent: AnyObject {
    /// Octets in all; `nil` where nobody knows before the end: they are sent in chunks (RFC 9112, section 7.1).
    var length: UInt64? { get }

    /// The next octets, at least one and at most `limit`; none at the end. It may wait, but not past `deadline`, nor when
    /// its task is cancelled. Throws `readFailed`, `timedOut`, after which it is asked again, and `cancelled`.
    func next(atMost limit: Int, until deadline: Deadline) async throws(TransferError) -> [UInt8]

    /// Begins again with the first octet. False where that cannot be: a request with such content is sent once.
    func rewind() -> Bool
}

/// The rest of an open file, or what comes through a pipe or from a terminal.
@NetworkActor
public final class DescriptorContent: RequestContent {
    private let descriptor: Int32
    /// The descriptor, where it is this object's to close.
    private let owned: FileDescriptor?
    /// What it is called in messages.
    private let name: String
    private let isFile: Bool
    private let start: UInt64
    private var offset: UInt64

    /// Octets from where a file stands to its end now; `nil` for what is no file, and where the length is not to be
    /// declared.
    public let length: UInt64?

    /// Content of a descriptor that is handed over. Without `declaresLength` it is sent as a stream though it be a file.
    /// Throws `readFailed`.
    public convenience init(
        owning descriptor: consuming FileDescriptor, named name: String, declaresLength: Bool = true
    ) throws(TransferError) {
        let number = descriptor.rawValue
        try self.init(number, owned: descriptor, named: name, declaresLength: declaresLength)
    }

    /// Content of a descriptor that is lent until the transfer is over, and otherwise as above. Throws `readFailed`.
    public convenience init(
        lending descriptor: Int32, named name: String, declaresLength: Bool = true
    ) throws(TransferError) {
        try self.init(descriptor, owned: nil, named: name, declaresLength: declaresLength)
    }

    private init(
        _ descriptor: Int32, owned: consuming FileDescriptor?, named name: String, declaresLength: Bool = true
    ) throws(TransferError) {
        self.descriptor = descriptor
        self.owned = owned
        self.name = name
        let status: File.Status
        do throws(SystemError) { status = try File.status(of: descriptor) } catch {
            throw DescriptorContent.failure(name, error)
        }
        if status.kind == .folder {
            throw DescriptorContent.failure(name, SystemError(call: "read", errno: EISDIR))
        }
        isFile = status.kind == .regular
        start = isFile ? File.position(of: descriptor) : 0
        offset = start
        length = isFile && declaresLength ? status.size - min(start, status.size) : nil
    }

    /// Reads the next octets; a pipe or terminal is waited for without holding up the loop.
    public func next(
        atMost limit: Int, until deadline: Deadline
    ) async throws(TransferError) -> [UInt8] {
        while true {
            do throws(SystemError) {
                guard !isFile else {
                    let octets = try File.readSome(limit, at: offset, from: descriptor)
                    offset += UInt64(octets.count)
                    return octets
                }
                if File.isReadable(descriptor) { return try File.readSome(limit, from: descriptor) }
            } catch {
                guard error.errno == EAGAIN else { throw DescriptorContent.failure(name, error) }
            }
            do throws(TransportError) {
                try await DescriptorWatch.readable(descriptor, until: deadline)
            } catch {
                throw TransferError(error, host: name, during: .send)
            }
        }
    }

    /// A file can be read again.
    public func rewind() -> Bool {
        offset = start
        return isFile
    }

    private static func failure(_ name: String, _ error: SystemError) -> TransferError {
        TransferError(
            .readFailed, during: .send, "could not read \(name): \(error.explanation)", errno: error.errno)
    }
}
