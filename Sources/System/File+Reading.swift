import Glibc

extension File {
    /// Reads up to `count` octets at `offset`, wherever the descriptor stands; none at the end.
    public static func readSome(
        _ count: Int, at offset: UInt64, from descriptor: Int32
    ) throws(SystemError) -> [UInt8] {
        guard let offset = Int64(exactly: offset) else { throw SystemError(call: "pread", errno: EFBIG) }
        return try readSome(count, "pread") { pread(descriptor, $0, $1, Int(offset)) }
    }

    /// Reads up to `count` octets at `offset` into the beginning of `buffer`, wherever the descriptor stands. Returns how
    /// many there were; 0 at the end.
    public static func read(
        into buffer: inout [UInt8], _ count: Int, at offset: UInt64, from descriptor: Int32
    ) throws(SystemError) -> Int {
        guard let offset = Int(exactly: offset) else { throw SystemError(call: "pread", errno: EFBIG) }
        var failure: SystemError?
        // Safety: the kernel fills no more than the buffer has.
        let filled = buffer.withUnsafeMutableBytes { bytes in
            do throws(SystemError) {
                return try retrying("pread") {
                    pread(descriptor, bytes.baseAddress, min(count, bytes.count), offset)
                }
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return filled
    }

    /// Reads up to `count` octets where the descriptor stands; none at the end. One that never blocks and has nothing
    /// gives EAGAIN.
    public static func readSome(_ count: Int, from descriptor: Int32) throws(SystemError) -> [UInt8] {
        try readSome(count, "read") { Glibc.read(descriptor, $0, $1) }
    }

    private static func readSome(
        _ count: Int, _ name: StaticString, _ call: (UnsafeMutableRawPointer, Int) -> Int
    ) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        // Safety: the kernel fills at most `count` octets, and says how many.
        let octets = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            do throws(SystemError) { filled = try retrying(name) { call(start, count) } } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return octets
    }

    /// Whether a read would return at once: with octets, the end or an error.
    public static func isReadable(_ descriptor: Int32) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, 0) > 0
    }

    /// Where the descriptor stands in its file; 0 where it has no place to stand.
    public static func position(of descriptor: Int32) -> UInt64 {
        UInt64(exactly: lseek(descriptor, 0, SEEK_CUR)) ?? 0
    }
}
