import Download
import HTTPClient
import HTTPMessage
import Transport

// What becomes of an answer, and where its content goes.
extension Load: ContentSink {
    /// The head is in: decides what the answer is, asking the follower where it is the load's. False cancels.
    func judge(_ response: HTTPResponse) async -> Bool {
        let answer = response.from(current.uri, asked: request.uri)
        if let next = await answered(answer) {
            verdict = next
            return !isCancelled
        }
        verdict = asksForRest ? decide(on: answer) : .wanted
        switch verdict {
        case .wanted, .anew:
            if await follower?.mayReceive(answer) ?? false { return true }
            verdict = .failure(TransferError(.cancelled, during: .content, "cancelled"))
            return false
        case .rest, .another, .complete, .failure: return true
        }
    }

    /// What an answer to the request for the rest is.
    private func decide(on answer: HTTPResponse) -> Verdict {
        let decision = ResumeDecision(
            on: answer, from: current.uri, toRequestFrom: part.length, having: part, .automatic,
            isNext: mayBeWhole)
        switch decision {
        case .goOn(let count): return .rest(count: count)
        case .complete: return .complete
        case .startOver where target.canBeginAnew: return .anew
        case .askForWhole where target.canBeginAnew:
            part = PartialRepresentation()
            return .another(request)
        case .startOver: return .failure(lost("it has changed"))
        case .askForWhole(let mismatch): return .failure(lost("\(mismatch)"))
        case .fail: return .failure(lost("the server answered \(answer.statusText)"))
        }
    }

    private func lost(_ reason: String) -> TransferError {
        TransferError(
            .badResume, during: .content,
            "cannot go on with \(request.uri.withoutUserinfoAndFragment) behind \(part.length) octets: \(reason)"
        )
    }

    // MARK: ContentSink

    func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError) {
        switch verdict {
        case .wanted, .anew:
            let response = response.from(current.uri, asked: request.uri)
            note(beginning: response)
            expected = length
            try target.begin(response, length: length)
        case .rest(let count):
            if let length, length != count { throw mismatch(length, count) }
            try target.goOn()
            promised = count
            // The first answer may not have known.
            part.completeLength = part.completeLength ?? response.contentRange?.completeLength
            expected = part.completeLength
            follower?.goesOn(
                response.from(current.uri, asked: request.uri), at: part.length, of: part.completeLength)
        case .complete:
            try target.goOn()
            transfer?.drop(response, length: length)
        case .another: transfer?.drop(response, length: length)
        case .failure(let error): throw error
        }
    }

    func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        try count(content.count)
        let demand = try target.write(content)
        follower?.hasReceived(TransferProgress(received: part.length, expected: expected))
        if demand == .pause { isHeldUp = true }
        return demand
    }

    var spliceTarget: SpliceTarget? { target.spliceTarget }

    func didSplice(_ count: Int) throws(TransferError) {
        try self.count(count)
        target.didSplice(count)
        follower?.hasReceived(TransferProgress(received: part.length, expected: expected))
    }

    func end(trailers: HTTPFields) throws(TransferError) {
        if let promised, promised > 0, case .rest(let count) = verdict {
            throw mismatch(count - promised, count)
        }
    }

    private func count(_ octets: Int) throws(TransferError) {
        part.length += UInt64(octets)
        guard let promised, case .rest(let count) = verdict else { return }
        guard UInt64(octets) <= promised else { throw mismatch(count - promised + UInt64(octets), count) }
        self.promised = promised - UInt64(octets)
    }

    private func mismatch(_ length: UInt64, _ count: UInt64) -> TransferError {
        TransferError(
            .badResponse, during: .content,
            "the server sent \(length) octets where its Content-Range says \(count)")
    }
}
