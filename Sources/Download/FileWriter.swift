import Glibc
public import HTTPClient
public import HTTPMessage
import System
public import Transport

/// Writes content to its destination as it comes; a file gets its name only when it is whole.
///
/// Content that fits `smallContent` is kept in memory and written by `finish`, so that the next request of a list can
/// go out first; the rest goes from socket to file without passing through the process where that is possible.
@NetworkActor
public final class FileWriter: ContentSink {
    /// Content up to this size is written in one piece when it is whole.
    public nonisolated static let smallContent = 64 << 10
    /// Most octets of an error's text that are kept to be shown.
    public nonisolated static let longestExcerpt = 1 << 10
    /// Most octets of an unwanted answer that are read to keep the connection.
    public nonisolated static let longestUnwanted: UInt64 = 64 << 10

    /// Longest time that an unwanted answer is read for.
    public nonisolated static let unwantedPatience = Duration.seconds(2)

    private let plan: DownloadPlan
    /// A descriptor that content is written to as it comes.
    private var output: DescriptorOutput?
    /// Waits for the reader of a pipe that is full, or for the end of patience with an unwanted answer.
    private var waiter: Task<Void, Never>?
    private var patienceEnded = false
    /// Why the reader of a pipe will take no more.
    private var outputFailure: TransferError?
    /// The transfer that is written; known before it begins.
    weak var transfer: Transfer?
    /// Gives descriptors back that are not needed.
    var makeRoom: (@NetworkActor () -> Void)?
    /// An answer that is not saved.
    private(set) var refused: HTTPResponse?
    /// The part that is to come, where the answer is one.
    private var promised: PartCheck.Part?
    /// The file, once it is open.
    private var file: OutputFile?
    /// The number of its descriptor, which outlives no use of it.
    private var openNumber: Int32?
    private var name: OutputName?
    /// Where the file stands while it is not whole; `nil` where its target is written in place.
    private var part: String?
    /// Whether the writer itself has told of a failure.
    private var hasFailed = false
    private var pending: [UInt8] = []
    private var modified: Int64?
    /// The octets of heads, written before the content where the plan says so.
    private var preface: [UInt8] = []

    /// Octets of content taken.
    public private(set) var received: UInt64 = 0
    /// The beginning of an answer that is not saved, where it is text.
    public private(set) var excerpt: [UInt8] = []
    /// The file that holds the content: its final name after `finish`, the part's before.
    public private(set) var path: String?

    private var binaryScan: BinaryScan

    /// A writer for one download.
    public init(_ plan: DownloadPlan) {
        self.plan = plan
        binaryScan = BinaryScan(plan.binaryCheck)
    }

    /// Whether the answer is of no use to the caller: an error where only success is saved.
    public var refusesAnswer: Bool { refused != nil }

    /// Octets of content taken, codings included: what Content-Range counts.
    private var transferred: UInt64 { transfer?.contentReceived ?? received }

    // MARK: ContentSink

    /// Decides where the content goes. Throws `writeFailed`, `httpFailure`.
    public func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError) {
        if response.status.isFailure, !plan.savesErrorAnswers {
            try showHead(response)
            return try refuse(response, length)
        }
        if response.status == .switchingProtocols {
            throw TransferError(
                .badResponse, during: .content, "the server switched to a protocol that is not spoken here")
        }
        if plan.checksParts { promised = try PartCheck.check(response, to: plan, length: length) }
        if plan.setsModified, let value = response.fields[.lastModified] {
            modified = HTTPDate(parsing: value, now: plan.now)?.secondsSinceEpoch
        }
        if plan.isUnwanted(response) {
            try showHead(response)
            throw TransferError(
                .conditionNotMet, during: .content, "what the server has does not meet the condition of time")
        }
        if plan.includesHeads { addHead(response) }
        if case .descriptor(let descriptor) = plan.destination {
            output = DescriptorOutput(descriptor)
            return try flushPreface()
        }
        if preface.isEmpty, !plan.makesFile(response) { return }
        name = OutputName(
            plan.destination, uri: plan.request.uri, response: response, in: plan.outputFolder,
            nameFromURI: plan.nameFromURI)
        guard name != nil else { return }
        try reserveName()
        plan.copied?(preface.span, true)
        pending = preface
        preface = []
        if let length, length > UInt64(FileWriter.smallContent), !plan.dropsContent { try open() }
    }

    /// The head of an answer whose content is not wanted goes where heads and content were to go one after the other.
    private func showHead(_ response: HTTPResponse) throws(TransferError) {
        guard plan.includesHeads, case .descriptor(let descriptor) = plan.destination else { return }
        addHead(response)
        output = DescriptorOutput(descriptor)
        try flushPreface()
    }

    /// An answer that is of no use is read only for what can be shown of it, and not for long.
    private func refuse(_ response: HTTPResponse, _ length: UInt64?) throws(TransferError) {
        refused = response
        guard plan.readsExcerpt, length ?? 0 <= FileWriter.longestUnwanted else {
            throw refusal(of: response)
        }
        // A reader of heads who does not read is waited for.
        guard waiter == nil else { return }
        waiter = Task(executorPreference: NetworkActor.loop) { [weak self] in
            let isOver = await NetworkActor.loop.sleep(until: .now + FileWriter.unwantedPatience)
            if isOver { await self?.endPatience() }
        }
    }

    private func endPatience() {
        patienceEnded = true
        transfer?.cancel()
    }

    /// Keeps or writes content. Throws `writeFailed`.
    public func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        received += UInt64(content.count)
        guard !refusesAnswer else { return try keepExcerpt(content) }
        try promised?.checkExcess(transferred)
        guard !plan.dropsContent else { return .more }
        return try keep(content, isHead: false)
    }

    /// The trailer section goes behind the content, where it is wanted. Throws `writeFailed`.
    public func end(trailers: HTTPFields) throws(TransferError) {
        try promised?.checkWhole(transferred)
        guard !refusesAnswer, !trailers.isEmpty, let octets = plan.trailerText?(trailers) else { return }
        // A reader who is slow is waited for once the transfer is over.
        _ = try keep(octets.span, isHead: true)
    }

    private func keep(_ content: Span<UInt8>, isHead: Bool) throws(TransferError) -> SinkDemand {
        guard name != nil || output != nil else { return .more }
        plan.copied?(content, isHead)
        guard name != nil else { return try putOut(content) }
        if openNumber == nil {
            if pending.count + content.count <= FileWriter.smallContent {
                pending.append(copying: content)
                return .more
            }
            try open()
        }
        try put(content)
        return .more
    }

    /// The open file.
    public var spliceTarget: SpliceTarget? {
        openNumber.map { SpliceTarget(descriptor: $0) }
    }

    /// Counts octets that the kernel has put into the file.
    public func didSplice(_ count: Int) throws(TransferError) {
        received += UInt64(count)
        try promised?.checkExcess(transferred)
    }

    /// Adds the head of an interim response, where heads are wanted.
    func addInterim(_ response: HTTPResponse) {
        if plan.includesHeads { addHead(response) }
    }

    private func addHead(_ response: HTTPResponse) {
        preface.append(contentsOf: plan.headText?(response) ?? response.headOctets)
    }

    // MARK: The end

    /// All content is there: the file is written, dated and named. Returns its path; `nil` where there is none.
    public func finish() throws(TransferError) -> String? {
        waiter?.cancel()
        guard name != nil, !refusesAnswer else { return nil }
        // A part that was opened earlier may have been moved since.
        let wasLeft = openNumber != nil
        do throws(TransferError) {
            if !wasLeft { try open() }
            if !pending.isEmpty { try flushPending() }
        } catch {
            if !plan.keepsParts { discard() }
            throw error
        }
        guard let file = file.take() else { return nil }
        openNumber = nil
        if let modified, file.part != nil {
            do throws(SystemError) { try File.setModified(modified, of: file.descriptor.rawValue) } catch {
                // The content is whole: a date that the file system cannot keep is no reason to lose it.
                self.modified = nil
            }
        }
        path = try file.finish(
            plan.takenNames, refusesExisting: plan.refusesExisting, wasLeft: wasLeft,
            keepsPart: plan.keepsParts)
        return path
    }

    /// Waits until a pipe has taken all that was given to it. Throws why it does not, and `timedOut`.
    func drain(until deadline: Deadline) async throws(TransferError) {
        waiter?.cancel()
        if let outputFailure { throw outputFailure }
        guard let output, !output.isFlushed else { return }
        do throws(TransportError) { try await output.flush(until: deadline) } catch {
            throw TransferError(putting: error, to: plan.descriptorName)
        }
    }

    /// The transfer failed: what was received is kept as a part. Returns the part's path; `nil` when nothing is kept.
    public func abandon() -> String? {
        waiter?.cancel()
        if let name { plan.takenNames.giveBack(name.path) }
        let isOtherPart = promised.map { transferred > $0.count } ?? false
        guard name != nil, !refusesAnswer, received > 0, !isOtherPart, plan.keepsParts else {
            discard()
            return nil
        }
        do throws(TransferError) {
            if openNumber == nil { try open() }
            if !pending.isEmpty { try flushPending() }
        } catch {
            // The disk that failed the transfer fails this too; the first failure is the one to tell.
            return keptPart()
        }
        return keptPart()
    }

    /// The part, unless nothing is in it.
    private func keptPart() -> String? {
        if file?.isEmpty ?? true { discard() }
        return part
    }

    /// A failure in the words of the writer: the stream knows neither the file's name, nor why the writer ended it.
    func explained(_ error: TransferError) -> TransferError {
        if let outputFailure { return outputFailure }
        // Whatever ended the reading of an unwanted answer, that it is one is what counts; a caller's own word aside.
        if let refused, error.code != .cancelled || patienceEnded { return refusal(of: refused) }
        guard error.code == .writeFailed, !hasFailed, let name, let code = error.errno else { return error }
        return TransferError(storing: name.path, SystemError(call: "write", errno: code))
    }

    private func discard() {
        if let file = file.take() { file.discard(plan.takenNames) }
        openNumber = nil
        part = nil
        path = nil
    }

    // MARK: Pieces

    /// The name that the content will get, unless another transfer of the run has it or it must not be replaced.
    private func reserveName() throws(TransferError) {
        guard let wanted = name else { return }
        var isSource = plan.isSource(wanted.path)
        if isSource, plan.destination != .suggestedName {
            throw DownloadPlan.refusal(ofSource: wanted.path)
        }
        guard plan.keepsNamesApart || isSource else { return }
        if plan.refusesExisting, !wanted.mayReplace {
            let status = try? File.status(of: wanted.path, in: plan.folder, followsLinks: false)
            if status != nil || !plan.takenNames.take(wanted.path) {
                throw TransferError(storing: wanted.path, SystemError(call: "open", errno: EEXIST))
            }
            return
        }
        var candidate = wanted.path
        while isSource || !plan.takenNames.take(candidate) {
            isSource = false
            // A device may serve many.
            if wanted.isExplicit, plan.isSpecial(wanted.path) { return }
            repeat {
                let number = plan.takenNames.nextNumber(for: wanted.base)
                guard number < OutputFile.mostNumbers else {
                    throw TransferError(storing: wanted.path, SystemError(call: "open", errno: EEXIST))
                }
                candidate = "\(wanted.base).\(number)"
            } while plan.exists(candidate)
            // Nobody asked for this name: what has it keeps it.
            name?.mayReplace = false
        }
        name?.path = candidate
    }

    private func open() throws(TransferError) {
        guard let name else { return }
        do throws(TransferError) { try open(name) } catch {
            // Kept connections may hold the last descriptors.
            guard error.errno == EMFILE || error.errno == ENFILE else { throw error }
            makeRoom?()
            try open(name)
        }
        if !pending.isEmpty { try flushPending() }
    }

    private func open(_ name: OutputName) throws(TransferError) {
        let opened = try OutputFile(
            name, in: plan.folder, createsFolders: plan.createsFolders, names: plan.takenNames)
        part = opened.part
        path = part ?? opened.target
        openNumber = opened.descriptor.rawValue
        file = consume opened
    }

    private func flushPending() throws(TransferError) {
        let octets = pending
        pending = []
        try put(octets.span)
    }

    private func flushPreface() throws(TransferError) {
        guard !preface.isEmpty else { return }
        let octets = preface
        preface = []
        plan.copied?(octets.span, true)
        if try putOut(octets.span) == .pause { transfer?.pause() }
    }

    private func put(_ content: Span<UInt8>) throws(TransferError) {
        guard let number = openNumber else { return }
        do throws(SystemError) { try File.write(content, to: number) } catch {
            hasFailed = true
            throw TransferError(storing: name?.path ?? "", error)
        }
    }

    /// Writes to the descriptor; where it is full, reading stops until it is not.
    private func putOut(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        guard let output else { return .more }
        if plan.binaryCheck != .none, binaryScan.finds(in: content) {
            throw TransferError(
                .writeFailed, during: .store,
                "the content is binary and standard output is a terminal: -o FILE saves it, -o - writes it all the same"
            )
        }
        do throws(SystemError) {
            if try output.write(content) { return .more }
        } catch {
            throw TransferError(storing: plan.descriptorName, error)
        }
        if waiter == nil {
            waiter = Task(executorPreference: NetworkActor.loop) { await self.flush(output) }
        }
        return .pause
    }

    private func flush(_ output: DescriptorOutput) async {
        do throws(TransportError) {
            try await output.flush(until: .never)
            waiter = nil
            transfer?.resume()
        } catch {
            guard error.reason != .cancelled else { return }
            outputFailure = TransferError(putting: error, to: plan.descriptorName)
            transfer?.cancel()
        }
    }

    private func keepExcerpt(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        let room = FileWriter.longestExcerpt - excerpt.count
        if room > 0 { excerpt.append(copying: content.extracting(first: min(room, content.count))) }
        if received > FileWriter.longestUnwanted {
            throw TransferError(
                .httpFailure, during: .content, "the answer is an error and too long to read to its end")
        }
        return .more
    }

    private func refusal(of response: HTTPResponse) -> TransferError {
        TransferError(.httpFailure, during: .content, "the server answered \(response.statusText)")
    }
}
