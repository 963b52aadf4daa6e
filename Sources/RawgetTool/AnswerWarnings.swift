import Download
import HTTPClient
import HTTPMessage

/// What a person should know of an answer that came whole, and yet may not be what was wanted.
enum AnswerWarnings {
    /// One sentence for each. `isRest` where the request was for what was missing of a download. `path` is the file that holds the answer; `isRefused` when it is told of as a failure,
    /// `isDecoded` when content codings were undone.
    static func of(
        _ report: TransferReport, isRest: Bool, savedAs path: String?, isRefused: Bool, isDecoded: Bool
    ) -> [String] {
        let response = report.response
        // Made for those few that need it.
        var status: String { response.statusText.shownFromServer }
        var warnings: [String] = []
        if response.status.isRedirection, response.status != .notModified,
            let location = response.fields[.location], !location.isEmpty
        {
            warnings.append(
                "\(status): the answer points to \(location.shownFromServer), which was not followed")
        }
        if response.status.isFailure, !isRest, !isRefused, report.request.method != .head {
            let what =
                path.map { "\($0.escapedForTerminal) holds its answer (-f would have saved nothing)" }
                ?? "what was written is its answer (-f would have written nothing)"
            warnings.append("the server answered \(status): \(what)")
        }
        if response.status == .ok, !isRest, let range = report.request.fields[.range] {
            warnings.append("\(range) was asked for, and the server sent everything")
        }
        if response.isMultipart {
            warnings.append(
                "the ranges came as multipart/byteranges: each is saved behind a head of its own")
        } else if response.status == .partialContent, let asked = report.request.fields[.range],
            asked.contains(","), let told = response.fields[.contentRange]
        {
            warnings.append("\(asked) was asked for, and of that came \(told.shownFromServer)")
        }
        if !isDecoded, !isRefused, let coding = response.fields[.contentEncoding],
            CommaList(coding).contains(where: { !$0.isEqualIgnoringCase(to: "identity") })
        {
            warnings.append("the content has the coding \(coding.shownFromServer) and is saved as it came")
        }
        return warnings
    }
}
