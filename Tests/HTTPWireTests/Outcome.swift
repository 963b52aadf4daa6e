import HTTPMessage
import HTTPWire
import Testing

/// All that an exchange said about the octets it was given.
struct Outcome: Hashable {
    var interim: [HTTPResponse] = []
    var response: HTTPResponse?
    var framing: ContentFraming?
    var content: [UInt8] = []
    var trailers: HTTPFields?
    var error: WireError?
    /// Octets used when the exchange ended well.
    var used = 0
    var hasReceivedOctets = false
    var verdict = ReuseVerdict.responseIncomplete

    var text: String { String(decoding: content, as: UTF8.self) }
    var reason: WireError.Reason? { error?.reason }
}

/// What `exchange` says about `octets`. They are given whole, octet by octet and cut in two at every
/// position, and, where the response ends by itself, with the next message behind; all ways must say the
/// same.
func outcome(
    of octets: [UInt8], in exchange: Exchange = Exchange(method: .get),
    at location: SourceLocation = #_sourceLocation
) -> Outcome {
    let whole = outcome(feeding: [octets[...]], to: exchange, location)
    let single = outcome(feeding: octets.indices.map { octets[$0...$0] }, to: exchange, location)
    #expect(single == whole, "octet by octet", sourceLocation: location)
    // Every position of what is short, a sample of what is long.
    for cut in stride(from: 0, through: octets.count, by: octets.count <= 2048 ? 1 : octets.count / 500) {
        let halves = outcome(feeding: [octets[..<cut], octets[cut...]], to: exchange, location)
        #expect(halves == whole, "cut at \(cut)", sourceLocation: location)
    }
    if whole.trailers != nil && whole.framing != .untilClose && whole.used == octets.count {
        let next = octets + Array("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnext".utf8)
        let followed = outcome(feeding: [next[...]], to: exchange, location)
        #expect(followed == whole, "with a message behind", sourceLocation: location)
    }
    return whole
}

func outcome(
    of text: String, in exchange: Exchange = Exchange(method: .get),
    at location: SourceLocation = #_sourceLocation
) -> Outcome {
    outcome(of: Array(text.utf8), in: exchange, at: location)
}

/// Feeds `pieces` and then, when the exchange asks for more, the end of the stream.
private func outcome(
    feeding pieces: [ArraySlice<UInt8>], to start: Exchange, _ location: SourceLocation
) -> Outcome {
    var exchange = start
    var outcome = Outcome()
    func note(_ event: Exchange.Event, in input: [UInt8]) -> Bool {
        switch event {
        case .needsInput: return false
        case .interim(let response): outcome.interim.append(response)
        case .response(let response):
            outcome.response = response
            outcome.framing = exchange.framing
        case .content(let range): outcome.content += input[range]
        case .earlierContent(let octets): outcome.content += octets
        case .end(let trailers):
            outcome.trailers = trailers
            return false
        }
        return true
    }
    do throws(WireError) {
        for piece in pieces where outcome.trailers == nil {
            let input = Array(piece)
            var offset = 0
            while note(try exchange.nextEvent(in: input.span, at: &offset), in: input) {}
            #expect(
                outcome.trailers != nil || offset == input.count, "unused input", sourceLocation: location)
            outcome.used += offset
        }
        // An exchange that is complete says so without the end of the stream.
        if outcome.trailers == nil {
            while note(try exchange.receiveEndOfStream(), in: []) {}
            outcome.verdict = exchange.reuseVerdict(unreadOctets: 0)
        }
    } catch {
        outcome.error = error
        outcome.used = 0  // how far an error is from the octet at fault, only its offset says
        var offset = 0
        #expect(throws: error, "the same error again", sourceLocation: location) {
            try exchange.nextEvent(in: [0x20].span, at: &offset)
        }
    }
    outcome.verdict = exchange.reuseVerdict(unreadOctets: 0)
    outcome.hasReceivedOctets = exchange.hasReceivedOctets
    #expect(exchange.contentReceived == UInt64(outcome.content.count), sourceLocation: location)
    return outcome
}

extension WireLimits {
    /// The defaults with one of them changed.
    static func with(_ path: WritableKeyPath<WireLimits, Int>, _ value: Int) -> WireLimits {
        var limits = WireLimits()
        limits[keyPath: path] = value
        return limits
    }
}

extension Leniency {
    /// The defaults with one of them changed.
    static func with(_ path: WritableKeyPath<Leniency, Bool>, _ value: Bool) -> Leniency {
        var leniency = Leniency()
        leniency[keyPath: path] = value
        return leniency
    }
}
