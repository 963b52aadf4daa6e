/// Text from a server or a file name, made safe for a terminal.
///
/// A terminal obeys control characters, and bidirectional ones make a name look like another. Each becomes a
/// visible escape: `\x1B` for those below U+0100 and for octets that are no UTF-8, `\u{202E}` for the others.
enum TerminalText {
    /// `text` with every control and format character as an escape. `keepingLines` leaves line feeds and tabs.
    static func escaped(_ text: String, keepingLines: Bool = false) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = ""
        var previous: Unicode.Scalar?
        let scalars = text.unicodeScalars
        for index in scalars.indices {
            let scalar = scalars[index]
            let next = scalars.index(after: index)
            let follower = next < scalars.endIndex ? scalars[next] : nil
            let isKept =
                keepingLines && (scalar == "\n" || scalar == "\t")
                || joinsEmoji(scalar, between: previous, and: follower) || !isDangerous(scalar)
            if isKept { result.unicodeScalars.append(scalar) } else { result += escape(scalar.value) }
            previous = scalar
        }
        return result
    }

    /// The same for octets that should be UTF-8.
    static func escaped(_ octets: [UInt8], keepingLines: Bool = false) -> String {
        var result = ""
        var text = ""  // valid text is escaped as a whole, since an emoji needs its neighbours
        var decoder = UTF8()
        var rest = octets[...]
        while !rest.isEmpty {
            var iterator = rest.makeIterator()
            if case .scalarValue(let scalar) = decoder.decode(&iterator) {
                text.unicodeScalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                result += escaped(text, keepingLines: keepingLines) + escape(UInt32(rest[rest.startIndex]))
                text = ""
                rest = rest.dropFirst()
            }
            decoder = UTF8()  // it reads ahead; what it holds stands in `rest`, too
        }
        return result + escaped(text, keepingLines: keepingLines)
    }

    /// Controls (C0, DEL, C1), format characters (all bidirectional ones among them), line and paragraph
    /// separators, and what has no meaning yet, so that no terminal's guess of its width matters.
    static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: false
        }
    }

    /// A zero-width joiner inside an emoji is part of a picture.
    private static func joinsEmoji(
        _ scalar: Unicode.Scalar, between previous: Unicode.Scalar?, and next: Unicode.Scalar?
    ) -> Bool {
        guard scalar.value == 0x200D, let previous, let next else { return false }
        let begins = previous.value == 0xFE0F || previous.value > 0x7F && previous.properties.isEmoji
        return begins && next.value > 0x7F && next.properties.isEmoji
    }

    private static func escape(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        if value > 0xFF { return "\\u{\(digits)}" }
        return digits.utf8.count == 1 ? "\\x0\(digits)" : "\\x\(digits)"
    }
}

extension String {
    /// The text with every control and format character as a visible escape.
    var escapedForTerminal: String { TerminalText.escaped(self) }
}
