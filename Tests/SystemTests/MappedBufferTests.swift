import Glibc
import System
import Testing

@Suite("Mapped memory")
struct MappedBufferTests {
    @Test func isZeroedAndWritable() throws {
        let buffer = try MappedBuffer(capacity: 1 << 20)
        #expect(buffer.bytes.count == 1 << 20)
        #expect(buffer.bytes.first == 0 && buffer.bytes.last == 0)
        buffer.bytes[(1 << 20) - 1] = 7
        #expect(buffer.bytes.last == 7)
    }

    @Test func forgetsWhatIsBehindTheKeptPart() throws {
        let buffer = try MappedBuffer(capacity: 256 << 10)
        for index in buffer.bytes.indices { buffer.bytes[index] = 0xFF }
        buffer.discard(behind: 64 << 10)
        #expect(buffer.bytes[..<(64 << 10)].allSatisfy { $0 == 0xFF })
        #expect(buffer.bytes[(64 << 10)...].allSatisfy { $0 == 0 })
        buffer.discard(behind: 1 << 30)
        #expect(buffer.bytes[0] == 0xFF)
    }

    @Test func moreThanThereIsIsAnError() {
        #expect(throws: SystemError(call: "mmap", errno: ENOMEM)) {
            _ = try MappedBuffer(capacity: .max - 4096)
        }
    }
}
