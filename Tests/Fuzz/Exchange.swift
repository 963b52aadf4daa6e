// Octets of a server, fed whole, octet by octet and in pieces: all ways must say the same, and none may trap.
//
// The first four octets of an input choose method and upgrade, leniencies, limits and the pieces; the rest is
// the server's. Build and run: Tests/Fuzz/build.

import HTTPMessage
import HTTPWire

/// All that an exchange said.
private struct Outcome: Equatable {
    var heads: [HTTPResponse] = []
    var framing: ContentFraming?
    var codings: [String] = []
    var content: [UInt8] = []
    var trailers: HTTPFields?
    var error: WireError?
    var used = 0
    var verdict = ReuseVerdict.responseIncomplete
}

/// What the fuzzer calls with each input; 0 says that the input may join the corpus.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzExchange(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 4 else { return 0 }
    let exchange = exchange(chosenBy: input)
    let octets = input[4...]

    let whole = outcome(feeding: [octets], to: exchange)
    let single = outcome(feeding: octets.indices.map { octets[$0...$0] }, to: exchange)
    guard single == whole else { report("octet by octet", single, whole) }
    let pieces = outcome(feeding: pieces(of: octets, seed: input[3]), to: exchange)
    guard pieces == whole else { report("in pieces", pieces, whole) }
    return 0
}

private func exchange(chosenBy input: [UInt8]) -> Exchange {
    let methods: [HTTPMethod] = [.get, .head, .connect, .post]
    var leniency = Leniency()
    leniency.allowsBareLF = input[1] & 1 == 0
    leniency.retainsControlOctets = input[1] & 2 == 0
    leniency.allowsExtraBlanks = input[1] & 4 == 0
    leniency.allowsHTTP09 = input[1] & 8 != 0
    leniency.allowsRepeatedChunked = input[1] & 16 != 0
    var limits = WireLimits()
    if input[2] & 1 != 0 { limits.maximumHeadOctets = 60 }
    if input[2] & 2 != 0 { limits.maximumLineOctets = 24 }
    if input[2] & 4 != 0 { limits.maximumFieldLines = 2 }
    if input[2] & 8 != 0 { limits.maximumInterimResponses = 1 }
    if input[2] & 16 != 0 { limits.maximumTrailerOctets = 16 }
    if input[2] & 32 != 0 { limits.maximumTrailerLines = 1 }
    if input[2] & 64 != 0 { limits.maximumChunkLineOctets = 6 }
    if input[2] & 128 != 0 { limits.maximumChunkExtensionOctets = 5 }
    return Exchange(
        method: methods[Int(input[0] & 3)], limits: limits, leniency: leniency,
        offersUpgrade: input[0] & 4 != 0)
}

/// Pieces of 0 to 15 octets, by a small generator.
private func pieces(of octets: ArraySlice<UInt8>, seed: UInt8) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var state = UInt32(seed) &+ 1
    var rest = octets
    while !rest.isEmpty {
        state = state &* 1_664_525 &+ 1_013_904_223
        let count = Int(state >> 28)
        pieces.append(rest.prefix(count))
        rest = rest.dropFirst(count)
    }
    return pieces
}

private func outcome(feeding pieces: [ArraySlice<UInt8>], to start: Exchange) -> Outcome {
    var exchange = start
    var outcome = Outcome()
    func note(_ event: Exchange.Event, in input: [UInt8]) -> Bool {
        switch event {
        case .needsInput: return false
        case .interim(let response): outcome.heads.append(response)
        case .response(let response):
            outcome.heads.append(response)
            outcome.framing = exchange.framing
            outcome.codings = exchange.unknownTransferCodings
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
            precondition(outcome.trailers != nil || offset == input.count, "unused input")
            outcome.used += offset
        }
        if outcome.trailers == nil {
            while note(try exchange.receiveEndOfStream(), in: []) {}
            precondition(outcome.trailers != nil, "neither an end nor an error")
        }
    } catch {
        outcome.error = error
        outcome.used = 0
        precondition(!error.description.isEmpty)
    }
    outcome.verdict = exchange.reuseVerdict(unreadOctets: 0)
    precondition(exchange.contentReceived == UInt64(outcome.content.count), "content miscounted")
    return outcome
}

private func report(_ way: String, _ some: Outcome, _ whole: Outcome) -> Never {
    print(way, some, "whole", whole, separator: "\n")
    preconditionFailure("the outcome depends on how the octets arrive")
}
