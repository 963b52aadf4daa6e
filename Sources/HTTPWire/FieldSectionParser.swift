import HTTPMessage

/// Reads a header section or a trailer section up to its empty line.
///
///     field-line   = field-name ":" OWS field-value OWS
///     field-name   = token
///     obs-fold     = OWS CRLF RWS
struct FieldSectionParser: Sendable {
    /// Which section, for its limits.
    enum Section: Sendable {
        case header  // together with its status line: the head
        case trailer
    }

    private(set) var fields = HTTPFields()
    private var reader = LineReader()
    private let section: Section
    private let limits: WireLimits
    private let leniency: Leniency
    private let sectionLimit: Int
    /// Octets of the exchange before the line that is being read.
    private(set) var position: UInt64
    /// Octets of the section before that line.
    private var octetsBefore = 0
    /// The section's octets as they came; `nil` where nobody wants them.
    var kept: [UInt8]?

    init(_ section: Section, limits: WireLimits, leniency: Leniency, position: UInt64) {
        self.section = section
        self.limits = limits
        self.leniency = leniency
        self.position = position
        sectionLimit = section == .header ? limits.maximumHeadOctets : limits.maximumTrailerOctets
    }

    /// The octets of a line that has not come whole.
    var held: [UInt8] { reader.held }

    /// Whether any octet came.
    var isEmpty: Bool { octetsBefore == 0 && reader.held.isEmpty }

    /// Reads field lines; true when the empty line has been read too, false when more input is needed.
    mutating func readFields(in input: Span<UInt8>, at offset: inout Int) throws(WireError) -> Bool {
        while true {
            switch try nextLine(in: input, at: &offset) {
            case .needsInput:
                return false
            case .inInput(let range):
                if try readFieldLine(input.extracting(range)) { return true }
            case .held:
                let line = reader.takeHeld()
                let isEnd = try readFieldLine(line.span)
                reader.recycle(line)
                if isEnd { return true }
            }
        }
    }

    /// Reads the first line by `parse`, which is given the line without its end and the offset of its first
    /// octet; `nil` when more input is needed.
    mutating func readFirstLine<Result>(
        in input: Span<UInt8>, at offset: inout Int,
        _ parse: (Span<UInt8>, UInt64) throws(WireError) -> Result
    ) throws(WireError) -> Result? {
        switch try nextLine(in: input, at: &offset) {
        case .needsInput:
            return nil
        case .inInput(let range):
            return try readLine(input.extracting(range), parse)
        case .held:
            let line = reader.takeHeld()
            let result = try readLine(line.span, parse)
            reader.recycle(line)
            return result
        }
    }

    private mutating func readLine<Result>(
        _ line: Span<UInt8>, _ parse: (Span<UInt8>, UInt64) throws(WireError) -> Result
    ) throws(WireError) -> Result {
        let end = try endOfText(of: line)
        let result = try parse(line.extracting(..<end), position)
        advance(over: line)
        return result
    }

    private mutating func nextLine(
        in input: Span<UInt8>, at offset: inout Int
    ) throws(WireError) -> LineReader.Line {
        let limit = min(limits.maximumLineOctets, sectionLimit - octetsBefore)
        do {
            return try reader.nextLine(in: input, at: &offset, limit: limit)
        } catch {
            // The limit that is reached first; the offset is that of the first octet too many, however octets
            // came.
            let reason: WireError.Reason
            if limit == limits.maximumLineOctets {
                reason = .lineTooLong(limit: limit)
            } else if section == .header {
                reason = .headTooLong(limit: sectionLimit)
            } else {
                reason = .trailerSectionTooLong(limit: sectionLimit)
            }
            throw WireError(reason, at: position + UInt64(limit))
        }
    }

    /// Where the text of a line ends: before its CR, or with it where a bare LF is allowed.
    private func endOfText(of line: Span<UInt8>) throws(WireError) -> Int {
        let end = line.count - 1
        if end >= 0 && line[end] == .carriageReturn { return end }
        guard leniency.allowsBareLF else { throw error(.bareLF, line.count) }
        return line.count
    }

    private mutating func advance(over line: Span<UInt8>) {
        if kept != nil {
            kept?.append(copying: line)
            kept?.append(.lineFeed)
        }
        octetsBefore += line.count + 1
        position += UInt64(line.count + 1)
    }

    /// Reads one line, given without its LF; true when it is the empty one.
    private mutating func readFieldLine(_ line: Span<UInt8>) throws(WireError) -> Bool {
        let end = try endOfText(of: line)
        if end == 0 {
            advance(over: line)
            return true
        }
        if line[0].isBlank {
            // A user agent must replace the fold by a space (RFC 9112, section 5.2); with no field line
            // before it, the line is refused as section 2.2 permits.
            guard !fields.isEmpty else { throw error(.foldWithoutField, 0) }
            let value = try valueRange(in: line, 0..<end)
            fields.extendLast(line.extracting(value))
        } else {
            let colon = try nameEnd(in: line, end)
            let limit = section == .header ? limits.maximumFieldLines : limits.maximumTrailerLines
            guard fields.count < limit else { throw error(.tooManyFieldLines(limit: limit), 0) }
            let value = try valueRange(in: line, colon + 1..<end)
            if fields.isEmpty && section == .header { fields.reserve(octets: 512, lines: 16) }
            fields.append(name: line.extracting(..<colon), value: line.extracting(value))
        }
        advance(over: line)
        return false
    }

    /// The offset of the colon behind the field name.
    private func nameEnd(in line: Span<UInt8>, _ end: Int) throws(WireError) -> Int {
        var index = 0
        while index < end && line[index].isTokenOctet { index += 1 }
        guard index < end else { throw error(.missingColon, end) }
        if line[index] == .colon {
            guard index > 0 else { throw error(.emptyFieldName, 0) }
            return index
        }
        guard line[index].isBlank else {
            throw error(line[index] == .carriageReturn ? .bareCR : .invalidNameOctet(line[index]), index)
        }
        var next = index
        while next < end && line[next].isBlank { next += 1 }
        let isBeforeColon = next < end && line[next] == .colon
        throw error(isBeforeColon ? .blankBeforeColon : .invalidNameOctet(line[index]), index)
    }

    /// The value in `range` without the blanks around it, all octets checked.
    private func valueRange(in line: Span<UInt8>, _ range: Range<Int>) throws(WireError) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end && line[start].isBlank { start += 1 }
        while end > start && line[end - 1].isBlank { end -= 1 }
        if let (reason, index) = fault(in: line.extracting(start..<end), leniency) {
            throw error(reason, start + index)
        }
        return start..<end
    }

    private func error(_ reason: WireError.Reason, _ index: Int) -> WireError {
        WireError(reason, at: position + UInt64(index))
    }
}

/// What is wrong in a field value or reason phrase, and where. CR and NUL are never kept, other control
/// characters as `leniency` says (RFC 9110, section 5.5); LF has ended the line.
func fault(in text: Span<UInt8>, _ leniency: Leniency) -> (WireError.Reason, Int)? {
    var index = 0
    while index < text.count {
        let octet = text[index]
        if octet.isControl && octet != 0x09 {
            if octet == .carriageReturn { return (.bareCR, index) }
            if octet == 0 || !leniency.retainsControlOctets { return (.invalidValueOctet(octet), index) }
        }
        index += 1
    }
    return nil
}
