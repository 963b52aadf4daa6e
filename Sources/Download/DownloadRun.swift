import HTTPCache
import HTTPClient
import HTTPMessage
import System
import Transport

/// One download, in as many requests as it takes: the loop above `Client.send` that goes on where something is there
/// already, asks piece by piece, and tries again what has failed.
@NetworkActor
final class DownloadRun {
    private let plan: DownloadPlan
    private let client: Client
    private let writer: FileWriter
    private var state: RetryState
    private let beginning = Instant.now
    /// When the try under way began, all its pieces included.
    private var tryBeginning = Instant.now
    private var retryCount = 0
    private var resumedAt: UInt64?
    /// The wait before the next try, once an answer was given up for it.
    private var wait: Duration?
    /// The answers so far are of a representation whose parts cannot be put together.
    private var mustAskForWhole = false
    /// The next request goes on after a break.
    private var isAfterBreak = true
    /// The octets that were there at most: what comes again is not new.
    private var mostOctets: UInt64 = 0
    private var sums = Sums()
    private let isResumable: Bool

    init(_ plan: DownloadPlan, _ client: Client) {
        self.plan = plan
        self.client = client
        writer = FileWriter(plan)
        state = RetryState(plan.retries)
        isResumable = plan.isResumable
        writer.file.makeRoom = { [client] in client.closeIdleConnections() }
    }

    func run(_ started: (Transfer) -> Void) async throws(TransferError) -> ReceivedContent {
        try findWhatIsThere()
        mostOctets = writer.position
        while true {
            let transfer = begin()
            started(transfer)
            let report: TransferReport
            do throws(TransferError) { report = try await transfer.run() } catch {
                if let report = transfer.answer {
                    try await writer.drain(until: deadline)
                    return received(report, failure: error)
                }
                try await settle(error, of: transfer)
                continue
            }
            // What fails from here on is no failure of the transfer, and is not tried again.
            if let answer = try await settle(report) { return answer }
        }
    }

    // MARK: What is there

    /// Looks for a part, or a file, to go on with. Throws `partInUse`, `badResume`, `writeFailed`.
    private func findWhatIsThere() throws(TransferError) {
        guard isResumable, plan.resumption != .none else { return }
        if case .offset(let offset) = plan.resumption { return try findFile(of: offset) }
        guard plan.destination != .nowhere, !isDescriptor else { return }
        if try plan.resumesAsCurl ? false : findPart() { return }
        if plan.resumption == .fileSize { try findFile(of: nil) }
    }

    private var isDescriptor: Bool {
        if case .descriptor = plan.destination { true } else { false }
    }

    /// By the record beside it.
    private func findPart() throws(TransferError) -> Bool {
        let uri = plan.request.uri.withoutUserinfoAndFragment
        guard let place = recordPlace else { return false }
        switch try place.search(for: uri, in: plan.folder, plan.takenNames) {
        case .found(let part):
            try writer.file.adopt(part)
            return true
        case .nothing(let slot):
            writer.file.slot = slot
            return false
        }
    }

    /// Where the record is; `nil` where there can be none.
    private var recordPlace: RecordPlace? {
        guard let name = plan.chosenName else {
            return RecordPlace(for: plan.request.uri.withoutUserinfoAndFragment, in: plan.outputFolder)
        }
        guard !plan.isSpecial(name.path) else { return nil }
        return RecordPlace(forFile: OutputFile.place(of: name, in: plan.folder))
    }

    /// `-C`: the file of the name itself is gone on with; `offset` is how long it must be.
    private func findFile(of offset: UInt64?) throws(TransferError) {
        if let offset { writer.base = offset }
        guard offset != 0, let name = plan.chosenName else { return }
        let path = OutputFile.place(of: name, in: plan.folder)
        let found = try? File.status(of: path, in: plan.folder, followsLinks: false)
        guard let found, found.kind == .regular else { return }
        if let offset, offset != found.size {
            throw TransferError(
                .badResume, during: .prepare,
                "\(path) has \(found.size) octets, not \(offset): nothing can be put behind its end")
        }
        guard found.size > 0 else { return }
        writer.base = 0
        let record = plan.resumesAsCurl ? nil : record(of: FileIdentity(found))
        try writer.file.adoptTarget(path, record)
    }

    /// The record of a part that somebody has given its final name.
    private func record(of file: FileIdentity) -> ResumeRecord? {
        guard let place = recordPlace,
            case .record(let record) = ResumeRecord.read(place.path(0), in: plan.folder),
            record.file == file, record.uri == plan.request.uri.withoutUserinfoAndFragment
        else { return nil }
        return record
    }

    // MARK: Requests

    /// The next transfer: for all, or for what is missing.
    private func begin() -> Transfer {
        let asked = nextRange()
        writer.prepare(asked)
        if asked == nil { writer.base = 0 }
        var request = plan.request
        if let asked {
            request.fields.append(.range, asked.fieldValue)
            // A weak validator is none (RFC 9110, section 13.1.5).
            if writer.position > 0, let validator = writer.file.representation.validator {
                request.fields.append(.ifRange, validator)
            }
            if writer.position > 0, isAfterBreak {
                resumedAt = resumedAt ?? writer.position
                observe(.resuming(at: writer.position))
            }
        }
        if isAfterBreak { tryBeginning = .now }
        let transfer = client.transfer(
            request, content: plan.content, into: writer, options: options(for: request), hooks: hooks)
        writer.transfer = transfer
        writer.isRetried = { [weak self] in self?.isRetried($0) ?? false }
        return transfer
    }

    /// What is asked for next; `nil`: everything, from the first octet on.
    private func nextRange() -> AskedRange? {
        guard isResumable, !mustAskForWhole else { return nil }
        let position = writer.position
        let part = writer.file.representation
        if position > 0 {
            // Of another version the rest is no rest. A person who says so goes on with what nothing is known of.
            let isKnown = part.isContinuable || plan.resumption.isAsked && part.validator == nil
            guard isKnown, plan.resumption != .none || plan.pieceSize != nil && !isAfterBreak else {
                return nil
            }
        } else if plan.pieceSize == nil {
            return nil
        }
        var first = position
        // What a reader has got is here no more.
        if isAfterBreak, !isDescriptor { first -= min(plan.resumeOverlap, position - writer.base) }
        guard let size = plan.pieceSize, size > 0 else { return AskedRange(first: first) }
        var last = position.addingReportingOverflow(size - 1)
        if last.overflow { last.partialValue = .max - 1 }
        if let length = part.completeLength, length > position {
            last.partialValue = min(last.partialValue, length - 1)
        }
        return AskedRange(first: first, last: last.partialValue)
    }

    private func options(for request: HTTPRequest) -> TransferOptions {
        var options = plan.options
        // A download in parts judges validators by itself. Where nobody else may be asked, the cache is all there is; and
        // what an unsafe method does, it must know.
        let fields = request.fields
        if fields.contains(.range) || fields.contains(.ifRange), request.method.isSafe,
            options.cachePolicy != .returnCacheDataDontLoad, !CacheControl(in: fields).contains(.onlyIfCached)
        {
            options.cachePolicy = nil
        }
        // All pieces have the time of one transfer.
        if let limit = options.totalTimeout, !isAfterBreak {
            options.totalTimeout = max(limit - (Instant.now - tryBeginning), .milliseconds(1))
        }
        return options
    }

    private var hooks: TransferHooks {
        var hooks = plan.hooks
        let observe = hooks.observe
        let showsHeads = plan.includesHeads
        hooks.observe = { [writer] event in
            switch event {
            case .redirecting(let response, let request, _):
                writer.source = request.uri
                // A redirect that is followed is shown like an interim response: its content is nobody's.
                if showsHeads { writer.addInterim(response) }
            case .interim(let response) where showsHeads: writer.addInterim(response)
            default: break
            }
            observe?(event)
        }
        return hooks
    }

    private func observe(_ event: TransferEvent) { plan.hooks.observe?(event) }

    private var deadline: Deadline {
        plan.options.totalTimeout.map { Deadline(.total, at: tryBeginning + $0, duration: $0) } ?? .never
    }

    // MARK: Answers

    /// An answer came whole. Returns what the download has brought, or `nil` where more is to be asked for.
    private func settle(_ report: TransferReport) async throws(TransferError) -> ReceivedContent? {
        switch writer.verdict {
        case .wanted: break
        case .isComplete: return try await finish(report)
        case .mustStartOver, .isRetried:
            try await settleVerdict()
            return nil
        }
        if !writer.refusesAnswer, let asked = writer.asked, report.response.status == .partialContent,
            isMoreToCome(asked, report)
        {
            sums.add(report)
            isAfterBreak = false
            return nil
        }
        return try await finish(report)
    }

    private func isMoreToCome(_ asked: AskedRange, _ report: TransferReport) -> Bool {
        let part = writer.file.representation
        if let length = part.completeLength { return writer.position < length }
        // Nobody knows how much there is: a piece that is not full is the last one.
        guard let last = asked.last else { return false }
        return writer.position > last
    }

    private func finish(_ report: TransferReport) async throws(TransferError) -> ReceivedContent {
        do throws(TransferError) {
            try await writer.drain(until: deadline)
            if plan.synchronizes { try await writer.synchronize() }
        } catch {
            throw await abandoned(error)
        }
        return received(report)
    }

    private func received(_ report: TransferReport, failure: TransferError? = nil) -> ReceivedContent {
        ReceivedContent(
            report: sums.added(to: report), writer: writer, retries: retryCount, resumedAt: resumedAt,
            failure: failure)
    }

    /// What the writer made of an answer leads to another request.
    private func settleVerdict() async throws(TransferError) {
        isAfterBreak = true
        switch writer.verdict {
        case .mustStartOver(let mismatch):
            // Once: what is asked for without Range is answered with the whole, or not at all.
            mustAskForWhole = true
            observe(.startingOver(reason: "\(mismatch)"))
        case .isRetried: try await pause()
        case .wanted, .isComplete: break
        }
    }

    /// Whether an answer of that status is given up for another try.
    private func isRetried(_ response: HTTPResponse) -> Bool {
        guard plan.retries.maximumRetries > 0 else { return false }
        var attempt = RetryAttempt(status: response.status, retryAfter: retryAfter(of: response))
        if response.status.isFailure, !plan.savesErrorAnswers {
            attempt.error = TransferError(.httpFailure, during: .content, response.statusText)
        }
        return decide(attempt, because: "the server answered \(response.statusText)")
    }

    private func retryAfter(of response: HTTPResponse) -> UInt64? {
        response.fields[.retryAfter].flatMap { RetryAfter(parsing: $0, now: plan.now) }?.delay(from: plan.now)
    }

    // MARK: Failures

    /// A transfer has failed: it is tried again after a wait, or its failure is thrown.
    private func settle(_ error: TransferError, of transfer: Transfer) async throws(TransferError) {
        // Who ended it is not to be asked whether it goes on.
        let isEnded = Task.isCancelled || transfer.isCancelled && !writer.patienceEnded
        // The answer was ended here.
        if !isEnded, writer.verdict == .mustStartOver(.otherOctets) { return try await settleVerdict() }
        let failure = writer.explained(error)
        // Of a status that is a failure it was decided when the head came, by all its fields.
        if !isEnded, failure.code != .cancelled, failure.code != .httpFailure {
            var attempt = RetryAttempt(error: failure)
            attempt.hasContent = writer.received > 0
            attempt.newOctets = writer.position > mostOctets ? writer.position - mostOctets : 0
            if canBeTriedAgain(attempt), decide(attempt, because: failure.detail) {
                mostOctets = max(mostOctets, writer.position)
                isAfterBreak = true
                return try await pause()
            }
        }
        throw await abandoned(failure)
    }

    /// Whether another try could bring the content to where it belongs.
    private func canBeTriedAgain(_ attempt: RetryAttempt) -> Bool {
        let goesOn = isResumable && plan.resumption != .none && writer.file.representation.isContinuable
        // What a reader has got cannot be taken back.
        if isDescriptor, writer.putOutCount > 0 { return goesOn }
        // By itself the command tries only what goes on where it stopped.
        if plan.retries.scope == .resumable, attempt.hasContent { return goesOn || writer.position == 0 }
        return true
    }

    private func decide(_ attempt: RetryAttempt, because reason: String) -> Bool {
        let verdict = state.verdict(
            after: attempt, elapsed: .now - beginning, random: .random(in: .min ... .max))
        guard case .wait(let time) = verdict else { return false }
        retryCount += 1
        wait = time
        observe(.retrying(number: retryCount, after: time, reason: reason))
        return true
    }

    private func pause() async throws(TransferError) {
        guard let time = wait.take(), time > .zero else { return }
        guard await NetworkActor.loop.sleep(until: .now + time) else {
            throw await abandoned(TransferError(.cancelled, during: .prepare, "cancelled"))
        }
    }

    /// The failure, and what is kept in spite of it.
    private func abandoned(_ error: TransferError) async -> TransferError {
        // Heads may be on their way to a reader, of an answer whose content is not wanted.
        if plan.includesHeads, error.code == .httpFailure || error.code == .conditionNotMet {
            // The first failure is told.
            do throws(TransferError) { try await writer.drain(until: deadline) } catch {}
        }
        var failure = error
        let wasInPlace = writer.file.isInPlace
        if let part = writer.abandon() {
            await writer.file.settle()
            failure.part = part
            failure.continuation = wasInPlace ? .goesOnIfAsked : writer.file.continuation
            if !wasInPlace {
                let what = failure.code == .writeFailed ? "what was written" : "what was received"
                failure.detail += "; \(what) is kept in \(part)"
            }
        }
        return failure
    }
}

/// What several transfers of one download add up to.
private struct Sums {
    private var heads: UInt64 = 0
    private var requests: UInt64 = 0
    private var content: UInt64 = 0
    private var connections = 0
    private var start: Instant?

    mutating func add(_ report: TransferReport) {
        heads += report.headOctets
        requests += report.requestOctets
        content += report.contentOctets
        connections += report.connectionsOpened
        start = start ?? report.timings.start
    }

    /// The last report, with what came before it.
    func added(to report: TransferReport) -> TransferReport {
        guard let start else { return report }
        var report = report
        report.headOctets += heads
        report.requestOctets += requests
        report.contentOctets += content
        report.connectionsOpened += connections
        report.timings.start = start
        return report
    }
}
