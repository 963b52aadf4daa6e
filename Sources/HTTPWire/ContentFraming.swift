import HTTPMessage

/// How the end of a response's content is found (RFC 9112, section 6.3).
public enum ContentFraming: Hashable, Sendable {
    /// There is none: the message ends with its head.
    case none
    /// So many octets.
    case length(UInt64)
    /// By the chunked coding.
    case chunked
    /// It ends with the connection.
    case untilClose
}

/// What a response's head says about its content and its connection.
struct HeadFacts: Sendable {
    var framing: ContentFraming
    /// Transfer codings left on the content, in the order they were applied.
    var unknownTransferCodings: [String] = []
    /// Whether the connection may serve again, if the exchange ends well.
    var verdict = ReuseVerdict.reusable

    /// Decides by the rules of RFC 9112, section 6.3, in their order.
    init(
        of response: HTTPResponse, to method: HTTPMethod, leniency: Leniency, at position: UInt64
    ) throws(WireError) {
        let (status, fields) = (response.status, response.fields)
        let hasCoding = fields.contains(.transferEncoding)
        let hasLength = fields.contains(.contentLength)

        // 1. HEAD, 1xx, 204 and 304 end with their head, whatever its fields say.
        if method == .head || status.isInterim || status == .noContent || status == .notModified {
            framing = .none
            // A 204 that announces content may send it too: those octets must not become the next response.
            let announcesContent = hasCoding || (hasLength && fields[.contentLength] != "0")
            if status == .noContent && announcesContent {
                verdict = .contentNotAllowed
            }
            if status == .switchingProtocols { verdict = .upgraded }
            decidePersistence(of: response)
            return
        }

        // 2. A successful CONNECT makes a tunnel; Content-Length and Transfer-Encoding are ignored.
        if method == .connect && status.isSuccess {
            framing = .none
            verdict = .tunnel
            return
        }

        if hasCoding {
            // 3. Transfer-Encoding overrides Content-Length. The sender is confused: close behind it.
            if hasLength { verdict = .lengthAndCoding }
            // A sender of HTTP/1.0 knows no transfer codings (RFC 9112, section 6.1).
            if response.version < .http11 { verdict = .codingInOldVersion }

            // 4. Chunked as the final coding delimits the content, any other coding reads to the end.
            (framing, unknownTransferCodings) = try Self.framing(byCodingsIn: fields, leniency, at: position)
        } else if hasLength {
            // 5. An invalid length is an unrecoverable error, unless it is the same valid one several times.
            // 6. A valid length counts octets.
            framing = .length(try Self.contentLength(in: fields, at: position))
        } else {
            // 7. is for requests.
            // 8. Otherwise content ends with the connection.
            framing = .untilClose
        }
        if framing == .untilClose && verdict == .reusable { verdict = .contentEndsWithConnection }
        decidePersistence(of: response)
    }

    /// Content that is a whole response of HTTP/0.9.
    static let http09 = HeadFacts(framing: .untilClose, verdict: .contentEndsWithConnection)

    private init(framing: ContentFraming, verdict: ReuseVerdict) {
        self.framing = framing
        self.verdict = verdict
    }

    /// RFC 9112, section 9.3: "close", then the version, then "keep-alive".
    private mutating func decidePersistence(of response: HTTPResponse) {
        guard verdict == .reusable else { return }
        let fields = response.fields
        var keepsAlive = response.version >= .http11
        var index = fields.index(of: .connection, from: 0)
        while let line = index {
            for option in listMembers(of: fields.valueOctets(at: line)) {
                if option.equalsIgnoringCase("close") {
                    verdict = .closeAnnounced
                    return
                }
                if option.equalsIgnoringCase("keep-alive") { keepsAlive = true }
            }
            index = fields.index(of: .connection, from: line + 1)
        }
        if !keepsAlive { verdict = .versionWithoutPersistence }
    }

    /// Rule 4: what the list of transfer codings means.
    private static func framing(
        byCodingsIn fields: HTTPFields, _ leniency: Leniency, at position: UInt64
    ) throws(WireError) -> (ContentFraming, [String]) {
        var codings: [ArraySlice<UInt8>] = []
        var index = fields.index(of: .transferEncoding, from: 0)
        while let line = index {
            codings += listMembers(of: fields.valueOctets(at: line))
            index = fields.index(of: .transferEncoding, from: line + 1)
        }
        for coding in codings where coding.prefix(while: \.isTokenOctet).equalsIgnoringCase("chunked") {
            guard coding.count == 7 else { throw WireError(.chunkedWithParameter, at: position) }
        }
        let isChunked = codings.last?.equalsIgnoringCase("chunked") ?? false
        if isChunked { codings.removeLast() }
        while leniency.allowsRepeatedChunked, isChunked, codings.last?.equalsIgnoringCase("chunked") ?? false
        {
            codings.removeLast()
        }
        if isChunked && codings.contains(where: { $0.equalsIgnoringCase("chunked") }) {
            throw WireError(.repeatedChunked, at: position)
        }
        // "identity" of RFC 2616 changes nothing, so there is nothing to undo; it delimits nothing either.
        codings.removeAll { $0.equalsIgnoringCase("identity") }
        return (isChunked ? .chunked : .untilClose, codings.map { String(latin1: $0) })
    }

    /// Rules 5 and 6: the one length that all lines and list members agree on.
    private static func contentLength(in fields: HTTPFields, at position: UInt64) throws(WireError) -> UInt64
    {
        var length: UInt64?
        var index = fields.index(of: .contentLength, from: 0)
        while let line = index {
            let members = listMembers(of: fields.valueOctets(at: line))
            guard !members.isEmpty else { throw WireError(.invalidContentLength(nil), at: position) }
            for member in members {
                let value = try decimal(member, at: position)
                guard length == nil || length == value else {
                    throw WireError(.differingContentLengths, at: position)
                }
                length = value
            }
            index = fields.index(of: .contentLength, from: line + 1)
        }
        // There is a line, and each has a member.
        guard let length else { preconditionFailure("Content-Length without a line") }
        return length
    }
}

/// The value of `Content-Length = 1*DIGIT` (RFC 9110, section 8.6).
func decimal(_ digits: ArraySlice<UInt8>, at position: UInt64) throws(WireError) -> UInt64 {
    guard !digits.isEmpty else { throw WireError(.invalidContentLength(nil), at: position) }
    if let octet = digits.first(where: { !$0.isDigit }) {
        throw WireError(.invalidContentLength(octet), at: position)
    }
    var value: UInt64 = 0
    for digit in digits {
        let (product, overflows) = value.multipliedReportingOverflow(by: 10)
        let (sum, carries) = product.addingReportingOverflow(UInt64(digit - 0x30))
        guard !overflows && !carries else { throw WireError(.contentLengthTooLarge, at: position) }
        value = sum
    }
    return value
}
