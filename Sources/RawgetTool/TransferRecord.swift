import Download
import HTTPClient
import HTTPMessage
import System

/// What is known of one transfer: while it runs, and when it is over.
struct TransferRecord {
    let url: String
    /// From 0, in the order of the command line.
    let number: Int
    let writeOut: WriteOut?
    var request: HTTPRequest?
    /// The final response's head, once it is in.
    var response: HTTPResponse?
    var report: TransferReport?
    var path: String?
    var exit: Int32 = 0
    var message = ""
    /// Connections opened, also by a transfer that failed.
    var connectionsOpened = 0

    init(_ url: String, number: Int, writeOut: WriteOut?) {
        self.url = url
        self.number = number
        self.writeOut = writeOut
    }

    /// Takes note of a failure and tells the person.
    mutating func fail(_ error: TransferError, _ console: Console, isInterrupted: Bool = false) {
        let row = ExitCode.row(named: error.code.name)
        exit = isInterrupted && error.code == .cancelled ? 130 : row?.status ?? 1
        message = error.detail
        // A closed pipe is how a reader says that it has enough.
        if error.code == .writeFailed, error.errno == 32 { return }
        let text = isInterrupted ? message.replacingPrefix("cancelled", by: "interrupted") : message
        console.report(
            "\(displayedURL): \(text)".escapedForTerminal, exit: exit, advice: isInterrupted ? nil : row?.advice)
    }

    /// Takes note of an answer that counts as a failure; the beginning of its text is shown.
    mutating func refuse(_ response: HTTPResponse, _ excerpt: [UInt8], _ console: Console) {
        exit = 22
        message = "the server answered \(response.statusText)"
        console.report("\(displayedURL): \(message)".escapedForTerminal, exit: exit, advice: nil)
        guard !excerpt.isEmpty, !console.hidesErrors, response.hasText else { return }
        for line in String(decoding: excerpt, as: UTF8.self).split(separator: "\n").prefix(10) {
            console.say("    \(String(line).escapedForTerminal)")
        }
    }

    /// The URL without what is secret in it.
    private var displayedURL: String {
        guard let request else { return url }
        return request.uri.withoutUserinfoAndFragment.description
    }
}

extension HTTPResponse {
    /// Whether the content says of itself that it is text.
    fileprivate var hasText: Bool {
        guard let value = fields[.contentType], let type = MediaType(parsing: value) else { return false }
        return type.type == "text" || type.subtype == "json" || type.subtype.hasSuffix("+json")
            || type.subtype == "xml" || type.subtype.hasSuffix("+xml")
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String, by other: String) -> String {
        hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
    }
}

extension TransferError {
    /// A URL that cannot be read.
    init(_ error: URIError) {
        let code: Code
        if case .unsupportedScheme = error.reason { code = .unsupportedScheme } else { code = .badURI }
        self.init(code, during: .prepare, error.description)
    }
}
