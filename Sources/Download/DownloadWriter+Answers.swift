import Glibc
import HTTPCache
import HTTPClient
import HTTPMessage
import System
import Transport

/// What a request asks for of a representation: octets, both ends included; to its end where there is no last one.
struct AskedRange: Hashable, Sendable {
    var first: UInt64
    var last: UInt64?

    /// As Range has it (RFC 9110, section 14.2).
    var fieldValue: String { "bytes=\(first)-\(last.map(String.init) ?? "")" }
}

/// What has become of an answer.
enum AnswerVerdict: Hashable, Sendable {
    /// Its content is taken.
    case wanted
    /// The representation must be asked for from its first octet on.
    case mustStartOver(ResumeDecision.Mismatch)
    /// What is there is all.
    case isComplete
    /// Another try is made.
    case isRetried
}

/// Octets that are asked for once more, to be compared with those that are there.
struct OverlapCheck {
    /// Where in the file the next one stands.
    var offset: UInt64
    /// How many are to come.
    var remaining: UInt64
}

// What becomes of an answer that is not simply content.
extension DownloadWriter {
    /// Whether the answer was settled here: it is the rest of what is there, or of no use. False where its content is to be
    /// taken like that of any answer.
    func goOn(_ response: HTTPResponse, _ asked: AskedRange, _ length: UInt64?) throws(TransferError) -> Bool
    {
        // The answer to the caller's own condition is the same, whatever is here of the content.
        if response.status == .notModified, PartCheck.isConditional(plan.request) { return false }
        var part = file.representation
        part.length = position
        let decision = ResumeDecision(
            on: response, from: source, toRequestFrom: asked.first, having: part, plan.resumptionManner,
            isNext: !isAfterBreak)
        if plan.hasReader, position > 0 { try checkForReader(decision, response) }
        switch decision {
        case .goOn where isUselessPiece(response, asked): drop(response, length, .mustStartOver(.noValidator))
        case .goOn(let count):
            try append(response, asked, count, length)
            return true
        case .startOver:
            if response.status == .partialContent, let whole = response.contentRange?.completeLength {
                promised = PartCheck.Part(count: whole, told: "Content-Range")
            }
            if isSameAgain(response) {
                try compareAll(response, length)
                return true
            }
            if position > 0 { anew = reason(response) }
            base = 0
            return false
        case .askForWhole(let mismatch): drop(response, length, .mustStartOver(mismatch))
        case .complete:
            noteModified(response)
            takesFile = file.name != nil
            // The content of the answer is none; the digest of what is there is asked for all the same.
            if let checksum = plan.checksum { try verification.expect(checksum) }
            drop(response, length, .isComplete)
        case .fail(let refusal): throw failure(refusal, response)
        }
        return true
    }

    /// Whether the whole came in place of the rest, of the same version: what is there need not be thrown away for that.
    private func isSameAgain(_ response: HTTPResponse) -> Bool {
        let part = file.representation
        return response.status == .ok && position > 0 && base == 0 && file.name != nil && part.isProved
            && part.validator != nil && part.validator == response.strongValidator(receivedAt: plan.now)
            && part.coding == response.fields[.contentEncoding] && part.source == source.resource
    }

    /// The octets that are there must come again; what is behind them is kept.
    private func compareAll(_ response: HTTPResponse, _ length: UInt64?) throws(TransferError) {
        overlap = OverlapCheck(offset: 0, remaining: file.length)
        resumedAt = resumedAt ?? position
        transfer?.contentBefore = 0
        transfer?.wholeExpected = nil
        if plan.checksDigests || plan.checksum != nil {
            try verification.begin(response, at: 0, isAll: true, isAnew: true)
        }
        noteModified(response)
        takesFile = true
        try file.flush(recording: true)
    }

    /// Why the whole came in place of the rest.
    private func reason(_ response: HTTPResponse) -> String {
        let validator = response.strongValidator(receivedAt: plan.now)
        guard let known = file.representation.validator, let validator, validator != known else {
            return "the server sends no ranges of it"
        }
        return "it has changed (\(known) then, \(validator) now)"
    }

    /// What a reader has got cannot be taken back, and who asked for the rest can do nothing with the whole.
    private func checkForReader(
        _ decision: ResumeDecision, _ response: HTTPResponse
    ) throws(TransferError) {
        switch decision {
        case .startOver: throw failure(.rangeIgnored, response)
        case .askForWhole(let mismatch):
            throw TransferError(
                .rangeNotServed, during: .content,
                "the rest cannot be put behind what was written: \(mismatch)")
        case .goOn, .complete, .fail: break
        }
    }

    /// Whether it is a first piece behind which no other could be put.
    private func isUselessPiece(_ response: HTTPResponse, _ asked: AskedRange) -> Bool {
        guard position == 0, let last = asked.last, let range = response.contentRange,
            let offsets = range.offsets,
            !PartialRepresentation(response, from: source, now: plan.now).isContinuable
        else { return false }
        return range.completeLength.map { offsets.upperBound < $0 } ?? (offsets.upperBound > last)
    }

    private func append(
        _ response: HTTPResponse, _ asked: AskedRange, _ count: UInt64, _ length: UInt64?
    ) throws(TransferError) {
        let range = response.fields[.contentRange] ?? ""
        guard length == nil || length == count else {
            throw TransferError(
                .rangeNotServed, during: .content,
                "the server sent \(length ?? 0) octets as the part with Content-Range \(range)")
        }
        promised = PartCheck.Part(count: count, told: "Content-Range \(range)")
        if position > 0, isAfterBreak { resumedAt = resumedAt ?? position }
        let complete = response.contentRange?.completeLength
        let least = complete ?? asked.first + count
        if let limit = plan.options.maximumContentLength, least > limit {
            throw TransferError(
                .tooLarge, during: .content,
                "the content has \(least) octets, more than the \(limit) allowed")
        }
        if position == 0 {
            // An empty part of an earlier process may have the record of another version.
            try file.startOver(PartialRepresentation(response, from: source, now: plan.now))
        } else if file.representation.validator == nil {
            // By a person's word it goes behind what is there; from now on the version is known.
            file.learn {
                $0.describe(response, from: source, now: plan.now)
                $0.isProved = false
            }
        }
        if let complete { file.learn { $0.completeLength = complete } }
        if plan.checksDigests || plan.checksum != nil, !plan.dropsContent {
            try verification.begin(response, at: position - base, isAll: base == 0, isAnew: position == 0)
        }
        noteModified(response)
        transfer?.contentBefore = asked.first
        transfer?.wholeExpected = complete
        if asked.first < position {
            let remaining = position - asked.first
            overlap = OverlapCheck(offset: file.length - remaining, remaining: remaining)
        }
        guard !plan.dropsContent else { return }
        if case .descriptor(let descriptor) = plan.destination {
            output = output ?? DescriptorOutput(descriptor)
            return
        }
        if file.name == nil, try !takeName(response) { return }
        takesFile = true
        let isLarge =
            count > UInt64(DownloadWriter.smallContent) || file.length > UInt64(DownloadWriter.smallContent)
        if isLarge { try file.flush(recording: true) }
    }

    func failure(_ refusal: ResumeDecision.Refusal, _ response: HTTPResponse) -> TransferError {
        let status = response.statusText
        return switch refusal {
        case .errorStatus: self.refusal(of: response)
        case .otherStatus:
            TransferError(
                .badResume, during: .content,
                "the server answered \(status) to the request for what is missing")
        case .tooLong(let length):
            TransferError(
                .badResume, during: .content,
                "\(file.name?.path ?? "what is there") has \(position) octets, and the server's has \(length): one is no part of the other"
            )
        case .rangeIgnored:
            TransferError(
                .rangeNotServed, during: .content,
                "the server answered \(status) in place of octets from \(asked?.first ?? 0) on")
        case .otherRange:
            TransferError(
                .rangeNotServed, during: .content,
                "the server sent \(response.fields[.contentRange] ?? "a part without Content-Range") in place of octets from \(asked?.first ?? 0) on"
            )
        }
    }

    /// Octets that were asked for again must be those that are there; what is behind them is kept.
    func compare(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        guard var check = overlap else { return .more }
        let count = Int(min(UInt64(content.count), check.remaining))
        var known = [UInt8](repeating: 0, count: count)
        let found = try file.read(into: &known, at: check.offset, count)
        let isSame = found == count && (0..<count).allSatisfy { known[$0] == content[$0] }
        guard isSame else {
            verdict = .mustStartOver(.otherOctets)
            // The rest of the answer is of no use either.
            throw TransferError(.rangeNotServed, during: .content, "\(ResumeDecision.Mismatch.otherOctets)")
        }
        check.offset += UInt64(count)
        check.remaining -= UInt64(count)
        overlap = check.remaining > 0 ? check : nil
        return count < content.count
            ? try keep(content.extracting(droppingFirst: count), isHead: false) : .more
    }

    // MARK: Answers of no use

    /// Nobody needs the content of the answer: its head says all.
    func drop(_ response: HTTPResponse, _ length: UInt64?, _ verdict: AnswerVerdict) {
        self.verdict = verdict
        transfer?.drop(response, length: length)
    }

    /// An answer that is of no use is read only for what can be shown of it, and not for long.
    func refuse(_ response: HTTPResponse, _ length: UInt64?) throws(TransferError) {
        refused = response
        guard plan.readsExcerpt, length ?? 0 <= DownloadWriter.longestUnwanted else {
            throw refusal(of: response)
        }
        bePatient()
    }

    private func bePatient() {
        // A reader of heads who does not read is waited for.
        guard waiter == nil else { return }
        waiter = Task(executorPreference: NetworkActor.loop) { [weak self] in
            let isOver = await NetworkActor.loop.sleep(until: .now + DownloadWriter.unwantedPatience)
            if isOver { await self?.endPatience() }
        }
    }

    private func endPatience() {
        patienceEnded = true
        transfer?.cancel()
    }

    func keepExcerpt(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        let room = DownloadWriter.longestExcerpt - excerpt.count
        if room > 0 { excerpt.append(copying: content.extracting(first: min(room, content.count))) }
        if received > DownloadWriter.longestUnwanted {
            throw TransferError(
                .httpFailure, during: .content, "the answer is an error and too long to read to its end")
        }
        return .more
    }

    func refusal(of response: HTTPResponse) -> TransferError {
        TransferError(.httpFailure, during: .content, "the server answered \(response.statusText)")
    }

    // MARK: Output to a descriptor

    /// The head of an answer whose content is not wanted goes where heads and content were to go one after the other.
    func showHead(_ response: HTTPResponse) throws(TransferError) {
        guard plan.includesHeads, case .descriptor(let descriptor) = plan.destination else { return }
        addHead(response)
        output = output ?? DescriptorOutput(descriptor)
        try flushPreface()
    }

    func flushPreface() throws(TransferError) {
        guard !preface.isEmpty else { return }
        let octets = preface
        preface = []
        plan.copied?(octets.span, true)
        if try putOut(octets.span) == .pause { transfer?.pause() }
    }

    /// Writes to the descriptor; where it is full, reading stops until it is not.
    func putOut(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
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
}
