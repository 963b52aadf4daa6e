/// The words of a command line, with the quotes of a shell and none of its expansions.
enum FixtureCommandLine {
    /// `'…'` keeps all; `"…"` keeps all but what a backslash stands before where a shell heeds it; `$'…'` has the
    /// escapes of texts and `\'`; a backslash elsewhere keeps the octet behind it.
    static func words(_ scanner: inout FixtureScanner) throws(FixtureComplaint) -> [String] {
        var words: [String] = []
        scanner.skipBlanks()
        while let next = scanner.next {
            guard !"#<>|;&".utf8.contains(next) else {
                let sign = Character(Unicode.Scalar(next))
                throw FixtureComplaint(
                    "only a shell knows what \(sign) means here; between quotes ('\(sign)…') it is an argument"
                )
            }
            words.append(try FixtureScanner.string(word(&scanner), "the argument"))
            scanner.skipBlanks()
        }
        return words
    }

    private static func word(_ scanner: inout FixtureScanner) throws(FixtureComplaint) -> [UInt8] {
        var word: [UInt8] = []
        while let next = scanner.next, !FixtureScanner.isBlank(next) {
            scanner.skip(1)
            switch next {
            case UInt8(ascii: "'"): try quoted(&scanner, into: &word, by: next)
            case UInt8(ascii: "\""): try quoted(&scanner, into: &word, by: next)
            case UInt8(ascii: "$") where scanner.next == UInt8(ascii: "'"):
                scanner.skip(1)
                try escaped(&scanner, into: &word)
            case UInt8(ascii: "\\"):
                guard let kept = scanner.next else {
                    throw FixtureComplaint("nothing follows the last backslash")
                }
                word.append(kept)
                scanner.skip(1)
            default: word.append(next)
            }
        }
        return word
    }

    private static func quoted(
        _ scanner: inout FixtureScanner, into word: inout [UInt8], by quote: UInt8
    ) throws(FixtureComplaint) {
        let isDouble = quote == UInt8(ascii: "\"")
        while let next = scanner.next {
            scanner.skip(1)
            if next == quote { return }
            if isDouble, next == UInt8(ascii: "\\"), let kept = scanner.next, "\\\"$`".utf8.contains(kept) {
                word.append(kept)
                scanner.skip(1)
            } else {
                word.append(next)
            }
        }
        throw FixtureComplaint("a quote \(isDouble ? "\"" : "'") has no end")
    }

    private static func escaped(
        _ scanner: inout FixtureScanner, into word: inout [UInt8]
    ) throws(FixtureComplaint) {
        while let next = scanner.next {
            scanner.skip(1)
            if next == UInt8(ascii: "'") { return }
            if next == UInt8(ascii: "\\"), scanner.next == UInt8(ascii: "'") {
                word.append(UInt8(ascii: "'"))
                scanner.skip(1)
            } else {
                word.append(next == UInt8(ascii: "\\") ? try scanner.escape() : next)
            }
        }
        throw FixtureComplaint("a quote $' has no end")
    }

    /// A command line with these words, quoted where a shell would need it.
    static func text(of words: [String]) -> [UInt8] {
        var text: [UInt8] = []
        for word in words {
            if !text.isEmpty { text.append(0x20) }
            text += quote(Array(word.utf8))
        }
        return text
    }

    private static func quote(_ word: [UInt8]) -> [UInt8] {
        let isBare = word.allSatisfy { FixtureScanner.isNameOctet($0) || "@%+=:,/{}".utf8.contains($0) }
        if isBare, !word.isEmpty { return word }
        let apostrophe = UInt8(ascii: "'")
        guard FixtureText.isPlain(word + [apostrophe]), !word.contains(0x09) else {
            return Array("$'".utf8) + FixtureText.escaped(word, quote: apostrophe) + [apostrophe]
        }
        guard word.contains(apostrophe) else { return [apostrophe] + word + [apostrophe] }
        var text: [UInt8] = [UInt8(ascii: "\"")]
        for octet in word {
            if "\\\"$`".utf8.contains(octet) { text.append(UInt8(ascii: "\\")) }
            text.append(octet)
        }
        return text + [UInt8(ascii: "\"")]
    }
}
