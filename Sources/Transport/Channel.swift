import CLinux
import Glibc
import System

/// How a wait ended.
package enum WaitOutcome: Hashable, Sendable {
    case ready
    case timedOut
    case cancelled
    case closed
}

/// What a wait is for.
struct Readiness: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let readable = Readiness(rawValue: 1)
    static let writable = Readiness(rawValue: 2)
}

/// A registered descriptor and what the kernel last said of it.
///
/// Readiness is edge-triggered: an edge is latched here until a call has answered EAGAIN, so one that arrives
/// between that answer and the wait is not lost. At most one task waits at a time: an exchange has one driver.
final class Channel: Expiring, @unchecked Sendable {
    // Safety: touched by the loop's thread only; other threads send a cancellation through `EventLoop.call`.
    let generation: UInt32
    let rawValue: Int32
    private var descriptor: FileDescriptor?
    private let slot: Int
    private let loop: EventLoop
    private var latched: Readiness = []
    /// The peer has closed its side, or the connection is broken: reading goes on until the end shows.
    private(set) var sawHangUp = false
    private var wait: Wait?
    /// Instants of this channel in the loop's queue, the earliest last: an entry is added only before all others, so
    /// that waits of many lengths share a few.
    private var armed: [Instant] = []

    /// A task that waits. Numbered: a cancellation that comes late must not hit the next wait.
    private struct Wait {
        var number: UInt64
        var interest: Readiness
        var deadline: Instant
        var continuation: UnsafeContinuation<WaitOutcome, Never>
    }

    init(_ descriptor: consuming FileDescriptor, slot: Int, generation: UInt32, loop: EventLoop) {
        rawValue = descriptor.rawValue
        self.descriptor = consume descriptor
        self.slot = slot
        self.generation = generation
        self.loop = loop
    }

    var isOpen: Bool { descriptor != nil }

    func isLatched(_ readiness: Readiness) -> Bool { latched.contains(readiness) }

    /// A call answered EAGAIN, or took less than it asked for: the next edge will tell.
    func clear(_ readiness: Readiness) { latched.subtract(readiness) }

    func latch(_ readiness: Readiness) { latched.formUnion(readiness) }

    /// Closes the descriptor and ends a wait. The loop's table keeps a channel alive: every path must come here.
    ///
    /// `isShared` where another descriptor keeps the open file alive: epoll would go on telling of it.
    func close(isShared: Bool = false) {
        guard let descriptor = descriptor.take() else { return }
        if isShared { _ = clinux_epoll_remove(loop.epoll, descriptor.rawValue) }
        _ = consume descriptor
        loop.forget(slot: slot)
        finish(.closed)
    }

    /// Waits until one of `interest` is ready, or `deadline`, or cancellation, or the channel's end.
    @NetworkActor
    func wait(for interest: Readiness, until deadline: Instant) async -> WaitOutcome {
        guard isOpen else { return .closed }
        if !latched.isDisjoint(with: interest) { return Task.isCancelled ? .cancelled : .ready }
        let number = loop.nextWaitNumber()
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<WaitOutcome, Never>) in
                guard !Task.isCancelled else { return continuation.resume(returning: .cancelled) }
                precondition(wait == nil, "a channel has one waiting task")
                wait = Wait(
                    number: number, interest: interest, deadline: deadline, continuation: continuation)
                if deadline < armed.last ?? .distantFuture {
                    armed.append(deadline)
                    loop.addTimer(deadline, self)
                }
            }
        } onCancel: {
            loop.call { [self] in if wait?.number == number { finish(.cancelled) } }
        }
        return outcome
    }

    func receive(events: UInt32) {
        let broken = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
        if events & broken != 0 { sawHangUp = true }
        if events & (EPOLLIN.rawValue | broken) != 0 { latched.insert(.readable) }
        if events & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
            latched.insert(.writable)
        }
        if let wait, !latched.isDisjoint(with: wait.interest) { finish(.ready) }
    }

    func expire(at now: Instant) -> Instant? {
        _ = armed.popLast()  // the queue gives the earliest first
        guard let wait else { return nil }
        if wait.deadline <= now {
            finish(.timedOut)
            return nil
        }
        guard wait.deadline < armed.last ?? .distantFuture else { return nil }
        armed.append(wait.deadline)
        return wait.deadline
    }

    private func finish(_ outcome: WaitOutcome) {
        guard let ended = wait.take() else { return }
        ended.continuation.resume(returning: outcome)
    }
}
