import Replay

/// An answer of the server before it is cut into steps.
struct Answer: Sendable {
    /// Where it ends early, in octets of content.
    enum Break: Hashable, Sendable {
        case cut(UInt64)
        case reset(UInt64)
        case stall(UInt64)

        var place: UInt64 {
            switch self {
            case .cut(let place), .reset(let place), .stall(let place): place
            }
        }
    }

    var status: String
    var fields: [String]
    /// Where content is a part of a version: which octets of what.
    var content: GeneratedContent?
    var range: Range<UInt64> = 0..<0
    /// Text before that, which can be all, and behind it.
    var text = ""
    var textBehind = ""
    var isChunked = false
    var `break`: Break?

    /// The octets of a file's version.
    init(_ status: String, _ fields: [String], _ version: FileVersion, _ range: Range<UInt64>) {
        self.status = status
        self.fields = fields
        content = version.content
        self.range = range
    }

    /// Text that is no part of a file.
    init(_ status: String, _ fields: [String], text: String) {
        self.status = status
        self.fields = fields
        self.text = text
    }

    /// Octets of content that are part of the file.
    var length: UInt64 { range.upperBound - range.lowerBound }

    /// The steps of the server. Content is sent in pieces with a rest of a millisecond between them; `sent` is told after
    /// each one, `stalled` before silence.
    func steps(
        isHead: Bool, pieceSize: UInt64, rests: Bool, sent: @escaping @Sendable (UInt64) -> Void,
        stalled: @escaping @Sendable () -> Void
    ) -> [Script.Step] {
        var lines = ["HTTP/1.1 \(status)", "Date: \(Validators.now)", "Accept-Ranges: bytes"] + fields
        let whole = length + UInt64(text.utf8.count + textBehind.utf8.count)
        lines.append(isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(whole)")
        var steps: [Script.Step] = [.send(lines.joined(separator: "\r\n") + "\r\n\r\n")]
        guard !isHead else { return steps }
        if !text.isEmpty { steps += framed(.send(text), UInt64(text.utf8.count)) }
        var offset = range.lowerBound
        let end = min(range.upperBound, range.lowerBound + (self.break?.place ?? length))
        while offset < end, let content {
            let next = min(end, offset + pieceSize)
            let count = next - offset
            steps += framed(.sendGenerated(seed: content.seed, range: offset..<next), count)
            steps.append(
                .check { _ in
                    sent(count)
                    return nil
                })
            if rests, next < range.upperBound { steps.append(.pause(.milliseconds(1))) }
            offset = next
        }
        switch self.break {
        case .cut: return steps + [.closeWithoutNotify]
        case .reset: return steps + [.reset]
        case .stall:
            let silence = Script.Step.check { _ in
                stalled()
                return nil
            }
            return steps + [silence, .stall]
        case nil: break
        }
        if !textBehind.isEmpty { steps += framed(.send(textBehind), UInt64(textBehind.utf8.count)) }
        return isChunked ? steps + [.send("0\r\n\r\n")] : steps
    }

    /// One step that sends content, as a chunk where that is so (RFC 9112, section 7.1).
    private func framed(_ step: Script.Step, _ count: UInt64) -> [Script.Step] {
        isChunked ? [.send("\(String(count, radix: 16))\r\n"), step, .send("\r\n")] : [step]
    }
}
