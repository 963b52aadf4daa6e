import System

/// What the demo says and finds. Examples tell it from any thread.
final class DemoReport: Sendable {
    private struct State {
        var failures = 0
        /// Why nothing more can be said.
        var failure: SystemError?
        var isMute = false
    }

    private let console: Console
    private let state = Lock(State())

    init(_ console: Console) { self.console = console }

    /// How many checks did not hold.
    var failures: Int { state.withLock { $0.failures } }

    /// Says a line. Throws when standard output takes no more.
    func say(_ line: String) throws(SystemError) {
        offer(line)
        try checkHeard()
    }

    /// Says whether something is as it should be. Throws when standard output takes no more.
    func check(_ what: String, _ holds: Bool) throws(SystemError) {
        note(what, holds)
        try checkHeard()
    }

    /// The last line.
    func close() throws(SystemError) {
        let failures = failures
        try say(
            failures == 0 ? "\nEverything held." : "\n\(failures) of the checks above failed.")
    }

    // MARK: Where nothing can be thrown

    /// Says a line; that nobody takes it is kept for `checkHeard`.
    func offer(_ line: String) {
        state.withLock { state in
            guard !state.isMute, state.failure == nil else { return }
            do throws(SystemError) { try console.print(line + "\n") } catch { state.failure = error }
        }
    }

    /// Says whether something is as it should be.
    func note(_ what: String, _ holds: Bool) {
        if !holds { state.withLock { $0.failures += 1 } }
        offer("   [\(holds ? "ok" : "FAILED")] \(what)")
    }

    /// Throws when standard output takes no more.
    func checkHeard() throws(SystemError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// From here on nothing is said.
    func mute() { state.withLock { $0.isMute = true } }
}
