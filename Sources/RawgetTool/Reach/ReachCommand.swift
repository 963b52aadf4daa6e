import Glibc
import HTTPClient
import HTTPMessage
import Reachability
import System
import Transport
import URLLoading

/// `rawget reach`: says which step between this machine and an answer works, and which does not.
@NetworkActor
final class ReachCommand {
    /// What its options say.
    struct Settings: Sendable {
        /// Those that the command has for all its URLs, too.
        var command = CommandSettings()
        /// `--as-json`.
        var isJSON = false
        /// `--watch`.
        var watches = false
        /// `--expect`.
        var status: Int?
        /// `--expect-content`.
        var content: String?
        /// `--interface-folder`.
        var interfaceFolder = NetworkState.interfaceFolder
    }

    nonisolated static let options: [WordOption<Settings>] =
        [
            WordOption("as-json", "Print one JSON object a line", .flag { $0.isJSON = true }),
            WordOption(
                "watch", "Look again at each change of the network, until interrupted",
                .flag { $0.watches = true }),
            WordOption(
                "expect", argument: "STATUS",
                "The status that the answer must have, such as 204; any other is somebody else's",
                .count(100...599) { $0.status = $1 }),
            WordOption(
                "expect-content", argument: "TEXT", "What the content must begin with",
                .text { $0.content = $1 }),
            WordOption(
                "interface-folder", argument: "FOLDER",
                "Where the kinds of interfaces are looked up, in NAME/uevent and NAME/wireless (\(NetworkState.interfaceFolder))",
                .text { $0.interfaceFolder = $1 }),
        ]
        + OptionTable.options(
            in: [.connection, .tls], named: ["user-agent", "header", "max-time", "connect-timeout"]
        ).map { WordOption($0, at: \.command) }

    private let invocation: Invocation
    private let console: Console
    private var exit: Int32 = 0
    private var isInterrupted = false

    init(_ invocation: Invocation) {
        self.invocation = invocation
        console = Console(invocation)
    }

    /// Probes what the arguments name. Returns the exit code.
    func run(_ arguments: [String]) async -> Int32 {
        do throws(UsageError) {
            let words = try WordArguments(arguments, options: ReachCommand.options, defaults: Settings())
            if words.asksForHelp { return show(ReachCommand.help) ? 0 : 23 }
            guard words.operands.count < 2 else { throw UsageError("reach takes one URL, or none") }
            let settings = words.settings
            if settings.command.transfer.tls.isInsecure { console.warn(TLSOptions.insecureWarning) }
            let (probe, request) = try probe(settings, words.operands.first)
            return await run(probe, request, settings)
        } catch {
            console.report(
                error.message, exit: error.exit,
                advice: error.exit == 2 ? "rawget reach --help lists the options" : nil)
            return error.exit
        }
    }

    /// The probe, and the request that it makes; `nil` without a URL.
    private func probe(_ settings: Settings, _ url: String?) throws(UsageError) -> (Probe, HTTPRequest?) {
        let plan = try TransferPlan(settings.command.transfer, settings.command.run, console)
        var probe = Probe(try plan.configuration())
        let options = settings.command.transfer
        if let limit = options.connectTimeout { probe.options.connectTimeout = limit }
        if let limit = options.maximumTime { probe.options.totalTimeout = limit }
        probe.interfaceFolder = settings.interfaceFolder
        probe.expectation.status = settings.status.flatMap { HTTPStatus($0) }
        probe.expectation.content = settings.content.map { Array($0.utf8) }
        guard let url else {
            guard settings.status == nil, settings.content == nil, settings.command == CommandSettings()
            else {
                throw UsageError(
                    "without a URL nothing is connected to: only --as-json, --watch and --interface-folder go with that"
                )
            }
            return (probe, nil)
        }
        let uri: URI
        do throws(URIError) { uri = try plan.uri(url) } catch {
            let failure = TransferError(error)
            throw UsageError(failure.detail.escapedForTerminal, exit: failure.exit)
        }
        return (probe, try plan.request(for: uri, number: 0))
    }

    private func run(_ probe: Probe, _ request: HTTPRequest?, _ settings: Settings) async -> Int32 {
        let worker = Task(executorPreference: NetworkActor.loop) { await self.work(probe, request, settings) }
        let interruptions = invocation.interruptions().map { descriptor in
            Task(executorPreference: NetworkActor.loop) {
                guard await DescriptorWatch.readable(descriptor) else { return }
                await self.interrupt(worker)
            }
        }
        await worker.value
        interruptions?.cancel()
        return isInterrupted ? invocation.interruptionStatus() : exit
    }

    private func interrupt(_ worker: Task<Void, Never>) {
        isInterrupted = true
        worker.cancel()
    }

    private func work(_ probe: Probe, _ request: HTTPRequest?, _ settings: Settings) async {
        guard settings.watches else {
            await look(probe, request, settings)
            return
        }
        let watch: NetworkWatch
        do throws(SystemError) {
            // First, so that nothing gets lost between the look and the watch.
            watch = try NetworkWatch()
        } catch {
            exit = TransferError(.offline, during: .prepare, "").exit
            console.report("the system does not tell of changes: \(error)", exit: exit, advice: nil)
            return
        }
        var shown = ""
        repeat {
            guard let text = await look(probe, request, settings, unless: request == nil ? shown : nil) else {
                return
            }
            shown = text
        } while await watch.change()
    }

    /// Probes and shows what was found, `unless` that was shown already. Returns it without its times; `nil` where standard
    /// output takes no more.
    @discardableResult
    private func look(
        _ probe: Probe, _ request: HTTPRequest?, _ settings: Settings, unless shown: String? = nil
    ) async -> String? {
        let result = await probe.run(request)
        guard !isInterrupted else { return nil }
        var timeless = result
        for index in timeless.findings.indices { timeless.findings[index].duration = nil }
        let report = ReachReport(result, of: request?.uri)
        let again = ReachReport(timeless, of: request?.uri)
        let plain = settings.isJSON ? again.json : again.text
        exit = result.exit
        guard plain != shown else { return plain }
        guard show(settings.isJSON ? report.json + "\n" : report.text) else {
            exit = 23
            return nil
        }
        if let error = result.error, !settings.isJSON {
            console.report(
                error.detail.escapedForTerminal, exit: exit, advice: ReachCommand.advice(on: error))
        }
        return plain
    }

    /// What a person can do next. Part of what is advised for transfers are options that are not here.
    private static func advice(on error: TransferError) -> String? {
        switch error.code {
        case .couldNotConnect where error.errno == ECONNREFUSED: "Check the port and whether the server runs."
        case .notResolved, .offline, .peerCertificate, .tlsFailed: Advice.of(error, isSent: false)
        case .timedOut:
            error.cause == .totalTime || error.cause == .connectTime ? Advice.of(error, isSent: false) : nil
        default: nil
        }
    }

    private func show(_ text: String) -> Bool {
        do throws(SystemError) { try console.print(text) } catch { return false }
        return true
    }

    nonisolated private static var help: String {
        """
        Usage: rawget reach [options] [URL]

        Says step by step whether URL can be reached, as a download would reach it:
        interface, address and route of this machine, the host's addresses (DNS), a
        connection (TCP), its being secured (TLS), an answer (HTTP), and its meaning:
        whether it is the server's own. A step that was not needed or not reached has
        a - in place of ok or failed. Redirects are not followed. Without URL only
        interface, address and route are looked at, which sends nothing.

        Something that answers in the server's place is a portal. Where http is asked
        for, or the certificate is not checked, that is a redirect to a host that is
        neither the same, nor above or below it (example.com, www.example.com); status
        511; and with --expect or --expect-content any other status or content. A login
        page with status 200 is noticed by these two alone.

        --as-json prints "ok", "failedStep", "exit", "message", "steps" ("name",
        "outcome": passed, failed or skipped, "seconds", "detail"), "reachability" (-1
        unknown, 0 none, 1 WWAN, 2 Wi-Fi, 3 wired) and its name, "interfaces", "ipv4"
        and "ipv6" (the ways out), and where there was an answer "httpStatus",
        "location" and "meaning": expected, refused or portal. --watch looks again when
        the kernel tells of a change, and at no other time.

        Exits with 0 where all is well, else by the step that fails: 124 without a
        network, 6 or 28 where the host is not found, 7 or 28 without a connection, 45
        where it cannot begin at --interface, 35 or 60 where it cannot be secured, 28,
        52, 56, 8 or 1 without an answer that is HTTP, 22 where the answer is a failure
        or a portal. Limits: 10 s to find the host and connect, 10 s of silence, 30 s
        in all.

        \(WordArguments.help(options))
        """
    }
}
