import Replay

/// A resource on a server that knows ranges, as one version of it is.
struct Resource: Sendable {
    var content = Resource.someContent
    /// The fields that name the version.
    var fields = ["ETag: \"v1\""]
    /// Whether ranges are served.
    var hasRanges = true
    /// Whether If-Range is looked at.
    var heedsIfRange = true
    /// Whether the complete length is told.
    var tellsLength = true
    /// So many octets are sent at most, whatever was asked for.
    var most: Int?

    /// More than is kept in memory.
    static let someContent = Array(large.prefix(300_000))

    /// The whole answer.
    func answer(_ request: RecordedRequest) -> [Script.Step] {
        let head = self.head(request)
        return [.send(head.lines), .send(Array(content[head.range]))]
    }

    /// The answer, cut off behind so many octets of its content.
    func cut(_ request: RecordedRequest, behind count: Int) -> [Script.Step] {
        let head = self.head(request)
        return [.send(head.lines), .send(Array(content[head.range].prefix(count))), .close]
    }

    /// The answer, after so many octets of which nothing more comes.
    func stall(_ request: RecordedRequest, behind count: Int) -> [Script.Step] {
        let head = self.head(request)
        return [.send(head.lines), .send(Array(content[head.range].prefix(count))), .stall]
    }

    private func head(_ request: RecordedRequest) -> (lines: String, range: Range<Int>) {
        let length = content.count
        func lines(_ status: String, _ more: [String], _ range: Range<Int>) -> (String, Range<Int>) {
            let all = ["HTTP/1.1 \(status)", "Content-Length: \(range.count)"] + fields + more
            return (all.joined(separator: "\r\n") + "\r\n\r\n", range)
        }
        let isSame =
            request.value(of: "If-Range").map { value in fields.contains { $0.hasSuffix(": \(value)") } }
            ?? true
        guard hasRanges, isSame || !heedsIfRange, request.value(of: "Range") != nil else {
            return lines("200 OK", [], 0..<length)
        }
        guard let asked = request.range(of: UInt64(length)) else {
            return lines(
                "416 Range Not Satisfiable", ["Content-Range: bytes */\(length)"], 0..<0)
        }
        let first = Int(asked.lowerBound)
        let end = min(Int(asked.upperBound), most.map { first + $0 } ?? length)
        let complete = tellsLength ? "\(length)" : "*"
        return lines(
            "206 Partial Content", ["Content-Range: bytes \(first)-\(end - 1)/\(complete)"], first..<end)
    }
}

extension Rig {
    /// The values of Range in all requests so far.
    var ranges: [String?] { server.requests.map { $0.value(of: "Range") } }
    /// The same of If-Range.
    var ifRanges: [String?] { server.requests.map { $0.value(of: "If-Range") } }
}
