/// Why octets are no message, or a message no octets.
public struct WireError: Error, Hashable, Sendable {
    /// What is wrong, with the octet at fault where there is one.
    public var reason: Reason

    /// Octets of this exchange's responses before the fault: the offending octet's own offset. In a request
    /// that is refused, the offset in the part (target or value) that is wrong.
    public var offset: UInt64

    /// An error at `offset`.
    public init(_ reason: Reason, at offset: UInt64) {
        self.reason = reason
        self.offset = offset
    }

    /// What is wrong; its `description` is one clause with the section that says so.
    public enum Reason: Hashable, Sendable {
        // The connection ended.
        /// Nothing at all came.
        case emptyReply
        /// The head broke off, or only interim responses came.
        case headCut
        /// Content broke off; how much is missing is known for a declared length only.
        case contentCut(missing: UInt64?)
        /// All content came, but the trailer section behind the last chunk broke off.
        case trailerSectionCut

        // The status line.
        /// The first octets are not those of "HTTP/".
        case notHTTP(UInt8)
        /// A major version other than 1.
        case unsupportedVersion(major: UInt8, minor: UInt8)
        /// An octet that cannot stand there, or the end of the line where more must come.
        case invalidStatusLine(UInt8?)
        /// Three digits that begin with 0.
        case invalidStatusCode(Int)
        /// An octet that cannot stand in a request line, or the end of the line where more must come.
        case invalidRequestLine(UInt8?)

        // Header and trailer sections.
        /// CR without LF.
        case bareCR
        /// LF without CR, where that is not allowed.
        case bareLF
        /// NUL, or a control character where those are not kept.
        case invalidValueOctet(UInt8)
        /// An octet that cannot stand in a token.
        case invalidNameOctet(UInt8)
        /// A line that begins with its colon.
        case emptyFieldName
        /// A line without a colon.
        case missingColon
        /// A blank between a field name and its colon.
        case blankBeforeColon
        /// A line that begins with a blank but continues nothing.
        case foldWithoutField

        // Framing.
        /// 101 that nobody offered.
        case unexpectedUpgrade
        /// Content-Length with an octet that is no digit, or without any digit.
        case invalidContentLength(UInt8?)
        /// Content-Length past 64 bits.
        case contentLengthTooLarge
        /// Several lengths that differ.
        case differingContentLengths
        /// The chunked coding applied twice.
        case repeatedChunked
        /// The chunked coding with a parameter.
        case chunkedWithParameter

        // The chunked coding.
        /// An octet that cannot stand in the line of a chunk's size.
        case invalidChunkSize(UInt8)
        /// A size past 64 bits.
        case chunkSizeTooLarge
        /// An octet that cannot stand in a chunk extension.
        case invalidChunkExtension(UInt8)
        /// Another octet than those of CRLF behind a chunk's data.
        case chunkDataNotEnded(UInt8)

        // Limits, each with its value.
        /// The head is longer than `WireLimits.maximumHeadOctets`.
        case headTooLong(limit: Int)
        /// A line is longer than `WireLimits.maximumLineOctets`.
        case lineTooLong(limit: Int)
        /// A section has more lines than `WireLimits.maximumFieldLines` or `maximumTrailerLines`.
        case tooManyFieldLines(limit: Int)
        /// More than `WireLimits.maximumInterimResponses`.
        case tooManyInterimResponses(limit: Int)
        /// The trailer section is longer than `WireLimits.maximumTrailerOctets`.
        case trailerSectionTooLong(limit: Int)
        /// A chunk's line is longer than `WireLimits.maximumChunkLineOctets`.
        case chunkLineTooLong(limit: Int)
        /// The extensions are longer than `WireLimits.maximumChunkExtensionOctets`.
        case chunkExtensionsTooLong(limit: Int)

        // Requests that are not sent.
        /// A target with an octet that would end it, or without any.
        case invalidTarget(UInt8?)
        /// A form of target that this method does not take.
        case targetUnfitForMethod
        /// HTTP/1.1 without Host.
        case missingHost
        /// More than one line of Host.
        case repeatedHost
        /// Both Content-Length and Transfer-Encoding.
        case lengthAndCoding
        /// Transfer-Encoding in a request of HTTP/1.0.
        case codingInOldVersion
        /// Transfer-Encoding in a request that does not end with chunked.
        case codingWithoutChunked
        /// "chunked" in TE.
        case chunkedAskedFor
    }
}

extension WireError: CustomStringConvertible {
    /// The reason and the offset, one clause.
    public var description: String { "\(reason), at octet \(offset)" }
}

extension WireError.Reason: CustomStringConvertible {
    /// One clause in the RFC's words, with the section.
    public var description: String {
        switch self {
        case .emptyReply: "connection ended before any octet of a response (RFC 9112, section 8)"
        case .headCut: "connection ended before the final response's head did (RFC 9112, section 8)"
        case .contentCut(let missing?): "content ended \(missing) octets short (RFC 9112, section 8)"
        case .contentCut(nil): "content ended before its last chunk (RFC 9112, section 8)"
        case .trailerSectionCut: "connection ended inside the trailer section (RFC 9112, section 7.1.2)"

        case .notHTTP(let octet): "\(hex(octet)) where a status line begins (RFC 9112, section 4)"
        case .unsupportedVersion(let major, let minor):
            "version HTTP/\(major).\(minor) in a status line (RFC 9112, section 2.3)"
        case .invalidStatusLine(let octet?): "\(hex(octet)) in a status line (RFC 9112, section 4)"
        case .invalidStatusLine(nil): "status line ends too early (RFC 9112, section 4)"
        case .invalidRequestLine(let octet?): "\(hex(octet)) in a request line (RFC 9112, section 3)"
        case .invalidRequestLine(nil): "request line ends too early (RFC 9112, section 3)"
        case .invalidStatusCode(let code): "status code \(code) below 100 (RFC 9110, section 15)"

        case .bareCR: "CR without LF (RFC 9112, section 2.2)"
        case .bareLF: "LF without CR (RFC 9112, section 2.2)"
        case .invalidValueOctet(let octet): "\(hex(octet)) in a field value or reason (RFC 9110, section 5.5)"
        case .invalidNameOctet(let octet): "\(hex(octet)) in a field name (RFC 9110, section 5.1)"
        case .emptyFieldName: "field line without a name (RFC 9112, section 5)"
        case .missingColon: "field line without a colon (RFC 9112, section 5)"
        case .blankBeforeColon: "blank between field name and colon (RFC 9112, section 5.1)"
        case .foldWithoutField: "folded line before the first field line (RFC 9112, section 2.2)"

        case .unexpectedUpgrade: "status 101 though no upgrade was offered (RFC 9110, section 15.2.2)"
        case .invalidContentLength(let octet?): "\(hex(octet)) in Content-Length (RFC 9110, section 8.6)"
        case .invalidContentLength(nil): "Content-Length without a digit (RFC 9110, section 8.6)"
        case .contentLengthTooLarge: "Content-Length past 64 bits (RFC 9110, section 8.6)"
        case .differingContentLengths: "lengths in Content-Length differ (RFC 9112, section 6.3)"
        case .repeatedChunked: "chunked coding applied more than once (RFC 9112, section 6.1)"
        case .chunkedWithParameter: "chunked coding with a parameter (RFC 9112, section 7.1)"

        case .invalidChunkSize(let octet): "\(hex(octet)) in the line of a chunk size (RFC 9112, section 7.1)"
        case .chunkSizeTooLarge: "chunk size past 64 bits (RFC 9112, section 7.1)"
        case .invalidChunkExtension(let octet): "\(hex(octet)) in a chunk extension (RFC 9112, section 7.1.1)"
        case .chunkDataNotEnded(let octet): "\(hex(octet)) where chunk data ends (RFC 9112, section 7.1)"

        case .headTooLong(let limit): "head of more than \(limit) octets (RFC 9110, section 5.4)"
        case .lineTooLong(let limit): "line of more than \(limit) octets (RFC 9110, section 5.4)"
        case .tooManyFieldLines(let limit): "more than \(limit) field lines (RFC 9110, section 5.4)"
        case .tooManyInterimResponses(let limit):
            "more than \(limit) interim responses (RFC 9110, section 15.2)"
        case .trailerSectionTooLong(let limit):
            "trailer section of more than \(limit) octets (RFC 9112, section 7.1.2)"
        case .chunkLineTooLong(let limit):
            "line of a chunk size of more than \(limit) octets (RFC 9112, section 7.1)"
        case .chunkExtensionsTooLong(let limit):
            "chunk extensions of more than \(limit) octets (RFC 9112, section 7.1.1)"

        case .invalidTarget(let octet?): "\(hex(octet)) in a request target (RFC 9112, section 3.2)"
        case .invalidTarget(nil): "request target without an octet (RFC 9112, section 3.2)"
        case .targetUnfitForMethod: "form of request target unfit for the method (RFC 9112, section 3.2)"
        case .missingHost: "request of HTTP/1.1 without Host (RFC 9112, section 3.2)"
        case .repeatedHost: "request with more than one Host (RFC 9112, section 3.2)"
        case .lengthAndCoding:
            "request with both Content-Length and Transfer-Encoding (RFC 9112, section 6.2)"
        case .codingInOldVersion: "Transfer-Encoding in a request of HTTP/1.0 (RFC 9112, section 6.1)"
        case .codingWithoutChunked:
            "request whose last transfer coding is not chunked (RFC 9112, section 6.1)"
        case .chunkedAskedFor: "chunked in TE, where it must not stand (RFC 9112, section 7.4)"
        }
    }
}

/// "octet 0x0a".
private func hex(_ octet: UInt8) -> String {
    "octet 0x\(octet < 16 ? "0" : "")\(String(octet, radix: 16))"
}
