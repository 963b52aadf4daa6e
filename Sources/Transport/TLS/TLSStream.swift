import System

/// TLS over any stream: what is sent and received is encrypted, and the peer is who it should be (RFC 8446).
@NetworkActor
public final class TLSStream: ByteStream {
    /// Most plaintext collected in one call: more gains nothing but memory.
    private static let portion = 256 << 10
    /// Most ciphertext received in one call: twice as much gains a fiftieth, for as much memory.
    private static let cipherPortion = 128 << 10
    /// Most ciphertext taken without any content in it, and for a handshake: who sends more keeps this side busy for
    /// nothing, such as by changes of keys without end. Certificates are at most 100 KiB.
    private static let longestChatter: UInt64 = 1 << 20
    /// Most plaintext encrypted before it is sent.
    private static let sendPortion = 64 << 10

    private let lower: any ByteStream
    private let engine: TLSEngine
    /// Received and not decrypted.
    private let input: ReceiveBuffer
    /// Encrypted and not sent, from `outputStart` on.
    private var output: [UInt8] = []
    private var outputStart = 0
    /// Octets of the caller's that `output` hides and that do not count as sent yet.
    private var encryptedCount = 0
    /// Octets of the caller's that count as sent and of which he has not been told.
    private var untoldCount = 0
    private var lowerHasEnded = false
    private var isClosed = false
    /// Octets of ciphertext used when content came last.
    private var receivedAtContent: UInt64 = 0
    /// What was agreed on.
    public let summary: TLSSummary

    private init(_ lower: any ByteStream, _ engine: TLSEngine, _ input: ReceiveBuffer, _ summary: TLSSummary)
    {
        self.lower = lower
        self.engine = engine
        self.input = input
        self.summary = summary
    }

    /// The addresses of the stream below.
    public var remoteAddress: SocketAddress? { lower.remoteAddress }
    /// The addresses of the stream below.
    public var localAddress: SocketAddress? { lower.localAddress }

    // MARK: The handshake

    /// Secures `lower` as a connection to `host`, a name or an address without brackets. `port` only tells sessions
    /// of different servers apart. Closes `lower` when that fails. Throws `tlsFailed`, `timedOut`, `cancelled`.
    public static func secure(
        _ lower: any ByteStream, host: String, port: UInt16, context: TLSContext, until deadline: Deadline
    ) async throws(TransportError) -> TLSStream {
        do throws(TransportError) {
            let engine: TLSEngine
            do throws(TLSFailure) { engine = try TLSEngine(context, host: host, port: port) } catch {
                throw TransportError(.tlsFailed(error))
            }
            let input = try ReceiveBuffer()
            let output = try await shakeHands(engine, input, lower, until: deadline)
            guard let summary = engine.summary else { throw TransportError(.closed) }
            let stream = TLSStream(lower, engine, input, summary)
            stream.output = output
            return stream
        } catch {
            lower.close()
            throw error
        }
    }

    /// Returns what is left to send: where the peer speaks before it took this side's last message, which may be to
    /// refuse it.
    private static func shakeHands(
        _ engine: TLSEngine, _ input: ReceiveBuffer, _ lower: any ByteStream, until deadline: Deadline
    ) async throws(TransportError) -> [UInt8] {
        var output: [UInt8] = []
        while true {
            var step = TLSEngine.Step.done
            var failure: TLSFailure?
            do throws(TLSFailure) { step = try engine.shakeHands(input) } catch { failure = error }
            // Also where it failed: the alert tells the peer why.
            output += engine.takeOutput()
            do throws(TransportError) {
                output = try await send(output, over: lower, until: deadline)
            } catch {
                // The peer takes no more, perhaps behind an alert that says why: whoever receives next is told.
                guard failure != nil || error.isFailedSend else { throw error }
                output = []
            }
            if let failure { throw TransportError(.tlsFailed(failure)) }
            switch step {
            case .done: return output
            case .closed: throw TransportError(.tlsFailed(engine.endedEarly))
            case .needsInput: try await receive(engine, input, lower, until: deadline)
            }
        }
    }

    /// Sends until all is out or the peer speaks; returns what is left.
    private static func send(
        _ octets: [UInt8], over lower: any ByteStream, until deadline: Deadline
    ) async throws(TransportError) -> [UInt8] {
        var sent = 0
        while sent < octets.count {
            switch try await lower.send(octets, from: sent, until: deadline) {
            case .sent(let end): sent = end
            case .peerSpeaks(let end): return Array(octets[end...])
            }
        }
        return []
    }

    /// More input for the handshake; its end is a failure.
    private static func receive(
        _ engine: TLSEngine, _ input: ReceiveBuffer, _ lower: any ByteStream, until deadline: Deadline
    ) async throws(TransportError) {
        let count: Int
        do throws(TransportError) {
            count = try await lower.receive(
                into: input, atMost: ReceiveBuffer.headPortion, until: deadline)
        } catch {
            guard case .receiveFailed(let cause) = error.reason else { throw error }
            throw TransportError(
                .tlsFailed(TLSFailure(.handshake, "the connection broke: \(cause.explanation)")))
        }
        guard count > 0 else { throw TransportError(.tlsFailed(engine.endedEarly)) }
        guard engine.received <= longestChatter else {
            throw TransportError(
                .tlsFailed(
                    TLSFailure(.handshake, "it sent more than \(longestChatter) octets without an end")))
        }
    }

    // MARK: Receiving

    /// Receives content; 0 only behind the peer's close_notify. Throws `cutShort` when the stream below ends without
    /// one, `tlsFailed` after an alert, and what that stream throws.
    public func receive(
        into buffer: ReceiveBuffer, atMost limit: Int, until deadline: Deadline
    ) async throws(TransportError) -> Int {
        while true {
            if let count = try receiveAtHand(buffer, limit) { return count }
            // What this side owes the peer (the answer to a KeyUpdate, the rest of a request) goes out first.
            try await sendOwed(until: deadline)
            guard !lowerHasEnded else { throw TransportError(.cutShort) }
            let portion =
                limit > ReceiveBuffer.headPortion ? TLSStream.cipherPortion : ReceiveBuffer.headPortion
            let count = try await lower.receive(into: input, atMost: portion, until: deadline)
            if count == 0 { lowerHasEnded = true }
        }
    }

    /// Decrypts what is there; `nil` when that is no content yet, 0 at the end.
    private func receiveAtHand(_ buffer: ReceiveBuffer, _ limit: Int) throws(TransportError) -> Int? {
        guard !isClosed else { throw TransportError(.closed) }
        do throws(TLSFailure) {
            var step = TLSEngine.Step.needsInput
            let count = try buffer.fill(atMost: min(limit, TLSStream.portion)) { (room) throws(TLSFailure) in
                var count = 0
                step = try engine.read(input, into: room, count: &count)
                return count
            }
            switch step {
            case .done:
                receivedAtContent = engine.received
                return count
            case .needsInput:
                try checkChatter()
                return nil
            case .closed: return 0
            }
        } catch {
            throw TransportError(.tlsFailed(error))
        }
    }

    private func checkChatter() throws(TLSFailure) {
        guard engine.received - receivedAtContent > TLSStream.longestChatter else { return }
        throw TLSFailure(
            .broken, "it sent more than \(TLSStream.longestChatter) octets of TLS without any content")
    }

    /// Receives what has arrived, without a wait; `nil` when that is no content.
    public func receiveAtHand(
        into buffer: ReceiveBuffer, atMost limit: Int
    ) throws(TransportError) -> Int? {
        while true {
            if let count = try receiveAtHand(buffer, limit) { return count }
            guard !lowerHasEnded else { throw TransportError(.cutShort) }
            guard let count = try lower.receiveAtHand(into: input, atMost: ReceiveBuffer.headPortion) else {
                return nil
            }
            if count == 0 { lowerHasEnded = true }
        }
    }

    /// Whether nothing came that belongs to somebody: tickets and other messages of TLS itself are read here.
    public var isQuiet: Bool {
        guard !isClosed, !lowerHasEnded, outputStart == output.count else { return false }
        // A server that talks for ever without saying anything is not quiet.
        for _ in 0..<16 {
            do {
                guard try engine.look(input) == .needsInput else { return false }
                if lower.isQuiet { return true }
                guard let count = try lower.receiveAtHand(into: input, atMost: ReceiveBuffer.headPortion)
                else {
                    return false  // neither quiet nor anything to read: closed, or about to be
                }
                guard count > 0 else { return false }
            } catch {
                // What is broken is not quiet; nobody waits for the reason.
                return false
            }
        }
        return false
    }

    /// Whether something waits in this stream or below.
    public var mayHaveInput: Bool { engine.pendingCount > 0 || input.unreadCount > 0 || lower.mayHaveInput }

    /// Ciphertext is never shorter than what it hides: so much less what is here already is certain to come.
    public func expectBulk(_ octets: UInt64) {
        guard octets > 0 else {
            lower.expectBulk(0)
            if input.unreadCount == 0 { input.trim() }
            return
        }
        // Up to one record may lie half received inside of OpenSSL.
        let here = UInt64(input.unreadCount + engine.pendingCount + TLSEngine.longestRecord + 512)
        lower.expectBulk(octets > here ? octets - here : 0)
    }

    // MARK: Sending

    /// Encrypts and sends. Octets count as sent as far as what hides them is out. After an offset below the end, and
    /// after a time-out, the next call must bring the same octets from there: some of them are encrypted already.
    public func send(
        _ octets: [UInt8], from offset: Int, until deadline: Deadline
    ) async throws(TransportError) -> SendResult {
        var sent = offset
        while true {
            guard !isClosed else { throw TransportError(.closed) }
            sent += untoldCount
            untoldCount = 0
            if outputStart == output.count {
                guard sent < octets.count else { return .sent(upTo: sent) }
                try encrypt(octets, from: sent)
            }
            let progress = try await sendSome(until: deadline)
            sent += untoldCount
            untoldCount = 0
            switch progress {
            case .all: continue
            case .some: return .sent(upTo: sent)
            case .peerSpeaks: return .peerSpeaks(at: sent)
            }
        }
    }

    private func encrypt(_ octets: [UInt8], from start: Int) throws(TransportError) {
        let count = min(octets.count - start, TLSStream.sendPortion)
        let engine = engine
        do throws(TLSFailure) {
            let failure = octets.withUnsafeBytes { bytes -> TLSFailure? in
                let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
                do throws(TLSFailure) { try engine.write(part) } catch { return error }
                return nil
            }
            if let failure { throw failure }
        } catch {
            throw TransportError(.tlsFailed(error))
        }
        output += engine.takeOutput()
        encryptedCount = count
    }

    private enum Progress { case all, some, peerSpeaks }

    /// Sends what is encrypted, as far as it goes without a second wait.
    private func sendSome(until deadline: Deadline) async throws(TransportError) -> Progress {
        while outputStart < output.count {
            switch try await lower.send(output, from: outputStart, until: deadline) {
            case .sent(let end):
                countSent(upTo: end)
                if end < output.count { return .some }
            case .peerSpeaks(let end):
                countSent(upTo: end)
                // It may be no more than a ticket: whoever wants to send is told only of what concerns him.
                guard try takeMessages() else { return .peerSpeaks }
            }
        }
        output.removeAll(keepingCapacity: true)
        outputStart = 0
        return .all
    }

    /// The caller's octets that are out: their part of the ciphertext that is, since who watches the speed must not see
    /// it stand still while a portion goes out.
    private func countSent(upTo end: Int) {
        let share = encryptedCount * (end - outputStart) / (output.count - outputStart)
        encryptedCount -= share
        untoldCount += share
        outputStart = end
    }

    /// Reads the messages of TLS itself that have come. False when there is something else: content, an end, a fault.
    private func takeMessages() throws(TransportError) -> Bool {
        guard !lowerHasEnded else { return false }
        if let count = try lower.receiveAtHand(into: input, atMost: ReceiveBuffer.headPortion), count == 0 {
            lowerHasEnded = true
            return false
        }
        // A fault is met again, in its own words, by whoever receives.
        guard let step = try? engine.look(input), step == .needsInput, (try? checkChatter()) != nil else {
            return false
        }
        output.removeFirst(outputStart)
        outputStart = 0
        output += engine.takeOutput()
        return true
    }

    /// Sends what TLS itself has to say, such as the answer to a KeyUpdate (RFC 8446, section 4.6.3).
    private func sendOwed(until deadline: Deadline) async throws(TransportError) {
        let owed = engine.takeOutput()
        guard !owed.isEmpty, encryptedCount == 0 else {
            output += owed
            return
        }
        output += owed
        while outputStart < output.count {
            let result: SendResult
            do throws(TransportError) {
                result = try await lower.send(output, from: outputStart, until: deadline)
            } catch {
                guard error.isFailedSend else { throw error }
                // Who takes no answers may still have said something: that goes before.
                outputStart = output.count
                break
            }
            // Whatever the peer says meanwhile is received by the caller.
            guard case .sent(let end) = result else { return }
            outputStart = end
        }
        output.removeAll(keepingCapacity: true)
        outputStart = 0
    }

    /// Where nothing else waits to be sent; parts of a record would be of no use.
    public func sendAtOnce(_ octets: [UInt8]) {
        guard !isClosed, outputStart == output.count, !octets.isEmpty else { return }
        let failure = octets.withUnsafeBytes { bytes -> TLSFailure? in
            do throws(TLSFailure) { try engine.write(bytes) } catch { return error }
            return nil
        }
        if failure == nil { lower.sendAtOnce(engine.takeOutput()) }
    }

    // MARK: Splicing and closing

    /// Octets must pass through the process to be decrypted.
    public var canSplice: Bool { false }

    /// Refuses.
    public func splice(
        to target: Int32, at offset: Int64?, atMost count: UInt64, until deadline: Deadline
    ) async throws(TransportError) -> SpliceResult { .refused(moved: 0, leftover: []) }

    /// Sends close_notify, if that goes without a wait, and closes the stream below.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        // Said even where it is not sent: OpenSSL forbids to resume the session of a connection that only vanished.
        engine.sayGoodbye()
        // Not into the middle of a record.
        if outputStart == output.count, !lowerHasEnded { lower.sendAtOnce(engine.takeOutput()) }
        lower.close()
    }
}

extension TransportError {
    fileprivate var isFailedSend: Bool {
        if case .sendFailed = reason { true } else { false }
    }
}
