public import HTTPMessage

/// Content in the chunked transfer coding (RFC 9112, section 7.1).
///
///     chunked-body   = *chunk last-chunk trailer-section CRLF
///     chunk          = chunk-size [ chunk-ext ] CRLF chunk-data CRLF
///     chunk-size     = 1*HEXDIG
///     last-chunk     = 1*("0") [ chunk-ext ] CRLF
///     chunk-ext      = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
///
/// Line ends are CRLF and nothing else: a peer that is generous here can be made to see other chunks than the
/// next one does. Extensions are skipped without a look at their names; blanks before CRLF are skipped too,
/// since Apache 1.3 pads its sizes with them. Lines of the trailer section follow the rules of a header
/// section.
public struct ChunkedContent: Sendable {
    /// What one call read.
    public enum Event: Sendable {
        /// All input is used; call again with more.
        case needsInput
        /// Octets of content, as offsets in the input just given.
        case content(Range<Int>)
        /// The trailer section has been read; what follows belongs to the next message.
        case end(trailers: HTTPFields)
    }

    private enum State: Sendable {
        case line(ChunkLine)
        case data(remaining: UInt64)
        case dataEnd  // CR behind the data
        case dataLineFeed
        case trailers(FieldSectionParser)
        case ended(HTTPFields)
    }

    private var state = State.line(ChunkLine())
    private let limits: WireLimits
    private let leniency: Leniency
    /// Octets of chunk extensions so far.
    private var extensionOctets = 0
    /// Octets of the exchange before the next one.
    private var position: UInt64

    /// Content that begins behind `position` octets of the exchange.
    public init(limits: WireLimits = WireLimits(), leniency: Leniency = Leniency(), position: UInt64 = 0) {
        self.limits = limits
        self.leniency = leniency
        self.position = position
    }

    /// Reads one event from `input[offset...]` and moves `offset` past what it used. Throws what is wrong
    /// with the coding, with `offset` at the octet; after that the machine is of no more use.
    public mutating func nextEvent(
        in input: Span<UInt8>, at offset: inout Int
    ) throws(WireError) -> Event {
        while true {
            switch state {
            case .data(let remaining):
                let count = Int(min(remaining, UInt64(input.count - offset)))
                guard count > 0 else { return .needsInput }
                state = remaining > UInt64(count) ? .data(remaining: remaining - UInt64(count)) : .dataEnd
                position += UInt64(count)
                defer { offset += count }
                return .content(offset..<offset + count)

            case .dataEnd:
                guard offset < input.count else { return .needsInput }
                guard input[offset] == .carriageReturn else {
                    throw WireError(.chunkDataNotEnded(input[offset]), at: position)
                }
                advance(&offset)
                state = .dataLineFeed

            case .dataLineFeed:
                guard offset < input.count else { return .needsInput }
                guard input[offset] == .lineFeed else {
                    throw WireError(.chunkDataNotEnded(input[offset]), at: position)
                }
                advance(&offset)
                state = .line(ChunkLine())

            case .line(var line):
                guard try read(&line, in: input, at: &offset) else {
                    state = .line(line)
                    return .needsInput
                }
                if line.size > 0 {
                    state = .data(remaining: line.size)
                } else {
                    state = .trailers(
                        FieldSectionParser(.trailer, limits: limits, leniency: leniency, position: position))
                }

            case .trailers(var section):
                // Moved, not copied: the section's memory must have one owner while it grows.
                state = .ended(HTTPFields())
                let isWhole = try section.readFields(in: input, at: &offset)
                guard isWhole else {
                    state = .trailers(section)
                    return .needsInput
                }
                state = .ended(section.fields)

            case .ended(let trailers):
                return .end(trailers: trailers)
            }
        }
    }

    /// The peer closed: an error before the last chunk, and another inside the trailer section.
    public func receiveEndOfStream() throws(WireError) {
        switch state {
        case .ended: return
        case .trailers(let section): throw WireError(.trailerSectionCut, at: section.position)
        case .line, .data, .dataEnd, .dataLineFeed: throw WireError(.contentCut(missing: nil), at: position)
        }
    }

    private mutating func advance(_ offset: inout Int) {
        offset += 1
        position += 1
    }

    /// Reads on in a chunk's line; true when its LF has been read.
    private mutating func read(
        _ line: inout ChunkLine, in input: Span<UInt8>, at offset: inout Int
    ) throws(WireError) -> Bool {
        while offset < input.count {
            let octet = input[offset]
            line.octets += 1
            guard line.octets <= limits.maximumChunkLineOctets else {
                throw WireError(.chunkLineTooLong(limit: limits.maximumChunkLineOctets), at: position)
            }
            let isEnd: Bool
            do {
                isEnd = try line.read(octet)
            } catch {
                throw WireError(error, at: position)
            }
            if line.isInExtension {
                extensionOctets += 1
                guard extensionOctets <= limits.maximumChunkExtensionOctets else {
                    throw WireError(
                        .chunkExtensionsTooLong(limit: limits.maximumChunkExtensionOctets), at: position)
                }
            }
            advance(&offset)
            if isEnd { return true }
        }
        return false
    }
}

/// The line before a chunk's data, read octet by octet: it is short, and so it needs no memory of its own.
struct ChunkLine: Sendable {
    private enum Part: Sendable {
        case firstDigit
        case digits
        case blanks  // behind the size
        case parameters
        case quoted
        case quotedPair
        case lineFeed  // CR has been read
    }

    /// The size, as far as it has been read.
    private(set) var size: UInt64 = 0
    /// Octets of the line so far.
    var octets = 0
    private var part = Part.firstDigit

    /// Whether the octet just read belongs to an extension, or to the blanks before one.
    var isInExtension: Bool {
        switch part {
        case .firstDigit, .digits, .lineFeed: false
        case .blanks, .parameters, .quoted, .quotedPair: true
        }
    }

    /// Reads the next octet; true when it ends the line.
    mutating func read(_ octet: UInt8) throws(WireError.Reason) -> Bool {
        switch part {
        case .lineFeed:
            guard octet == .lineFeed else { throw .bareCR }
            return true
        case .firstDigit, .digits:
            if let digit = octet.hexDigitValue {
                guard size >> 60 == 0 else { throw .chunkSizeTooLarge }
                size = size << 4 | digit
                part = .digits
                return false
            }
            guard part == .digits else { throw .invalidChunkSize(octet) }
            part = try Self.partBehindSize(octet)
        case .blanks:
            part = try Self.partBehindSize(octet)
        case .parameters:
            switch octet {
            case .carriageReturn: part = .lineFeed
            case 0x22: part = .quoted
            default: try Self.check(octet)
            }
        case .quoted:
            switch octet {
            case 0x22: part = .parameters
            case 0x5C: part = .quotedPair
            default: try Self.check(octet)
            }
        case .quotedPair:
            try Self.check(octet)
            part = .quoted
        }
        return false
    }

    private static func partBehindSize(_ octet: UInt8) throws(WireError.Reason) -> Part {
        switch octet {
        case .carriageReturn: return .lineFeed
        case 0x3B: return .parameters
        case .lineFeed: throw .bareLF
        default:
            guard octet.isBlank else { throw .invalidChunkSize(octet) }
            return .blanks
        }
    }

    /// No control character stands in an extension, quoted or not.
    private static func check(_ octet: UInt8) throws(WireError.Reason) {
        if octet == .lineFeed { throw .bareLF }
        guard !octet.isControl || octet == 0x09 else { throw .invalidChunkExtension(octet) }
    }
}

extension WireError.Reason: Error {}
