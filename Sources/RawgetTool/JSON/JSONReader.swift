import HTTPMessage

/// Reads JSON (RFC 8259), octet by octet, in time linear in its length.
///
/// Names of an object may repeat: whoever uses the object decides what that means (section 4).
///
///     JSON-text = ws value ws
///     ws        = *( SP / HT / LF / CR )
struct JSONReader {
    /// Values inside of one another, for those who name no limit. Python's reader takes about 1000.
    static let maximumDepth = 64
    /// Values in all, for those who name no limit: each takes up to 40 octets of memory, however short it is written.
    static let maximumCount = 65_536

    private let octets: [UInt8]
    private let depthLimit: Int
    private let countLimit: Int
    private var position = 0
    private var depth = 0
    private var count = 0
    /// Whether a member of the outermost object was read: the next one stands behind a comma.
    private var hasMember = false

    /// A reader of that text.
    init(
        _ octets: [UInt8], maximumDepth: Int = JSONReader.maximumDepth,
        maximumCount: Int = JSONReader.maximumCount
    ) {
        self.octets = octets
        depthLimit = maximumDepth
        countLimit = maximumCount
    }

    /// The one value that the text consists of.
    static func value(of octets: [UInt8]) throws(JSONError) -> JSONValue {
        var reader = JSONReader(octets)
        let value = try reader.readValue()
        try reader.readEnd()
        return value
    }

    // MARK: An object, member by member

    /// Reads the beginning of a text that is an object.
    mutating func beginObject() throws(JSONError) {
        skipBlanks()
        guard octet == UInt8(ascii: "{") else { throw error(.expected(.object)) }
        try enter()
    }

    /// Reads the next member of that object; `nil` behind the last one, where the text has ended.
    mutating func nextMember() throws(JSONError) -> JSONValue.Member? {
        guard let member = try readMember(isFirst: !hasMember) else {
            try readEnd()
            return nil
        }
        hasMember = true
        return member
    }

    // MARK: Values

    private mutating func readValue() throws(JSONError) -> JSONValue {
        skipBlanks()
        count += 1
        guard count <= countLimit else { throw error(.tooMany(limit: countLimit)) }
        guard let octet else { throw error(.expected(.value)) }
        switch octet {
        case UInt8(ascii: "{"): return try readObject()
        case UInt8(ascii: "["): return try readArray()
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try readNumber())
        default: throw error(.expected(.value))
        }
    }

    private mutating func readWord(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard octets[position...].starts(with: word.utf8) else { throw error(.expected(.value)) }
        position += word.utf8.count
        return value
    }

    ///     object = "{" [ member *( "," member ) ] "}"
    private mutating func readObject() throws(JSONError) -> JSONValue {
        try enter()
        var members: [JSONValue.Member] = []
        while let member = try readMember(isFirst: members.isEmpty) { members.append(member) }
        return .object(members)
    }

    ///     member = string ":" value
    ///
    /// The next member of the innermost object; `nil` at its end, which is read.
    private mutating func readMember(isFirst: Bool) throws(JSONError) -> JSONValue.Member? {
        skipBlanks()
        if octet == UInt8(ascii: "}") {
            leave()
            return nil
        }
        if !isFirst {
            guard octet == UInt8(ascii: ",") else { throw error(.expected(.memberEnd)) }
            position += 1
            skipBlanks()
        }
        guard octet == UInt8(ascii: "\"") else { throw error(.expected(.name)) }
        let name = try readString()
        skipBlanks()
        guard octet == UInt8(ascii: ":") else { throw error(.expected(.colon)) }
        position += 1
        return JSONValue.Member(name: name, value: try readValue())
    }

    ///     array = "[" [ value *( "," value ) ] "]"
    private mutating func readArray() throws(JSONError) -> JSONValue {
        try enter()
        var elements: [JSONValue] = []
        while true {
            skipBlanks()
            if octet == UInt8(ascii: "]") {
                leave()
                return .array(elements)
            }
            if !elements.isEmpty {
                guard octet == UInt8(ascii: ",") else { throw error(.expected(.elementEnd)) }
                position += 1
            }
            elements.append(try readValue())
        }
    }

    ///     number = [ "-" ] ( "0" / %x31-39 *DIGIT ) [ "." 1*DIGIT ] [ ( "e" / "E" ) [ "-" / "+" ] 1*DIGIT ]
    private mutating func readNumber() throws(JSONError) -> String {
        let start = position
        if octet == UInt8(ascii: "-") { position += 1 }
        if octet == UInt8(ascii: "0") { position += 1 } else { try readDigits() }
        if octet == UInt8(ascii: ".") {
            position += 1
            try readDigits()
        }
        if octet == UInt8(ascii: "e") || octet == UInt8(ascii: "E") {
            position += 1
            if octet == UInt8(ascii: "-") || octet == UInt8(ascii: "+") { position += 1 }
            try readDigits()
        }
        // `01` is no number behind another: nothing could stand between the two.
        if let octet, octet.isDigit || octet == UInt8(ascii: ".") { throw error(.invalidNumber) }
        return String(decoding: octets[start..<position], as: UTF8.self)
    }

    private mutating func readDigits() throws(JSONError) {
        guard octet?.isDigit == true else { throw error(.invalidNumber) }
        while octet?.isDigit == true { position += 1 }
    }

    // MARK: Places in the text

    /// The octet that comes next; `nil` at the end.
    private var octet: UInt8? { position < octets.count ? octets[position] : nil }

    private mutating func skipBlanks() {
        while let octet, octet == 0x20 || octet == 0x09 || octet == 0x0A || octet == 0x0D { position += 1 }
    }

    /// Into an array or object, whose first octet comes next.
    private mutating func enter() throws(JSONError) {
        guard depth < depthLimit else { throw error(.tooDeep(limit: depthLimit)) }
        depth += 1
        position += 1
    }

    /// Out of it, whose last octet comes next.
    private mutating func leave() {
        depth -= 1
        position += 1
    }

    private mutating func readEnd() throws(JSONError) {
        skipBlanks()
        guard octet == nil else { throw error(.expected(.end)) }
    }

    private func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason: reason, offset: position)
    }
}

// MARK: Strings

extension JSONReader {
    ///     string = %x22 *( %x20-21 / %x23-5B / %x5D-10FFFF / "\" escape ) %x22
    ///
    /// The text of a string whose first quotation mark comes next.
    private mutating func readString() throws(JSONError) -> String {
        position += 1
        var text: [UInt8] = []
        while true {
            let run = try readRun()
            guard let octet else { throw error(.expected(.stringEnd)) }
            guard octet == UInt8(ascii: "\\") else {
                position += 1
                // Most strings have no escape: they are copied once.
                return String(decoding: text.isEmpty ? octets[run] : text[...] + octets[run], as: UTF8.self)
            }
            text += octets[run]
            text.append(contentsOf: String(try readEscape()).utf8)
        }
    }

    /// What stands before the next quotation mark or backslash, which are no part of any longer sequence of UTF-8.
    private mutating func readRun() throws(JSONError) -> Range<Int> {
        let start = position
        var isASCII = true
        while let octet, octet != UInt8(ascii: "\""), octet != UInt8(ascii: "\\") {
            guard octet >= 0x20 else { throw error(.control) }
            if octet >= 0x80 { isASCII = false }
            position += 1
        }
        let run = start..<position
        guard !isASCII else { return run }
        do throws(UTF8.ValidationError) { _ = try UTF8Span(validating: octets.span.extracting(run)) } catch {
            throw JSONError(reason: .invalidUTF8, offset: start + error.byteOffsets.lowerBound)
        }
        return run
    }

    ///     escape = %x22 / "\" / "/" / "b" / "f" / "n" / "r" / "t" / "u" 4HEXDIG
    private mutating func readEscape() throws(JSONError) -> Unicode.Scalar {
        let start = position
        position += 1
        defer { position += 1 }
        switch octet {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw JSONError(reason: .invalidEscape, offset: start)
        }
        let unit = try readUnit(ofEscapeAt: start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // The first half of a pair; the other one must follow at once.
        guard UTF16.isLeadSurrogate(unit), octets[position...].dropFirst().starts(with: "\\u".utf8) else {
            throw JSONError(reason: .loneSurrogate, offset: start)
        }
        position += 2
        let other = try readUnit(ofEscapeAt: position - 1)
        guard UTF16.isTrailSurrogate(other),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(other & 0x3FF)))
        else { throw JSONError(reason: .loneSurrogate, offset: start) }
        return scalar
    }

    /// The number in four digits behind `u`, which comes next; what comes next then is the last digit.
    private mutating func readUnit(ofEscapeAt start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            position += 1
            guard let digit = octet?.hexadecimalDigit else {
                throw JSONError(reason: .invalidEscape, offset: start)
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
