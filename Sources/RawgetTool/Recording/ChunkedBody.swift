/// Where the content lies in a body of chunks as it went over a connection (RFC 9112, section 7.1). It judges nothing:
/// what cannot be read has no content.
struct ChunkedBody: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        case size
        case data(remaining: Int)
        case dataEnd
        case trailer
        case end
        case broken
    }

    /// All octets given so far.
    private(set) var octets: [UInt8] = []
    /// Where the content lies, in order.
    private(set) var content: [Range<Int>] = []
    /// Where the trailer section begins, once the last chunk has come.
    private(set) var trailer: Int?
    private var state = State.size
    private var offset = 0

    /// Whether the last line of the trailer section has come.
    var isComplete: Bool { state == .end }
    /// Whether it is no body of chunks.
    var isBroken: Bool { state == .broken }
    /// The octets behind the body.
    var rest: ArraySlice<UInt8> { isComplete ? octets[offset...] : [] }
    /// How many octets the body has, so far.
    var end: Int { offset }

    /// The content alone.
    var contentOctets: [UInt8] { content.flatMap { octets[$0] } }

    /// Goes on with `more`.
    mutating func append(_ more: ArraySlice<UInt8>) {
        octets += more
        while step() {}
    }

    private mutating func step() -> Bool {
        switch state {
        case .size:
            guard let line = nextLine() else { return false }
            // chunk-size [ chunk-ext ]
            let digits = octets[line].prefix { octet in
                (0x30...0x39).contains(octet) || (0x41...0x46).contains(octet)
                    || (0x61...0x66).contains(octet)
            }
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else {
                state = .broken
                return false
            }
            state = size == 0 ? .trailer : .data(remaining: size)
            if size == 0 { trailer = offset }
            return true
        case .data(let remaining):
            let count = min(remaining, octets.count - offset)
            guard count > 0 else { return false }
            if let last = content.last, last.upperBound == offset {
                content[content.count - 1] = last.lowerBound..<offset + count
            } else {
                content.append(offset..<offset + count)
            }
            offset += count
            state = count == remaining ? .dataEnd : .data(remaining: remaining - count)
            return true
        case .dataEnd:
            guard let line = nextLine() else { return false }
            state = line.isEmpty ? .size : .broken
            return state == .size
        case .trailer:
            guard let line = nextLine() else { return false }
            if line.isEmpty { state = .end }
            return !line.isEmpty
        case .end, .broken: return false
        }
    }

    /// The next line without its end.
    private mutating func nextLine() -> Range<Int>? {
        guard let newline = octets[offset...].firstIndex(of: 0x0A) else { return nil }
        let start = offset
        offset = newline + 1
        return start..<(newline > start && octets[newline - 1] == 0x0D ? newline - 1 : newline)
    }
}
