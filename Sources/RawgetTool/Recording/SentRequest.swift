/// A request as it went out on a connection.
struct SentRequest: Hashable, Sendable {
    /// How its content is framed (RFC 9112, section 6).
    enum Framing: Hashable, Sendable {
        case length(Int)
        case chunked
    }

    /// Its head.
    var head: RecordedHead
    /// How its content is framed.
    var framing: Framing
    /// The body of chunks, where it is one.
    var chunks = ChunkedBody()
    /// The content, where it is no body of chunks.
    var plain: [UInt8] = []
    /// The index of the event that brought its first octet.
    var firstEvent: Int
    /// The index of the event that brought the first octet of its body.
    var bodyEvent: Int?

    init(_ head: RecordedHead, at event: Int) {
        self.head = head
        firstEvent = event
        framing =
            head.field("transfer-encoding", has: "chunked")
            ? .chunked : .length(head.value(of: "content-length").flatMap { Int($0) } ?? 0)
    }

    /// Whether all of it went out.
    var isComplete: Bool {
        switch framing {
        case .length(let count): plain.count == count
        case .chunked: chunks.isComplete
        }
    }

    /// Whether content belongs to it, be it of no octets.
    var hasContent: Bool { framing == .chunked || framing != .length(0) }

    /// The content, without transfer coding.
    var content: [UInt8] { framing == .chunked ? chunks.contentOctets : plain }

    /// Whether it asked for a go-ahead.
    var expectsContinue: Bool { head.field("expect", has: "100-continue") }
}

/// Finds the requests in what went out on a connection.
struct SentRequests {
    /// In order.
    private(set) var requests: [SentRequest] = []
    /// Octets of a head whose end did not go out.
    private(set) var unfinished: [UInt8] = []

    /// Goes on with the octets of an event.
    mutating func take(_ octets: [UInt8], at event: Int) {
        var rest = octets[...]
        while !rest.isEmpty {
            if let last = requests.indices.last, !requests[last].isComplete {
                rest = requests[last].take(rest, at: event)
                continue
            }
            unfinished += rest
            var end = 0
            guard let head = RecordedHead(in: unfinished[...], end: &end) else { return }
            let used = rest.count - (unfinished.count - end)
            unfinished = []
            requests.append(SentRequest(head, at: event))
            rest = rest.dropFirst(max(0, used))
        }
    }
}

extension SentRequest {
    /// Takes what belongs to it of `octets`. Returns the rest.
    fileprivate mutating func take(_ octets: ArraySlice<UInt8>, at event: Int) -> ArraySlice<UInt8> {
        bodyEvent = bodyEvent ?? event
        switch framing {
        case .length(let count):
            let part = octets.prefix(max(0, count - plain.count))
            plain += part
            return octets[part.endIndex...]
        case .chunked:
            let known = chunks.octets.count
            chunks.append(octets)
            guard chunks.isComplete else { return [] }
            return octets[(octets.startIndex + (chunks.end - known))...]
        }
    }
}
