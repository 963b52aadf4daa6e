public import HTTPMessage

/// Reads one head: a status line and a header section (RFC 9112, sections 4 and 5).
///
/// Empty lines before the status line are refused: RFC 9112, section 2.2 asks only servers to ignore them,
/// and a client that reads past stray octets may take them for an answer to another request.
public struct ResponseHeadParser: Sendable {
    /// What one call read.
    public enum Event: Sendable {
        /// All input is used; call again with more.
        case needsInput
        /// The head; what follows belongs to its content or to the next message.
        case head(HTTPResponse)
    }

    private var statusLine: StatusLine?
    private var section: FieldSectionParser
    private let leniency: Leniency

    /// A parser for one head, with `position` octets of the exchange before it. With `keepsOctets` the head holds its
    /// octets as they came, too.
    public init(
        limits: WireLimits = WireLimits(), leniency: Leniency = Leniency(), position: UInt64 = 0,
        keepsOctets: Bool = false
    ) {
        section = FieldSectionParser(.header, limits: limits, leniency: leniency, position: position)
        if keepsOctets { section.kept = [] }
        self.leniency = leniency
    }

    /// Octets of the exchange before the line that is being read: with the head, where it ends.
    public var position: UInt64 { section.position }

    /// Whether no octet came yet.
    public var isEmpty: Bool { statusLine == nil && section.isEmpty }

    /// The beginning of a line whose end has not come.
    var held: [UInt8] { section.held }

    /// Reads on at `input[offset]` and moves `offset` past what it used. Throws what is wrong with the head;
    /// after that the parser is of no more use.
    ///
    /// `.notHTTP` is thrown at the first octet that cannot belong to a status line, and that octet is not
    /// used.
    public mutating func nextEvent(
        in input: Span<UInt8>, at offset: inout Int
    ) throws(WireError) -> Event {
        if statusLine == nil {
            try checkBeginning(of: input, at: offset)
            let leniency = leniency
            statusLine = try section.readFirstLine(in: input, at: &offset) {
                line, position throws(WireError) in
                try StatusLine(parsing: line, at: position, leniency)
            }
        }
        guard let line = statusLine, try section.readFields(in: input, at: &offset) else {
            return .needsInput
        }
        var response = HTTPResponse(
            version: line.version, status: line.status, reason: line.reason, fields: section.fields)
        if let octets = section.kept { response.receivedOctets = octets }
        return .head(response)
    }

    /// Whether the first five octets are "HTTP/" as far as they have come: what else a server may say is not
    /// waited for, since it may never contain a line end.
    private func checkBeginning(of input: Span<UInt8>, at offset: Int) throws(WireError) {
        var index = section.held.count
        var next = offset
        while index < 5 && next < input.count {
            guard input[next] == StatusLine.name[index] else {
                throw WireError(.notHTTP(input[next]), at: section.position + UInt64(index))
            }
            index += 1
            next += 1
        }
    }
}
