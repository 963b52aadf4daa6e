import Replay

/// What a request asks of the file.
struct Request: Sendable {
    /// `bytes=first-last` of one range; a `last` of `nil`: to the end.
    struct Part: Hashable, Sendable {
        var first: UInt64
        var last: UInt64?
    }

    /// The one range asked for; `nil`: the whole file, or what means that here.
    let part: Part?
    /// The value of If-Range.
    let condition: String?
    let isHead: Bool
    /// For a person.
    let line: String

    init(_ request: RecordedRequest) {
        let range = request.value(of: "Range")
        part = range.flatMap { Request.part(in: $0) }
        condition = request.value(of: "If-Range")
        isHead = request.method == "HEAD"
        let words = ["Range", "If-Range", "If-None-Match", "If-Match"]
            .compactMap { name in request.value(of: name).map { "\(name): \($0)" } }
        line = ([request.method] + words).joined(separator: ", ")
    }

    private static func part(in value: String) -> Part? {
        guard value.hasPrefix("bytes=") else { return nil }
        let bounds = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = UInt64(bounds[0]) else { return nil }
        guard !bounds[1].isEmpty else { return Part(first: first, last: nil) }
        guard let last = UInt64(bounds[1]), last >= first else { return nil }
        return Part(first: first, last: last)
    }

    /// The octets of a file of `size` that are asked for, empty where there are none (RFC 9110, section 14.1.2).
    func range(of size: UInt64) -> Range<UInt64> {
        guard let part else { return 0..<size }
        guard part.first < size else { return size..<size }
        return part.first..<min(part.last.map { $0 + 1 } ?? size, size)
    }
}
