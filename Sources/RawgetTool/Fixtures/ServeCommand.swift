import Glibc
import Replay
import System
import Transport

/// `rawget serve`: answers any client as fixtures say, and tells what each connection did.
@NetworkActor
final class ServeCommand {
    /// What its options say.
    struct Settings: Sendable {
        /// `--port`.
        var port = 0
        /// `--tls`.
        var usesTLS = false
        /// `--ca`.
        var authorityFile: String?
        /// `--each-port`.
        var hasPortEach = false
        /// `--repeat`.
        var repeats = false
        /// `--once`.
        var endsWhenUsedUp = false
        /// `--time-limit`, in seconds; `nil`: none.
        var timeLimit: Int?
    }

    nonisolated static let options: [WordOption<Settings>] = [
        .init(
            "port", argument: "NUMBER", "The port on 127.0.0.1; without it a free one",
            .count(1...65_535) { $0.port = $1 }),
        .init("tls", "Speak TLS, whatever the fixtures say", .flag { $0.usesTLS = true }),
        .init(
            "ca", argument: "FILE", "Write the certificate that clients must trust to FILE",
            .text { $0.authorityFile = $1 }),
        .init(
            "each-port", "Give each fixture a port of its own, with the TLS it names",
            .flag { $0.hasPortEach = true }),
        .init("repeat", "Begin anew with a fixture that is used up", .flag { $0.repeats = true }),
        .init(
            "once", "End when all are used up: with 0 when all requests were as expected, else with 1",
            .flag { $0.endsWhenUsedUp = true }),
        .init(
            "time-limit", argument: "SECONDS",
            "End after so many seconds at the latest: with 1 where something was left",
            .count(1...86_400) { $0.timeLimit = $1 }),
    ]

    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation) {
        self.invocation = invocation
        console = Console(invocation)
    }

    /// Serves what the arguments name until it is interrupted, or all is used up.
    func run(_ arguments: [String]) async -> Int32 {
        let settings: Settings
        let services: [Service]
        do throws(UsageError) {
            let words = try WordArguments(arguments, options: ServeCommand.options, defaults: Settings())
            settings = words.settings
            if words.asksForHelp { return tell(ServeCommand.help) ? 0 : 23 }
            guard !words.operands.isEmpty else {
                throw UsageError("serve needs a fixture or a folder of them")
            }
            try check(settings)
            services = try self.services(settings, try fixtures(words.operands))
        } catch {
            console.report(
                error.message, exit: error.exit,
                advice: error.exit == 2 ? "rawget serve --help lists the options" : nil)
            return error.exit
        }
        defer { for service in services { service.engine.stop() } }
        do throws(ReplayError) {
            for service in services { try service.engine.start() }
        } catch {
            console.report("could not serve: \(error)", exit: 7, advice: nil)
            return 7
        }
        for service in services {
            let scheme = service.usesTLS ? "https" : "http"
            guard tell("serving \(service.name) at \(scheme)://127.0.0.1:\(service.engine.port)/\n") else {
                return 23
            }
        }
        return await serve(services.map(\.engine), settings)
    }

    /// What listens on one port.
    private struct Service {
        var name: String
        var usesTLS: Bool
        var engine: FixtureService
    }

    private func check(_ settings: Settings) throws(UsageError) {
        if settings.hasPortEach, settings.port != 0 {
            throw UsageError("--port is for one port, --each-port for many")
        }
        if settings.repeats, settings.endsWhenUsedUp {
            throw UsageError("with --repeat nothing is ever used up")
        }
    }

    private func fixtures(_ paths: [String]) throws(UsageError) -> [(name: String, fixture: Fixture)] {
        var fixtures: [(name: String, fixture: Fixture)] = []
        var problems: [String] = []
        for entry in try FixtureFiles(folder: invocation.directory).entries(paths) {
            switch entry.content {
            case .success(let fixture): fixtures.append((entry.name, fixture))
            case .failure(let error):
                for problem in error.problems {
                    problems.append("\(entry.name.escapedForTerminal):\(problem.line): \(problem.message)")
                }
            }
        }
        for entry in fixtures where entry.fixture.runs.allSatisfy(\.connections.isEmpty) {
            problems.append("\(entry.name.escapedForTerminal) has no connection that could be served")
        }
        guard problems.isEmpty else {
            let others = problems.dropFirst().map { "\n\($0)" }.joined()
            throw UsageError((problems.first ?? "") + others)
        }
        return fixtures
    }

    private func services(
        _ settings: Settings, _ fixtures: [(name: String, fixture: Fixture)]
    ) throws(UsageError) -> [Service] {
        if fixtures.count > 1, !settings.hasPortEach, !settings.usesTLS {
            for entry in fixtures where entry.fixture.servers.contains(where: { $0.tls != nil }) {
                console.warn(
                    "\(entry.name.escapedForTerminal) is about TLS and is served without; --each-port gives it a port with, --tls all of them"
                )
            }
        }
        let groups = settings.hasPortEach ? fixtures.map { [$0] } : [fixtures]
        let console = console
        var services: [Service] = []
        do throws(ReplayError) {
            for group in groups {
                // With a port of its own a fixture speaks TLS as it says; together they speak what the command says.
                let speaksTLS = settings.usesTLS || group.count == 1 && group[0].fixture.servers[0].tls != nil
                let engine = try FixtureService(
                    group, port: UInt16(settings.port),
                    usesTLS: settings.usesTLS ? true : group.count == 1 ? nil : false,
                    repeats: settings.repeats
                ) { line in
                    // Who no longer listens to what is told still gets his connections served.
                    try? console.print(ServeCommand.shown(line))
                }
                let name = group.count == 1 ? group[0].name.escapedForTerminal : "\(group.count) fixtures"
                services.append(Service(name: name, usesTLS: speaksTLS, engine: engine))
            }
        } catch {
            throw UsageError("could not listen: \(error)", exit: 7)
        }
        guard let path = settings.authorityFile, let service = services.first else { return services }
        do throws(SystemError) {
            let flags = O_WRONLY | O_CREAT | O_TRUNC
            let file = try File.open(path, in: invocation.directory, flags: flags, permissions: 0o644)
            let octets = service.engine.authorityPEM
            try File.write(octets.span, to: file.rawValue)
        } catch {
            throw UsageError(
                "--ca: could not write \(path.escapedForTerminal): \(error.explanation)", exit: 23)
        }
        return services
    }

    /// What the log tells, one clause or more lines, safe for a terminal: each line but the first is indented, so that
    /// none of them looks like another clause.
    nonisolated static func shown(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).escapedForTerminal }
            .joined(separator: "\n  ") + "\n"
    }

    /// Waits for the end. Returns the exit code.
    private func serve(_ engines: [FixtureService], _ settings: Settings) async -> Int32 {
        let interruptions = invocation.interruptions()
        let limit = settings.timeLimit.map { Instant.now + .seconds($0) } ?? .distantFuture
        while true {
            let isUsedUp = engines.allSatisfy(\.isUsedUp)
            let isRight = engines.allSatisfy { $0.unmet.isEmpty && $0.unansweredCount == 0 }
            if settings.endsWhenUsedUp, isUsedUp { return isRight ? 0 : 1 }
            guard Instant.now < limit else {
                if settings.endsWhenUsedUp {
                    console.report(
                        "not all that the fixtures have was asked for in \(settings.timeLimit ?? 0) s",
                        exit: 1,
                        advice: nil)
                    return 1
                }
                return isRight ? 0 : 1
            }
            let end = settings.endsWhenUsedUp ? min(limit, Instant.now + .milliseconds(10)) : limit
            guard let interruptions else {
                guard await NetworkActor.loop.sleep(until: end) else { return 0 }
                continue
            }
            do throws(TransportError) {
                try await DescriptorWatch.readable(
                    interruptions, until: Deadline(.total, at: end, duration: .zero))
                return invocation.interruptionStatus()
            } catch {
                guard case .timedOut = error.reason else { return 0 }
            }
        }
    }

    private func tell(_ text: String) -> Bool {
        do throws(SystemError) { try console.print(text) } catch { return false }
        return true
    }

    nonisolated private static var help: String {
        """
        Usage: rawget serve [options] FILE|FOLDER...

        Answers any client as fixtures say, on 127.0.0.1. Of all fixtures the first
        unused one whose first expected request fits what a connection asks answers it.
        Tells what each connection did. Without --tls a fixture that is served alone,
        or by --each-port, speaks TLS as it says, several on one port do not.

        \(WordArguments.help(options))
        """
    }
}
