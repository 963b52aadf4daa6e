import Glibc
import System

/// Several addresses of which one is to win (RFC 8305, section 5). An attempt that is alone is waited for where the race
/// runs; only when several are under way, each has a task.
@NetworkActor
final class Race {
    private struct Runner {
        var number: Int
        var attempt: ConnectionAttempt
        var hasTask = false
    }

    private let dialer: Dialer
    private let deadline: Deadline
    private let addresses: [SocketAddress]
    /// The next address that has not been tried.
    private var next = 0
    /// How many addresses the observer was told of.
    private var told = 0
    private var running: [Runner] = []
    private var failures: [(number: Int, attempt: TransportError.Attempt)] = []
    private var winner: TCPStream?
    /// Finished by each task whose attempt is decided.
    private let news = Pause()

    init(_ addresses: [SocketAddress], _ dialer: Dialer, _ deadline: Deadline) {
        self.addresses = addresses
        self.dialer = dialer
        self.deadline = deadline
    }

    /// The first stream that stands. Throws `notConnected`, `timedOut`, `cancelled`.
    func run() async throws(TransportError) -> TCPStream {
        // Each pass starts one attempt: at the beginning, after a failure, and when the delay is over.
        while true {
            startNext()
            guard !running.isEmpty else { break }
            let patience =
                next < addresses.count ? min(deadline.instant, .now + dialer.delay) : deadline.instant
            let outcome = await waitForNews(until: patience)
            if let stream = winner.take() { return stream }
            if outcome == .cancelled { throw TransportError(.cancelled) }
            if deadline.instant <= .now { break }
        }
        for runner in running {
            let failure = TransportError.Attempt.Failure.timedOut(deadline.duration)
            dialer.observer?(.failed(.init(address: runner.attempt.address, failure: failure)))
        }
        guard running.isEmpty, next == addresses.count || hasNoDescriptor else {
            throw TransportError(.timedOut(deadline.limit, after: deadline.duration))
        }
        throw TransportError(.notConnected(failures.sorted { $0.number < $1.number }.map(\.attempt)))
    }

    /// Closes what did not win; tasks that wait for it end.
    func end() {
        for runner in running { runner.attempt.close() }
        running = []
    }

    /// Starts the next attempt, passing over addresses that are refused at once.
    private func startNext() {
        while next < addresses.count {
            let address = addresses[next]
            if told == next {
                dialer.observer?(.trying(address))
                told += 1
            }
            do throws(SystemError) {
                let attempt = try ConnectionAttempt(to: address, options: dialer.options)
                running.append(Runner(number: next, attempt: attempt))
                next += 1
                return
            } catch {
                if error.errno == EMFILE || error.errno == ENFILE {
                    // Those under way may still win, and give a descriptor back if they fail: this address waits. Without
                    // any, the caller has to find one.
                    if running.isEmpty { fail(next, address, error) }
                    return
                }
                fail(next, address, error)
                next += 1
            }
        }
    }

    /// Whether the race ended because there was no descriptor: then the last failure says so.
    private var hasNoDescriptor: Bool { failures.last?.number == next }

    private func fail(_ number: Int, _ address: SocketAddress, _ error: SystemError) {
        let attempt = TransportError.Attempt(address: address, failure: .system(error))
        failures.append((number, attempt))
        dialer.observer?(.failed(attempt))
    }

    private func waitForNews(until deadline: Instant) async -> WaitOutcome {
        if let only = running.first, running.count == 1, !only.hasTask {
            let outcome = await only.attempt.outcome(until: deadline)
            settle(only.number, outcome)
            if case .undecided(let reason) = outcome { return reason }
            return .ready
        }
        for index in running.indices where !running[index].hasTask {
            running[index].hasTask = true
            let (number, attempt) = (running[index].number, running[index].attempt)
            Task(executorPreference: NetworkActor.loop) { await self.watch(number, attempt) }
        }
        return await news.wait(until: deadline)
    }

    private func watch(_ number: Int, _ attempt: ConnectionAttempt) async {
        settle(number, await attempt.outcome(until: .distantFuture))
        news.finish(.ready)
    }

    private func settle(_ number: Int, _ outcome: ConnectionAttempt.Outcome) {
        switch outcome {
        case .connected(let stream):
            // Two can connect in one turn of the loop, and one after the race: the first to be seen has won.
            guard winner == nil, let index = running.firstIndex(where: { $0.number == number }) else {
                return stream.close()
            }
            running.remove(at: index)
            winner = stream
        case .failed(let error):
            guard let index = running.firstIndex(where: { $0.number == number }) else { return }
            let address = running.remove(at: index).attempt.address
            fail(number, address, error)
        case .undecided: break
        }
    }
}
