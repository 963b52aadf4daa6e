import HTTPMessage
import HTTPWire
import System
import Transport

extension ExchangeDriver {
    /// Content up to this size goes out together with its head.
    private static let smallContent = 64 << 10
    /// Octets of content that are read at once while they are sent.
    private static let portion = 256 << 10

    /// Sends head and content, unless a response ends the sending before.
    func send() async throws(TransferError) {
        transfer.timings.ready = .now
        transfer.observe(.requestHead(outgoing.head))
        let head = outgoing.head.count
        let isWhole: Bool
        if let octets = inOnePiece {
            isWhole = try await put(octets, contentFrom: head)
        } else {
            isWhole = try await sendInParts()
        }
        guard isWhole else { return }
        hasSentAll = true
        transfer.timings.sent = .now
        transfer.observe(.requestSent(octets: Int(clamping: requestOctets)))
    }

    /// Head and content, where there is little of it.
    private var inOnePiece: [UInt8]? {
        switch outgoing.source {
        case .none: outgoing.head
        case .octets(let content)
        where !outgoing.expectsContinue && content.count <= Self.smallContent && pacer == nil:
            outgoing.head + content
        case .octets, .stream: nil
        }
    }

    /// Whether all went out.
    private func sendInParts() async throws(TransferError) -> Bool {
        let head = outgoing.head
        guard try await put(head, contentFrom: head.count) else { return false }
        if outgoing.expectsContinue {
            guard try await awaitContinue() else { return false }
        }
        switch outgoing.source {
        case .none: return true
        case .octets(let content):
            guard let portion = pacer?.portion else { return try await put(content, contentFrom: 0) }
            for start in stride(from: 0, to: content.count, by: portion) {
                let octets = Array(content[start..<min(start + portion, content.count)])
                guard try await put(octets, contentFrom: 0) else { return false }
            }
            return true
        case .stream(let content): return try await send(content)
        }
    }

    /// Waits for the go-ahead, but not for long: a server may not know the question (RFC 9110, section 10.1.1). False
    /// where a final response came in its place: then nobody wants the content.
    private func awaitContinue() async throws(TransferError) -> Bool {
        transfer.observe(.awaitingContinue)
        let patience = Deadline(.none, in: transfer.options.continueTimeout)
        while !hasGoAhead, response == nil {
            guard try await receive(patience: patience) else {
                transfer.observe(.continuing)
                return true
            }
        }
        // A go-ahead and then a success, though they came together, still leave the content to be sent.
        return response == nil || hasGoAhead && !endsSending
    }

    /// Sends content portion by portion.
    private func send(_ content: any RequestContent) async throws(TransferError) -> Bool {
        let length = outgoing.length.octets
        var remaining = length ?? .max
        while remaining > 0 {
            // A server that takes everything as fast as it comes never makes a sending wait, which is when the stream
            // looks for an answer by itself.
            if transfer.hasReadContent { try await listen(for: .zero) }
            guard !endsSending, !isCut else { return false }
            transfer.hasReadContent = true
            let limit = Int(min(remaining, UInt64(min(Self.portion, pacer?.portion ?? .max))))
            guard let portion = try await nextPortion(of: content, atMost: limit) else { return false }
            guard !portion.isEmpty else { break }
            if isTurnOver(portion.count) { await NetworkActor.loop.yield() }
            if length == nil {
                // chunk = chunk-size CRLF chunk-data CRLF (RFC 9112, section 7.1)
                let chunk = Array("\(String(portion.count, radix: 16))\r\n".utf8) + portion + [0x0D, 0x0A]
                guard try await put(chunk, contentFrom: chunk.count) else { return false }
                countSent(portion.count)
            } else {
                remaining -= UInt64(portion.count)
                guard try await put(portion, contentFrom: 0) else { return false }
            }
        }
        guard let length else {
            let last = Array("0\r\n\r\n".utf8)
            return try await put(last, contentFrom: last.count)
        }
        guard remaining == 0 else {
            throw TransferError(
                .readFailed, during: .send,
                "the content to send ended \(remaining) octets short of the \(length) it was said to have")
        }
        return true
    }

    /// What a portion is read into: a generic result would cost every wait.
    private final class Portion {
        var octets: [UInt8] = []
        var failure: TransferError?
    }

    /// The next octets of content; `nil` where the server ends the sending. Content may be long in coming, from a
    /// person or another program: meanwhile the server is listened to, and behind its whole answer no longer than a
    /// silence may be.
    private func nextPortion(
        of content: any RequestContent, atMost limit: Int
    ) async throws(TransferError) -> [UInt8]? {
        let start = Instant.now
        while true {
            try checkWhetherToGoOn()
            let portion = Portion()
            let until = Deadline.earlier(Deadline(.none, in: .milliseconds(200)), total)
            await transfer.interruptibly {
                do throws(TransferError) {
                    portion.octets = try await content.next(atMost: limit, until: until)
                } catch {
                    portion.failure = error
                }
            }
            guard let failure = portion.failure else {
                guard portion.octets.count <= limit else {
                    throw TransferError(
                        .readFailed, during: .send,
                        "the content to send came in larger portions than were asked for")
                }
                return portion.octets
            }
            guard failure.code == .timedOut else { throw failure }
            try await listen(for: .milliseconds(200))
            // A server that has closed wholly looks like one that still takes content, as long as there is none to send.
            if isAnswerWhole, !endsSending, hasSeenEnd || takeEnd(),
                .now - max(start, transfer.timings.end ?? start) >= idleLimit
            {
                cutSending(hasSeenEnd ? .closed : .silence(idleLimit))
            }
            if endsSending || isCut { return nil }
        }
    }

    /// Takes what the server says, if it says anything.
    private func listen(for time: Duration) async throws(TransferError) {
        guard !isAnswerWhole, !connection.stream.isQuiet else { return }
        try await receive(patience: Deadline(.none, in: time))
    }

    /// Sends octets, those of content from `contentFrom` on. False where a response ends the sending.
    private func put(_ octets: [UInt8], contentFrom: Int) async throws(TransferError) -> Bool {
        if pacer != nil { try await keepPace() }
        var sent = 0
        while sent < octets.count {
            try checkWhetherToGoOn()
            let before = sent
            let result: SendResult
            do throws(TransportError) {
                result = try await connection.stream.send(octets, from: sent, until: deadline)
            } catch {
                if isTimeToCheckSpeed(error) { continue }
                if isAnswerWhole, case .timedOut(.idle, let duration) = error.reason {
                    cutSending(.silence(duration))
                    return false
                }
                guard case .sendFailed = error.reason else { throw failure(error, during: .send) }
                // The peer closed, perhaps behind a response that says why: that goes before the failed sending.
                try await receiveAfterFailedSend(error)
                return false
            }
            switch result {
            case .sent(let offset), .peerSpeaks(let offset): sent = offset
            }
            requestOctets += UInt64(sent - before)
            noteProgress(sent - before)
            pacer?.count(sent - before, at: .now)
            if sent > contentFrom { countSent(sent - max(before, contentFrom)) }
            if case .peerSpeaks = result {
                if isAnswerWhole {
                    guard takeEnd() else { return false }
                    continue
                }
                try await receive()
                // It has not got the whole request yet.
                if endsSending { return false }
            }
        }
        return true
    }

    /// Behind a whole answer comes nothing but the end of what the server sends, or octets of nobody's. Behind the end
    /// it may still take content (RFC 9112, section 9.6), which shows when it no longer does.
    private func takeEnd() -> Bool {
        if !hasSeenEnd, connection.buffer.unreadCount == 0 {
            // Messages of TLS itself are nothing said.
            if connection.stream.isQuiet { return true }
            do throws(TransportError) {
                let count = try connection.stream.receiveAtHand(
                    into: connection.buffer, atMost: ReceiveBuffer.headPortion)
                hasSeenEnd = count == 0
                if count == nil || count == 0 { return true }
            } catch {}  // reset, or cut: it takes no more
        }
        cutSending(.closed)
        return false
    }

    /// A final response that is no success ends the sending (RFC 9112, section 9.5). A success does so only where it is
    /// whole and says that the connection ends with it (section 9.6): behind any other the server may act on the content
    /// all the same (RFC 9110, section 7.5).
    private var endsSending: Bool {
        guard let response else { return false }
        return !response.status.isSuccess || isAnswerWhole && announcesClose(response)
    }

    /// Content that ends with its connection announces nothing.
    private func announcesClose(_ response: HTTPResponse) -> Bool {
        if CommaList(.connection, in: response.fields).contains(token: "close") { return true }
        return exchange.reuseVerdict(unreadOctets: 0) == .versionWithoutPersistence
    }

    private func countSent(_ count: Int) {
        guard count > 0 else { return }
        transfer.contentSent += UInt64(count)
        transfer.contentToSend = outgoing.length.octets
        transfer.observe(.sent(count: transfer.contentSent, total: outgoing.length.octets))
    }

    private func receiveAfterFailedSend(_ cause: TransportError) async throws(TransferError) {
        do throws(TransferError) { try await receiveToTheEnd() } catch {
            // An alert is the reason itself (RFC 8446, section 6.2).
            let isReason = exchange.hasReceivedOctets || error.phase == .tls
            throw isReason ? error : failure(cause, during: .send)
        }
        if !endsSending { cutSending(.closed) }
    }

    /// What ends the sending behind a success that is whole.
    private enum Cut {
        case closed
        case silence(Duration)
    }

    /// The server has said nothing about content that never arrived, which it may have meant to act on (RFC 9110,
    /// section 7.5).
    private func cutSending(_ cut: Cut) {
        guard !isCut, let response else { return }
        isCut = true
        let sent = "\(transfer.contentSent)" + (outgoing.length.octets.map { " of \($0)" } ?? "")
        let answer = "\(host) answered \(response.status.code)"
        unsent =
            switch cut {
            case .closed:
                TransferError(
                    .sendFailed, during: .send,
                    "\(answer) and closed the connection after \(sent) octets of the content")
            case .silence(let duration):
                TransferError(
                    .timedOut, during: .send,
                    "\(answer), and nothing more of the content went out for "
                        + "\(duration.inSeconds.formattedSeconds): \(sent) octets were sent")
            }
    }
}
