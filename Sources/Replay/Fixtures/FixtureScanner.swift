/// Reads one line of a fixture from left to right.
struct FixtureScanner {
    /// All of the file.
    let octets: [UInt8]
    /// Where it reads next.
    private(set) var index: Int
    /// Behind the line's last octet.
    let end: Int

    init(_ octets: [UInt8], _ line: Range<Int>) {
        self.octets = octets
        index = line.lowerBound
        end = line.upperBound
    }

    /// Blanks are a space and a tab.
    static func isBlank(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x09 }

    /// The octet that is read next; `nil` at the end.
    var next: UInt8? { index < end ? octets[index] : nil }

    /// What is not read yet.
    var rest: [UInt8] { Array(octets[index..<end]) }

    mutating func skipBlanks() {
        while let next, FixtureScanner.isBlank(next) { index += 1 }
    }

    /// Skips so many octets, which must be there.
    mutating func skip(_ count: Int) { index = min(index + count, end) }

    /// All that is left, at least one octet.
    mutating func takeRest(_ what: String) throws(FixtureComplaint) -> [UInt8] {
        skipBlanks()
        guard index < end else { throw FixtureComplaint("\(what) is missing") }
        defer { index = end }
        return rest
    }

    /// Nothing may follow.
    mutating func finish() throws(FixtureComplaint) {
        skipBlanks()
        guard index == end else {
            throw FixtureComplaint("\(FixtureComplaint.quoted(rest)) stands where the line should end")
        }
    }

    // MARK: Words

    /// The octets up to the next blank, as they are; none at the end.
    mutating func bareWord() -> [UInt8] {
        skipBlanks()
        let start = index
        while let next, !FixtureScanner.isBlank(next) { index += 1 }
        return Array(octets[start..<index])
    }

    /// One of the words of an enumeration.
    mutating func choice<Word: RawRepresentable & CaseIterable>(
        _ type: Word.Type = Word.self, what: String = "word"
    ) throws(FixtureComplaint) -> Word where Word.RawValue == String {
        let word = bareWord()
        guard let choice = Word(rawValue: String(decoding: word, as: UTF8.self)) else {
            throw .unknown(word, what: what, known: Word.allCases.map(\.rawValue))
        }
        return choice
    }

    /// This very word.
    mutating func expect(_ word: String) throws(FixtureComplaint) {
        let found = bareWord()
        guard found.elementsEqual(word.utf8) else {
            let instead = found.isEmpty ? "the line ends" : "\(FixtureComplaint.quoted(found)) stands"
            throw FixtureComplaint("\(instead) where \"\(word)\" should stand")
        }
    }

    /// A word, perhaps written as a text.
    mutating func word(_ what: String) throws(FixtureComplaint) -> [UInt8] {
        skipBlanks()
        let word = next == UInt8(ascii: "\"") ? try text() : bareWord()
        guard !word.isEmpty else { throw FixtureComplaint("\(what) is missing") }
        return word
    }

    /// A word that can be a `String` and a C string.
    mutating func string(_ what: String) throws(FixtureComplaint) -> String {
        try FixtureScanner.string(word(what), what)
    }

    /// Octets as a `String` that can be a C string, too.
    static func string(_ octets: [UInt8], _ what: String) throws(FixtureComplaint) -> String {
        guard !octets.contains(0) else {
            throw FixtureComplaint("\(what) \(FixtureComplaint.quoted(octets)) holds a NUL")
        }
        guard let string = String(validating: octets, as: UTF8.self) else {
            throw FixtureComplaint("\(what) \(FixtureComplaint.quoted(octets)) is not UTF-8")
        }
        return string
    }

    /// A name: letters, digits and `-`, `_`, `.`.
    mutating func name(_ what: String) throws(FixtureComplaint) -> String {
        let word = bareWord()
        guard !word.isEmpty else { throw FixtureComplaint("\(what) is missing") }
        guard word.allSatisfy(FixtureScanner.isNameOctet) else {
            throw FixtureComplaint(
                "\(what) \(FixtureComplaint.quoted(word)) is none: letters, digits, \"-\", \"_\" and \".\" make one"
            )
        }
        return String(decoding: word, as: UTF8.self)
    }

    static func isNameOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// `text = <"> *( escape / any other character ) <">`
    mutating func text() throws(FixtureComplaint) -> [UInt8] {
        let start = index
        index += 1
        var result: [UInt8] = []
        while let next {
            index += 1
            if next == UInt8(ascii: "\"") { return result }
            result.append(next == UInt8(ascii: "\\") ? try escape() : next)
        }
        throw FixtureComplaint("the text \(FixtureComplaint.quoted(Array(octets[start..<end]))) has no end")
    }

    /// All that is left, with its escapes undone.
    mutating func unescapedRest(_ what: String) throws(FixtureComplaint) -> [UInt8] {
        guard index < end else { throw FixtureComplaint("\(what) is missing") }
        var result: [UInt8] = []
        result.reserveCapacity(end - index)
        while let next {
            index += 1
            result.append(next == UInt8(ascii: "\\") ? try escape() : next)
        }
        return result
    }

    /// What an escape stands for, from behind its backslash.
    mutating func escape() throws(FixtureComplaint) -> UInt8 {
        if let octet = FixtureText.unescape(octets, at: &index, end: end) { return octet }
        let shown = Array(octets[index - 1..<min(index + (next == UInt8(ascii: "x") ? 3 : 1), end)])
        throw FixtureComplaint(
            "unknown escape \(String(decoding: shown, as: UTF8.self)); there are \\r \\n \\t \\0 \\e \\\\ \\\" \\xHH"
        )
    }
}
