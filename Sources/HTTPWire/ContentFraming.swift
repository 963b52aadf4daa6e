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
        let status = response.status
        let hop = HopFields(in: response.fields)

        // 1. HEAD, 1xx, 204 and 304 end with their head, whatever its fields say.
        if method == .head || status.isInterim || status == .noContent || status == .notModified {
            framing = .none
            // A 204 that announces content may send it too: those octets must not become the next response.
            let announcesLength = hop.contentLengths.map { !$0.allSatisfy { $0.allSatisfy { $0 == 0x30 } } }
            if method == .connect && status.isSuccess {
                verdict = .tunnel  // rule 2 holds for a 204 too
            } else if status == .noContent && (hop.transferCodings != nil || announcesLength ?? false) {
                verdict = .contentNotAllowed
            } else if status == .switchingProtocols {
                verdict = .upgraded
            }
            decidePersistence(by: hop.connectionOptions, response.version)
            return
        }

        // 2. A successful CONNECT makes a tunnel; Content-Length and Transfer-Encoding are ignored.
        if method == .connect && status.isSuccess {
            framing = .none
            verdict = .tunnel
            return
        }

        if let codings = hop.transferCodings {
            // 3. Transfer-Encoding overrides Content-Length. The sender is confused: close behind it.
            if hop.contentLengths != nil { verdict = .lengthAndCoding }
            // A sender of HTTP/1.0 knows no transfer codings (RFC 9112, section 6.1).
            if response.version < .http11 { verdict = .codingInOldVersion }

            // 4. Chunked as the final coding delimits the content; any other final coding reads to the end.
            (framing, unknownTransferCodings) = try Self.framing(by: codings, leniency, at: position)
        } else if !leniency.ignoresContentLength, let lengths = hop.contentLengths {
            // 5. An invalid length is an unrecoverable error, unless it is the same valid one several times.
            // 6. A valid length counts octets.
            framing = .length(try Self.contentLength(lengths, at: position))
        } else {
            // 7. is for requests.
            // 8. Otherwise content ends with the connection.
            framing = .untilClose
        }
        if framing == .untilClose && verdict == .reusable { verdict = .contentEndsWithConnection }
        decidePersistence(by: hop.connectionOptions, response.version)
    }

    /// Content that is a whole response of HTTP/0.9.
    static let http09 = HeadFacts(framing: .untilClose, verdict: .contentEndsWithConnection)

    private init(framing: ContentFraming, verdict: ReuseVerdict) {
        self.framing = framing
        self.verdict = verdict
    }

    /// RFC 9112, section 9.3: "close", then the version, then "keep-alive".
    private mutating func decidePersistence(by options: [ArraySlice<UInt8>], _ version: HTTPVersion) {
        guard verdict == .reusable else { return }
        if options.contains(where: { $0.equalsIgnoringCase("close") }) {
            verdict = .closeAnnounced
        } else if version < .http11 && !options.contains(where: { $0.equalsIgnoringCase("keep-alive") }) {
            verdict = .versionWithoutPersistence
        }
    }

    /// Rule 4: what the list of transfer codings means, and which of them stay on the content.
    private static func framing(
        by list: [ArraySlice<UInt8>], _ leniency: Leniency, at position: UInt64
    ) throws(WireError) -> (ContentFraming, [String]) {
        func isChunked(_ coding: ArraySlice<UInt8>) -> Bool { coding.equalsIgnoringCase("chunked") }
        for coding in list where isChunked(coding.prefix(while: \.isTokenOctet)) {
            guard isChunked(coding) else { throw WireError(.chunkedWithParameter, at: position) }
        }
        var codings = list
        var framing = ContentFraming.untilClose
        if let last = codings.last, isChunked(last) {
            framing = .chunked
            codings.removeLast()
            while leniency.allowsRepeatedChunked, let last = codings.last, isChunked(last) {
                codings.removeLast()
            }
        }
        guard framing == .untilClose || !codings.contains(where: isChunked) else {
            throw WireError(.repeatedChunked, at: position)
        }
        // "identity" of RFC 2616 changes nothing, so there is nothing to undo; it delimits nothing either.
        codings.removeAll { $0.equalsIgnoringCase("identity") }
        return (framing, codings.map { String(latin1: $0) })
    }

    /// Rules 5 and 6: the one length that all lines and list members agree on.
    private static func contentLength(
        _ lengths: [ArraySlice<UInt8>], at position: UInt64
    ) throws(WireError) -> UInt64 {
        var agreed: UInt64?
        for digits in lengths {
            let length = try decimal(digits, at: position)
            guard agreed == nil || agreed == length else {
                throw WireError(.differingContentLengths, at: position)
            }
            agreed = length
        }
        guard let agreed else { throw WireError(.invalidContentLength(nil), at: position) }
        return agreed
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
