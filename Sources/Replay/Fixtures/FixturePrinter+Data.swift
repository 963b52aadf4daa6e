extension FixturePrinter {
    /// The width that lines of text stay within, and the octets of a line of digits.
    private static let width = 100
    private static let octetsOfHex = 32

    /// A line that ends with data, and `+` lines for the rest of it.
    mutating func writeData(_ beginning: String, _ content: FixtureContent) {
        var beginning = beginning
        for part in parts(of: content, indent: beginning.utf8.count) {
            line(Array(beginning.utf8) + [0x20] + part)
            beginning = "+"
        }
    }

    /// Data as lines can hold it, a line each.
    private mutating func parts(of content: FixtureContent, indent: Int) -> [[UInt8]] {
        switch content {
        case .joined:
            guard case .joined(let contents) = FixtureContent.joining([content]) else {
                return parts(of: .joining([content]), indent: indent)
            }
            return contents.flatMap { parts(of: $0, indent: indent) }
        case .octets(let octets):
            return FixtureText.isText(octets)
                ? FixturePrinter.texts(octets, indent: indent) : FixturePrinter.digits(octets)
        default: return [expression(content)]
        }
    }

    /// Text, cut behind each LF and where it is too long.
    private static func texts(_ octets: [UInt8], indent: Int) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        while start < octets.count || lines.isEmpty {
            let room = max(40, width - (lines.isEmpty ? indent : 1) - 3)
            var end = start
            while end < octets.count, end - start < room {
                let length = max(1, FixtureText.characterLength(in: octets, at: end, end: octets.count))
                end += length
                if octets[end - 1] == 0x0A { break }
            }
            // Escapes need more room than what they stand for.
            while end - start > 1, quoted(Array(octets[start..<end])).count > width, octets[end - 1] < 0x80 {
                end -= 1
                if quoted(Array(octets[start..<end])).count <= width { break }
            }
            lines.append(quoted(Array(octets[start..<end])))
            start = end
        }
        return lines
    }

    private static func quoted(_ octets: [UInt8]) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        return [quote] + FixtureText.escaped(octets, quote: quote) + [quote]
    }

    private static func digits(_ octets: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: octets.count, by: octetsOfHex).map { start in
            var line = Array("hex".utf8)
            for index in start..<min(start + octetsOfHex, octets.count) {
                if (index - start) % 4 == 0 { line.append(0x20) }
                line += [FixtureText.hexDigit(octets[index] >> 4), FixtureText.hexDigit(octets[index] & 15)]
            }
            return line
        }
    }

    /// Data in one line. What takes more than one gets a name.
    private mutating func expression(_ content: FixtureContent) -> [UInt8] {
        switch content {
        case .octets(let octets):
            if FixtureText.isText(octets) { return FixturePrinter.quoted(octets) }
            var line = Array("hex ".utf8)
            for octet in octets {
                line += [FixtureText.hexDigit(octet >> 4), FixtureText.hexDigit(octet & 15)]
            }
            return line
        case .blob(let name, let content): return Array("blob \(self.name(for: content, wanted: name))".utf8)
        case .generated(let count, let seed):
            return Array("generated \(FixturePrinter.words(forCount: count)) seed \(seed)".utf8)
        case .repeated(let content, let times):
            return Array("repeat \(times) ".utf8) + expression(content)
        case .coded(let content, let coding): return Array("\(coding.rawValue) ".utf8) + expression(content)
        case .slice(let content, let range):
            let slice = Array(" \(range.lowerBound)..<\(range.upperBound)".utf8)
            switch content {
            case .blob, .generated: return expression(content) + slice
            default: return Array("blob \(name(for: content, wanted: nil))".utf8) + slice
            }
        case .joined(let contents):
            let joined = FixtureContent.joining(contents)
            guard case .joined = joined else { return expression(joined) }
            return Array("blob \(name(for: joined, wanted: nil))".utf8)
        }
    }

    /// Gives names to what needs them inside of data.
    mutating func nameParts(of content: FixtureContent) { _ = parts(of: content, indent: 0) }

    /// `64K`
    static func words(forCount count: UInt64) -> String {
        for (unit, shift) in [("G", 30), ("M", 20), ("K", 10)] as [(String, UInt64)]
        where count > 0 && count.trailingZeroBitCount >= shift {
            return "\(count >> shift)\(unit)"
        }
        return "\(count)"
    }
}
