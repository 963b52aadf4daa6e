import Download
import HTTPClient
import HTTPMessage
import System
import Transport

/// Answers lines, one after another, by one client and one cache.
@NetworkActor
final class BatchRun {
    /// Most octets of content in an answer: 64 MiB.
    private static let longestContent: UInt64 = 64 << 20

    private let invocation: Invocation
    private let console: Console
    private let plan: TransferPlan
    private let client: Client
    private let downloader: Downloader
    private let cache: ResponseCache?
    private let clock: BatchClock
    private let input: BatchInput
    private let output: BatchOutput
    private let trace: Trace?
    private var exit: Int32 = 0
    private var isInterrupted = false

    /// A run with these options. `cache` is under `clock`. Throws where the options cannot be obeyed.
    init(
        _ settings: CommandSettings, _ cache: ResponseCache?, _ clock: BatchClock, _ console: Console
    ) throws(UsageError) {
        self.console = console
        self.cache = cache
        self.clock = clock
        invocation = console.invocation
        plan = try TransferPlan(settings.transfer, settings.run, console)
        var configuration = try plan.configuration()
        configuration.cache = cache
        client = Client(configuration)
        downloader = Downloader(client)
        input = BatchInput(invocation.standardInput)
        output = BatchOutput(invocation.standardOutput)
        trace = settings.run.isVerbose ? Trace(console) : nil
    }

    /// Answers all lines. Returns the exit code.
    func run() async -> Int32 {
        let worker = Task(executorPreference: NetworkActor.loop) { await self.work() }
        let interruptions = invocation.interruptions().map { descriptor in
            Task(executorPreference: NetworkActor.loop) {
                guard await DescriptorWatch.readable(descriptor) else { return }
                await self.interrupt(worker)
            }
        }
        await worker.value
        interruptions?.cancel()
        client.closeIdleConnections()
        return isInterrupted ? invocation.interruptionStatus() : exit
    }

    private func interrupt(_ worker: Task<Void, Never>) {
        isInterrupted = true
        worker.cancel()
    }

    private func work() async {
        do throws(BatchOutput.Failure) {
            while !Task.isCancelled, let line = await nextLine() {
                try await obey(line)
                // Lines that need no network must not keep an interruption waiting, or work that goes on meanwhile.
                await NetworkActor.loop.yield()
            }
        } catch {
            switch error {
            case .cancelled: break
            // A closed pipe is how a reader says that it has enough.
            case .closed: exit = 23
            case .system(let cause):
                exit = 23
                console.report(
                    "could not write to standard output: \(cause.explanation)", exit: exit, advice: nil)
            }
        }
    }

    private func nextLine() async -> BatchInput.Line? {
        do throws(SystemError) { return try await input.next() } catch {
            exit = 26
            console.report("could not read standard input: \(error.explanation)", exit: exit, advice: nil)
            return nil
        }
    }

    /// Does what the line says, and answers it where it has an answer.
    private func obey(_ line: BatchInput.Line) async throws(BatchOutput.Failure) {
        let answer: BatchAnswer
        do throws(BatchFault) {
            switch try BatchRun.read(line) {
            case nil: return
            case .pause(let duration):
                _ = await NetworkActor.loop.sleep(until: .now + duration)
                return
            case .advance(let duration): return clock.advance(by: duration)
            case .clearCache: return cache?.removeAll() ?? ()
            case .request(let request):
                answer = BatchAnswer(id: request.id, outcome: await outcome(of: request))
            }
        } catch {
            answer = BatchAnswer(id: error.id, outcome: .failed(error.error))
        }
        // What a person has interrupted has no outcome of its own.
        guard !isInterrupted else { return }
        try await answer.write(to: output)
    }

    private static func read(_ line: BatchInput.Line) throws(BatchFault) -> BatchLine? {
        switch line {
        case .octets(let octets): return try BatchLine(octets)
        case .tooLong:
            throw BatchFault(.null, "the line has more than the \(BatchInput.longestLine) octets allowed")
        }
    }

    private func outcome(of line: BatchRequest) async -> BatchAnswer.Outcome {
        var options = TransferOptions()
        plan.apply(to: &options)
        if let timeout = line.timeout { options.idleTimeout = timeout }
        if !line.followsRedirects { options.redirects = nil }
        options.cachePolicy = line.cachePolicy
        options.keepsHeads = trace != nil
        let log = InterimLog()
        var hooks = TransferHooks()
        hooks.observe = { [trace] event in
            if case .interim(let response) = event { log.responses.append(response) }
            trace?.show(event)
        }
        do throws(TransferError) {
            let request = request(of: line)
            guard let path = line.output else {
                let content = CollectedContent(maximumLength: BatchRun.longestContent)
                let report = try await client.transfer(request, into: content, options: options, hooks: hooks)
                    .run()
                return .answered(report, interim: log.responses, content: content.octets)
            }
            let now = HTTPDate(secondsSinceEpoch: clock.wallClock.secondsSinceEpoch)
            var plan = DownloadPlan(request, to: .path(path), in: invocation.directory, now: now)
            plan.readsExcerpt = false
            // Nothing ever goes on with a part here, and a name for each failure would fill the folder.
            plan.keepsParts = false
            plan.savesNoContent = false
            plan.options = options
            plan.hooks = hooks
            let received = try await downloader.receive(plan)
            _ = try received.finish()
            if let failure = received.failure { throw failure }
            return .answered(received.report, interim: log.responses, content: nil)
        } catch {
            return .failed(error)
        }
    }

    /// The line's request, with the name of this program where the line gives no other.
    private func request(of line: BatchRequest) -> HTTPRequest {
        let agent = plan.options.userAgent ?? "rawget/\(Command.version)"
        guard !agent.isEmpty, !line.request.fields.contains(.userAgent) else { return line.request }
        var request = line.request
        request.fields = [.userAgent: agent.asFieldValue]
        request.fields.append(contentsOf: line.request.fields)
        return request
    }

    /// The interim responses of one transfer.
    private final class InterimLog {
        var responses: [HTTPResponse] = []
    }
}
