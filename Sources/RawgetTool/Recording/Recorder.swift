import Download
import HTTPClient
import HTTPMessage
import Replay
import System
import Transport

/// `--record`: listens to all connections of a run and writes them down as a fixture that replays it.
@NetworkActor
final class Recorder {
    /// Most octets that are kept, over all connections; what is saved may be as much again.
    nonisolated static let mostOctets = 16 << 20

    /// What one transfer wrote.
    private final class Output {
        var octets: [UInt8] = []
        let isStandard: Bool
        let hasHeads: Bool
        init(isStandard: Bool, hasHeads: Bool) { (self.isStandard, self.hasHeads) = (isStandard, hasHeads) }
    }

    /// A file that the run left.
    struct SavedFile {
        /// As the run called it.
        var path: String
        var octets: [UInt8]
        /// The group of its transfer.
        var group: Int
        /// The argument of `-o`; `nil` where there was none.
        var given: String?
        var modified: Int64?
    }

    let command: ParsedCommand
    let console: Console
    let log: RunLog
    let path: String
    private let file: RecordFile
    /// Files that the run has left, by whatever name.
    private var left: Set<FileIdentity> = []
    /// Links that outputs lead through, as they were before the run.
    var links: [LinkChain] = []
    /// The request targets of URLs that are misspelled in such a way that the target has their secret, and what they
    /// are without it; `nil` where that is none.
    var targets: [[UInt8]: [UInt8]?] = [:]
    /// Whether standard input is a regular file.
    let inputIsFile: Bool
    /// When the run began, in seconds since the epoch.
    let start: Int64
    private(set) var connections: [RecordedConnection] = []
    private(set) var saved: [SavedFile] = []
    /// The connections that were in use when a person interrupted, in the order of their opening.
    private(set) var interrupted: [ObjectIdentifier]?
    private var open: [RecordedConnection] = []
    private var opened = 0
    private var octets = 0
    private var copiedOctets = 0
    private var outputs: [Int: Output] = [:]
    private var isOverfull = false

    /// A recorder, where the command line asks for one.
    init?(_ command: ParsedCommand, _ console: Console) {
        guard let path = command.run.recordFile, let log = console.log else { return nil }
        self.command = command
        self.console = console
        self.log = log
        self.path = path
        file = RecordFile(path, in: console.invocation.directory)
        inputIsFile = (try? File.status(of: console.invocation.standardInput))?.kind == .regular
        start = console.invocation.clock.secondsSinceEpoch
    }

    // MARK: Connections

    /// What a client is to be given, so that its connections are heard.
    var tap: @NetworkActor @Sendable (Origin) -> any ConnectionTap {
        { [self] origin in
            let connection = RecordedConnection(origin, self)
            connections.append(connection)
            return connection
        }
    }

    /// Counts a connection that stands. Returns its number.
    func connectionOpened(_ connection: RecordedConnection) -> Int {
        for other in open where other.origin == connection.origin {
            other.hasCompany = true
            connection.hasCompany = true
        }
        open.append(connection)
        opened += 1
        return opened - 1
    }

    /// Takes note that this side closed one.
    func connectionClosed(_ connection: RecordedConnection) { open.removeAll { $0 === connection } }

    /// Whether so many octets more are kept.
    func admits(_ count: Int) -> Bool {
        octets += min(count, Recorder.mostOctets)
        if octets > Recorder.mostOctets { drop() }
        return !isOverfull
    }

    /// Nothing will be written: what is kept takes memory for nothing.
    private func drop() {
        isOverfull = true
        for connection in connections { connection.drop() }
        connections = []
        outputs = [:]
        saved = []
    }

    /// A person interrupts the run.
    func noteInterruption() {
        interrupted = open.filter { !$0.isIdle }.map { ObjectIdentifier($0) }
    }

    // MARK: Transfers

    /// Listens to what a transfer reads and writes.
    func watch(_ plan: inout DownloadPlan, number: Int, upload: String?) {
        if let content = plan.content, let upload {
            let file = FileArgument(upload == "." ? "-" : upload)
            plan.content = RecordedContent(content, of: file, console.invocation, log)
        }
        var isStandard = false
        if case .descriptor(let descriptor) = plan.destination {
            guard descriptor == console.invocation.standardOutput else { return }
            isStandard = true
        }
        let output = Output(isStandard: isStandard, hasHeads: plan.includesHeads)
        outputs[number] = output
        plan.copied = { [self, log] octets, isHead in
            guard !isOverfull else { return }
            copiedOctets += octets.count
            guard copiedOctets <= Recorder.mostOctets else { return drop() }
            var copy: [UInt8] = []
            copy.append(copying: octets)
            if isHead { copy = Blanking.head(copy) }
            output.octets += copy
            if isStandard { log.notePrinted(copy.span) }
        }
    }

    /// Takes note of the file that a transfer left: what was asked for, or a part of it.
    func noteFile(_ path: String, number: Int, group: Int, output: ParsedCommand.OutputName) {
        let directory = console.invocation.directory
        guard !isOverfull, let status = try? File.status(of: path, in: directory, followsLinks: true),
            status.kind == .regular
        else { return }
        left.insert(FileIdentity(status))
        guard let written = outputs[number] else { return }
        var file = SavedFile(path: path, octets: written.octets, group: group)
        if case .file(let given) = output { file.given = given }
        // A time that is not that of the writing is the one the server named.
        if command.groups[group].options.setsRemoteTime, status.modified < start {
            file.modified = status.modified
        }
        saved.removeAll { $0.path == path }
        saved.append(file)
    }

    /// What standard output got; `nil` where that is not the same each time.
    var standardOutput: [UInt8]? {
        let writers = outputs.values.filter { $0.isStandard && !$0.octets.isEmpty }
        if command.run.isParallel, writers.count > 1 { return nil }
        let hasHeads =
            writers.contains { $0.hasHeads } || command.groups.contains { $0.options.headFile == .standard }
        let formats = command.groups.compactMap { $0.options.writeOut }
        if console.invocation.isTerminal(console.invocation.standardOutput), hasHeads || !formats.isEmpty {
            return nil
        }
        for format in formats {
            let text: String? =
                switch format {
                case .text(let text): text
                case .file(let file): log.reading(of: file).map { String(decoding: $0, as: UTF8.self) }
                }
            guard let text, WriteOutVariable.areConstant(in: text) else { return nil }
        }
        return log.output
    }

    // MARK: The end

    /// Writes the fixture. Returns the exit code of the run: `exit`, where nothing else fails.
    func finish(exit: Int32) -> Int32 {
        guard !isOverfull, !log.isOverfull else {
            warnOfSize("more than \(Recorder.mostOctets >> 20) MiB were sent and received")
            return exit
        }
        if let interrupted, interrupted.isEmpty {
            console.warn(
                "--record: nothing was under way when the run was interrupted; \(shownPath) is not written")
            return exit
        }
        let text = FixturePrinter.text(of: fixture(exit: exit))
        guard text.count <= Recorder.mostOctets else {
            warnOfSize("the fixture would have more than \(Recorder.mostOctets >> 20) MiB")
            return exit
        }
        do throws(SystemError) {
            let name = try file.write(text, sparing: left)
            if name != path {
                console.warn(
                    "--record: the run has written \(shownPath) itself; the recording is "
                        + name.escapedForTerminal)
            }
        } catch {
            console.report(
                "--record: could not write \(shownPath): \(error.explanation)", exit: 23, advice: nil)
            return exit == 0 ? 23 : exit
        }
        return exit
    }

    private var shownPath: String { path.escapedForTerminal }

    private func warnOfSize(_ what: String) {
        console.warn("--record: \(what), which is too much for one; \(shownPath) is not written")
    }
}
