import CLinux
import Glibc
import System

/// A pipe whose reading end closes with it; the writing end is given away.
final class Pipe {
    let reading: Int32
    private var writing: Int32

    init(capacity: Int32 = 4096, blocks: Bool = false) throws {
        var ends: [Int32] = [-1, -1]
        var actual: Int32 = 0
        guard clinux_pipe(&ends, capacity, &actual) == 0 else {
            throw SystemError(call: "pipe2", errno: errno)
        }
        if blocks { for end in ends { _ = fcntl(end, F_SETFL, 0) } }
        reading = ends[0]
        writing = ends[1]
    }

    /// The writing end; whoever takes it closes it.
    func takeWriting() -> Int32 {
        defer { writing = -1 }
        return writing
    }

    deinit {
        close(reading)
        if writing >= 0 { close(writing) }
    }
}
