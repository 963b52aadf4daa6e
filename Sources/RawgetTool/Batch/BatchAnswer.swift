import HTTPCache
import HTTPClient
import HTTPMessage
import System
import Transport

/// What is said of one line.
struct BatchAnswer: Sendable {
    /// What the transfer came to.
    enum Outcome: Sendable {
        /// An answer of whatever status. Content that went to a file is not told.
        case answered(TransferReport, interim: [HTTPResponse], content: [UInt8]?)
        case failed(TransferError)
    }

    var id: JSONValue
    var outcome: Outcome

    /// Content is written in pieces of this size: what it becomes as text is never held whole. A multiple of three, so
    /// that base64 needs no padding in between.
    private static let portion = 48 << 10

    /// Writes the line. Members without a value are there all the same: empty, or null.
    @NetworkActor
    func write(to output: BatchOutput) async throws(BatchOutput.Failure) {
        var printer = JSONPrinter()
        printer.append("{\"id\":")
        printer.append(id)
        switch outcome {
        case .failed(let error): BatchAnswer.append(error, to: &printer)
        case .answered(let report, let interim, let content):
            BatchAnswer.append(headOf: report.response, to: &printer)
            if let content { try await BatchAnswer.write(content, printer: &printer, to: output) }
            BatchAnswer.append(restOf: report, interim, to: &printer)
        }
        printer.append("}\n")
        try await output.write(printer.octets)
    }

    private static func append(_ error: TransferError, to printer: inout JSONPrinter) {
        let exit = ExitCode.row(named: error.code.name)?.status ?? 1
        printer.append(",\"ok\":false,\"error\":{\"code\":")
        printer.append(quoted: error.code.name)
        printer.append(",\"exit\":\(exit),\"message\":")
        printer.append(quoted: error.detail)
        printer.append("}")
    }

    private static func append(headOf response: HTTPResponse, to printer: inout JSONPrinter) {
        printer.append(",\"ok\":true,\"status\":\(response.status),\"reason\":")
        printer.append(quoted: response.reason)
        printer.append(",\"version\":\"\(response.version)\",\"headers\":")
        append(response.fields, to: &printer)
    }

    /// Field lines as pairs. Each octet past 0x7F is the character of that number (ISO 8859-1).
    private static func append(_ fields: HTTPFields, to printer: inout JSONPrinter) {
        printer.append(fields, between: "[", and: "]") { printer, field in
            printer.append("[")
            printer.append(quoted: field.name.spelling)
            printer.append(",")
            printer.append(quoted: field.value)
            printer.append("]")
        }
    }

    private static func append(
        restOf report: TransferReport, _ interim: [HTTPResponse], to printer: inout JSONPrinter
    ) {
        printer.append(",\"url\":")
        printer.append(quoted: url(report.request.uri))
        printer.append(",\"redirects\":")
        printer.append(report.redirects, between: "[", and: "]") { printer, redirect in
            printer.append("{\"status\":\(redirect.status),\"url\":")
            printer.append(quoted: url(redirect.uri))
            printer.append("}")
        }
        printer.append(",\"interim\":")
        printer.append(interim, between: "[", and: "]") { printer, response in
            printer.append("{\"status\":\(response.status),\"headers\":")
            append(response.fields, to: &printer)
            printer.append("}")
        }
        printer.append(",\"trailers\":")
        append(report.trailers, to: &printer)
        printer.append(",\"source\":\"\(report.source.rawValue)\",\"cacheStatus\":")
        printer.append(report.cacheStatus.map { .string($0.description) } ?? .null)
        append(report.timings, to: &printer)
    }

    /// Seconds from the beginning of the transfer until each step was done, as `-w` tells them; 0 for a step that did not
    /// take place.
    private static func append(_ timings: Timings, to printer: inout JSONPrinter) {
        let steps = [
            ("dns", timings.resolved), ("connect", timings.connected), ("tls", timings.secured),
            ("firstByte", timings.firstOctet), ("total", timings.end ?? .now),
        ]
        printer.append(",\"timings\":")
        printer.append(steps, between: "{", and: "}") { printer, step in
            printer.append("\"\(step.0)\":\(WriteOutVariable.seconds(timings.elapsed(until: step.1)))")
        }
    }

    /// With its fragment, as `%{url_effective}` has it, but without userinfo.
    private static func url(_ uri: URI) -> String {
        uri.withoutUserinfoAndFragment.inheritingFragment(of: uri).description
    }

    // MARK: Content

    /// Appends content to what `printer` holds; what becomes too much for it is written.
    @NetworkActor
    private static func write(
        _ content: [UInt8], printer: inout JSONPrinter, to output: BatchOutput
    ) async throws(BatchOutput.Failure) {
        let isText = isUTF8(content)
        printer.append(isText ? ",\"body\":\"" : ",\"bodyBase64\":\"")
        var start = 0
        while start < content.count {
            let end = isText ? endOfText(from: start, in: content) : min(start + portion, content.count)
            let piece = content.span.extracting(start..<end)
            if isText { printer.append(charactersOf: piece) } else { printer.append(Base64.encoded(piece)) }
            start = end
            if end < content.count { try await output.write(printer.take()) }
        }
        printer.append("\"")
    }

    private static func isUTF8(_ content: [UInt8]) -> Bool {
        do throws(UTF8.ValidationError) { _ = try UTF8Span(validating: content.span) } catch { return false }
        return true
    }

    /// Where a portion ends that begins at `start` and cuts no character.
    private static func endOfText(from start: Int, in content: [UInt8]) -> Int {
        var end = min(start + portion, content.count)
        while end < content.count, end > start + 1, content[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }
}
