package import HTTPMessage

/// The head of a request as it stands on the wire (RFC 9112, sections 3 and 5).
package struct RequestHead: Hashable, Sendable {
    /// What is asked for.
    package var method: HTTPMethod
    /// The request target as it was written, one scalar an octet.
    package var target: String
    /// The version the client speaks.
    package var version: HTTPVersion
    /// The header section.
    package var fields: HTTPFields
}

/// Reads one request head, whole: what a person has at hand, not what comes from a network.
package enum RequestHeadParser {
    /// Reads the head that begins at `input[offset]` and moves `offset` behind it; `nil` where the input ends before
    /// the head does. Field lines are read as those of responses are.
    package static func read(
        in input: Span<UInt8>, at offset: inout Int, limits: WireLimits = WireLimits(),
        leniency: Leniency = Leniency()
    ) throws(WireError) -> RequestHead? {
        var section = FieldSectionParser(
            .header, limits: limits, leniency: leniency, position: UInt64(offset))
        let line = try section.readFirstLine(in: input, at: &offset) {
            line, position throws(WireError) in
            try RequestLine(parsing: line, at: position, leniency)
        }
        guard let line, try section.readFields(in: input, at: &offset) else { return nil }
        return RequestHead(
            method: line.method, target: line.target, version: line.version, fields: section.fields)
    }
}

/// The first line of a request.
///
///     request-line = method SP request-target SP HTTP-version
private struct RequestLine {
    var method: HTTPMethod
    var target: String
    var version: HTTPVersion

    init(parsing line: Span<UInt8>, at position: UInt64, _ leniency: Leniency) throws(WireError) {
        func invalid(_ index: Int) -> WireError {
            let octet = index < line.count ? line[index] : nil
            return WireError(.invalidRequestLine(octet), at: position + UInt64(index))
        }
        var index = 0

        // method
        while index < line.count, line[index].isTokenOctet { index += 1 }
        let name = line.extracting(0..<index)
        var octets: [UInt8] = []
        octets.append(copying: name)
        guard let method = HTTPMethod(String(latin1: octets)) else { throw invalid(index) }
        self.method = method

        // SP request-target
        guard let start = StatusLine.skipSeparator(in: line, at: index, leniency) else {
            throw invalid(index)
        }
        index = start
        while index < line.count, line[index] > 0x20, line[index] != 0x7F { index += 1 }
        guard index > start else { throw invalid(index) }
        octets = []
        octets.append(copying: line.extracting(start..<index))
        target = String(latin1: octets)

        // SP HTTP-version
        guard let start = StatusLine.skipSeparator(in: line, at: index, leniency) else {
            throw invalid(index)
        }
        version = try StatusLine.version(in: line, at: start, invalid)
        guard version.major == 1 else { throw invalid(start + 5) }
        guard line.count == start + 8 else { throw invalid(start + 8) }
    }
}
