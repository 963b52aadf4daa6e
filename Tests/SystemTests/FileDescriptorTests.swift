import Glibc
import System
import Testing

@Suite("A descriptor")
struct FileDescriptorTests {
    /// Whether the pipe's reading end sees that no writing end is left: numbers are reused by tests that run beside
    /// this one, the pipe's other end tells of this one only.
    private func isHungUp(_ reading: Int32) -> Bool {
        var entry = pollfd(fd: reading, events: 0, revents: 0)
        return poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLHUP) != 0
    }

    @Test func isClosedAtTheEndOfItsScope() throws {
        let pipe = try Pipe()
        do {
            let writing = FileDescriptor(owning: pipe.takeWriting())
            #expect(!isHungUp(pipe.reading))
            _ = consume writing
        }
        #expect(isHungUp(pipe.reading))
    }

    @Test func isNotClosedOnceReleased() throws {
        let pipe = try Pipe()
        let number = FileDescriptor(owning: pipe.takeWriting()).release()
        #expect(!isHungUp(pipe.reading))
        #expect(close(number) == 0)
        #expect(isHungUp(pipe.reading))
    }

    @Test func closesOnceWhenErrorsAreAskedFor() throws {
        let pipe = try Pipe()
        try FileDescriptor(owning: pipe.takeWriting()).closeReportingErrors()
        #expect(isHungUp(pipe.reading))
    }

    @Test func tellsThatClosingFailed() {
        #expect(throws: SystemError(call: "close", errno: EBADF)) {
            try FileDescriptor(owning: -1).closeReportingErrors()
        }
    }

    @Test func aDuplicateOutlivesItAndIsClosedOnExec() throws {
        let pipe = try Pipe()
        var second: FileDescriptor?
        do {
            let first = FileDescriptor(owning: pipe.takeWriting())
            second = try FileDescriptor.duplicate(first.rawValue)
        }
        #expect(!isHungUp(pipe.reading))
        #expect(fcntl(second?.rawValue ?? -1, F_GETFD) & FD_CLOEXEC != 0)
        second = nil
        #expect(isHungUp(pipe.reading))
    }

    @Test func aDuplicateOfNothingIsAnError() {
        #expect(throws: SystemError(call: "fcntl", errno: EBADF)) { _ = try FileDescriptor.duplicate(-1) }
    }
}
