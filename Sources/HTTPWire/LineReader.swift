import HTTPMessage

/// Finds lines in octets that arrive in pieces. Each octet is looked at once, however they are cut.
struct LineReader: Sendable {
    enum Line: Sendable {
        case needsInput
        /// A line that stands wholly in the input, without its LF.
        case inInput(Range<Int>)
        /// A line that began in an earlier input: `takeHeld()` has it, without its LF.
        case held
    }

    /// The line has more octets than it may.
    struct LineTooLong: Error {}

    /// The beginning of a line whose end has not come.
    private(set) var held: [UInt8] = []

    /// Finds the line that goes on at `offset`; `limit` counts its octets, LF included, held ones too.
    mutating func nextLine(
        in input: Span<UInt8>, at offset: inout Int, limit: Int
    ) throws(LineTooLong) -> Line {
        let start = offset
        guard let end = firstIndex(of: .lineFeed, in: input, from: start) else {
            guard held.count + input.count - start <= limit else { throw LineTooLong() }
            held.append(copying: input.extracting(start..<input.count))
            offset = input.count
            return .needsInput
        }
        guard held.count + end + 1 - start <= limit else { throw LineTooLong() }
        offset = end + 1
        if held.isEmpty { return .inInput(start..<end) }
        held.append(copying: input.extracting(start..<end))
        return .held
    }

    /// Hands out the line held, to be given back by `recycle`: so it is read in place and its memory used
    /// again.
    mutating func takeHeld() -> [UInt8] {
        defer { held = [] }
        return held
    }

    /// Takes back the memory of a line.
    mutating func recycle(_ line: consuming [UInt8]) {
        line.removeAll(keepingCapacity: true)
        held = line
    }
}
