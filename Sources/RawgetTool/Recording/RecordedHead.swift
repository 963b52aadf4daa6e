/// The head of a message as it went over a connection, whatever is wrong with it: lines and their ends.
struct RecordedHead: Hashable, Sendable {
    /// A line.
    struct Line: Hashable, Sendable {
        /// Without its end.
        var octets: [UInt8]
        /// CRLF, or LF alone.
        var end: [UInt8]

        /// The name of a field line, in lower case; `nil` where there is none before a colon.
        var name: String? {
            guard let colon = octets.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            // A blank before the colon is wrong, and still the name is what stands before it.
            var name = octets[..<colon]
            while let last = name.last, last == 0x20 || last == 0x09 { name.removeLast() }
            return String(decoding: name, as: UTF8.self).lowercased()
        }

        /// What follows the name, without blanks around it.
        var value: String {
            guard let colon = octets.firstIndex(of: UInt8(ascii: ":")) else { return "" }
            var value = octets[(colon + 1)...]
            while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            return String(decoding: value, as: UTF8.self)
        }

        /// Whether it goes on with the line before (RFC 9112, section 5.2).
        var isFolded: Bool { octets.first == 0x20 || octets.first == 0x09 }
    }

    /// In order, the blank line not among them.
    var lines: [Line]
    /// The blank line.
    var blank: Line

    /// The request line or status line; empty where there is none.
    var startLine: [UInt8] { lines.first?.octets ?? [] }

    /// The value of the first field of that name, which is in lower case.
    func value(of name: String) -> String? { lines.dropFirst().first { $0.name == name }?.value }

    /// Whether a field of comma-separated words has this one, which is in lower case.
    func field(_ name: String, has word: String) -> Bool {
        lines.dropFirst().contains { line in
            line.name == name
                && line.value.lowercased().utf8.split(separator: UInt8(ascii: ",")).contains {
                    String(Substring($0)).trimmingBlanks == word
                }
        }
    }

    /// The status, where the first line has one.
    var status: Int? {
        let parts = startLine.split(separator: 0x20, maxSplits: 2)
        guard parts.count >= 2, parts[0].starts(with: "HTTP/".utf8) else { return nil }
        return Int(String(decoding: parts[1], as: UTF8.self))
    }

    /// Reads the head at the beginning of `octets`; `nil` where its blank line has not come.
    init?(in octets: ArraySlice<UInt8>, end: inout Int) {
        lines = []
        var start = octets.startIndex
        while let newline = octets[start...].firstIndex(of: 0x0A) {
            let hasReturn = newline > start && octets[newline - 1] == 0x0D
            let line = Line(
                octets: Array(octets[start..<(hasReturn ? newline - 1 : newline)]),
                end: hasReturn ? [0x0D, 0x0A] : [0x0A])
            start = newline + 1
            // A blank line before the first is no end (RFC 9112, section 2.2).
            if line.octets.isEmpty, !lines.isEmpty, !lines.allSatisfy({ $0.octets.isEmpty }) {
                blank = line
                end = start
                return
            }
            lines.append(line)
        }
        return nil
    }
}

extension String {
    /// Without blanks at both ends.
    var trimmingBlanks: String {
        var text = Substring(self).utf8
        while let first = text.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return String(Substring(text))
    }
}
