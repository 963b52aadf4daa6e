import System

/// Where received octets wait for their reader: one range of memory, filled at its end and used from its start.
@NetworkActor
public final class ReceiveBuffer {
    /// Most octets taken in one call while a head is awaited.
    public nonisolated static let headPortion = 64 << 10
    /// Most octets taken in one call, and moved in one turn of the loop.
    public nonisolated static let capacity = 1 << 20

    private let memory: MappedBuffer
    private var start = 0
    private var end = 0
    private var touched = 0

    /// An empty buffer. Memory is used only as far as octets reach.
    public init() throws(TransportError) {
        do { memory = try MappedBuffer(capacity: ReceiveBuffer.capacity) } catch {
            throw TransportError(.systemFailed(error))
        }
    }

    /// Octets received and not used.
    public var unreadCount: Int { end - start }

    /// Lends the unread octets.
    public func read<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Safety: start...end was filled, and nothing is received while the span is lent.
        let slice = UnsafeRawBufferPointer(rebasing: memory.bytes[start..<end])
        return try body(Span(_unsafeBytes: slice))
    }

    /// Marks the first `count` unread octets as used.
    public func consume(_ count: Int) {
        precondition(count <= unreadCount, "used more than there is")
        start += count
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Lends room for at most `limit` octets; `body` answers how many it filled.
    func fill<Failure: Error>(
        atMost limit: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        if end == memory.bytes.count, start > 0 {
            let unread = UnsafeRawBufferPointer(rebasing: memory.bytes[start..<end])
            memory.bytes.copyMemory(from: unread)
            end -= start
            start = 0
        }
        let room = UnsafeMutableRawBufferPointer(
            rebasing: memory.bytes[end..<min(memory.bytes.count, end + limit)])
        let count = try body(room)
        end += count
        touched = max(touched, end)
        return count
    }

    /// Gives memory that only bulk content needed back to the system.
    public func trim() {
        guard touched > ReceiveBuffer.headPortion, start == end else { return }
        memory.discard(behind: ReceiveBuffer.headPortion)
        touched = 0
    }
}
