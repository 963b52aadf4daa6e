import CLinux
import Glibc
import Synchronization

/// What ends the threads that watch it: a pipe that hangs up.
final class StopSignal: Sendable {
    /// Reports a hang-up to everyone who waits, once the signal is given. Open as long as the object lives.
    let descriptor: Int32
    private let writing: Int32
    private let givenAt = Atomic<Int64>(0)  // milliseconds of the monotonic clock; 0: not given

    init() throws(ReplayError) {
        var ends: [Int32] = [-1, -1]
        guard clinux_plain_pipe(&ends) == 0 else { throw ReplayError(call: "pipe2", errno: errno) }
        (descriptor, writing) = (ends[0], ends[1])
    }

    deinit {
        give()
        close(descriptor)
    }

    /// Whether it was given.
    var isGiven: Bool { givenAt.load(ordering: .relaxed) != 0 }

    /// Whether it was given so long ago that even octets that have arrived are left alone: a peer that sends on and on
    /// would keep its thread for ever.
    var isOverdue: Bool {
        let given = givenAt.load(ordering: .relaxed)
        return given != 0 && StopSignal.now - given > 1000
    }

    /// Gives the signal; further calls do nothing.
    func give() {
        let outcome = givenAt.compareExchange(
            expected: 0, desired: max(1, StopSignal.now), ordering: .relaxed)
        if outcome.exchanged { close(writing) }
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
