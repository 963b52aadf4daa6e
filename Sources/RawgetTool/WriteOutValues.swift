/// What `-w` can tell about one transfer that is over.
struct WriteOutValues: Sendable {
    /// The URL as given.
    var url = ""
    /// The URL loaded in the end.
    var effectiveURL = ""
    /// The number of the argument that the URL comes from, in the run, from 0.
    var urlNumber: UInt64 = 0
    /// The status of the last response; 0 when there was none.
    var status: UInt64 = 0
    /// `1.1`, `1.0`, `0.9`; `0` when there was no response.
    var httpVersion = "0"
    /// Of the URL loaded in the end, in lower case; `nil` when it was not begun.
    var scheme: String?
    /// Of the last request.
    var method = "GET"
    /// The fields of the last response, in their order.
    var fields: [(name: String, value: String)] = []
    /// Where a redirect that was not followed leads.
    var redirectURL: String?
    var redirectCount: UInt64 = 0
    /// The Referer sent.
    var referer: String?
    /// The name the content was saved under.
    var fileName: String?

    /// Octets of content received.
    var downloadSize: UInt64 = 0
    /// Octets of content sent.
    var uploadSize: UInt64 = 0
    /// Octets of all response heads.
    var headSize: UInt64 = 0
    /// Octets of all request heads.
    var requestSize: UInt64 = 0

    /// From the beginning of the transfer until each step was done; zero when it never was.
    var nameLookupTime = Duration.zero
    var connectTime = Duration.zero
    /// The TLS handshake.
    var appConnectTime = Duration.zero
    /// Ready to send.
    var preTransferTime = Duration.zero
    /// The first octet of the response.
    var startTransferTime = Duration.zero
    /// All redirects before the last request.
    var redirectTime = Duration.zero
    var totalTime = Duration.zero

    /// Connections opened for this transfer.
    var connectionCount: UInt64 = 0
    var retryCount: UInt64 = 0
    /// What the check of the server's certificate came to; 0 is good, and where there was none.
    var verifyResult: UInt64 = 0
    var remoteAddress = ""
    var remotePort: UInt64 = 0
    var localAddress = ""
    var localPort: UInt64 = 0

    /// The status the command would exit with for this transfer alone.
    var exitCode: UInt64 = 0
    /// Why it failed; `nil` when it did not.
    var errorMessage: String?

    /// Nothing known yet.
    init() {}

    /// The scheme in capitals, version 1.0 as 1, and none where there was no head: so curl 7.88 prints them.
    mutating func spellAsCurl() {
        scheme = scheme?.uppercased()
        // A query of nothing is none.
        if let query = effectiveURL.firstIndex(of: "?") {
            let next = effectiveURL.index(after: query)
            let isEmpty = next == effectiveURL.endIndex || effectiveURL[next] == "#"
            if isEmpty { effectiveURL.remove(at: query) }
        }
        if httpVersion == "0.9" { httpVersion = "0" }
        if httpVersion == "1.0" { httpVersion = "1" }
    }

    /// Octets a second over the whole transfer.
    func rate(of size: UInt64) -> UInt64 { TransferRate.perSecond(size, in: totalTime) ?? 0 }

    /// The value of the first field of that name; empty when there is none.
    func field(_ name: String) -> String {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.value ?? ""
    }
}
