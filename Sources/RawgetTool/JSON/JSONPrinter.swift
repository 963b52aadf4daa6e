/// Writes JSON (RFC 8259), without blanks and on one line, as UTF-8.
struct JSONPrinter {
    /// What is written so far.
    private(set) var octets: [UInt8] = []

    /// The text for one value.
    static func text(of value: JSONValue) -> String {
        var printer = JSONPrinter()
        printer.append(value)
        return String(decoding: printer.octets, as: UTF8.self)
    }

    /// `text` as a string, in quotation marks.
    static func quoted(_ text: String) -> String {
        var printer = JSONPrinter()
        printer.append(quoted: text)
        return String(decoding: printer.octets, as: UTF8.self)
    }

    /// Takes what is written so far away, and goes on with nothing.
    mutating func take() -> [UInt8] {
        let taken = octets
        octets = []
        return taken
    }

    /// Appends text that is JSON already.
    mutating func append(_ text: String) { octets.append(contentsOf: text.utf8) }

    /// Appends a value.
    mutating func append(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .number(let text): append(text)
        case .string(let text): append(quoted: text)
        case .array(let elements): append(elements, between: "[", and: "]") { $0.append($1) }
        case .object(let members):
            append(members, between: "{", and: "}") { printer, member in
                printer.append(quoted: member.name)
                printer.append(":")
                printer.append(member.value)
            }
        }
    }

    /// Appends a list, with a comma between two elements.
    mutating func append<Elements: Sequence>(
        _ elements: Elements, between start: String, and end: String,
        _ element: (inout JSONPrinter, Elements.Element) -> Void
    ) {
        append(start)
        var isFirst = true
        for each in elements {
            if !isFirst { append(",") }
            isFirst = false
            element(&self, each)
        }
        append(end)
    }

    /// Appends a string, in quotation marks.
    mutating func append(quoted text: String) {
        append("\"")
        append(charactersOf: text.utf8.span)
        append("\"")
    }

    /// Appends what stands between the quotation marks of a string whose text is these octets, which are valid UTF-8 and
    /// begin and end with whole characters.
    mutating func append(charactersOf text: Span<UInt8>) {
        octets.reserveCapacity(octets.count + text.count)
        var index = 0
        while index < text.count {
            let octet = text[index]
            if octet < 0x80 {
                append(ascii: octet)
                index += 1
                continue
            }
            let length = octet < 0xE0 ? 2 : octet < 0xF0 ? 3 : 4
            let end = min(index + length, text.count)
            var value = UInt32(octet) & (0x7F >> UInt32(length))
            for next in index + 1..<end { value = value << 6 | UInt32(text[next] & 0x3F) }
            if let scalar = Unicode.Scalar(value), TerminalText.isDangerous(scalar) {
                for unit in String(scalar).utf16 { append(escapeOf: unit) }
            } else {
                for next in index..<end { octets.append(text[next]) }
            }
            index = end
        }
    }

    private mutating func append(ascii octet: UInt8) {
        switch octet {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        case UInt8(ascii: "\t"): append("\\t")
        // What a terminal obeys is escaped for a file, too: to who reads JSON it is the same text.
        case 0..<0x20, 0x7F: append(escapeOf: UInt16(octet))
        default: octets.append(octet)
        }
    }

    private mutating func append(escapeOf unit: UInt16) {
        append("\\u")
        let digits = String(unit, radix: 16)
        for _ in digits.utf8.count..<4 { octets.append(UInt8(ascii: "0")) }
        append(digits)
    }
}
