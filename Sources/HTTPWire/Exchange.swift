public import HTTPMessage

/// What one request is answered with: interim responses, the final response, its content and its trailer
/// section.
///
/// Octets go in, events come out; the machine never waits and knows no connection. The driver's loop:
///
///     input → nextEvent ─┬─ needsInput ──→ read more, or receiveEndOfStream when there is no more
///                        ├─ interim*, response, content*, end
///                        └─ throws: the connection is of no more use
public struct Exchange: Sendable {
    /// What one call read.
    public enum Event: Sendable {
        /// All input is used; call again with more.
        case needsInput
        /// A 1xx response; more follows.
        case interim(HTTPResponse)
        /// The final head. `framing` is known now.
        case response(HTTPResponse)
        /// Octets of content, as offsets in the input just given.
        case content(Range<Int>)
        /// Octets of content that came with an earlier input: the at most four octets of an HTTP/0.9 response
        /// that looked like the beginning of "HTTP/". Comes only with `Leniency.allowsHTTP09`.
        case earlierContent([UInt8])
        /// The response is complete. What follows in the input belongs to nobody yet; behind 101 and a
        /// successful CONNECT it belongs to the protocol that begins there.
        case end(trailers: HTTPFields)
    }

    private enum State: Sendable {
        case head(ResponseHeadParser)
        case earlierContent([UInt8])
        case lengthDelimited(LengthDelimitedContent)
        case chunked(ChunkedContent)
        case untilClose(UntilCloseContent)
        case ended(HTTPFields)
        case failed(WireError)
    }

    private var state: State
    private let method: HTTPMethod
    private let limits: WireLimits
    private let leniency: Leniency
    private let offersUpgrade: Bool
    private let deliversBody: Bool
    private let keepsHeads: Bool
    private var interimResponses = 0
    /// What the final head says; `nil` before it.
    private var facts: HeadFacts?
    private var hasConnectionEnded = false

    /// Octets of content received so far, with those of `skipContent`.
    public private(set) var contentReceived: UInt64 = 0

    /// Whether any octet of a response came: when not, and the connection was used before, the request may be
    /// sent again (RFC 9112, section 9.3.1).
    public private(set) var hasReceivedOctets = false

    /// An exchange whose request has `method`; `offersUpgrade` when that request has an Upgrade field. With
    /// `deliversBody` the transfer coding is read, but not undone: content events name the octets of the body. With
    /// `keepsHeads` the heads hold their octets as they came, too.
    public init(
        method: HTTPMethod, limits: WireLimits = WireLimits(), leniency: Leniency = Leniency(),
        offersUpgrade: Bool = false, deliversBody: Bool = false, keepsHeads: Bool = false
    ) {
        self.method = method
        self.limits = limits
        self.leniency = leniency
        self.offersUpgrade = offersUpgrade
        self.deliversBody = deliversBody
        self.keepsHeads = keepsHeads
        state = .head(ResponseHeadParser(limits: limits, leniency: leniency, keepsOctets: keepsHeads))
    }

    /// How the content's end is found; `nil` before the final head.
    public var framing: ContentFraming? { facts?.framing }

    /// Transfer codings that are still on the content and were not undone, in the order they were applied.
    /// Content with such a coding is not what the server meant to send (RFC 9112, section 7).
    public var unknownTransferCodings: [String] { facts?.unknownTransferCodings ?? [] }

    /// Plain content still to come that may be moved without this machine: what remains of a declared length,
    /// `UInt64.max` where it ends with the connection, else 0.
    public var skippableContent: UInt64 {
        switch state {
        case .lengthDelimited(let content): content.remaining
        case .untilClose: .max
        case .head, .earlierContent, .chunked, .ended, .failed: 0
        }
    }

    /// Counts octets of content that were moved from the connection without this machine. More than
    /// `skippableContent` is a mistake in the program, which traps.
    public mutating func skipContent(_ count: UInt64) {
        precondition(count <= skippableContent, "more octets skipped than there is plain content")
        if case .lengthDelimited(var content) = state {
            content.skip(count)
            state = .lengthDelimited(content)
        }
        countContent(count)
    }

    /// Reads one event from `input[offset...]` and moves `offset` past what it used. Behind `.end` every call
    /// returns `.end` and uses nothing; behind an error every call throws that error.
    public mutating func nextEvent(
        in input: Span<UInt8>, at offset: inout Int
    ) throws(WireError) -> Event {
        switch state {
        case .head(var parser):
            if offset < input.count { hasReceivedOctets = true }
            // Moved, not copied: the parser's memory must have one owner while it grows.
            state = .ended(HTTPFields())
            do throws(WireError) {
                switch try parser.nextEvent(in: input, at: &offset) {
                case .needsInput:
                    state = .head(parser)
                    return .needsInput
                case .head(let response):
                    return try receive(response, at: parser.position)
                }
            } catch {
                if case .notHTTP = error.reason, takesHTTP09 { return beginHTTP09(with: parser.held) }
                state = .failed(error)
                throw error
            }

        case .earlierContent(let octets):
            state = .untilClose(UntilCloseContent())
            countContent(UInt64(octets.count))
            return .earlierContent(octets)

        case .lengthDelimited(var content):
            switch content.nextEvent(in: input, at: &offset) {
            case .needsInput:
                return .needsInput
            case .content(let range):
                state = .lengthDelimited(content)
                countContent(UInt64(range.count))
                return .content(range)
            case .end:
                return end(with: HTTPFields())
            }

        case .chunked(var content):
            state = .ended(HTTPFields())  // moved, as above
            let start = offset
            do throws(WireError) {
                let event = try content.nextEvent(in: input, at: &offset)
                state = .chunked(content)
                if deliversBody, offset > start {
                    // The end, if that was it, comes again with the next call.
                    countContent(UInt64(offset - start))
                    return .content(start..<offset)
                }
                switch event {
                case .needsInput:
                    return .needsInput
                case .content(let range):
                    countContent(UInt64(range.count))
                    return .content(range)
                case .end(let trailers):
                    return end(with: trailers)
                }
            } catch {
                state = .failed(error)
                throw error
            }

        case .untilClose(let content):
            switch content.nextEvent(in: input, at: &offset) {
            case .needsInput:
                return .needsInput
            case .content(let range):
                countContent(UInt64(range.count))
                return .content(range)
            }

        case .ended(let trailers):
            return .end(trailers: trailers)

        case .failed(let error):
            throw error
        }
    }

    /// The peer closed, and all it sent has been read. Returns `.end` where that completes the response (or
    /// it was complete), and throws where it is incomplete: `.emptyReply`, `.headCut`, `.contentCut` or
    /// `.trailerSectionCut` (RFC 9112, section 8). Before `.end` it may return `.earlierContent`.
    public mutating func receiveEndOfStream() throws(WireError) -> Event {
        hasConnectionEnded = true
        do throws(WireError) {
            switch state {
            case .head(let parser):
                let end = parser.position + UInt64(parser.held.count)
                throw WireError(hasReceivedOctets ? .headCut : .emptyReply, at: end)
            case .lengthDelimited(let content):
                guard content.remaining == 0 else {
                    throw WireError(
                        .contentCut(missing: content.remaining), at: headOctets + contentReceived)
                }
                return end(with: HTTPFields())
            case .chunked(let content):
                try content.receiveEndOfStream()
                // An end that was not asked for yet: nextEvent would have returned it.
                var offset = 0
                return try nextEvent(in: [UInt8]().span, at: &offset)
            case .earlierContent:
                var offset = 0
                return try nextEvent(in: [UInt8]().span, at: &offset)
            case .untilClose:
                return end(with: HTTPFields())
            case .ended(let trailers):
                return .end(trailers: trailers)
            case .failed(let error):
                throw error
            }
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Whether the connection can serve again, with `unreadOctets` already read from it behind `.end`.
    public func reuseVerdict(unreadOctets: Int) -> ReuseVerdict {
        guard let facts else {
            if case .failed = state { return .exchangeFailed }
            return .responseIncomplete
        }
        switch state {
        case .failed: return .exchangeFailed
        case .head, .earlierContent, .lengthDelimited, .chunked, .untilClose: return .responseIncomplete
        case .ended: break
        }
        guard facts.verdict == .reusable else { return facts.verdict }
        if unreadOctets > 0 { return .unexpectedOctets(unreadOctets) }
        return hasConnectionEnded ? .connectionEnded : .reusable
    }

    /// Octets of all heads, interim ones too; known with the final head.
    public private(set) var headOctets: UInt64 = 0

    /// A head has come, `position` octets of the exchange with it.
    private mutating func receive(_ response: HTTPResponse, at position: UInt64) throws(WireError) -> Event {
        if response.status == .switchingProtocols {
            guard offersUpgrade else { throw WireError(.unexpectedUpgrade, at: position) }
        } else if response.status.isInterim {
            interimResponses += 1
            guard interimResponses <= limits.maximumInterimResponses else {
                let limit = limits.maximumInterimResponses
                throw WireError(.tooManyInterimResponses(limit: limit), at: position)
            }
            state = .head(
                ResponseHeadParser(
                    limits: limits, leniency: leniency, position: position, keepsOctets: keepsHeads))
            return .interim(response)
        }
        let facts = try HeadFacts(of: response, to: method, leniency: leniency, at: position)
        switch facts.framing {
        case .none: state = .ended(HTTPFields())
        case .length(let length): state = .lengthDelimited(LengthDelimitedContent(length: length))
        case .chunked:
            state = .chunked(ChunkedContent(limits: limits, leniency: leniency, position: position))
        case .untilClose: state = .untilClose(UntilCloseContent())
        }
        self.facts = facts
        headOctets = position
        return .response(response)
    }

    /// HTTP/0.9 answers with content alone; it knows no interim response, no HEAD and no CONNECT.
    private var takesHTTP09: Bool {
        leniency.allowsHTTP09 && interimResponses == 0 && method != .head && method != .connect
    }

    private mutating func beginHTTP09(with held: [UInt8]) -> Event {
        facts = .http09
        state = held.isEmpty ? .untilClose(UntilCloseContent()) : .earlierContent(held)
        return .response(HTTPResponse(version: .http09, status: .ok))
    }

    private mutating func end(with trailers: HTTPFields) -> Event {
        state = .ended(trailers)
        return .end(trailers: trailers)
    }

    /// Saturates: what a peer can make us count past 64 bits must not trap.
    private mutating func countContent(_ count: UInt64) {
        let (sum, overflows) = contentReceived.addingReportingOverflow(count)
        contentReceived = overflows ? .max : sum
    }
}
