// Coded content, fed whole, octet by octet and in pieces, decoded into rooms of several sizes: all ways must say the
// same, and none may trap or read what was not given.
//
// The first octet of an input chooses the coding, the pieces and the room; the rest is the server's. Build and run:
// Tests/Fuzz/build.

import HTTPMessage

/// All that an inflater made of an input.
private struct Outcome: Equatable {
    var content: [UInt8] = []
    var failure: Inflater.Failure?
}

/// Most octets compared: what expands further only costs time.
private let most = 1 << 20

/// What the fuzzer calls with each input; 0 says that the input may join the corpus.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInflater(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let coding: ContentCoding = choice & 1 == 0 ? .gzip : .deflate
    let octets = Array(input.dropFirst())
    let whole = outcome(of: octets, coding, inPieces: .max, room: 1 << 16)
    let single = outcome(of: octets, coding, inPieces: 1, room: 1 << 16)
    guard single == whole else { report("octet by octet", single, whole) }
    let pieces = outcome(of: octets, coding, inPieces: 1 + Int(choice >> 4), room: 1 + Int(choice >> 1 & 7))
    guard pieces == whole else { report("in pieces", pieces, whole) }
    return 0
}

private func outcome(of octets: [UInt8], _ coding: ContentCoding, inPieces size: Int, room: Int) -> Outcome {
    let inflater = Inflater(coding)
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: room)
    defer { memory.deallocate() }
    var outcome = Outcome()
    var start = 0
    do throws(Inflater.Failure) {
        while start < octets.count {
            let end = start + min(size, octets.count - start)
            let piece = Array(octets[start..<end])
            var offset = 0
            while outcome.content.count < most {
                let count = try inflater.decode(piece, at: &offset, into: memory)
                if count == 0 { break }
                outcome.content += memory[..<count]
            }
            if outcome.content.count >= most {
                outcome.content.removeLast(outcome.content.count - most)
                return outcome
            }
            start = end
        }
        if !octets.isEmpty { try inflater.end() }
    } catch { outcome.failure = error }
    // How far a stream comes before it fails depends on how it is cut; that it fails does not.
    if outcome.failure != nil { outcome.content = [] }
    return outcome
}

private func report(_ way: String, _ outcome: Outcome, _ whole: Outcome) -> Never {
    print("\(way): \(outcome)\nwhole: \(whole)")
    preconditionFailure("the ways differ")
}
