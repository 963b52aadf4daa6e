import Glibc
package import HTTPClient
package import HTTPMessage
import System
package import Transport

/// Writes content to its destination as it comes; a file gets its name only when it is whole.
///
/// Content that fits `smallContent` is kept in memory and written by `finish`, so that the next request of a list can
/// go out first; the rest goes from socket to file without passing through the process where that is possible. One writer
/// serves all tries of a download: what one has brought is there for the next.
@NetworkActor
package final class DownloadWriter: ContentSink {
    /// Content up to this size is written in one piece when it is whole.
    package nonisolated static let smallContent = 64 << 10
    /// Most octets of an error's text that are kept to be shown.
    package nonisolated static let longestExcerpt = 1 << 10
    /// Most octets of an unwanted answer that are read to keep the connection.
    package nonisolated static let longestUnwanted: UInt64 = 64 << 10

    /// Octets that are read back for a digest beside those that have just come.
    private nonisolated static let readBack = 1 << 20

    /// Longest time that an unwanted answer is read for.
    package nonisolated static let unwantedPatience = Duration.seconds(2)

    let plan: DownloadPlan
    /// The file that is made.
    let file: DownloadFile
    /// A descriptor that content is written to as it comes.
    var output: DescriptorOutput?
    /// Waits for the reader of a pipe that is full, or for the end of patience with an unwanted answer.
    var waiter: Task<Void, Never>?
    var patienceEnded = false
    /// Why the reader of a pipe will take no more.
    var outputFailure: TransferError?
    /// The transfer that is written; known before it begins.
    weak var transfer: Transfer?
    /// An answer that is not saved.
    var refused: HTTPResponse?
    /// The part that is to come, where the answer is one.
    var promised: PartCheck.Part?
    var modified: Int64?
    /// The octets of heads, written before the content where the plan says so.
    var preface: [UInt8] = []
    /// Whether the content goes to the file.
    var takesFile = false
    private var isFinished = false
    var binaryScan: BinaryScan

    // MARK: One try

    /// What the request under way asks for of a representation of which something is there, or which is asked for in
    /// pieces; `nil` where it is the caller's own.
    var asked: AskedRange?
    /// Where the answer comes from: the URI of the last request.
    var source: URI
    /// Whether an answer is given up for another try.
    var isRetried: (@NetworkActor (HTTPResponse) -> Bool)?
    /// What has become of the answer.
    var verdict = AnswerVerdict.wanted
    /// Octets of the representation before the first that the destination gets.
    var base: UInt64 = 0
    /// Octets of content that a descriptor has got.
    var putOutCount: UInt64 = 0
    /// Why what was there was of no use; `nil` where it was, or there was nothing.
    var anew: String?
    /// Whether the request is not the next piece.
    var isAfterBreak = true
    /// From which octet on what was there was gone on with, the first time.
    var resumedAt: UInt64?
    /// Octets there when the content under way began.
    var lengthBefore: UInt64 = 0
    /// What still has to be the same as what is there.
    var overlap: OverlapCheck?

    /// Whether the content is what it is said to be.
    let verification: Verification
    /// What was found right.
    private(set) var verified: [DigestExpectation] = []

    /// Octets of content taken from the transfer under way.
    package internal(set) var received: UInt64 = 0
    /// The beginning of an answer that is not saved, where it is text.
    package internal(set) var excerpt: [UInt8] = []
    /// The file that holds the content: its final name after `finish`, the part's before.
    package var path: String? { file.path }

    /// A writer for one download.
    package init(_ plan: DownloadPlan) {
        self.plan = plan
        source = plan.request.uri
        binaryScan = BinaryScan(plan.binaryCheck)
        file = DownloadFile(plan)
        verification = Verification(plan)
    }

    /// Whether the answer is of no use to the caller: an error where only success is saved.
    package var refusesAnswer: Bool { refused != nil }

    /// Octets of the representation that are there.
    var position: UInt64 { base + (plan.hasReader ? putOutCount : file.length) }

    /// Octets of content taken, codings included: what Content-Range counts.
    var transferred: UInt64 { transfer?.contentReceived ?? received }

    /// Another request begins: `asked` is what it asks for; `isAfterBreak` where it is not the next piece.
    func prepare(_ asked: AskedRange?, isAfterBreak: Bool) {
        self.asked = asked
        self.isAfterBreak = isAfterBreak
        source = plan.request.uri
        verdict = .wanted
        anew = nil
        received = 0
        lengthBefore = position - base
        refused = nil
        promised = nil
        excerpt = []
        preface = []
        overlap = nil
        takesFile = false
        waiter?.cancel()
        waiter = nil
        patienceEnded = false
    }

    // MARK: ContentSink

    /// Decides where the content goes. Throws `writeFailed`, `httpFailure`.
    package func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError) {
        if isRetried?(response) ?? false { return drop(response, length, .isRetried) }
        if let asked, try goOn(response, asked, length) { return }
        if response.status.isFailure, !plan.savesErrorAnswers {
            try showHead(response)
            return try refuse(response, length)
        }
        if response.status == .switchingProtocols {
            throw TransferError(
                .badResponse, during: .content, "the server switched to a protocol that is not spoken here")
        }
        if asked == nil, file.length > 0, response.status != .ok {
            // What an earlier try brought is worth more.
            throw response.status.isFailure ? refusal(of: response) : failure(.otherStatus, response)
        }
        if plan.checksParts, asked == nil || response.status == .notModified {
            promised = try PartCheck.check(response, to: plan, length: length)
        }
        transfer?.contentBefore = 0
        transfer?.wholeExpected = nil
        if plan.isUnwanted(response) {
            try showHead(response)
            throw TransferError(
                .conditionNotMet, during: .content, "what the server has does not meet the condition of time")
        }
        noteModified(response)
        if hasContent(response) {
            let isAll = response.status != .partialContent || asked != nil
            try verification.begin(response, at: 0, isAll: isAll, isAnew: true)
        }
        if plan.includesHeads { addHead(response) }
        if case .descriptor(let descriptor) = plan.destination {
            output = output ?? DescriptorOutput(descriptor)
            file.begin(PartialRepresentation(response, from: source, now: plan.now))
            return try flushPreface()
        }
        if preface.isEmpty, !plan.makesFile(response) { return }
        try beginFile(response, length)
    }

    /// A file is made of the whole content.
    private func beginFile(_ response: HTTPResponse, _ length: UInt64?) throws(TransferError) {
        let representation = PartialRepresentation(response, from: source, now: plan.now)
        resumedAt = nil
        if file.name != nil {
            // What an earlier try brought is of no use any more.
            try file.startOver(representation)
            lengthBefore = 0
        } else {
            guard try takeName(response) else { return }
            file.begin(representation)
        }
        takesFile = true
        plan.copied?(preface.span, true)
        file.begin(behind: preface)
        preface = []
        if let length, length > UInt64(DownloadWriter.smallContent), !plan.dropsContent {
            try file.flush(recording: true)
        }
    }

    /// Takes the name that the content will get. False where no file is made.
    func takeName(_ response: HTTPResponse) throws(TransferError) -> Bool {
        let name = OutputName(
            plan.destination, uri: plan.request.uri, response: response, in: plan.outputFolder,
            nameFromURI: plan.nameFromURI)
        guard let name else { return false }
        try file.take(name)
        return true
    }

    func noteModified(_ response: HTTPResponse) {
        guard plan.setsModified, let value = response.fields[.lastModified] else { return }
        modified = HTTPDate(parsing: value, now: plan.now)?.secondsSinceEpoch
    }

    /// Keeps or writes content. Throws `writeFailed`.
    package func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        received += UInt64(content.count)
        if refusesAnswer { return try keepExcerpt(content) }
        try checkExcess()
        guard !plan.dropsContent else { return .more }
        guard overlap == nil else { return try compare(content) }
        return try keep(content, isHead: false)
    }

    /// The trailer section goes behind the content, where it is wanted. Throws `writeFailed`.
    package func end(trailers: HTTPFields) throws(TransferError) {
        try promised?.checkWhole(transferred)
        if !refusesAnswer, !plan.dropsContent { try verification.end(trailers: trailers) }
        guard !refusesAnswer, !trailers.isEmpty, let octets = plan.trailerText?(trailers) else { return }
        // A reader who is slow is waited for once the transfer is over.
        _ = try keep(octets.span, isHead: true)
    }

    /// More than was promised is not to be believed at all.
    private func checkExcess() throws(TransferError) {
        do throws(TransferError) { try promised?.checkExcess(transferred) } catch {
            try file.rollBack(to: lengthBefore)
            throw error
        }
    }

    func keep(_ content: Span<UInt8>, isHead: Bool) throws(TransferError) -> SinkDemand {
        guard takesFile || output != nil else { return .more }
        plan.copied?(content, isHead)
        if !isHead, verification.isNeeded {
            verification.take(content, at: takesFile ? file.length : putOutCount)
        }
        guard takesFile else {
            if !isHead { putOutCount += UInt64(content.count) }
            return try putOut(content)
        }
        try file.append(content)
        return .more
    }

    /// The open file.
    package var spliceTarget: SpliceTarget? {
        guard takesFile, overlap == nil, verdict == .wanted else { return nil }
        // What nobody can read back must be seen on its way.
        guard !verification.isNeeded || file.isReadable else { return nil }
        return file.spliceTarget
    }

    /// Counts octets that the kernel has put into the file.
    package func didSplice(_ count: Int) throws(TransferError) {
        received += UInt64(count)
        file.didSplice(count)
        try checkExcess()
        if verification.isNeeded {
            // A part that was there already is caught up with, a little at a time.
            try verification.catchUp(with: file, to: file.length, atMost: count + DownloadWriter.readBack)
        }
    }

    /// Adds the head of an interim response, where heads are wanted.
    func addInterim(_ response: HTTPResponse) {
        if plan.includesHeads { addHead(response) }
    }

    func addHead(_ response: HTTPResponse) {
        preface.append(contentsOf: plan.headText?(response) ?? response.headOctets)
    }

    // MARK: The end

    /// All content is there: the file is written, dated and named. Returns its path; `nil` where there is none.
    package func finish() throws(TransferError) -> String? {
        waiter?.cancel()
        guard !isFinished else { return file.path }
        guard takesFile, !refusesAnswer else { return nil }
        let path = try file.finish(modified: modified)
        isFinished = true
        return path
    }

    /// Sees to it that all that was received is what the server says; where `isAll`, that the whole is what it should be.
    /// Throws `digestMismatch`, and `cancelled`.
    func verify(isAll: Bool) async throws(TransferError) {
        guard verification.isNeeded else { return }
        if takesFile, file.isReadable {
            while try verification.catchUp(with: file, to: file.length, atMost: DownloadWriter.readBack) {
                await NetworkActor.loop.yield()
                if Task.isCancelled { throw TransferError(.cancelled, during: .store, "cancelled") }
            }
        }
        do throws(TransferError) { try verification.checkContent() } catch {
            // What was there before is none the worse.
            try file.rollBack(to: lengthBefore)
            throw error
        }
        guard isAll else { return }
        verified = try verification.checkWhole()
    }

    private func hasContent(_ response: HTTPResponse) -> Bool {
        plan.request.method != .head && response.status != .notModified && !plan.dropsContent
            && (plan.checksDigests || plan.checksum != nil)
    }

    /// Takes content as it was sent, before its coding is undone.
    package func willDecode(_ content: Span<UInt8>) {
        if verification.isNeeded { verification.takeCoded(content) }
    }

    /// Does so now, and waits until all of it is on its device. Throws `writeFailed`.
    func synchronize() async throws(TransferError) {
        guard takesFile, !refusesAnswer else { return }
        try file.flush(recording: true)
        try await file.synchronize()
        guard let path = try finish() else { return }
        try await DownloadFile.synchronizeFolder(of: path, in: plan.folder)
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
    package func abandon() -> String? {
        waiter?.cancel()
        return file.abandon()
    }

    /// A failure in the words of the writer: the stream knows neither the file's name, nor why the writer ended it.
    func explained(_ error: TransferError) -> TransferError {
        if let outputFailure { return outputFailure }
        // Whatever ended the reading of an unwanted answer, that it is one is what counts; a caller's own word aside.
        if let refused, error.code != .cancelled || patienceEnded { return refusal(of: refused) }
        guard error.code == .writeFailed, !file.hasFailed, let name = file.name, let code = error.errno
        else { return error }
        return TransferError(storing: name.path, SystemError(call: "write", errno: code))
    }
}
