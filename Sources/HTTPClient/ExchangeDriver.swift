import HTTPMessage
import HTTPWire
import System
import Transport

/// Moves the octets of one exchange between a stream and its machine: the only loop that does.
@NetworkActor
final class ExchangeDriver {
    /// Content larger than this is bulk: the loop sleeps for it, and the kernel is told to wake it seldom.
    static let bulk: UInt64 = 256 << 10

    let request: HTTPRequest
    let outgoing: OutgoingContent
    /// Decides what becomes of redirects; `nil` delivers them.
    var chain: RedirectChain?
    /// The cache's part in it, where there is one.
    var stage: CacheStage?
    /// Octets of content that came from the cache, before those that come now, and how many there are in all.
    var storedPrefix: (length: UInt64, of: UInt64)?
    let connection: PooledConnection
    let transfer: Transfer
    let configuration: ClientConfiguration
    let total: Deadline
    var exchange: Exchange
    var response: HTTPResponse?
    private var trailers: HTTPFields?
    /// The final response is there to the end of its content.
    var isAnswerWhole: Bool { trailers != nil }
    private var headOctets: UInt64 = 0
    var requestOctets: UInt64 = 0
    /// Octets moved since other tasks had a turn.
    private var moved = 0
    var isBulk = false
    var spliceIsRefused = false
    /// Undoes content codings, where the transfer wants that and there are any.
    var decoder: ContentDecoder?
    /// Watches over the speed, where that has a limit.
    private var speed: SpeedGuard?
    /// Keeps the speed down, where that has a limit.
    var pacer: RatePacer?
    /// When octets last went either way; kept only where speed is watched over.
    private var lastProgress = Instant.distantFuture
    var hasSentAll = false
    /// The server has ended what it sends, behind a whole answer.
    var hasSeenEnd = false
    /// The sending has ended early, behind a whole answer that says success.
    var isCut = false
    /// Why not all of the content was sent though a whole answer says success.
    var unsent: TransferError?
    /// The content may be sent: the server has said so (100).
    var hasGoAhead = false
    /// What came first is an alert of TLS.
    private(set) var speaksTLS = false
    /// The server does not answer such questions (417): the request must go out without.
    var isExpectationRefused = false

    init(
        _ request: HTTPRequest, _ outgoing: OutgoingContent, on connection: PooledConnection,
        for transfer: Transfer,
        configuration: ClientConfiguration, total: Deadline
    ) {
        self.request = request
        self.outgoing = outgoing
        self.connection = connection
        self.transfer = transfer
        self.configuration = configuration
        self.total = total
        exchange = Exchange(
            method: request.method, limits: configuration.wireLimits, leniency: configuration.leniency,
            offersUpgrade: request.fields.contains(.upgrade),
            deliversBody: transfer.options.contentForm == .raw, keepsHeads: transfer.options.keepsHeads)
    }

    /// No octet of a response has come.
    var isUnanswered: Bool { !exchange.hasReceivedOctets }

    /// Whether the connection can serve another exchange now.
    var reuseVerdict: ReuseVerdict {
        guard isAnswerWhole else { return .responseIncomplete }
        guard hasSentAll else { return .requestIncomplete }
        // Whoever asks for the end of the connection must not send on it again (RFC 9112, section 9.6).
        if request.fields.contains(.connection),
            CommaList(.connection, in: request.fields).contains(token: "close")
        {
            return .closeRequested
        }
        return exchange.reuseVerdict(unreadOctets: connection.buffer.unreadCount)
    }

    /// Sends the request and reads the response to the end of its content.
    func run(opened: Int) async throws(TransferError) -> TransferReport {
        connection.exchanges += 1
        transfer.stream = connection.stream
        defer {
            setBulk(false)
            transfer.stream = nil
        }
        if let limit = transfer.options.speedLimit {
            lastProgress = .now
            speed = SpeedGuard(limit, at: lastProgress)
        }
        if let rate = transfer.options.rateLimit { pacer = RatePacer(octetsPerSecond: rate, at: .now) }
        try await send()
        try await receiveToTheEnd()
        if isBulk { connection.stream.expectBulk(0) }
        guard let response, let trailers = trailers ?? (transfer.dropped == nil ? nil : HTTPFields()) else {
            throw TransferError(.badResponse, during: .content, "no response")
        }
        if transfer.timings.end == nil { transfer.timings.end = .now }
        let report = TransferReport(
            request: request, response: response, trailers: trailers, timings: transfer.timings,
            headOctets: headOctets, requestOctets: requestOctets, contentOctets: exchange.contentReceived,
            contentSent: transfer.contentSent, remoteAddress: connection.stream.remoteAddress,
            localAddress: connection.localAddress,
            connectionsOpened: opened, connection: connection.number)
        if let unsent {
            transfer.answer = report
            throw unsent
        }
        return report
    }

    // MARK: Receiving

    /// Reads to the end of the content. That of a redirect that is followed is worth only so much.
    func receiveToTheEnd() async throws(TransferError) {
        do throws(TransferError) {
            while !isAnswerWhole {
                guard let dropped = transfer.dropped else {
                    try await receive()
                    continue
                }
                guard !dropped.isTooLong, try await receive(patience: dropped.until) else { return }
            }
        } catch {
            // Whatever is wrong with content that nobody is to see: the head said where to go.
            guard transfer.dropped != nil, error.code != .cancelled, total.instant > .now else { throw error }
        }
    }

    /// One portion from the stream, and all events in it. False when `patience` ended before anything came.
    @discardableResult
    func receive(patience: Deadline? = nil) async throws(TransferError) -> Bool {
        if transfer.isPaused { try await waitWhilePaused() }
        try checkWhetherToGoOn()
        if connection.buffer.unreadCount == 0 {
            if pacer != nil { try await keepPace() }
            // Asked here first: each call that may wait costs, even if it does not.
            if exchange.skippableContent > 0, try await splice() { return true }
            // Coded content is copied once more, so less of it is taken at a time.
            let isSmall = response == nil || decoder != nil
            let limit = min(
                isSmall ? ReceiveBuffer.headPortion : ReceiveBuffer.capacity, pacer?.portion ?? .max)
            let count: Int
            do throws(TransportError) {
                count = try await connection.stream.receive(
                    into: connection.buffer, atMost: limit,
                    until: patience.map { .earlier($0, total) } ?? deadline)
            } catch {
                if isTimeToCheckSpeed(error) { return true }
                if patience != nil, case .timedOut(.none, _) = error.reason { return false }
                if try await wasHeld(error) { return true }
                // Only content that ends with its connection can be cut without a sign of it (RFC 9112, section 9.8).
                guard error.reason == .cutShort, exchange.framing != .untilClose else {
                    throw failure(error, during: phase)
                }
                try endOfStream()
                return true
            }
            // Who has paused while this was waited for learns of it, and of an end, when they go on.
            if transfer.isPaused { try await waitWhilePaused() }
            guard count > 0 else {
                try endOfStream()
                return true
            }
            noteProgress(count)
            pacer?.count(count, at: .now)
            if isTurnOver(count) { await NetworkActor.loop.yield() }
        }
        if transfer.timings.firstOctet == nil { transfer.timings.firstOctet = .now }
        if isUnanswered {
            // A record of TLS with an alert (RFC 8446, section 5.1), which is how it answers plain text.
            speaksTLS = connection.buffer.read { $0.count > 1 && $0[0] == 0x15 && $0[1] == 0x03 }
        }
        try await readEvents()
        return true
    }

    /// Where octets are always at hand nothing waits, and only who waits learns of time-outs and cancellation.
    func checkWhetherToGoOn() throws(TransferError) {
        if transfer.isCancelled { throw failure(TransportError(.cancelled), during: phase) }
        if total.instant < .distantFuture, total.instant <= .now {
            throw failure(TransportError(.timedOut(total.limit, after: total.duration)), during: phase)
        }
        if let limit = transfer.options.speedLimit, speed?.isTooSlow(at: .now) ?? false {
            var error = TransferError(
                .timedOut, during: phase,
                "the transfer from \(host) made less than \(limit.octetsPerSecond) octets a second for "
                    + limit.duration.inSeconds.formattedSeconds + (progress.map { "; \($0)" } ?? ""))
            error.cause = .speed
            throw error
        }
    }

    /// Nothing came until the speed is due to be looked at, which `checkWhetherToGoOn` does.
    func isTimeToCheckSpeed(_ error: TransportError) -> Bool {
        if case .timedOut(.speed, _) = error.reason { true } else { false }
    }

    func noteProgress(_ count: Int) {
        guard speed != nil else { return }
        speed?.count(count)
        lastProgress = .now
    }

    func waitWhilePaused() async throws(TransferError) {
        do throws(TransportError) { try await transfer.waitWhilePaused(until: total) } catch {
            throw failure(error, during: phase)
        }
        pacer?.restart(at: .now)
        restartSpeed()
    }

    /// Holds a failure back as long as the transfer is paused. True where it is none: a pause is no silence of the server's.
    func wasHeld(_ error: TransportError) async throws(TransferError) -> Bool {
        guard transfer.isPaused, !transfer.isCancelled else { return false }
        try await waitWhilePaused()
        if case .timedOut(.idle, _) = error.reason { return true }
        return false
    }

    /// Rests until the transfer is no faster than it may be.
    func keepPace() async throws(TransferError) {
        while let end = pacer?.pauseEnd(at: .now) {
            // A limit below may be reached meanwhile.
            let next = min(end, speed?.nextCheck ?? end)
            let until = Deadline.earlier(Deadline(.speed, at: next, duration: .zero), total)
            guard await transfer.wait(Pause(), until: until) != .cancelled else {
                throw failure(TransportError(.cancelled), during: phase)
            }
            try checkWhetherToGoOn()
        }
        // That is no silence of the server's.
        if speed != nil { lastProgress = .now }
    }

    private func restartSpeed() {
        guard speed != nil else { return }
        lastProgress = .now
        speed?.restart(at: lastProgress)
    }

    /// The longest silence.
    var idleLimit: Duration { transfer.options.idleTimeout ?? configuration.idleTimeout }

    var deadline: Deadline {
        let idle = idleLimit
        guard let speed, let limit = transfer.options.speedLimit else {
            return .earlier(Deadline(.idle, in: idle), total)
        }
        let check = Deadline(.speed, at: speed.nextCheck, duration: limit.duration)
        return .earlier(.earlier(check, Deadline(.idle, at: lastProgress + idle, duration: idle)), total)
    }

    func endOfStream() throws(TransferError) {
        while !isAnswerWhole {
            let event: Exchange.Event
            do throws(WireError) { event = try exchange.receiveEndOfStream() } catch { throw failure(error) }
            try handle(event)
        }
    }

    /// What one look into the buffer led to.
    private enum Step {
        case needsInput
        case paused
        /// The decoder was given octets.
        case coded
        case event(Exchange.Event)
    }

    func readEvents() async throws(TransferError) {
        while !isAnswerWhole {
            var used = 0
            let step: Step
            do throws(TransferError) {
                step = try connection.buffer.read { (input) throws(TransferError) -> Step in
                    try readContent(input, at: &used)
                }
            } catch {
                connection.buffer.consume(used)
                throw error
            }
            connection.buffer.consume(used)
            switch step {
            case .needsInput: return
            case .paused:
                transfer.pause()
                try await waitWhilePaused()
            case .coded: try await decode()
            case .event(let event):
                try handle(event)
                if case .response(let head) = event { try await accept(head) }
            }
        }
    }

    /// Content goes to the sink as long as it is lent; anything else is handed back.
    private func readContent(_ input: Span<UInt8>, at used: inout Int) throws(TransferError) -> Step {
        while true {
            let event: Exchange.Event
            do throws(WireError) { event = try exchange.nextEvent(in: input, at: &used) } catch {
                throw failure(error)
            }
            switch event {
            case .needsInput: return .needsInput
            case .content(let range):
                try countContent(range.count)
                if let stage, stage.isRecording { stage.record(input.extracting(range)) }
                if let decoder {
                    transfer.sink.willDecode(input.extracting(range))
                    decoder.give(input.extracting(range))
                    return .coded
                }
                if try transfer.sink.write(input.extracting(range)) == .pause { return .paused }
            default: return .event(event)
            }
        }
    }

    private func handle(_ event: Exchange.Event) throws(TransferError) {
        switch event {
        case .interim(let response):
            if response.status == .continue { hasGoAhead = true }
            transfer.observe(.interim(response))
        case .response(let response):
            self.response = response
            transfer.timings.head = .now
            headOctets = exchange.headOctets
            if stage == nil { transfer.observe(.response(response)) }
        case .earlierContent(let octets):
            try countContent(octets.count)
            stage?.record(octets.span)
            if try transfer.sink.write(octets.span) == .pause { transfer.pause() }
        case .end(let trailers):
            if let storedPrefix { try checkLength(behind: storedPrefix) }
            try decoder?.end()
            self.trailers = trailers
            stage?.isWhole = true
            transfer.timings.end = .now
            try transfer.sink.end(trailers: trailers)
            transfer.observe(.contentReceived(trailers: trailers))
        case .needsInput, .content: break
        }
    }

    func countContent(_ count: Int) throws(TransferError) {
        guard transfer.dropped == nil else { return }
        let received = exchange.contentReceived + (storedPrefix?.length ?? 0)
        if let storedPrefix, received > storedPrefix.of {
            throw TransferError(
                .badResponse, during: .content,
                "\(host) sent more than the \(storedPrefix.of) octets that it said there are")
        }
        transfer.contentReceived = received
        try transfer.checkLimit(received)
        if exchange.contentReceived > ExchangeDriver.bulk { setBulk(true) }
        transfer.observe(.content(count: count, total: received))
    }

    // MARK: Turns

    func setBulk(_ value: Bool) {
        guard value != isBulk else { return }
        isBulk = value
        if value { NetworkActor.loop.bulkTransferBegan() } else { NetworkActor.loop.bulkTransferEnded() }
    }

    /// Whether so many octets more are enough for others to have a turn.
    func isTurnOver(_ count: Int) -> Bool {
        moved += count
        guard moved >= ReceiveBuffer.capacity else { return false }
        moved = 0
        return true
    }
}
