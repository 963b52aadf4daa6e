/// What came in answer to one request: heads, then a body, whatever is wrong with them.
struct ReceivedResponse: Hashable, Sendable {
    /// How the body ends (RFC 9112, section 6.3).
    enum Framing: Hashable, Sendable {
        case none
        case length(Int)
        case chunked
        case untilClose
    }

    /// The heads of interim responses and, where it has come, of the final one.
    private(set) var heads: [RecordedHead] = []
    /// The body and what follows it; octets of a head without its end, or without a status line.
    private(set) var body: [UInt8] = []
    /// Whether the last head is that of a final response.
    private(set) var hasFinalHead = false
    private let isHeadRequest: Bool

    /// Reads `octets`, the answer to a request of that method.
    init(_ octets: [UInt8], to method: String) {
        isHeadRequest = method == "HEAD"
        var rest = octets[...]
        while !hasFinalHead {
            let isHead =
                rest.starts(with: "HTTP/".utf8.prefix(rest.count)) || rest.first == 0x0D || rest.first == 0x0A
            var end = rest.startIndex
            guard isHead, let head = RecordedHead(in: rest, end: &end) else { break }
            heads.append(head)
            rest = rest[end...]
            let status = head.status ?? 0
            hasFinalHead = !(100..<200).contains(status) || status == 101
        }
        body = Array(rest)
    }

    /// How the body ends.
    var framing: Framing {
        guard hasFinalHead, let head = heads.last else { return .untilClose }
        let status = head.status ?? 0
        if isHeadRequest || status == 204 || status == 304 { return .none }
        if head.value(of: "transfer-encoding") != nil {
            return head.field("transfer-encoding", has: "chunked") ? .chunked : .untilClose
        }
        guard let length = head.value(of: "content-length") else { return .untilClose }
        return Int(length).map { .length(max(0, $0)) } ?? .untilClose
    }

    /// Whether nothing more belongs to it, as far as this side can know while the connection is open.
    var isComplete: Bool {
        guard hasFinalHead else { return false }
        switch framing {
        case .none: return true
        case .length(let count): return body.count >= count
        case .chunked:
            var chunks = ChunkedBody()
            chunks.append(body[...])
            return chunks.isComplete
        case .untilClose: return false
        }
    }
}
