import Glibc
import Replay
import System
import Transport

/// `rawget check`: runs fixtures, several at once, and tells what was not as they say.
@NetworkActor
final class CheckCommand {
    /// What its options say.
    struct Settings: Sendable {
        /// `--client`.
        var client: String?
        /// `--known`.
        var knownFile: String?
        /// `--as-json`.
        var isJSON = false
        /// `--failures`.
        var showsFailuresOnly = false
        /// `--jobs`.
        var jobs = 8
        /// `--time-limit`, in seconds.
        var timeLimit = 30
        /// `--repeat`.
        var rounds = 1
        /// `--shuffle`.
        var seed: Int?
    }

    nonisolated static let options: [WordOption<Settings>] = [
        .init("as-json", "Print a JSON object a line", .flag { $0.isJSON = true }),
        .init(
            "client", argument: "CMD",
            "Run CMD in place of `rawget --as-curl`; it must take curl's options", .text { $0.client = $1 }),
        .init(
            "known", argument: "FILE",
            "Fixtures expected to fail: lines `PATH [KIND...]: REASON`; here a line counts that has no KIND, "
                + "or `outcome`. A PATH counts from any folder on",
            .text { $0.knownFile = $1 }),
        .init("failures", "Show only what fails, and the sum", .flag { $0.showsFailuresOnly = true }),
        .init("jobs", argument: "NUMBER", "How many at once (8)", .count(1...64) { $0.jobs = $1 }),
        .init(
            "time-limit", argument: "SECONDS", "Longest time for one fixture, in whole seconds (30)",
            .count(1...3600) { $0.timeLimit = $1 }),
        .init("repeat", argument: "NUMBER", "Run each so many times", .count(1...100_000) { $0.rounds = $1 }),
        .init("shuffle", argument: "SEED", "Run them in another order", .count(0...Int.max) { $0.seed = $1 }),
    ]

    private let invocation: Invocation
    private let console: Console
    private var settings = Settings()
    private var known: KnownDifferences?
    private var entries: [FixtureFiles.Entry] = []
    /// In the order in which they are run.
    private var jobs: [Int] = []
    private var next = 0
    /// Results that wait for those before them, by job.
    private var results: [FixtureRunner.Result?] = []
    private var printed = 0
    private var tally = CheckTally()
    private var isInterrupted = false
    /// What interrupts the fixtures at work, by job.
    private var working: [Int: FixtureInterruption] = [:]
    /// Standard output takes no more.
    private var isUnheard = false

    init(_ invocation: Invocation) {
        self.invocation = invocation
        console = Console(invocation)
    }

    /// Runs what the arguments name. Returns 0 when all passed, 1 when something did not.
    func run(_ arguments: [String]) async -> Int32 {
        let runner: FixtureRunner
        do throws(UsageError) {
            let words = try WordArguments(arguments, options: CheckCommand.options, defaults: Settings())
            settings = words.settings
            if words.asksForHelp { return show(CheckCommand.help) }
            guard !words.operands.isEmpty else {
                throw UsageError("check needs a fixture or a folder of them")
            }
            var client: FixtureClient?
            if let command = settings.client { client = try FixtureClient(command, invocation) }
            if let file = settings.knownFile {
                known = try KnownDifferences(console.text(of: FileArgument(file), for: "--known"))
            }
            try checkTemporaryFolder()
            entries = try FixtureFiles(folder: invocation.directory).entries(words.operands)
            runner = FixtureRunner(
                invocation, limit: .seconds(settings.timeLimit), client: client)
        } catch {
            console.report(
                error.message, exit: error.exit,
                advice: error.exit == 2 ? "rawget check --help lists the options" : nil)
            return error.exit
        }
        for _ in 0..<settings.rounds { jobs += Array(entries.indices) }
        if let seed = settings.seed {
            var generator = SplitMix64(seed: UInt64(seed))
            jobs.shuffle(using: &generator)
        }
        results = Array(repeating: nil, count: jobs.count)
        let start = Instant.now
        let interruptions = watchForInterruption()
        defer { interruptions?.cancel() }
        let workers = (0..<min(settings.jobs, jobs.count)).map { _ in
            Task(executorPreference: NetworkActor.loop) { await self.work(runner) }
        }
        for worker in workers { await worker.value }
        tellSum(after: .now - start)
        if isInterrupted { return invocation.interruptionStatus() }
        if isUnheard { return 23 }
        if !tally.hasRunAny {
            console.report("no fixture was run, so nothing is shown", exit: 1, advice: nil)
            return 1
        }
        return tally.failed == 0 ? 0 : 1
    }

    private func work(_ runner: FixtureRunner) async {
        while next < jobs.count, !isInterrupted, !isUnheard {
            let job = next
            next += 1
            var result: FixtureRunner.Result
            switch entries[jobs[job]].content {
            case .success(let fixture):
                result = await runner.run(fixture) { self.began(job, $0) }
                working[job] = nil
            case .failure(let error):
                result = FixtureRunner.Result()
                result.problems = error.problems
            }
            // What a person has interrupted says nothing.
            guard !isInterrupted else { return }
            results[job] = result
            tellResults()
        }
    }

    /// Every fixture needs a folder: where none can be made, that is told once.
    private func checkTemporaryFolder() throws(UsageError) {
        do throws(SystemError) { try ScratchFolder(invocation, for: "check").remove() } catch {
            let place = ScratchFolder.place(invocation).escapedForTerminal
            throw UsageError(
                "could not make a folder in \(place): \(error.explanation); TMPDIR names another place",
                exit: 23)
        }
    }

    private func watchForInterruption() -> Task<Void, Never>? {
        guard let descriptor = invocation.interruptions() else { return nil }
        return Task(executorPreference: NetworkActor.loop) {
            guard await DescriptorWatch.readable(descriptor) else { return }
            await self.interrupt()
        }
    }

    private func interrupt() {
        isInterrupted = true
        for interruption in working.values { interruption.interruptForGood() }
    }

    /// A fixture begins, which the person may have had enough of just before.
    private func began(_ job: Int, _ interruption: FixtureInterruption) {
        working[job] = interruption
        if isInterrupted { interruption.interruptForGood() }
    }

    // MARK: Telling

    /// Tells results in the order of the files, as far as they are there.
    private func tellResults() {
        while printed < results.count, let result = results[printed] {
            let name = entries[jobs[printed]].name
            results[printed] = FixtureRunner.Result()  // its memory is not needed any more
            printed += 1
            tell(CheckReport(name: name, result, known?.failureReason(for: name)))
        }
    }

    private func tell(_ report: CheckReport) {
        tally.count(report.verdict)
        if settings.isJSON {
            say(report.json)
        } else if !settings.showsFailuresOnly || report.verdict == .failed {
            say(report.text)
        }
    }

    private func tellSum(after duration: Duration) {
        say(settings.isJSON ? tally.json(duration) : tally.text(duration))
    }

    private func say(_ line: String) {
        guard !isUnheard else { return }
        do throws(SystemError) { try console.print(line + "\n") } catch { isUnheard = true }
    }

    private func show(_ text: String) -> Int32 {
        say(text)
        return isUnheard ? 23 : 0
    }

    nonisolated private static var help: String {
        """
        Usage: rawget check [options] FILE|FOLDER...

        Runs fixtures: each starts servers of its own, runs its commands against them
        and compares all that happens with what it says. Exits with 0 when all passed,
        with 1 when one did not, or when none was run. Another client (--client) runs
        those whose command begins with `rawget --as-curl`; what stands on its standard
        error is not compared.

        \(WordArguments.help(options))
        """
    }
}
