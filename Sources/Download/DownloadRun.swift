import HTTPCache
import HTTPClient
import HTTPMessage
import System
import Transport

/// One download, in as many requests as it takes: the loop above `Client.send` that goes on where something is there
/// already, asks piece by piece, and tries again what has failed.
@NetworkActor
final class DownloadRun {
    let plan: DownloadPlan
    let client: Client
    let writer: DownloadWriter
    var state: RetryState
    let beginning = Instant.now
    /// When the try under way began, all its pieces included.
    private var tryBeginning = Instant.now
    var retryCount = 0
    /// The wait before the next try, once an answer was given up for it.
    var wait: Duration?
    /// The answers so far are of a representation whose parts cannot be put together.
    var mustAskForWhole = false
    /// How much of it a person says to be there, by `-C`.
    private var vouched: UInt64?
    /// The next request goes on after a break.
    var isAfterBreak = true
    /// The octets that were there at most: what comes again is not new.
    var mostOctets: UInt64 = 0
    private var sums = TransferSums()
    let isResumable: Bool
    /// The host's addresses, as far as a try has found them.
    private(set) var peers: [SocketAddress] = []

    init(_ plan: DownloadPlan, _ client: Client) {
        self.plan = plan
        self.client = client
        writer = DownloadWriter(plan)
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
            var report: TransferReport?
            do throws(TransferError) { report = try await transfer.run() } catch {
                if !transfer.addresses.isEmpty { peers = transfer.addresses }
                if let answer = transfer.answer {
                    try await writer.drain(until: deadline)
                    return received(answer, failure: error)
                }
                try await settle(error, of: transfer)
            }
            guard let report else { continue }
            do throws(TransferError) {
                if let answer = try await settle(report) { return answer }
            } catch {
                try await tryAgain(after: error, isEnded: Task.isCancelled)
            }
        }
    }

    // MARK: What is there

    /// Looks for a part, or a file, to go on with. Throws `partInUse`, `badResume`, `writeFailed`.
    private func findWhatIsThere() throws(TransferError) {
        guard isResumable, plan.resumption != .none else { return }
        if case .offset(let offset) = plan.resumption { return try findFile(of: offset) }
        guard plan.destination != .nowhere, !plan.hasReader else { return }
        // Another Host is another resource, which no record tells.
        if !plan.resumesAsCurl, !plan.request.fields.contains(.host), try findPart() { return }
        if plan.resumption == .fileSize { try findFile(of: nil) }
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
        guard plan.takenNames.folders.mustLook(at: name.path, in: plan.folder) else {
            return RecordPlace(forFile: name.path)
        }
        return OutputFile.place(of: name, in: plan.folder).map { RecordPlace(forFile: $0) }
    }

    /// `-C`: the file of the name itself is gone on with; `offset` is how long it must be.
    private func findFile(of offset: UInt64?) throws(TransferError) {
        if let offset {
            writer.base = offset
            vouched = offset
        }
        guard offset != 0, let name = plan.chosenName,
            let path = OutputFile.place(of: name, in: plan.folder)
        else { return }
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
        vouched = found.size
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
        writer.prepare(asked, isAfterBreak: isAfterBreak)
        if asked == nil { writer.base = 0 }
        var request = plan.request
        if let asked {
            request.fields.append(.range, asked.fieldValue)
            // A weak validator is none (RFC 9110, section 13.1.5).
            if writer.position > 0, let validator = writer.file.representation.validator {
                request.fields.append(.ifRange, validator)
            }
            if writer.position > 0, isAfterBreak {
                observe(.resuming(at: writer.position))
            }
        }
        if isAfterBreak { tryBeginning = .now }
        let transfer = client.transfer(
            request, content: plan.content, into: writer, options: options(for: request), hooks: hooks)
        if let asked, writer.position > 0 {
            transfer.contentBefore = asked.first
            transfer.wholeExpected = writer.file.representation.completeLength
        }
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
            // Of another version the rest is no rest. Where nothing is known, a person's word counts for what was there.
            guard part.isContinuable || position == vouched,
                plan.resumption != .none || plan.pieceSize != nil && !isAfterBreak
            else {
                return nil
            }
        } else if plan.pieceSize == nil {
            return nil
        }
        var first = position
        // What a reader has got is here no more.
        if isAfterBreak, !plan.hasReader { first -= min(plan.resumeOverlap, position - writer.base) }
        // What only a person's word holds together is no more than two pieces.
        guard let size = plan.pieceSize, size > 0, position == 0 || part.isContinuable else {
            return AskedRange(first: first)
        }
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

    func observe(_ event: TransferEvent) { plan.hooks.observe?(event) }

    var deadline: Deadline {
        plan.options.totalTimeout.map { Deadline(.total, at: tryBeginning + $0, duration: $0) } ?? .never
    }

    // MARK: Answers

    /// An answer came whole. Returns what the download has brought, or `nil` where more is to be asked for.
    func settle(_ report: TransferReport) async throws(TransferError) -> ReceivedContent? {
        if let reason = writer.anew { observe(.startingOver(reason: reason)) }
        switch writer.verdict {
        case .wanted: break
        case .isComplete: return try await finish(report)
        case .mustStartOver, .isRetried:
            try await settleVerdict()
            return nil
        }
        if writer.overlap != nil {
            // What was to be compared has not come: nothing is proved.
            mustAskForWhole = true
            isAfterBreak = true
            observe(.startingOver(reason: "the server sent too little to compare"))
            return nil
        }
        if !writer.refusesAnswer, let asked = writer.asked, report.response.status == .partialContent,
            isMoreToCome(asked, report)
        {
            try await writer.verify(isAll: false)
            sums.add(report)
            isAfterBreak = false
            return nil
        }
        return try await finish(report)
    }

    private func isMoreToCome(_ asked: AskedRange, _ report: TransferReport) -> Bool {
        let part = writer.file.representation
        if let length = part.completeLength { return writer.position < length }
        // Nobody has said how much there is, and an answer may be shorter than what was asked for: only what comes next
        // tells. curl leaves it at that.
        return !plan.resumesAsCurl || asked.last.map { writer.position > $0 } ?? false
    }

    private func finish(_ report: TransferReport) async throws(TransferError) -> ReceivedContent {
        try await writer.drain(until: deadline)
        try await verify()
        if plan.synchronizes { try await writer.synchronize() }
        return received(report)
    }

    /// Whether what is there is what it should be. What is not keeps its part, for a person to look at; but nobody goes on
    /// with it.
    private func verify() async throws(TransferError) {
        guard !writer.refusesAnswer else { return }
        do throws(TransferError) { try await writer.verify(isAll: true) } catch {
            if error.code == .digestMismatch { try writer.file.disown() }
            throw error
        }
        for expectation in writer.verified { observe(.verified("\(expectation)")) }
    }

    private func received(_ report: TransferReport, failure: TransferError? = nil) -> ReceivedContent {
        ReceivedContent(
            report: sums.added(to: report), writer: writer, retries: retryCount, resumedAt: writer.resumedAt,
            failure: failure)
    }
}
