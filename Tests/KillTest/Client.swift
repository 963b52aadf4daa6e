import Glibc
import NetworkProbes
import System

/// The client under test: a command, and how one run of it goes.
struct Client: Sendable {
    /// How a run ended.
    enum Ending: Hashable, Sendable {
        case exit(Int32)
        /// By a signal of ours.
        case killed
        /// By another one.
        case died(signal: Int32)
        /// Not within the bound.
        case endless
    }

    /// The longest time of a run.
    static let bound = Duration.seconds(30)
    /// The longest wait for a kill that the server was to bring about.
    static let patience = Duration.milliseconds(1500)
    static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/nonexistent"]

    /// The program and its first arguments.
    let words: [String]
    /// Whether it is rawget or takes its options, and writes beside the file until that is complete.
    let isRawget: Bool
    /// A file with the authority of servers over TLS.
    let authority: String

    /// The arguments for a URL.
    func arguments(_ plan: RoundPlan, _ url: String) -> [String] {
        words + (isRawget ? ["-sS", "-o", "f"] + plan.options : [])
            + (plan.isSecure ? ["--cacert", authority] : []) + [url]
    }

    /// Runs it once; returns how it ended and what it said.
    func run(
        _ arguments: [String], in folder: Int32, _ witness: Witness
    ) throws(SystemError) -> (ending: Ending, errors: String) {
        let input = NamelessFile()
        let output = NamelessFile()
        // A name without a folder is looked up.
        let call = arguments[0].hasPrefix("/") ? arguments : ["/usr/bin/env"] + arguments
        let program = try Program(
            call[0], Array(call.dropFirst()), environment: Client.environment, folder: folder,
            input: input.descriptor, output: output.descriptor, errors: output.descriptor)
        let start = Instant.now
        witness.aim(at: program)
        if case .afterStart(let delay) = witness.plan.kill { witness.kill(after: delay) }
        var limit = witness.plan.kill == .never ? Client.bound : Client.patience
        var isEndless = false
        while !hasEnded(program, by: start + limit) {
            isEndless = limit == Client.bound
            if isEndless { program.send(SIGKILL) } else { witness.kill() }
            limit = Client.bound
        }
        let code = program.exitCode ?? -1
        let ending: Ending =
            switch code {
            case _ where isEndless: .endless
            case 128 + SIGKILL where witness.sight.killedAt != nil: .killed
            case 129...: .died(signal: code - 128)
            default: .exit(code)
            }
        return (ending, output.text)
    }

    /// Waits for the end of a program until a moment; whether it has come.
    private func hasEnded(_ program: Program, by end: Instant) -> Bool {
        while true {
            let left = (end - Instant.now).inSeconds
            guard left > 0 else { return false }
            var entry = pollfd(fd: program.watch, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
            if poll(&entry, 1, Int32(left * 1000) + 1) > 0 { return true }
        }
    }
}
