/// Text in which `*` stands for any run of octets and `\*` for an asterisk; it has the escapes of texts, too.
public struct FixturePattern: Hashable, Sendable {
    /// The pattern as it is written.
    public let source: String

    /// The pattern that is written so.
    public init(_ source: String) { self.source = source }

    /// The pattern that `octets` alone match.
    public init(exactly octets: [UInt8]) {
        self.init(parts: [octets])
    }

    /// The pattern with these octets between its asterisks.
    private init(parts: [[UInt8]]) {
        let asterisk = UInt8(ascii: "*")
        var source: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index > 0 { source.append(asterisk) }
            source += FixtureText.escaped(part, quote: asterisk)
        }
        // Blanks at both ends would be lost in a line.
        let blank = Array("\\x20".utf8)
        if source.last == 0x20 { source.replaceSubrange((source.count - 1)..., with: blank) }
        if source.first == 0x20 { source.replaceSubrange(..<1, with: blank) }
        // `escaped` leaves nothing that is no UTF-8.
        self.init(String(decoding: source, as: UTF8.self))
    }

    /// The same pattern, written so that it can be the rest of a line.
    var canonical: FixturePattern { FixturePattern(parts: parts) }

    /// What stands between the asterisks, in order.
    private var parts: [[UInt8]] {
        let octets = Array(source.utf8)
        var parts: [[UInt8]] = []
        var part: [UInt8] = []
        var index = 0
        while index < octets.count {
            let octet = octets[index]
            index += 1
            switch octet {
            case UInt8(ascii: "*"):
                parts.append(part)
                part = []
            case UInt8(ascii: "\\") where index < octets.count && octets[index] == UInt8(ascii: "*"):
                part.append(octets[index])
                index += 1
            case UInt8(ascii: "\\"):
                // A backslash before anything else is one.
                part.append(FixtureText.unescape(octets, at: &index, end: octets.count) ?? octet)
            default: part.append(octet)
            }
        }
        return parts + [part]
    }

    /// Whether all of `octets` is matched. The work grows with the sum of both lengths.
    public func matches(_ octets: [UInt8]) -> Bool {
        let parts = parts
        guard parts.count > 1, let first = parts.first, let last = parts.last else {
            return parts.first == octets
        }
        guard octets.count >= first.count + last.count, octets.starts(with: first),
            octets.suffix(last.count).elementsEqual(last)
        else { return false }
        // The leftmost place for each part between leaves the most room for those behind it.
        var start = first.count
        let end = octets.count - last.count
        for part in parts.dropFirst().dropLast() {
            guard let found = FixturePattern.end(of: part, in: octets, start..<end) else { return false }
            start = found
        }
        return true
    }

    /// Behind the first place of `part` in a range, by Knuth, Morris and Pratt.
    private static func end(of part: [UInt8], in octets: [UInt8], _ range: Range<Int>) -> Int? {
        guard !part.isEmpty else { return range.lowerBound }
        guard part.count <= range.count else { return nil }
        // How much of the part's beginning is also the end of its first so many octets.
        var overlaps = [0]
        overlaps.reserveCapacity(part.count)
        var matched = 0
        for octet in part.dropFirst() {
            while matched > 0, part[matched] != octet { matched = overlaps[matched - 1] }
            if part[matched] == octet { matched += 1 }
            overlaps.append(matched)
        }
        matched = 0
        for index in range {
            while matched > 0, part[matched] != octets[index] { matched = overlaps[matched - 1] }
            if part[matched] == octets[index] { matched += 1 }
            if matched == part.count { return index + 1 }
        }
        return nil
    }
}
