import Download
import Glibc
import HTTPClient
import HTTPMessage
import System
import Transport

/// Runs all transfers of a command line, one after another or several at once.
@NetworkActor
final class TransferRun {
    private let command: ParsedCommand
    private let invocation: Invocation
    private let console: Console
    private let takenNames = TakenNames()
    private var groups: [GroupRun] = []
    private let heads: HeadFiles
    private let display: MeterDisplay?
    private let recorder: Recorder?
    private var nextGroup = 0
    private var nextURL = 0
    private var number = 0
    /// How many arguments the URLs of earlier groups come from.
    private var argumentsBefore = 0
    private var firstFailure: Int32 = 0
    private var lastFailure: Int32 = 0
    private var lastExit: Int32 = 0
    /// By `--fail-early`: nothing more is begun.
    private var hasEnded = false
    private var isInterrupted = false
    /// Warnings about `-w` given so far: each is given once.
    private var warnings: Set<String> = []
    /// The only worker; `workers` is for several, since the array's type alone costs a start 0.05 ms.
    private var worker: Task<Void, Never>?
    /// What a person's interruption makes readable.
    private var interruptions: Int32?
    private var workers: [Task<Void, Never>] = []
    /// Content that is there and whose file is not yet: settled while the next answer is awaited.
    private var unsettled: [SettlingTransfer] = []

    /// What the URLs of one group share.
    private struct GroupRun {
        let plan: TransferPlan
        let downloader: Downloader
        let writeOut: String?
        let client: SharedClient
    }

    init(_ command: ParsedCommand, _ invocation: Invocation, _ console: Console) throws(UsageError) {
        self.command = command
        self.invocation = invocation
        self.console = console
        heads = HeadFiles(console)
        recorder = Recorder(command, console)
        let count = command.groups.reduce(0) { $0 + $1.count }
        display = MeterDisplay(command, console, count: count)
        var clients: [GroupOptions.Network: SharedClient] = [:]
        let keepsAnswers = command.groups.contains { $0.options.cachePolicy != nil }
        let cache = keepsAnswers ? ResponseCache(clock: invocation.clock) : nil
        for group in command.groups {
            let plan = try TransferPlan(group.options, command.run, console)
            let known = groups.isEmpty ? nil : clients[group.options.network]
            let client: SharedClient
            if let known {
                client = known
            } else {
                var configuration = try plan.configuration()
                configuration.tap = recorder?.tap
                configuration.cache = cache
                client = SharedClient(Client(configuration))
            }
            if command.groups.count > 1 { clients[group.options.network] = client }
            client.expect(group.count)
            var writeOut: String?
            if let argument = group.options.writeOut {
                switch argument {
                case .text(let text): writeOut = text
                case .file(let file):
                    // Lines of a file are joined, as by curl: `\n` ends one.
                    let text = try console.text(of: file, for: "-w, --write-out")
                    writeOut = String(text.unicodeScalars.filter { $0 != "\n" && $0 != "\r" })
                }
            }
            groups.append(
                GroupRun(
                    plan: plan, downloader: Downloader(client.client), writeOut: writeOut, client: client))
        }
        try recorder?.prepare(groups.map(\.plan))
    }

    /// Transfers everything. Returns the exit code: of the first failure, or as curl of the last transfer (with `-Z` of
    /// the last failure).
    func run() async throws(UsageError) -> Int32 {
        if let path = command.fileOfHeadsAndContent(in: invocation.directory) {
            console.warn(
                "\(path.escapedForTerminal) is named by -D for heads and by -o for content: one will replace the other"
            )
        }
        if !command.run.isCurl, command.groups.contains(where: { $0.options.tls.isInsecure }) {
            console.warn(TLSOptions.insecureWarning)
        }
        interruptions = invocation.interruptions()
        let watch = watchForInterruption()
        defer { watch?.cancel() }
        display?.start()
        // Each needs three descriptors: a socket, a part, and one to open with. The rest of the program has a dozen.
        let possible = (File.descriptorLimit - 14) / 3
        let count = command.run.isParallel ? max(1, min(command.run.parallelMaximum, possible)) : 1
        if count == 1 {
            let only = Task(executorPreference: NetworkActor.loop) { await self.work() }
            worker = only
            await only.value
        } else {
            let total = command.groups.reduce(0) { $0 + $1.count }
            workers = (0..<min(count, total)).map { _ in
                Task(executorPreference: NetworkActor.loop) { await self.work() }
            }
            for worker in workers { await worker.value }
        }
        settle()
        display?.stop()
        return recorder?.finish(exit: exit) ?? exit
    }

    private var exit: Int32 {
        if isInterrupted { return invocation.interruptionStatus() }
        guard command.run.isCurl, !command.run.failsEarly else { return firstFailure }
        return command.run.isParallel ? lastFailure : lastExit
    }

    /// One transfer after another, until none is left.
    private func work() async {
        while !isInterrupted, !hasEnded, let job = nextJob() { await run(job) }
    }

    // MARK: Jobs

    private struct Job {
        var group: Int
        /// From 0, in its group.
        var index: Int
        var number: Int
        /// Of the argument that the URL comes from, in the run.
        var argument: Int
        var url: String
        var output: ParsedCommand.OutputName
    }

    private func nextJob() -> Job? {
        while nextGroup < command.groups.count {
            if nextURL < command.groups[nextGroup].count {
                defer {
                    nextURL += 1
                    number += 1
                }
                return Job(
                    group: nextGroup, index: nextURL, number: number,
                    argument: argumentsBefore + command.groups[nextGroup].argument(nextURL),
                    url: command.url(nextURL, inGroup: nextGroup),
                    output: command.output(nextURL, inGroup: nextGroup))
            }
            argumentsBefore += command.groups[nextGroup].argumentCount
            nextGroup += 1
            nextURL = 0
        }
        return nil
    }

    private func run(_ job: Job) async {
        let group = groups[job.group]
        var record = TransferRecord(
            job.url, number: job.number, argument: job.argument, writeOut: group.writeOut)
        guard var plan = prepare(job, group.plan, &record) else {
            settle()
            return end(record, of: job.group)
        }
        let watcher = TransferWatcher(
            record, group.plan, heads, for: plan, interruption: interruptions)
        plan.hooks.observe = { [display] event in
            display?.observe(event, of: job.number)
            watcher.observe(event)
        }
        recorder?.watch(&plan, number: job.number, upload: group.plan.upload(job.index))
        display?.begin(job.number, plan)
        var current: Transfer?
        do throws(TransferError) {
            let received = try await group.downloader.receive(plan) {
                current = $0
                display?.follow($0, job.number)
            }
            settleLater(
                SettlingTransfer(
                    received: received, watcher: watcher, group: job.group, output: job.output))
            // What -w says stands before the next content.
            if command.run.failsEarly || (watcher.record.writeOut != nil && printsContent) { settle() }
        } catch {
            settle()
            if let current { watcher.record.take(current) }
            fail(job, error, watcher)
        }
    }

    /// What a job asks for; `nil` where `record` has been told why it cannot be done.
    private func prepare(_ job: Job, _ group: TransferPlan, _ record: inout TransferRecord) -> DownloadPlan? {
        let uri: URI
        do throws(URIError) { uri = try group.uri(job.url) } catch {
            record.fail(TransferError(error))
            return nil
        }
        if let refusal = SchemeList.refusal(of: uri.scheme, by: group.options.schemes) {
            record.refuse(refusal)
            return nil
        }
        do throws(UsageError) {
            let request = try group.request(for: uri, number: job.index)
            record.request = request
            var plan: DownloadPlan
            do throws(TransferError) {
                plan = try group.plan(
                    for: request, number: job.index, to: job.output, takenNames: takenNames)
                try plan.checkDestination()
                plan.content = try group.content(forURL: job.index)
            } catch {
                record.fail(error)
                // So as curl: what this side cannot begin ends the whole run.
                if command.run.isCurl, error.phase == .prepare { hasEnded = true }
                return nil
            }
            try group.checkHeadFile(plan.sources)
            if command.run.isCurl { record.chosenPath = plan.chosenPath }
            return plan
        } catch {
            record.refuse(error)
            return nil
        }
    }

    /// A transfer has failed.
    private func fail(_ job: Job, _ error: TransferError, _ watcher: TransferWatcher) {
        if let part = error.part {
            recorder?.noteFile(part, number: job.number, group: job.group, output: .unspecified)
        }
        if error.code == .conditionNotMet {
            watcher.record.isUnchanged = true
            watcher.noteHeadFailure()
            display?.end(job.number, .finished)
        } else {
            watcher.record.fail(
                error, interruption: isInterrupted ? invocation.interruptionStatus() : nil)
            display?.end(job.number, error.code == .cancelled ? .cancelled : .failed)
        }
        end(watcher.record, of: job.group)
    }

    // MARK: Settling

    /// A transfer whose content is there.
    private struct SettlingTransfer {
        var received: ReceivedContent
        var watcher: TransferWatcher
        var group: Int
        var output: ParsedCommand.OutputName
    }

    /// The file is written and named while the next answer is awaited, not before its request is out.
    private func settleLater(_ transfer: SettlingTransfer) {
        unsettled.append(transfer)
        if unsettled.count == 1 { NetworkActor.loop.runBeforeWaiting { self.settle() } }
    }

    /// Whether content, or heads, may go to standard output; looked at once, since there may be thousands of URLs.
    private lazy var printsContent = command.groups.indices.contains { index in
        let group = command.groups[index]
        return group.options.headFile == .standard
            || (0..<group.count).contains {
                let output = command.output($0, inGroup: index)
                return output == .file("-")
                    || output == .unspecified
                        && group.options.printsByDefault($0, isCurl: command.run.isCurl)
            }
    }

    private func settle() {
        guard !unsettled.isEmpty else { return }
        let transfers = unsettled
        unsettled = []
        for transfer in transfers { settle(transfer) }
    }

    private func settle(_ transfer: SettlingTransfer) {
        let watcher = transfer.watcher
        watcher.record.take(transfer.received.report)
        let report = transfer.received.report
        let errorAnswer = groups[transfer.group].plan.options.errorAnswer
        do throws(TransferError) {
            watcher.record.path = try transfer.received.finish()
            if let path = watcher.record.path {
                recorder?.noteFile(
                    path, number: watcher.record.number, group: transfer.group, output: transfer.output)
            }
            if transfer.received.isRefused {
                watcher.record.refuse(report.response, errorAnswer == .fail ? [] : transfer.received.excerpt)
            } else if errorAnswer == .failWithBody, report.response.status.isFailure,
                !transfer.received.isRest
            {
                watcher.record.refuse(report.response, [])
            } else if let failure = transfer.received.failure {
                watcher.record.fail(failure)
            } else {
                try groups[transfer.group].plan.saveTag(of: report.response, savedAs: watcher.record.path)
            }
        } catch {
            watcher.record.fail(error)
        }
        watcher.noteHeadFailure()
        display?.end(
            watcher.record.number, watcher.record.exit == 0 ? .finished : .failed,
            savedAs: watcher.record.path)
        display?.clear()
        if !command.run.isCurl {
            for warning in AnswerWarnings.of(
                report, isRest: transfer.received.isRest, savedAs: watcher.record.path,
                isRefused: watcher.record.exit != 0,
                isDecoded: groups[transfer.group].plan.options.contentForm == .decoded)
            { console.warn(warning) }
        }
        end(watcher.record, of: transfer.group)
    }

    private func end(_ record: TransferRecord, of group: Int) {
        var record = record
        if record.exit != 0, !command.run.isCurl, groups[group].plan.options.isGlobOff == nil {
            record.hasGlobAsText = URLGlob.standsForOthers(record.url)
        }
        groups[group].client.transferEnded()
        display?.clear()
        record.tell(console)
        if let format = record.writeOut {
            do throws(SystemError) {
                var values = record.values
                if command.run.isCurl { values.spellAsCurl() }
                let text = WriteOut(
                    format, for: values,
                    outputIsTerminal: invocation.isTerminal(invocation.standardOutput),
                    errorIsTerminal: console.hasTerminal)
                for warning in text.warnings where warnings.insert(warning).inserted { console.warn(warning) }
                if !text.errorOutput.isEmpty { console.draw(text.errorOutput) }
                if !text.output.isEmpty { try console.print(text.output) }
            } catch {
                if record.exit == 0 { record.exit = 23 }
            }
        }
        lastExit = record.exit
        guard record.exit != 0 else { return }
        if firstFailure == 0 { firstFailure = record.exit }
        lastFailure = record.exit
        if command.run.failsEarly, !hasEnded {
            hasEnded = true
            for worker in workers { worker.cancel() }
        }
    }

    // MARK: Interruption

    private func watchForInterruption() -> Task<Void, Never>? {
        guard let descriptor = interruptions else { return nil }
        return Task(executorPreference: NetworkActor.loop) {
            guard await DescriptorWatch.readable(descriptor) else { return }
            await self.interrupt()
        }
    }

    private func interrupt() {
        isInterrupted = true
        recorder?.noteInterruption()
        worker?.cancel()
        for worker in workers { worker.cancel() }
    }
}
