import Glibc

/// Memory straight from the kernel: pages cost nothing until they are touched, and go back when the value ends.
public struct MappedBuffer: ~Copyable {
    /// The whole range, writable.
    public let bytes: UnsafeMutableRawBufferPointer

    /// `capacity` octets, zeroed, untouched.
    public init(capacity: Int) throws(SystemError) {
        let address = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        let code = errno
        guard let address, address != MAP_FAILED else { throw SystemError(call: "mmap", errno: code) }
        bytes = UnsafeMutableRawBufferPointer(start: address, count: capacity)
    }

    // Safety: the range was mapped by this value's initialiser and is unmapped here only.
    deinit { munmap(bytes.baseAddress, bytes.count) }

    /// Gives the pages behind the first `kept` octets back to the kernel; they read as zeros afterwards.
    public func discard(behind kept: Int) {
        guard kept < bytes.count, let base = bytes.baseAddress else { return }
        madvise(base + kept, bytes.count - kept, MADV_DONTNEED)
    }
}
