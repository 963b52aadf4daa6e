import Download
import HTTPClient
import HTTPMessage
import System
import Transport
import URLLoading

/// Draws the meter on standard error while transfers run: one line, drawn over ten times a second at most.
@NetworkActor
final class MeterDisplay {
    /// Time between two drawings.
    private static let interval = Duration.milliseconds(100)
    /// A shorter wait is not worth a word.
    private static let patience = Duration.milliseconds(200)
    private static let clearLine = "\u{1B}[K"

    private let console: Console
    private let style: ProgressMeter.Style
    private let beginning = Instant.now
    private let count: Int
    private var group: GroupMeter?
    /// The meters of transfers that are not over: the file of one may be named while the next one runs.
    private var meters: [Int: ProgressMeter] = [:]
    private var latest = 0
    private var transfers: [Int: Transfer] = [:]
    private var ticker: Task<Void, Never>?
    /// Says when a wait is long enough for a person to be told; `nil` as curl, which tells nothing of it.
    private let indicator: ActivityIndicator?
    /// What the transfers wait for that have nothing to measure.
    private var waits: [Int: String] = [:]
    private var isDrawn = false
    private var isStopped = false

    /// A meter for `count` transfers; `nil` where none is wanted: without a terminal, with `-s`, or when content goes
    /// to the terminal itself.
    init?(_ command: ParsedCommand, _ console: Console, count: Int) {
        guard console.hasTerminal, !command.run.isSilent, command.run.progress != .none,
            !command.run.isVerbose
        else { return nil }
        let invocation = console.invocation
        guard !invocation.isTerminal(invocation.standardOutput) || !command.printsContent else { return nil }
        self.console = console
        self.count = count
        style = command.run.progress == .bar ? .bar : .full
        // Each wait counts by itself: between two of them the meter is to be seen.
        indicator =
            command.run.isCurl
            ? nil : ActivityIndicator(activationDelay: MeterDisplay.patience, completionDelay: .zero)
        indicator?.isEnabled = true
        if command.run.isParallel, count > 1 {
            group = GroupMeter(count: count, style: style, startingAt: .zero)
        }
    }

    /// Begins to draw.
    func start() {
        ticker = Task(executorPreference: NetworkActor.loop) { await self.tick() }
    }

    private func tick() async {
        while await NetworkActor.loop.sleep(until: .now + MeterDisplay.interval) { draw() }
    }

    /// A transfer begins.
    func begin(_ number: Int, _ plan: DownloadPlan) {
        guard group == nil else { return }
        latest = number
        meters[number] = ProgressMeter(
            name: plan.displayedName, position: (number + 1, count), style: style, startingAt: elapsed)
    }

    /// The transfer `number` is this one.
    func follow(_ transfer: Transfer, _ number: Int) { transfers[number] = transfer }

    /// Something happened in the transfer `number`, of which nothing has been said yet.
    func observe(_ event: TransferEvent, of number: Int) {
        if event.mayBringWarning { clear() }
        guard let indicator else { return }
        switch event.effectOnWait {
        case .waits(let what):
            if waits.updateValue(what, forKey: number) == nil { indicator.incrementActivityCount() }
        // What comes of an answer that leads to another try is thrown away.
        case .ends where waits[number] != TransferWait.anotherTry: endWait(number)
        case .ends, .none: break
        }
    }

    private func endWait(_ number: Int) {
        if waits.removeValue(forKey: number) != nil { indicator?.decrementActivityCount() }
    }

    /// A transfer is over: its line stays, under the name that its file got.
    func end(_ number: Int, _ outcome: ProgressMeter.Outcome, savedAs path: String? = nil) {
        if let path { meters[number]?.rename(path, position: (number + 1, count)) }
        update(number)
        endWait(number)
        transfers[number] = nil
        if group != nil {
            group?.end(number, outcome, at: elapsed)
        } else if let meter = meters.removeValue(forKey: number) {
            close(meter.closingLine(outcome, columns: console.invocation.columns()))
        }
    }

    /// Makes room for a message: the line is drawn again with the next tick.
    func clear() {
        guard isDrawn else { return }
        console.draw("\r\(MeterDisplay.clearLine)")
        isDrawn = false
    }

    /// All transfers are over. A tick that was on its way draws nothing any more.
    func stop() {
        isStopped = true
        ticker?.cancel()
        if let group { close(group.closingLine(columns: console.invocation.columns())) }
    }

    private var elapsed: Duration { Instant.now - beginning }

    private func update(_ number: Int) {
        guard let transfer = transfers[number] else { return }
        let before = transfer.contentBefore
        var (done, whole) = (before + transfer.contentReceived, transfer.contentExpected.map { before + $0 })
        if let all = transfer.wholeExpected { whole = all }
        // The larger of both directions is what a person waits for.
        if transfer.contentSent > TransferWait.leastUpload, transfer.contentSent > max(done, whole ?? 0) {
            (done, whole) = (transfer.contentSent, transfer.contentToSend)
        }
        if group != nil {
            group?.update(number, received: done, expected: whole, at: elapsed)
        } else {
            meters[number]?.keep(before)
            meters[number]?.update(received: done, expected: whole, at: elapsed)
        }
    }

    private func draw() {
        guard !isStopped else { return }
        for number in transfers.keys { update(number) }
        guard let line = line(columns: console.invocation.columns()) else { return }
        console.draw("\r\(line)\(MeterDisplay.clearLine)")
        isDrawn = true
    }

    /// The meter, or what is waited for.
    private func line(columns: Int) -> String? {
        let isWaiting = indicator?.isVisible ?? false
        if let group {
            guard isWaiting, group.isEmpty, let first = waits.keys.min(), let what = waits[first] else {
                return group.line(columns: columns)
            }
            return group.waitingLine(for: what, columns: columns)
        }
        guard isWaiting, let what = waits[latest] else { return meters[latest]?.line(columns: columns) }
        return meters[latest]?.waitingLine(for: what, columns: columns)
    }

    private func close(_ line: String) {
        console.draw("\r\(line)\(MeterDisplay.clearLine)\n")
        isDrawn = false
    }
}

extension ParsedCommand {
    /// Whether any content goes to standard output.
    fileprivate var printsContent: Bool {
        groups.indices.contains { group in
            (0..<groups[group].count).contains {
                switch output($0, inGroup: group) {
                case .file(let path): path == "-" || OpenDescriptor.number(of: path) == 1
                case .remoteName: false
                case .unspecified: groups[group].options.printsByDefault($0, isCurl: run.isCurl)
                }
            }
        }
    }
}

extension DownloadPlan {
    /// What a person sees of it before its file has a name.
    fileprivate var displayedName: String {
        switch destination {
        case .path(let path): path
        case .descriptor, .nowhere: request.uri.withoutUserinfoAndFragment.description
        case .requestedName, .suggestedName:
            nameFromURI ?? FileName(request.uri)?.text ?? request.uri.authority
        }
    }
}
