import Glibc
import NetworkProbes
import Replay
import System

/// All rounds, two at once.
final class Series: Sendable {
    private static let jobs = 2

    private struct State {
        var next = 0
        var tally = Tally()
        var failed: [Int] = []
    }

    private let options: Options
    private let client: Client
    private let identity: TestIdentity
    private let folder = TemporaryFolder()
    private let state = Lock(State())

    init(_ options: Options) throws(ReplayError) {
        self.options = options
        let authority = try TestAuthority()
        identity = try authority.issue(TestCertificate(["localhost"], addresses: ["127.0.0.1"]))
        folder.write(authority.certificatePEM, to: "ca.pem")
        client = Client(
            words: options.words, isRawget: options.isRawget, authority: folder.path(of: "ca.pem"))
    }

    /// Carries all out and tells of it; whether nothing went wrong.
    func run() -> Bool {
        let start = Instant.now
        var threads: [pthread_t] = []
        for _ in 0..<Series.jobs {
            var thread = pthread_t()
            // Safety: the reference given here is taken over by the thread.
            let reference = Unmanaged.passRetained(self)
            if pthread_create(&thread, nil, workOnSeries, reference.toOpaque()) == 0 {
                threads.append(thread)
            } else {
                reference.release()
            }
        }
        for thread in threads { pthread_join(thread, nil) }
        let (tally, failed) = state.withLock { ($0.tally, $0.failed) }
        for line in tally.lines { print("  \(line)") }
        let shortfalls = tally.shortfalls
        for shortfall in shortfalls { print(shortfall) }
        let seconds = Int((Instant.now - start).inSeconds)
        let numbers = failed.sorted().map(String.init).joined(separator: ", ")
        print(
            "\(tally[.rounds]) rounds of seed \(options.seed) in \(seconds) s, \(failed.count) failed"
                + (failed.isEmpty ? "" : ": \(numbers)"))
        return failed.isEmpty && shortfalls.isEmpty && tally[.rounds] > 0
    }

    /// Takes one round after the other.
    fileprivate func work() {
        while let number = nextRound() {
            let seed = SplitMix64(seed: options.seed).skipping(number)
            do {
                var round = try Round(RoundPlan(seed: seed), client, identity)
                do { try round.carryOut() } catch {
                    tell(number, ["could not go on: \(error)"], round.log, failed: true)
                }
                let result = round
                state.withLock { $0.tally.add(result.tally) }
                tell(number, round.faults, round.log, failed: !round.faults.isEmpty)
            } catch {
                tell(number, ["no server: \(error)"], [], failed: true)
            }
        }
    }

    private func nextRound() -> Int? {
        state.withLock { state in
            defer { state.next += 1 }
            if let round = options.round { return state.next == 0 ? round : nil }
            return state.next < options.rounds ? state.next : nil
        }
    }

    /// Tells of a round, all at once.
    private func tell(_ number: Int, _ faults: [String], _ log: [String], failed: Bool) {
        guard failed || options.isVerbose else { return }
        let again = " failed; again with --seed \(options.seed) --round \(number)"
        var lines = ["round \(number)" + (failed ? again : "")]
        lines += faults.prefix(6).map { "  \($0)" }
        if options.isVerbose || client.isRawget { lines += log.map { "    \($0)" } }
        let text = lines.joined(separator: "\n")
        state.withLock { state in
            if failed { state.failed.append(number) }
            print(text)
        }
    }
}

extension SplitMix64 {
    /// The number behind so many others.
    func skipping(_ count: Int) -> UInt64 {
        var generator = self
        for _ in 0..<count { _ = generator.next() }
        return generator.next()
    }
}

/// What a thread runs. Free, since a closure made in isolated code would trap on another thread.
private func workOnSeries(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    // Safety: `run` passed a retained reference of this type.
    Unmanaged<Series>.fromOpaque(argument).takeRetainedValue().work()
    return nil
}
