import HTTPCache
import HTTPMessage
import System
import Transport

// How a response reaches the caller, wherever it comes from.
extension Transfer {
    /// The head goes to the caller: who may refuse it, has limits, may want the content decoded. `check` is done behind
    /// what takes time. Returns the decoder of the content, where it is decoded.
    func begin(
        _ response: HTTPResponse, length: UInt64?, limits: DecodingLimits,
        check: () throws(TransferError) -> Void = {}
    ) async throws(TransferError) -> ContentDecoder? {
        contentExpected = length
        if let didReceive = hooks.didReceive, !(await didReceive(response)) {
            throw TransferError(.cancelled, during: .content, "the response was refused")
        }
        if hooks.didReceive != nil {
            if isCancelled { throw TransferError(.cancelled, during: .content, "cancelled") }
            try check()
        }
        if let limit = options.maximumContentLength, let length, length > limit {
            throw TransferError(
                .tooLarge, during: .content,
                "the content has \(length) octets, more than the \(limit) allowed")
        }
        var decoder: ContentDecoder?
        if options.contentForm == .decoded, length != 0 {
            var limits = limits
            // Whoever says how much there may be has said how far it may expand.
            if options.maximumContentLength != nil { limits.unlimitedOctets = .max }
            do throws(TransferError) { decoder = try ContentDecoder(of: response, limits: limits) } catch {
                // An answer that the sink refuses for its status is told as that.
                try sink.begin(response, length: nil)
                throw error
            }
        }
        try sink.begin(response, length: decoder == nil ? length : nil)
        return decoder
    }

    /// Whether a stored answer can be brought to the sink in one go: nothing is to be waited for.
    func canDeliverAtOnce(_ answer: CacheAnswer) -> Bool {
        let length = answer.range.upperBound - answer.range.lowerBound
        return hooks.didReceive == nil && options.contentForm == .asSent && !isPaused && !isCancelled
            && length <= UInt64(Transfer.smallContent) && length <= options.maximumContentLength ?? .max
    }

    /// Brings such an answer to the sink.
    func deliverAtOnce(_ answer: CacheAnswer) throws(TransferError) {
        let length = answer.range.upperBound - answer.range.lowerBound
        contentExpected = length
        try sink.begin(answer.response, length: length)
        guard length > 0 else { return }
        contentReceived = length
        observe(.content(count: Int(length), total: length))
        try answer.content.forEachPart(in: answer.range) { (part) throws(TransferError) in
            // Nothing follows that a pause could hold up.
            _ = try sink.write(part.span)
        }
    }

    /// Content up to this size is no burden to other work.
    private static let smallContent = 256 << 10

    /// Brings stored octets to the sink, a portion at a time.
    func write(
        _ content: StoredContent, _ range: Range<UInt64>, _ decoder: ContentDecoder?, until total: Deadline
    ) async throws(TransferError) {
        var parts: [ArraySlice<UInt8>] = []
        content.forEachPart(in: range) { parts.append($0) }
        for part in parts {
            var rest = part
            while !rest.isEmpty {
                if isPaused { try await waitForResumption(until: total) }
                let portion = rest.prefix(Transfer.portion)
                rest = rest.dropFirst(portion.count)
                contentReceived += UInt64(portion.count)
                observe(.content(count: portion.count, total: contentReceived))
                if let decoder {
                    sink.willDecode(portion.span)
                    decoder.give(portion.span)
                    try await decode(decoder) { (found) throws(TransferError) in
                        if case .pause = found {
                            try await waitForResumption(until: total)
                        } else {
                            // One portion may hold a thousand times as much.
                            try await yield(during: .content, until: total)
                        }
                    }
                } else if try sink.write(portion.span) == .pause {
                    pause()
                }
                if !rest.isEmpty { try await yield(during: .content, until: total) }
            }
        }
    }

    /// Lets other work go on: where nothing is waited for, it would have no turn. Throws where the transfer was cancelled
    /// meanwhile, or its time is over.
    func yield(during phase: TransferError.Phase, until total: Deadline) async throws(TransferError) {
        await NetworkActor.loop.yield()
        if isCancelled { throw failure(TransportError(.cancelled), during: phase) }
        if total.instant < .distantFuture, total.instant <= .now {
            throw failure(TransportError(.timedOut(total.limit, after: total.duration)), during: phase)
        }
    }

    /// Octets that are brought to the sink between two looks at other work.
    private static let portion = 1 << 20

    /// What stands between two portions of decoded content.
    enum DecodingBreak {
        /// The decoder has worked for long without a result.
        case work
        /// The sink wants no more for now.
        case pause
        /// So many octets were brought to the sink.
        case portion(Int)
    }

    /// Passes on all that the decoder can make of what it was given; `goOn` is called at each break.
    func decode(
        _ decoder: ContentDecoder, goOn: (DecodingBreak) async throws(TransferError) -> Void
    ) async throws(TransferError) {
        while true {
            var count = 0
            let progress = try decoder.next { (octets) throws(TransferError) -> SinkDemand in
                count = octets.count
                try checkLimit(decoder.decoded)
                return try sink.write(octets)
            }
            switch progress {
            case .needsInput: return
            case .working: try await goOn(.work)
            case .decoded(.pause):
                pause()
                try await goOn(.pause)
            case .decoded(.more): try await goOn(.portion(count))
            }
        }
    }

    /// Throws `tooLarge` where so many octets are more than the caller allows, those that were there before counted.
    func checkLimit(_ octets: UInt64) throws(TransferError) {
        guard let limit = options.maximumContentLength, octets > limit - min(limit, contentBefore) else {
            return
        }
        throw TransferError(
            .tooLarge, during: .content, "the content has more than the \(limit) octets allowed")
    }

    private func waitForResumption(until total: Deadline) async throws(TransferError) {
        do throws(TransportError) { try await waitWhilePaused(until: total) } catch {
            throw failure(error, during: .content)
        }
    }

    private func failure(
        _ error: TransportError, during phase: TransferError.Phase
    ) -> TransferError {
        TransferError(error, host: "\(request.uri.host) port \(request.uri.effectivePort)", during: phase)
    }
}
