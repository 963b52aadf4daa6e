import Download
import HTTPClient
import HTTPMessage
import System
import Transport

/// What is known of one transfer: while it runs, and when it is over.
@NetworkActor
struct TransferRecord {
    nonisolated let url: String
    /// From 0, in the order of the command line.
    nonisolated let number: Int
    /// The number of the URL's argument in the run, from 0: braces and brackets may stand for several URLs.
    private nonisolated let argument: Int
    /// The format of `-w`.
    let writeOut: String?
    var request: HTTPRequest?
    /// The final response's head, once it is in.
    var response: HTTPResponse?
    /// When each step was done, and octets of content received.
    var timings: Timings?
    var contentOctets: UInt64 = 0
    var remote: SocketAddress?
    var local: SocketAddress?
    /// Octets of heads received, interim ones included.
    private var headOctets: UInt64 = 0
    /// Octets of all request heads sent.
    var requestOctets: UInt64 = 0
    /// Octets of content sent with the last request.
    var sentOctets: UInt64 = 0
    /// The request of the last redirect that was followed, and how many there were.
    private(set) var redirected: HTTPRequest?
    private(set) var redirectCount: UInt64 = 0
    var path: String?
    /// The path that was meant, which `-w` tells as curl where nothing was saved.
    var chosenPath: String?
    var exit: Int32 = 0
    var message = ""
    private var advice: String?
    /// Whether the URL has braces or brackets that were taken as they are, perhaps against what was meant.
    var hasGlobAsText = false
    private var excerpt: [UInt8] = []
    private var isQuiet = false
    /// Whether the command line is at fault, which even `-s` does not hide.
    private var isUsage = false
    /// Whether the answer did not meet the condition of time: as if it had been 304.
    var isUnchanged = false
    /// How often the transfer was tried again.
    var retryCount: UInt64 = 0
    /// Connections opened, also by a transfer that failed.
    var connectionsOpened = 0
    /// OpenSSL's number for what it found in the certificate of the last connection opened.
    var verifyResult = 0

    nonisolated init(_ url: String, number: Int, argument: Int, writeOut: String?) {
        self.url = url
        self.number = number
        self.argument = argument
        self.writeOut = writeOut
    }

    /// Takes note of what a transfer that came whole has to tell.
    mutating func take(_ report: TransferReport) {
        remote = report.remoteAddress
        local = report.localAddress
        headOctets = report.headOctets
        sentOctets = report.contentSent
        timings = report.timings
        contentOctets = report.contentOctets
    }

    /// Takes note of a redirect that is followed.
    mutating func redirect(to request: HTTPRequest) {
        redirected = request
        redirectCount += 1
        sentOctets = 0
    }

    /// The request goes out once more: redirects begin anew.
    mutating func beginAgain() {
        redirected = nil
        redirectCount = 0
        response = nil
    }

    /// The request under way, or the last one.
    var lastRequest: HTTPRequest? { redirected ?? request }

    /// Takes note of a head that came.
    mutating func countHead(_ response: HTTPResponse) {
        headOctets += UInt64(response.headOctetCount)
    }

    /// Takes note of how far a transfer came that failed.
    mutating func take(_ transfer: Transfer) {
        timings = transfer.timings
        contentOctets = transfer.contentReceived
    }

    /// Takes note of a failure. `interruption` is the exit code of a run that a person has interrupted.
    mutating func fail(_ error: TransferError, interruption: Int32? = nil) {
        if error.code == .httpFailure, let response { return refuse(response, []) }
        let row = ExitCode.row(named: error.code.name)
        exit = row?.status ?? 1
        let isInterrupted = interruption != nil
        if let interruption, error.code == .cancelled { exit = interruption }
        message = isInterrupted ? error.detail.replacingPrefix("cancelled", by: "interrupted") : error.detail
        let parts = [
            isInterrupted ? nil : Advice.of(error, isSent: request != nil),
            error.part.map { Advice.of(part: $0, error.continuation) },
        ].compactMap(\.self)
        advice = parts.isEmpty ? nil : parts.joined(separator: " ")
        // A closed pipe is how a reader says that it has enough.
        isQuiet = error.code == .writeFailed && error.errno == 32
    }

    /// Takes note of an option that cannot be obeyed.
    mutating func refuse(_ error: UsageError) {
        exit = error.exit
        message = error.message
        isUsage = true
    }

    /// Takes note of a URL that options forbid, with the words why.
    mutating func refuse(_ reason: String) {
        exit = 1
        message = reason
    }

    /// Takes note of an answer that counts as a failure, and of the beginning of its text.
    mutating func refuse(_ response: HTTPResponse, _ excerpt: [UInt8]) {
        exit = 22
        message = "the server answered \(response.statusText.shownFromServer)"
        self.excerpt = response.hasText && response.fields[.contentEncoding] == nil ? excerpt : []
        advice = Advice.of(response, to: lastRequest, first: request, excerpt: self.excerpt)
    }

    /// Tells the person what failed, if anything did.
    func tell(_ console: Console) {
        guard exit != 0, !isQuiet else { return }
        let advice = [advice, hasGlobAsText && !isUsage ? Advice.ofGlob : nil].compactMap(\.self)
        console.report(
            "\(displayedURL): \(message)".escapedForTerminal, exit: exit,
            advice: advice.isEmpty ? nil : advice.joined(separator: " "), always: isUsage)
        guard !console.hidesErrors else { return }
        for line in excerpt.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(10) {
            console.say("    \(String(decoding: line, as: UTF8.self).escapedForTerminal)")
        }
    }

    /// The URL without what is secret in it.
    private var displayedURL: String {
        guard let request else { return TransferRecord.withoutUserinfo(url) }
        return request.uri.withoutUserinfoAndFragment.description
    }
}

extension TransferRecord {
    /// A URL that could not be read, without what may be a name and password: what stands before the last `@` of its
    /// authority. A password with a slash in it ends the authority early, which leaves no port where one should be:
    /// then the last `@` of all counts.
    static func withoutUserinfo(_ url: String) -> String {
        let octets = Array(url.utf8)
        var start = 0
        if let slashes = octets.indices.first(where: {
            octets[$0...].prefix(2).elementsEqual([UInt8(ascii: "/"), UInt8(ascii: "/")])
        }) {
            start = slashes + 2
        }
        let end = octets[start...].firstIndex { "/?#".utf8.contains($0) } ?? octets.count
        let at = UInt8(ascii: "@")
        var last = octets[start..<end].lastIndex(of: at)
        if last == nil, let colon = octets[start..<end].lastIndex(of: UInt8(ascii: ":")),
            !octets[(colon + 1)..<end].allSatisfy(\.isDigit)
        {
            last = octets.lastIndex(of: at)
        }
        guard let last else { return url }
        return String(decoding: octets[..<start] + octets[(last + 1)...], as: UTF8.self)
    }

    /// What `-w` can tell.
    var values: WriteOutValues {
        var values = WriteOutValues()
        values.url = url
        values.effectiveURL = lastRequest?.uri.description ?? url
        values.urlNumber = UInt64(argument)
        values.scheme = lastRequest?.uri.scheme.rawValue
        values.method = lastRequest?.method.name ?? "GET"
        values.referer = lastRequest?.fields[.referer]
        values.redirectCount = redirectCount
        values.uploadSize = sentOctets
        values.fileName = path ?? chosenPath
        values.connectionCount = UInt64(connectionsOpened)
        values.retryCount = retryCount
        values.exitCode = UInt64(exit)
        values.errorMessage = exit == 0 ? nil : message
        if let response { describe(response, in: &values) }
        values.remoteAddress = remote?.host ?? ""
        values.remotePort = UInt64(remote?.port ?? 0)
        values.localAddress = local?.host ?? ""
        values.localPort = UInt64(local?.port ?? 0)
        values.downloadSize = contentOctets
        if let timings {
            values.nameLookupTime = timings.elapsed(until: timings.resolved)
            values.connectTime = timings.elapsed(until: timings.connected)
            values.appConnectTime = timings.elapsed(until: timings.secured)
            values.preTransferTime = timings.elapsed(until: timings.ready)
            values.startTransferTime = timings.elapsed(until: timings.firstOctet)
            values.redirectTime = timings.elapsed(until: timings.redirected)
            values.totalTime = timings.elapsed(until: timings.end ?? .now)
        }
        values.headSize = headOctets
        values.verifyResult = UInt64(verifyResult.magnitude)
        values.requestSize = requestOctets
        return values
    }

    private func describe(_ response: HTTPResponse, in values: inout WriteOutValues) {
        values.status = UInt64(response.status.code)
        if response.version == .http09 { values.status = 0 }  // it has none
        if isUnchanged { values.status = UInt64(HTTPStatus.notModified.code) }
        values.httpVersion = "\(response.version.major).\(response.version.minor)"
        values.fields = response.fields.map { ($0.name.spelling, $0.value.asText) }
        if response.status.isRedirection, let location = response.fields.values(of: .location).first,
            let base = lastRequest?.uri
        {
            values.redirectURL = (try? URI(location: location, relativeTo: base))?.description
        }
    }
}

extension String {
    /// A field value as text: octets that are UTF-8 are read as such, others as ISO 8859-1.
    var asText: String {
        guard let octets = latin1Octets, let text = String(validating: octets, as: UTF8.self) else {
            return self
        }
        return text
    }
}

extension String {
    /// A field value or reason in a message: as text, safe for a terminal, 200 characters at most.
    var shownFromServer: String {
        // Cut before, too: escapes only make it longer, and a field value may be a hundred thousand octets.
        let text = String(asText.prefix(201)).escapedForTerminal
        return text.count > 200 ? "\(text.prefix(200))…" : text
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
