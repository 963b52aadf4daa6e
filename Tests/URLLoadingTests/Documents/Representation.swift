import HTTPClient
import Replay

/// What a server has: answers requests for all of it and for ranges (RFC 9110, section 14), as its fields say.
struct Representation: Sendable {
    var content: [UInt8]
    var etag: String? = "\"v1\""
    /// Further field lines.
    var fields: [String] = []
    /// Whether Range is heeded.
    var answersRanges = true
    /// Octets of content that are sent; then comes `ending`.
    var limit: Int?
    /// What follows behind the limit.
    var ending = Script.Step.stall

    init(_ content: [UInt8], limit: Int? = nil, _ change: (inout Representation) -> Void = { _ in }) {
        self.content = content
        self.limit = limit
        change(&self)
    }

    /// The same, sent whole.
    var whole: Representation {
        var whole = self
        whole.limit = nil
        return whole
    }

    /// The answer to a request.
    func answer(_ request: RecordedRequest) -> [Script.Step] {
        let condition = request.value(of: "If-Range")
        let isMeant = answersRanges && (condition == nil || condition == etag)
        guard isMeant, request.value(of: "Range") != nil else { return answer("200 OK", content, []) }
        guard let range = request.range(of: UInt64(content.count)) else {
            return answer("416 Range Not Satisfiable", [], ["Content-Range: bytes */\(content.count)"])
        }
        return answer(
            "206 Partial Content", Array(content[Int(range.lowerBound)..<Int(range.upperBound)]),
            ["Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"])
    }

    private func answer(_ status: String, _ octets: [UInt8], _ more: [String]) -> [Script.Step] {
        let lines =
            ["HTTP/1.1 \(status)", "Content-Length: \(octets.count)"] + more + fields
            + (etag.map { ["ETag: \($0)"] } ?? [])
        let head = Script.Step.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        guard let limit, limit < octets.count else { return [head, .send(octets)] }
        return [head, .send(Array(octets.prefix(limit))), ending]
    }
}

extension Stage {
    /// The ranges that were asked for, with their conditions: `-` where there was none.
    var askedRanges: [String] {
        server.requests.map { request in
            "\(request.value(of: "Range") ?? "-") \(request.value(of: "If-Range") ?? "-")"
        }
    }
}
