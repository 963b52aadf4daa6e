import HTTPClient
import HTTPMessage
import System
import Transport

// What becomes of a try that did not bring everything.
extension DownloadRun {
    /// What the writer made of an answer leads to another request.
    func settleVerdict() async throws(TransferError) {
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
    func isRetried(_ response: HTTPResponse) -> Bool {
        guard response.status.isFailure, plan.retries.maximumRetries > 0 else { return false }
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
    func settle(_ error: TransferError, of transfer: Transfer) async throws(TransferError) {
        // Who ended it is not to be asked whether it goes on.
        let isEnded = Task.isCancelled || transfer.isCancelled && !writer.patienceEnded
        // The answer was ended here.
        if !isEnded, writer.verdict == .mustStartOver(.otherOctets) { return try await settleVerdict() }
        try await tryAgain(after: writer.explained(error), isEnded: isEnded)
    }

    /// The next try begins after a wait; or the failure is thrown.
    func tryAgain(after failure: TransferError, isEnded: Bool) async throws(TransferError) {
        // Abandoned already, while waiting.
        guard failure.part == nil else { throw failure }
        // Of a status that is a failure it was decided when the head came, by all its fields.
        if !isEnded, failure.code != .cancelled, failure.code != .httpFailure {
            var attempt = RetryAttempt(error: failure)
            attempt.hasContent = writer.received > 0
            // What was begun anew keeps nothing of what came before: that is no progress.
            let isKept = retryCount == 0 || writer.asked != nil && writer.anew == nil
            attempt.newOctets = isKept && writer.position > mostOctets ? writer.position - mostOctets : 0
            if canBeTriedAgain(attempt) {
                if let patience = patience(after: attempt) {
                    try await waitForNetwork(patience, after: failure)
                    return prepareTry(after: failure)
                }
                if decide(attempt, because: failure.detail) {
                    prepareTry(after: failure)
                    // What a server has asked for is no matter of networks.
                    return try await pause(endsWithChange: attempt.retryAfter == nil)
                }
            }
        }
        throw await abandoned(failure)
    }

    /// Makes what the failed try has left ready for the next one.
    private func prepareTry(after failure: TransferError) {
        // A whole answer that was begun can be gone on with, whatever came before it.
        if writer.asked == nil, writer.received > 0 { mustAskForWhole = false }
        if failure.code == .digestMismatch { mustAskForWhole = true }
        mostOctets = max(mostOctets, writer.position)
        isAfterBreak = true
    }

    /// How long the network is waited for; `nil` where it is there, or would not help.
    private func patience(after attempt: RetryAttempt) -> Duration? {
        guard let connectivity = plan.connectivity, !connectivity.hasWay(to: peers) else { return nil }
        return state.patience(after: attempt, elapsed: .now - beginning)
    }

    /// Stands still until there is a way to the host. Throws where none comes.
    private func waitForNetwork(_ patience: Duration, after failure: TransferError)
        async throws(TransferError)
    {
        let beginning = Instant.now
        observe(.waitingForNetwork(reason: failure.detail, limit: patience))
        guard await plan.connectivity?.waitForWay(to: peers, until: beginning + patience) ?? false else {
            guard !Task.isCancelled else {
                throw await abandoned(TransferError(.cancelled, during: .prepare, "cancelled"))
            }
            var failure = failure
            failure.detail += "; no network came within \(patience.inSeconds.formattedSeconds)"
            throw await abandoned(failure)
        }
        // Connections that stood over the network that was lost lead nowhere now.
        client.closeIdleConnections()
        observe(.networkIsBack(after: .now - beginning))
    }

    /// Whether another try could bring the content to where it belongs.
    private func canBeTriedAgain(_ attempt: RetryAttempt) -> Bool {
        let goesOn = isResumable && plan.resumption != .none && writer.file.representation.isContinuable
        // What a reader has got cannot be taken back.
        if plan.hasReader, writer.putOutCount > 0 { return goesOn }
        // By itself the command tries only what goes on where it stopped.
        if plan.retries.scope == .resumable, attempt.hasContent { return goesOn || writer.position == 0 }
        return true
    }

    private func decide(_ attempt: RetryAttempt, because reason: String) -> Bool {
        let verdict = state.verdict(
            after: attempt, elapsed: .now - beginning, random: .random(in: .min ... .max))
        switch verdict {
        case .wait(let time):
            retryCount += 1
            wait = time
            observe(.retrying(number: retryCount, after: time, reason: reason))
            return true
        // Who waits for nothing more should know that more time would help.
        case .giveUp(let cause) where cause.isOfTime:
            observe(.notRetrying(reason: "\(cause)"))
            return false
        case .giveUp: return false
        }
    }

    /// The shortest that a change of the network makes a wait: one that comes and goes must not use up the tries at once.
    private static let shortestWait = Duration.seconds(1)

    /// Waits for the time of the next try, or, where the network may be why the last has failed, for a change of that.
    private func pause(endsWithChange: Bool = false) async throws(TransferError) {
        guard let time = wait.take(), time > .zero else { return }
        let beginning = Instant.now
        var end = beginning + time
        if endsWithChange, let connectivity = plan.connectivity, await connectivity.waitForChange(until: end)
        {
            end = min(end, beginning + DownloadRun.shortestWait)
        }
        guard !Task.isCancelled, await NetworkActor.loop.sleep(until: end) else {
            throw await abandoned(TransferError(.cancelled, during: .prepare, "cancelled"))
        }
    }

    /// The failure, and what is kept in spite of it.
    func abandoned(_ error: TransferError) async -> TransferError {
        // Heads may be on their way to a reader, of an answer whose content is not wanted.
        if plan.includesHeads, error.code == .httpFailure || error.code == .conditionNotMet {
            // The first failure is the one to tell.
            do throws(TransferError) { try await writer.drain(until: deadline) } catch {}
        }
        var failure = error
        let wasInPlace = writer.file.isInPlace
        guard var part = writer.abandon() else { return failure }
        if plan.resumesAsCurl, plan.resumption.isAsked, !wasInPlace, let path = writer.file.giveName() {
            part = path
        }
        // In a task of its own: who has interrupted waits for the disk all the same, or does so again.
        await Task(executorPreference: NetworkActor.loop) { [file = writer.file] in await file.settle() }
            .value
        guard !wasInPlace else {
            if failure.code == .digestMismatch {
                failure.detail += "; \(part) is as it was before: remove it to begin anew"
            } else if writer.file.hasGrown {
                failure.part = part
                failure.continuation = .goesOnIfAsked
            }
            return failure
        }
        let what = failure.code == .writeFailed ? "what was written" : "what was received"
        failure.detail += "; \(what) is kept in \(part)"
        failure.part = part
        failure.continuation = writer.file.continuation
        return failure
    }
}
