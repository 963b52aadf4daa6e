import HTTPMessage

/// Takes secrets out of what is written down: fields that prove who somebody is, cookies, names and passwords in URLs.
enum Blanking {
    /// What stands where a secret stood.
    static let mark = "blanked"

    /// Fields whose whole value is a secret, in lower case.
    private static let secretFields: Set<String> = [
        "authorization", "proxy-authorization", "authentication-info", "proxy-authentication-info", "cookie",
    ]

    /// Whether the value of a field, its name in lower case, is a secret.
    static func isSecret(field name: String) -> Bool { secretFields.contains(name) }

    /// Whether the field's value has a secret among other things.
    private static func isCookie(_ name: String) -> Bool { name == "set-cookie" || name == "set-cookie2" }

    /// Fields whose values are URLs.
    private static let urlFields: Set<String> = [
        "location", "content-location", "referer", "refresh", "link",
    ]

    /// A head without its secrets; lines keep their order, their ends and the names of fields.
    static func lines(_ lines: [RecordedHead.Line]) -> [RecordedHead.Line] {
        var isBlanked = false
        return lines.enumerated().map { index, line in
            var line = line
            if index > 0, line.isFolded {
                if isBlanked { line.octets = Array(" \(mark)".utf8) }
                return line
            }
            isBlanked = false
            guard index > 0, let name = line.name else { return line }
            isBlanked = isSecret(field: name) || isCookie(name)
            return self.line(line)
        }
    }

    /// Whole heads, one behind the other, without their secrets.
    static func head(_ octets: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = octets[...]
        var end = 0
        while let head = RecordedHead(in: rest, end: &end) {
            for line in lines(head.lines) + [head.blank] { result += line.octets + line.end }
            rest = rest[end...]
        }
        return result + rest
    }

    /// A field line without its secret.
    static func line(_ line: RecordedHead.Line) -> RecordedHead.Line {
        guard let name = line.name, let octets = value(of: name, in: line) else { return line }
        return RecordedHead.Line(octets: octets, end: line.end)
    }

    /// The field line with its secret blanked; `nil` where it has none.
    private static func value(of name: String, in line: RecordedHead.Line) -> [UInt8]? {
        guard let colon = line.octets.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var start = colon + 1
        while start < line.octets.count, line.octets[start] == 0x20 || line.octets[start] == 0x09 {
            start += 1
        }
        let value = line.octets[start...]
        let blanked: [UInt8]
        if isSecret(field: name) {
            // An empty one proves nothing, and its being empty may be the point.
            guard !value.isEmpty else { return nil }
            blanked = Array(mark.utf8)
        } else if isCookie(name) {
            blanked = cookie(value)
        } else if urlFields.contains(name) {
            blanked = url(value)
        } else {
            return nil
        }
        return Array(line.octets[..<start]) + blanked
    }

    /// `name=value; attributes` with the value blanked (RFC 6265, section 4.1.1).
    static func cookie(_ octets: ArraySlice<UInt8>) -> [UInt8] {
        let end = octets.firstIndex(of: UInt8(ascii: ";")) ?? octets.endIndex
        guard let sign = octets[..<end].firstIndex(of: UInt8(ascii: "=")) else {
            // Without a name all of it is the value.
            return Array(mark.utf8) + octets[end...]
        }
        return Array(octets[...sign]) + Array(mark.utf8) + octets[end...]
    }

    /// `name=value; name=value` with the values blanked.
    static func cookies(_ text: String) -> String {
        let parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        return parts.map { String(decoding: cookie(ArraySlice($0)), as: UTF8.self) }.joined(separator: ";")
    }

    /// A field as `-H` gives it.
    static func field(_ text: String) -> String {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return text }
        let name = String(text[..<colon]).lowercased()
        guard name == "cookie" || name == "referer" else {
            let line = RecordedHead.Line(octets: Array(text.utf8), end: [])
            return value(of: name, in: line).map { String(decoding: $0, as: UTF8.self) } ?? text
        }
        let value = text[text.utf8.index(after: colon)...]
        if name == "referer" { return text[...colon] + url(String(value)) }
        return value.utf8.allSatisfy { $0 == 0x20 } ? text : "\(text[...colon]) \(mark)=\(mark)"
    }
}
