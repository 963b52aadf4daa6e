import Glibc
import Synchronization

/// A pipe whose two ends the test holds.
public final class Pipe: Sendable {
    /// Where octets come out.
    public let output: Int32
    /// Where octets go in.
    public let input: Int32
    private let isOutputOpen = Atomic(true)
    private let isInputOpen = Atomic(true)

    /// A new pipe.
    public init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "no pipe")
        (output, input) = (ends[0], ends[1])
    }

    deinit {
        closeOutput()
        closeInput()
    }

    /// Nothing more comes.
    public func closeInput() {
        if isInputOpen.exchange(false, ordering: .acquiringAndReleasing) { close(input) }
    }

    /// The reader goes away.
    public func closeOutput() {
        if isOutputOpen.exchange(false, ordering: .acquiringAndReleasing) { close(output) }
    }
}

/// Reads a pipe on a thread of its own, from some time on.
public final class PipeReader: Sendable {
    private final class Work: @unchecked Sendable {
        // Safety: written by the thread before it is joined, read after.
        var octets: [UInt8] = []
        let descriptor: Int32
        let count: Int
        let pause: Duration

        init(_ descriptor: Int32, _ count: Int, _ pause: Duration) {
            (self.descriptor, self.count, self.pause) = (descriptor, count, pause)
        }
    }

    private let work: Work
    private let thread: pthread_t

    /// Reads `count` octets from `descriptor`, beginning after `pause`.
    public init(_ descriptor: Int32, count: Int, after pause: Duration) {
        work = Work(descriptor, count, pause)
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(work).toOpaque()
        precondition(pthread_create(&thread, nil, readPipe, argument) == 0, "no thread")
        self.thread = thread
    }

    /// Waits for the reader and returns what it read.
    public func octets() -> [UInt8] {
        pthread_join(thread, nil)
        return work.octets
    }

    fileprivate static func run(_ argument: UnsafeMutableRawPointer?) {
        guard let argument else { return }
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        usleep(UInt32(work.pause.components.attoseconds / 1_000_000_000_000))
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while work.octets.count < work.count {
            let count = read(work.descriptor, &chunk, chunk.count)
            guard count > 0 else { return }
            work.octets += chunk[0..<count]
        }
    }
}

private func readPipe(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    PipeReader.run(argument)
    return nil
}
