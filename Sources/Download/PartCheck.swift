import HTTPClient
import HTTPMessage

/// Whether an answer that claims to be a part, or nothing new, is what was asked for (RFC 9110, sections 14.4 and 15.4.5).
enum PartCheck {
    /// A part that is what was asked for, as far as its head tells.
    struct Part {
        /// How many octets it must have.
        var count: UInt64
        /// What its head tells of it.
        var told: String

        /// Throws `rangeNotServed` where so many octets are more than the part has.
        func checkExcess(_ received: UInt64) throws(TransferError) {
            guard received > count else { return }
            throw TransferError(
                .rangeNotServed, during: .content,
                "the server sent more than the \(count) octets of \(told)")
        }

        /// Throws where a content of so many octets is not the part: `incompleteContent` where some are missing.
        func checkWhole(_ received: UInt64) throws(TransferError) {
            try checkExcess(received)
            guard received < count else { return }
            throw TransferError(
                .incompleteContent, during: .content,
                "content ended \(count - received) octets short of the \(count) of \(told)")
        }
    }

    /// Throws `badResponse` for a part nobody asked for and for "not modified" without a condition, `rangeNotServed` for
    /// another part than was asked for. Returns the part, where the answer is one whose octets can be counted.
    static func check(
        _ response: HTTPResponse, to plan: DownloadPlan, length: UInt64?
    ) throws(TransferError) -> Part? {
        let request = plan.request
        guard request.method != .head else { return nil }
        if response.status == .notModified, !PartCheck.isConditional(request) {
            throw TransferError(
                .badResponse, during: .content,
                "the server answered \(response.statusText) though nothing was said of what is here already")
        }
        guard response.status == .partialContent else { return nil }
        guard let asked = request.fields[.range] else {
            throw TransferError(
                .badResponse, during: .content,
                "the server sent \(told(response)) though no part was asked for")
        }
        // What has another unit, or is no range, only its server can judge.
        guard let ranges = ByteRangeSet(parsing: asked)?.ranges else { return nil }
        if response.isMultipart {
            // Who asks for one range need not understand how several are sent (section 15.3.7.2).
            guard ranges.count > 1 else {
                throw TransferError(
                    .rangeNotServed, during: .content,
                    "the server sent multipart/byteranges where \(asked) alone was asked for")
            }
            return nil
        }
        guard let value = response.fields[.contentRange], let part = ContentRange(parsing: value),
            case .part(let offsets, let complete) = part, fits(offsets, complete, ranges)
        else { throw refusal(of: response, asked) }
        // The count cannot overflow: a last offset is below 64 bits' last.
        let count = offsets.upperBound - offsets.lowerBound + 1
        guard length == nil || length == count else { throw refusal(of: response, asked) }
        // With its transfer coding left on it, content is longer than the part.
        if plan.options.contentForm == .raw, response.fields.contains(.transferEncoding) { return nil }
        return Part(count: count, told: "Content-Range \(value)")
    }

    /// Whether a part is one of the ranges asked for, or some of them joined: it begins where one does, and ends where
    /// one does (section 15.3.7.2).
    private static func fits(
        _ offsets: ClosedRange<UInt64>, _ complete: UInt64?, _ ranges: [ByteRange]
    ) -> Bool {
        ranges.contains { begins(offsets, complete, $0) }
            && ranges.contains { ends(offsets, complete, $0) }
    }

    private static func begins(_ offsets: ClosedRange<UInt64>, _ complete: UInt64?, _ range: ByteRange)
        -> Bool
    {
        switch range {
        case .bounded(let wanted): offsets.lowerBound == wanted.lowerBound
        case .from(let start): offsets.lowerBound == start
        // Where that is nobody knows without the complete length; but no more than that comes behind it.
        case .suffix(let count):
            complete.map { offsets.lowerBound == $0 - min(count, $0) }
                ?? (offsets.upperBound - offsets.lowerBound < count)
        }
    }

    private static func ends(_ offsets: ClosedRange<UInt64>, _ complete: UInt64?, _ range: ByteRange) -> Bool
    {
        let last = complete.map { $0 - 1 }
        return switch range {
        case .bounded(let wanted): offsets.upperBound == min(wanted.upperBound, last ?? wanted.upperBound)
        case .from, .suffix: offsets.upperBound == last ?? offsets.upperBound
        }
    }

    /// Whether the caller has said what is here already.
    static func isConditional(_ request: HTTPRequest) -> Bool {
        request.fields.contains(.ifNoneMatch) || request.fields.contains(.ifModifiedSince)
    }

    private static func told(_ response: HTTPResponse) -> String {
        response.fields[.contentRange].map { "the part with Content-Range \($0)" }
            ?? "a part without Content-Range"
    }

    private static func refusal(of response: HTTPResponse, _ asked: String) -> TransferError {
        TransferError(
            .rangeNotServed, during: .content,
            "the server sent \(told(response)) where \(asked) was asked for")
    }
}

extension HTTPResponse {
    /// Whether the content is several parts of a representation, each with a head of its own (RFC 9110, section 14.6).
    package var isMultipart: Bool {
        status == .partialContent
            && MediaType(parsing: fields[.contentType] ?? "")?.essence == "multipart/byteranges"
    }
}
