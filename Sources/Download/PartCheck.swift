import HTTPClient
import HTTPMessage

/// Whether an answer that claims to be a part, or nothing new, is what was asked for (RFC 9110, sections 14.4 and 15.4.5).
enum PartCheck {
    /// Throws `badResponse` for a part nobody asked for and for "not modified" without a condition, `rangeNotServed` for
    /// another part than was asked for.
    static func check(_ response: HTTPResponse, to request: HTTPRequest, length: UInt64?)
        throws(TransferError)
    {
        guard request.method != .head else { return }
        if response.status == .notModified, !PartCheck.isConditional(request) {
            throw TransferError(
                .badResponse, during: .content,
                "the server answered \(response.statusText) though nothing was said of what is here already")
        }
        guard response.status == .partialContent else { return }
        guard let asked = request.fields[.range] else {
            throw TransferError(
                .badResponse, during: .content,
                "the server sent a part, \(told(response)), though no part was asked for")
        }
        // Several ranges come in parts of their own, each with its Content-Range.
        guard let ranges = ByteRangeSet(parsing: asked), ranges.ranges.count == 1,
            let range = ranges.ranges.first
        else { return }
        // Who asks for one range need not understand how several are sent (section 15.3.7.2).
        if response.isMultipart {
            throw TransferError(
                .rangeNotServed, during: .content,
                "the server sent multipart/byteranges where \(asked) alone was asked for")
        }
        guard let value = response.fields[.contentRange], let told = ContentRange(parsing: value),
            case .part(let offsets, let complete) = told
        else { throw refusal(of: response, asked) }
        let last = complete.map { $0 - 1 }
        let fits =
            switch range {
            case .bounded(let wanted):
                offsets.lowerBound == wanted.lowerBound
                    && offsets.upperBound == min(wanted.upperBound, last ?? wanted.upperBound)
            case .from(let start):
                offsets.lowerBound == start && offsets.upperBound == last ?? offsets.upperBound
            case .suffix(let count):
                offsets.upperBound == last ?? offsets.upperBound
                    && offsets.upperBound - offsets.lowerBound < count
            }
        // The count cannot overflow: the last offset is below the complete length, which has 64 bits.
        let (count, overflows) = (offsets.upperBound - offsets.lowerBound).addingReportingOverflow(1)
        guard fits, !overflows, length == nil || length == count else { throw refusal(of: response, asked) }
    }

    private static func isConditional(_ request: HTTPRequest) -> Bool {
        request.fields.contains(.ifNoneMatch) || request.fields.contains(.ifModifiedSince)
    }

    private static func told(_ response: HTTPResponse) -> String {
        response.fields[.contentRange].map { "Content-Range \($0)" } ?? "without Content-Range"
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
