import HTTPClient
import HTTPMessage

/// Whether an answer that claims to be a part is the part that was asked for (RFC 9110, section 14.4).
enum PartCheck {
    /// Throws `badResponse` for a part nobody asked for, `rangeNotServed` for another one than was asked for.
    static func check(_ response: HTTPResponse, to request: HTTPRequest, length: UInt64?)
        throws(TransferError)
    {
        guard response.status == .partialContent, request.method != .head else { return }
        guard let asked = request.fields[.range] else {
            throw TransferError(
                .badResponse, during: .content,
                "the server sent a part, \(told(response)), though no part was asked for")
        }
        // Several ranges come in parts of their own, each with its Content-Range.
        guard let ranges = ByteRangeSet(parsing: asked), ranges.ranges.count == 1,
            let range = ranges.ranges.first,
            MediaType(parsing: response.fields[.contentType] ?? "")?.essence != "multipart/byteranges"
        else { return }
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

    private static func told(_ response: HTTPResponse) -> String {
        response.fields[.contentRange].map { "Content-Range \($0)" } ?? "without Content-Range"
    }

    private static func refusal(of response: HTTPResponse, _ asked: String) -> TransferError {
        TransferError(
            .rangeNotServed, during: .content,
            "the server sent \(told(response)) where \(asked) was asked for")
    }
}
