import HTTPMessage

/// The first line of a response.
///
///     status-line   = HTTP-version SP status-code SP [ reason-phrase ]
///     HTTP-version  = %s"HTTP" "/" DIGIT "." DIGIT
///     status-code   = 3DIGIT
///     reason-phrase = 1*( HTAB / SP / VCHAR / obs-text )
///
/// The second SP may be missing together with the phrase: many servers leave it out.
struct StatusLine: Sendable {
    var version: HTTPVersion
    var status: HTTPStatus
    var reason: String

    /// "HTTP/".
    static let name: InlineArray<5, UInt8> = [0x48, 0x54, 0x54, 0x50, 0x2F]

    /// Reads `line`, given without its line end; its first octet has the offset `position`.
    init(parsing line: Span<UInt8>, at position: UInt64, _ leniency: Leniency) throws(WireError) {
        func error(_ reason: WireError.Reason, _ index: Int) -> WireError {
            WireError(reason, at: position + UInt64(index))
        }
        func invalid(_ index: Int) -> WireError {
            guard index < line.count else { return error(.invalidStatusLine(nil), line.count) }
            return error(line[index] == .carriageReturn ? .bareCR : .invalidStatusLine(line[index]), index)
        }

        version = try StatusLine.version(in: line, at: 0, invalid)
        guard version.major == 1 else {
            throw error(.unsupportedVersion(major: version.major, minor: version.minor), 5)
        }

        // SP
        guard let afterVersion = StatusLine.skipSeparator(in: line, at: 8, leniency) else { throw invalid(8) }

        // status-code
        var index = afterVersion
        var code = 0
        while index < afterVersion + 3 {
            guard index < line.count && line[index].isDigit else { throw invalid(index) }
            code = code * 10 + Int(line[index] - 0x30)
            index += 1
        }
        guard let status = HTTPStatus(code) else { throw error(.invalidStatusCode(code), afterVersion) }
        self.status = status

        // [ SP [ reason-phrase ] ]
        reason = ""
        guard index < line.count else { return }
        guard let start = StatusLine.skipSeparator(in: line, at: index, leniency) else {
            throw invalid(index)
        }
        let phrase = line.extracting(start..<line.count)
        if let (reason, index) = fault(in: phrase, leniency) { throw error(reason, start + index) }
        if !phrase.isEmpty {
            var octets: [UInt8] = []
            octets.append(copying: phrase)
            // ASCII as nearly always: the generic way costs 0.1 us of a head's 0.7.
            let isASCII = octets.allSatisfy { $0 < 0x80 }
            reason = isASCII ? String(decoding: octets, as: UTF8.self) : String(latin1: octets)
        }
    }

    /// The version that begins at `start`. A minor version above 1 is read as 1.1, as RFC 9110, section 2.5 asks.
    /// `invalid` makes the error of the octet at an index.
    static func version(
        in line: Span<UInt8>, at start: Int, _ invalid: (Int) -> WireError
    ) throws(WireError) -> HTTPVersion {
        for index in 0..<5 {
            guard start + index < line.count && line[start + index] == StatusLine.name[index]
            else { throw invalid(start + index) }
        }
        for index in start + 5..<start + 8 {
            guard index < line.count && (index == start + 6 ? line[index] == 0x2E : line[index].isDigit)
            else { throw invalid(index) }
        }
        return HTTPVersion(major: line[start + 5] - 0x30, minor: line[start + 7] - 0x30)
    }

    /// The offset behind the separator at `index`: one SP, or any blanks where those are allowed.
    static func skipSeparator(
        in line: Span<UInt8>, at index: Int, _ leniency: Leniency
    ) -> Int? {
        guard index < line.count else { return nil }
        guard leniency.allowsExtraBlanks else { return line[index] == .space ? index + 1 : nil }
        var next = index
        while next < line.count && line[next].isBlank { next += 1 }
        return next > index ? next : nil
    }
}
