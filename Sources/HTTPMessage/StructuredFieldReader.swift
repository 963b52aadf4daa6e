/// Reads a structured field by the steps of RFC 9651, section 4.2, in one pass.
///
/// Every reading function answers `nil` where parsing fails; then all of the field is lost, and where the reader stands
/// does not matter.
struct StructuredFieldReader {
    private var scanner: FieldScanner
    private let limits: StructuredFieldLimits

    /// Reads all of `value` with `body` (section 4.2).
    static func read<Result>(
        _ value: String, _ limits: StructuredFieldLimits,
        _ body: (inout StructuredFieldReader) -> Result?
    ) -> Result? {
        // 1. Only ASCII.
        guard value.utf8.count <= limits.octets, value.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        var reader = StructuredFieldReader(scanner: FieldScanner(Array(value.utf8)), limits: limits)
        // 2. to 8.
        reader.skipSpaces()
        guard let result = body(&reader) else { return nil }
        reader.skipSpaces()
        return reader.scanner.isAtEnd ? result : nil
    }

    // MARK: Lists and dictionaries

    /// Section 4.2.1.
    mutating func readList() -> [StructuredMember]? {
        var members: [StructuredMember] = []
        while !scanner.isAtEnd {
            guard members.count < limits.members, let member = readMember() else { return nil }
            members.append(member)
            guard let isLast = readComma() else { return nil }
            if isLast { break }
        }
        return members
    }

    /// Section 4.2.2.
    mutating func readDictionary() -> StructuredMap<StructuredMember>? {
        var members = StructuredMap<StructuredMember>()
        // Members that replace others count too: the limit is on work.
        var count = 0
        while !scanner.isAtEnd {
            count += 1
            guard count <= limits.members, let key = readKey() else { return nil }
            if scanner.read(UInt8(ascii: "=")) {
                guard let member = readMember() else { return nil }
                members.set(key, member)
            } else {
                guard let parameters = readParameters() else { return nil }
                members.set(key, .item(StructuredItem(.boolean(true), parameters: parameters)))
            }
            guard let isLast = readComma() else { return nil }
            if isLast { break }
        }
        return members
    }

    /// Goes on to the next member; `true` when there is none, `nil` when something else than a comma comes, or none
    /// behind it.
    private mutating func readComma() -> Bool? {
        scanner.skipBlanks()
        if scanner.isAtEnd { return true }
        guard scanner.read(UInt8(ascii: ",")) else { return nil }
        scanner.skipBlanks()
        return scanner.isAtEnd ? nil : false
    }

    /// Section 4.2.1.1.
    private mutating func readMember() -> StructuredMember? {
        guard scanner.read(UInt8(ascii: "(")) else { return readItem().map { .item($0) } }
        return readInnerList()
    }

    /// Behind the "(" (section 4.2.1.2).
    private mutating func readInnerList() -> StructuredMember? {
        var items: [StructuredItem] = []
        while !scanner.isAtEnd {
            skipSpaces()
            if scanner.read(UInt8(ascii: ")")) {
                return readParameters().map { .innerList(items, parameters: $0) }
            }
            guard items.count < limits.innerItems, let item = readItem() else { return nil }
            items.append(item)
            guard scanner.next == 0x20 || scanner.next == UInt8(ascii: ")") else { return nil }
        }
        return nil
    }

    // MARK: Items

    /// Section 4.2.3.
    mutating func readItem() -> StructuredItem? {
        guard let value = readValue(), let parameters = readParameters() else { return nil }
        return StructuredItem(value, parameters: parameters)
    }

    /// Section 4.2.3.1.
    private mutating func readValue() -> StructuredValue? {
        guard let next = scanner.next else { return nil }
        switch next {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return readNumber()
        case UInt8(ascii: "\""): return readString().map { .string($0) }
        case _ where next.isLetter || next == UInt8(ascii: "*"): return .token(readToken())
        case UInt8(ascii: ":"): return readOctets().map { .octets($0) }
        case UInt8(ascii: "?"): return readBoolean().map { .boolean($0) }
        case UInt8(ascii: "@"):
            _ = scanner.read(next)
            guard case .integer(let seconds) = readNumber() else { return nil }
            return .date(secondsSinceEpoch: seconds)
        case UInt8(ascii: "%"): return readDisplayString().map { .displayString($0) }
        default: return nil
        }
    }

    /// Section 4.2.3.2.
    private mutating func readParameters() -> StructuredParameters? {
        var parameters = StructuredParameters()
        var count = 0
        while scanner.read(UInt8(ascii: ";")) {
            count += 1
            skipSpaces()
            guard count <= limits.parameters, let key = readKey() else { return nil }
            var value = StructuredValue.boolean(true)
            if scanner.read(UInt8(ascii: "=")) {
                guard let given = readValue() else { return nil }
                value = given
            }
            parameters.set(key, value)
        }
        return parameters
    }

    /// Section 4.2.3.3.
    ///
    ///     key = ( lcalpha / "*" ) *( lcalpha / DIGIT / "_" / "-" / "." / "*" )
    private mutating func readKey() -> String? {
        guard let first = scanner.next, first.isLowercaseLetter || first == UInt8(ascii: "*") else {
            return nil
        }
        return readWhile { octet in
            octet.isLowercaseLetter || octet.isDigit || "_-.*".utf8.contains(octet)
        }
    }

    // MARK: Bare items

    /// Section 4.2.4.
    ///
    ///     integer = [ "-" ] 1*15DIGIT
    ///     decimal = [ "-" ] 1*12DIGIT "." 1*3DIGIT
    private mutating func readNumber() -> StructuredValue? {
        let sign: Int64 = scanner.read(UInt8(ascii: "-")) ? -1 : 1
        guard let (whole, count) = readDigits(atMost: 15) else { return nil }
        guard scanner.read(UInt8(ascii: ".")) else { return .integer(sign * whole) }
        guard count <= 12, let (fraction, places) = readDigits(atMost: 3) else { return nil }
        let scale: Int64 = [100, 10, 1][places - 1]
        return .decimal(thousandths: sign * (whole * 1000 + fraction * scale))
    }

    /// The number and how many digits it has; `nil` for none or too many.
    private mutating func readDigits(atMost limit: Int) -> (Int64, Int)? {
        var number: Int64 = 0
        var count = 0
        while let digit = scanner.next, digit.isDigit {
            guard count < limit, scanner.read(digit) else { return nil }
            number = number * 10 + Int64(digit - 0x30)
            count += 1
        }
        return count > 0 ? (number, count) : nil
    }

    /// Section 4.2.5.
    ///
    ///     string  = DQUOTE *( %x20-21 / %x23-5B / %x5D-7E / "\" ( DQUOTE / "\" ) ) DQUOTE
    private mutating func readString() -> String? {
        _ = scanner.read(UInt8(ascii: "\""))
        var text: [UInt8] = []
        while let octet = readPrintable() {
            switch octet {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = readPrintable(), "\"\\".utf8.contains(escaped) else { return nil }
                text.append(escaped)
            default: text.append(octet)
            }
        }
        return nil
    }

    /// Section 4.2.6.
    ///
    ///     token = ( ALPHA / "*" ) *( tchar / ":" / "/" )
    private mutating func readToken() -> String {
        readWhile { FieldName.isTokenOctet($0) || ":/".utf8.contains($0) }
    }

    /// Section 4.2.7.
    private mutating func readOctets() -> [UInt8]? {
        _ = scanner.read(UInt8(ascii: ":"))
        let start = scanner.position
        guard let end = scanner.octets[start...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        scanner.skip(to: end + 1)
        return Base64.decodedLeniently(scanner.octets[start..<end].span)
    }

    /// Section 4.2.8.
    private mutating func readBoolean() -> Bool? {
        _ = scanner.read(UInt8(ascii: "?"))
        if scanner.read(UInt8(ascii: "1")) { return true }
        return scanner.read(UInt8(ascii: "0")) ? false : nil
    }

    /// Section 4.2.10.
    private mutating func readDisplayString() -> String? {
        _ = scanner.read(UInt8(ascii: "%"))
        guard scanner.read(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        while let octet = readPrintable() {
            switch octet {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "%"):
                guard let high = readHexDigit(), let low = readHexDigit() else { return nil }
                text.append(high << 4 | low)
            default: text.append(octet)
            }
        }
        return nil
    }

    // MARK: Octets

    /// SP, and no HTAB.
    private mutating func skipSpaces() {
        while scanner.read(0x20) {}
    }

    /// VCHAR or SP; `nil` at the end, too.
    private mutating func readPrintable() -> UInt8? {
        guard let octet = scanner.next, (0x20...0x7E).contains(octet), scanner.read(octet) else { return nil }
        return octet
    }

    /// In lower case alone.
    private mutating func readHexDigit() -> UInt8? {
        guard let octet = readPrintable() else { return nil }
        if octet.isDigit { return octet - 0x30 }
        return (0x61...0x66).contains(octet) ? octet - 0x61 + 10 : nil
    }

    private mutating func readWhile(_ belongs: (UInt8) -> Bool) -> String {
        let start = scanner.position
        let rest = scanner.octets[start...]
        let end = rest.firstIndex { !belongs($0) } ?? rest.endIndex
        scanner.skip(to: end)
        return String(decoding: scanner.octets[start..<end], as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool { (0x61...0x7A).contains(self) }
}
