import Glibc
import Replay
import System

/// Standard input of a fixture's command.
enum FixtureInput {
    /// Nothing: the null device.
    static func none() throws(SystemError) -> FileDescriptor {
        try File.open("/dev/null", in: File.workingDirectory, flags: O_RDONLY)
    }

    /// The end of a pipe from which the content comes, as fast as it is read.
    ///
    /// A thread of its own feeds it: the command reads options and data from its input without giving the loop back
    /// before the end. The thread ends with the content, or when the descriptor and what was made of it are closed.
    static func pipe(_ content: FixtureContent) throws(SystemError) -> FileDescriptor {
        var ends: [Int32] = [-1, -1]
        _ = try retrying("pipe") { Glibc.pipe(&ends) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let output = FileDescriptor(owning: ends[0])
        // Safety: the thread takes over the reference given here; it is released when no thread came to be.
        let feed = Unmanaged.passRetained(PipeFeed(content, to: FileDescriptor(owning: ends[1])))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, feedPipe, feed.toOpaque())
        guard code == 0 else {
            feed.release()
            throw SystemError(call: "pthread_create", errno: code)
        }
        pthread_detach(thread)
        return output
    }
}

/// Content on its way into a pipe.
private final class PipeFeed: Sendable {
    private let content: FixtureContent
    private let input: FileDescriptor

    init(_ content: FixtureContent, to input: consuming FileDescriptor) {
        self.content = content
        self.input = input
    }

    func run() {
        // Nobody need read all of it, or any. (SIGPIPE is blocked: the loop's thread, which blocks it, made this one.)
        try? content.forEachPart { (part) throws(SystemError) in
            try File.write(part.span, to: input.rawValue)
        }
    }
}

private func feedPipe(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    // Safety: `pipe` handed its reference over.
    Unmanaged<PipeFeed>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
