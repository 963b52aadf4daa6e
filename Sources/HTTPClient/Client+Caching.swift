import HTTPCache
import HTTPMessage
import System
import Transport

// The cache as a stage of each hop (RFC 9111).
extension Client {
    /// How often a response that the cache has no use for may lead to the same request again.
    private static let mostAttempts = 3

    /// The answer to one hop's request: what is stored, where the cache says so, else the origin's. `made` is what the
    /// cache has decided already.
    func answer(
        _ chain: RedirectChain, _ made: CacheDecision?, for transfer: Transfer, total: Deadline
    ) async throws(TransferError) -> TransferReport {
        let request = chain.request
        guard let cache = configuration.cache else {
            // The policy keeps the request from the network whether there is a cache or not.
            if transfer.options.cachePolicy == .returnCacheDataDontLoad {
                throw notInCache(request, "there is no cache")
            }
            return try await exchange(
                prepared(request, transfer.options), chain, for: transfer, total: total)
        }
        guard let decision = made ?? cacheDecision(on: request, transfer, hasStream: chain.content != nil)
        else {
            return try await exchange(
                prepared(request, transfer.options), chain, for: transfer, total: total)
        }
        switch decision {
        case .answer(let answer):
            return try await deliver(answer, to: request, chain, for: transfer, total: total, behind: nil)
        case .answerAndValidate(let answer, let forwarded):
            validateInBackground(forwarded, cache, transfer.options)
            return try await deliver(answer, to: request, chain, for: transfer, total: total, behind: nil)
        case .notStored(let status):
            let isBypassed = status.detail == CacheStatus.Forward.bypass.rawValue
            throw notInCache(
                request, isBypassed ? "the cache has no part in such a request" : "no stored response fits")
        case .forward(let forwarded):
            return try await ask(forwarded, of: cache, chain, for: transfer, total: total)
        }
    }

    private func notInCache(_ request: HTTPRequest, _ reason: String) -> TransferError {
        TransferError(
            .notInCache, during: .prepare,
            "\(Redirects.name(of: request.uri)) is not asked for: \(reason), and \(CachePolicy.returnCacheDataDontLoad.rawValue) asks nobody else"
        )
    }

    /// What the cache says of a request; `nil` where it has no part in it. It follows exchanges of the target that the URI
    /// names, with the content as HTTP has it. What an unsafe method does concerns it in any case, and so does the word
    /// that nobody else is to be asked.
    func cacheDecision(on request: HTTPRequest, _ transfer: Transfer) -> CacheDecision? {
        cacheDecision(on: request, transfer, hasStream: transfer.content != nil)
    }

    private func cacheDecision(
        on request: HTTPRequest, _ transfer: Transfer, hasStream: Bool
    ) -> CacheDecision? {
        guard let cache = configuration.cache, let policy = transfer.options.cachePolicy else { return nil }
        let isFollowed =
            !request.method.isSafe
            || transfer.options.requestTarget == nil
                && transfer.options.contentForm != .raw && !hasStream
        let request = prepared(request, transfer.options)
        return cache.with {
            isFollowed
                ? $0.decide(on: request, policy: policy, at: $1)
                : $0.refusal(of: request, policy: policy, at: $1)
        }
    }

    /// Asks the origin, and does with its response what the cache says.
    private func ask(
        _ first: ForwardedRequest, of cache: ResponseCache, _ chain: RedirectChain, for transfer: Transfer,
        total: Deadline
    ) async throws(TransferError) -> TransferReport {
        var forwarded = first
        var attempts = 0
        while true {
            let stage = CacheStage(cache, forwarded)
            let next: ForwardedRequest
            do throws(TransferError) {
                var report = try await exchange(forwarded.request, chain, for: transfer, total: total, stage)
                switch stage.outcome {
                case .delivered:
                    stage.end()
                    report.cacheStatus = stage.status
                    if let status = stage.status { transfer.observe(.passedCache(status)) }
                    return report
                case .answer(let answer):
                    return try await deliver(
                        answer, to: forwarded.request, chain, for: transfer, total: total, behind: report)
                case .sendAgain(let request): next = request
                }
            } catch {
                stage.end()
                transfer.answer?.cacheStatus = stage.status
                guard stage.status == nil else { throw error }
                guard let wasReached = error.reachedSilentOrigin else {
                    // What the origin cannot answer is not asked for again.
                    if error.code != .cancelled { cache.with { cache, _ in cache.giveUp(forwarded) } }
                    throw error
                }
                switch cache.with({ $0.fail(forwarded, wasReached: wasReached, at: $1) }) {
                case .fail: throw error
                case .answer(let answer):
                    transfer.observe(.usingStored(insteadOf: error))
                    return try await deliver(
                        answer, to: forwarded.request, chain, for: transfer, total: total, behind: nil)
                case .sendAgain(let request): next = request
                }
            }
            attempts += 1
            guard attempts < Self.mostAttempts else {
                throw TransferError(
                    .badResponse, during: .firstByte,
                    "\(Redirects.name(of: first.request.uri)) answered conditions that were not asked for, again and again"
                )
            }
            forwarded = next
            transfer.beginExchange(isRedirect: false)
            transfer.observe(.resendingUnconditionally)
        }
    }

    // MARK: Stored answers

    /// Brings a stored answer to the caller before anything is made ready for more than that; `nil` where that cannot be,
    /// and nothing has happened.
    func answerAtOnce(
        _ answer: CacheAnswer, to request: HTTPRequest, for transfer: Transfer
    ) throws(TransferError) -> TransferReport? {
        guard !answer.response.status.isRedirection, transfer.canDeliverAtOnce(answer) else { return nil }
        transfer.timings.head = .now
        transfer.observe(.answeredFromCache(answer.status))
        transfer.observe(.response(answer.response))
        try transfer.deliverAtOnce(answer)
        try transfer.sink.end(trailers: HTTPFields())
        transfer.observe(.contentReceived(trailers: HTTPFields()))
        transfer.timings.end = transfer.timings.head
        return Client.report(answer, to: request, transfer)
    }

    private static func report(
        _ answer: CacheAnswer, to request: HTTPRequest, _ transfer: Transfer
    ) -> TransferReport {
        var report = TransferReport(
            request: request, response: answer.response, trailers: HTTPFields(), timings: transfer.timings,
            headOctets: 0, requestOctets: 0, contentOctets: transfer.contentReceived, connectionsOpened: 0,
            connection: 0)
        report.source = answer.source
        report.cacheStatus = answer.status
        return report
    }

    /// Brings an answer that is stored, or that the cache has made, to the caller. `report` is of the exchange that has
    /// shown it to be good.
    private func deliver(
        _ answer: CacheAnswer, to request: HTTPRequest, _ chain: RedirectChain, for transfer: Transfer,
        total: Deadline, behind report: TransferReport?
    ) async throws(TransferError) -> TransferReport {
        transfer.dropped = nil
        transfer.contentReceived = 0
        transfer.timings.head = .now
        transfer.observe(.answeredFromCache(answer.status))
        transfer.observe(.response(answer.response))
        let isFollowed =
            answer.response.status.isRedirection ? try await chain.follows(answer.response) : false
        if !isFollowed {
            let length = answer.range.upperBound - answer.range.lowerBound
            let decoder = try await transfer.begin(
                answer.response, length: length, limits: configuration.decodingLimits)
            try await transfer.write(answer.content, answer.range, decoder, until: total)
            try decoder?.end()
            try transfer.sink.end(trailers: HTTPFields())
            transfer.observe(.contentReceived(trailers: HTTPFields()))
        }
        transfer.timings.end = .now
        guard var report else { return Client.report(answer, to: request, transfer) }
        report.response = answer.response
        report.trailers = HTTPFields()
        report.timings = transfer.timings
        report.contentOctets = transfer.contentReceived
        report.source = answer.source
        report.cacheStatus = answer.status
        return report
    }

    // MARK: In the background

    /// Validates what has answered a request though it was stale (RFC 5861, section 3). Nobody waits for it, and nobody
    /// learns that it failed.
    private func validateInBackground(
        _ forwarded: ForwardedRequest, _ cache: ResponseCache, _ options: TransferOptions
    ) {
        let key = CacheKey(forwarded.request)
        guard cache.beginValidation(of: key) else { return }
        var options = options
        options.redirects = nil
        options.contentForm = .asSent
        let transfer = Transfer(
            forwarded.request, content: nil, into: DroppedContent(), options: options, hooks: TransferHooks(),
            client: self)
        let chain = RedirectChain(forwarded.request, for: transfer)
        let total = options.totalTimeout.map { Deadline(.total, in: $0) } ?? .never
        Task(executorPreference: NetworkActor.loop) {
            await self.finishValidation(forwarded, of: cache, chain, for: transfer, total: total)
            cache.endValidation(of: key)
        }
    }

    private func finishValidation(
        _ forwarded: ForwardedRequest, of cache: ResponseCache, _ chain: RedirectChain,
        for transfer: Transfer,
        total: Deadline
    ) async {
        // What fails leaves what is stored as it was.
        _ = try? await ask(forwarded, of: cache, chain, for: transfer, total: total)
    }
}

extension TransferError {
    /// Where the origin said nothing, whether a connection to it stood; `nil` where it has said something. What is stored
    /// may answer then (RFC 9111, section 4.2.4). That somebody else answered, by a wrong certificate, is no such thing.
    fileprivate var reachedSilentOrigin: Bool? {
        switch code {
        case .notResolved, .couldNotConnect: false
        case .emptyReply: true
        case .sendFailed, .receiveFailed: phase == .content ? nil : true
        case .timedOut where cause == .resolveTime || cause == .connectTime: false
        case .timedOut where cause == .silence: true
        default: nil
        }
    }
}
