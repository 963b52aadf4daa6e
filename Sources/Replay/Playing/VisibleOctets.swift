/// Octets as text that hides nothing and does no harm to a terminal: line ends, control characters, octets that are no
/// UTF-8 and characters that cannot be seen are written as the escapes of fixtures.
public struct VisibleOctets: Hashable, Sendable, CustomStringConvertible {
    /// Without quotation marks. A blank at the end is `\x20`, since nobody would see it.
    public let description: String

    /// These octets. Where a `limit` is given no more of them are shown, and "…" stands for the rest.
    public init(_ octets: some Sequence<UInt8>, limit: Int = .max) {
        self.init(octets, limit: limit, isQuoted: false)
    }

    private init(_ octets: some Sequence<UInt8>, limit: Int, isQuoted: Bool) {
        var shown: [UInt8] = []
        var isCut = false
        for octet in octets {
            guard shown.count < limit else {
                isCut = true
                break
            }
            shown.append(octet)
        }
        var text = VisibleOctets.escaped(shown, isQuoted: isQuoted)
        if isQuoted {
            text = "\"\(text)\""
        } else if !isCut, text.utf8.last == UInt8(ascii: " ") {
            text = text.dropLast() + "\\x20"
        }
        description = isCut ? text + "…" : text
    }

    /// The octets between quotation marks, as fixtures write a text.
    public static func quoted(_ octets: some Sequence<UInt8>, limit: Int = .max) -> String {
        VisibleOctets(octets, limit: limit, isQuoted: true).description
    }

    /// Each line with its visible line end, all behind `indent`; "nothing" where there is none. At most so many lines are
    /// shown; of what is no text at most 256 octets, and how many there are (`total`, where these are only the first).
    public static func lines(
        _ octets: some Collection<UInt8>, of total: UInt64? = nil, indent: String = "  ", limit: Int = 200
    ) -> String {
        guard !octets.isEmpty else { return indent + "nothing" }
        let start = Array(octets.prefix(4096))
        let total = max(total ?? 0, UInt64(octets.count))
        if !isText(start) { return binaryLines(start.prefix(256), of: total, indent: indent) }
        var lines: [[UInt8]] = [[]]
        var isCut = false
        for octet in octets {
            guard lines.count <= limit else {
                isCut = true
                break
            }
            lines[lines.count - 1].append(octet)
            if octet == UInt8(ascii: "\n") { lines.append([]) }
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        let texts = lines.map { indent + VisibleOctets($0, limit: 1000).description }
        return (texts + (isCut ? [indent + "…"] : [])).joined(separator: "\n")
    }

    /// Whether people can read most of it: an odd octet in a head does not make it unreadable.
    private static func isText(_ octets: [UInt8]) -> Bool {
        var odd = 0
        var index = 0
        while index < octets.count {
            let octet = octets[index]
            if octet < 0x80 {
                if octet < 0x20 && !(0x09...0x0D ~= octet) || octet == 0x7F { odd += 1 }
                index += 1
            } else if let (_, length) = character(in: octets[index...]) {
                index += length
            } else {
                odd += 1
                index += 1
            }
        }
        return odd * 8 <= octets.count
    }

    private static func binaryLines(_ octets: ArraySlice<UInt8>, of total: UInt64, indent: String) -> String {
        var lines: [String] = []
        var rest = octets
        while !rest.isEmpty {
            lines.append(indent + VisibleOctets(rest.prefix(32)).description)
            rest = rest.dropFirst(32)
        }
        if UInt64(octets.count) < total { lines.append("\(indent)… (no text, \(total) octets)") }
        return lines.joined(separator: "\n")
    }

    private static func escaped(_ octets: [UInt8], isQuoted: Bool) -> String {
        var text = ""
        var index = 0
        while index < octets.count {
            let octet = octets[index]
            guard octet >= 0x80 else {
                text += escaped(octet, isQuoted: isQuoted)
                index += 1
                continue
            }
            if let (scalar, length) = character(in: octets[index...]), isVisible(scalar) {
                text.unicodeScalars.append(scalar)
                index += length
            } else {
                text += hexadecimal(octet)
                index += 1
            }
        }
        return text
    }

    private static func escaped(_ octet: UInt8, isQuoted: Bool) -> String {
        switch octet {
        case 0x0D: "\\r"
        case 0x0A: "\\n"
        case 0x09: "\\t"
        case 0x00: "\\0"
        case 0x1B: "\\e"
        case UInt8(ascii: "\\"): "\\\\"
        case UInt8(ascii: "\"") where isQuoted: "\\\""
        case 0x20..<0x7F: String(Unicode.Scalar(octet))
        default: hexadecimal(octet)
        }
    }

    private static func hexadecimal(_ octet: UInt8) -> String {
        let digits = String(octet, radix: 16, uppercase: true)
        return digits.utf8.count == 1 ? "\\x0\(digits)" : "\\x\(digits)"
    }

    /// The character that the octets begin with and the number of its octets; `nil`: they are no UTF-8.
    private static func character(in octets: ArraySlice<UInt8>) -> (Unicode.Scalar, Int)? {
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = octets.prefix(4).makeIterator()
        guard case .valid(let encoded) = decoder.parseScalar(from: &iterator) else { return nil }
        return (Unicode.UTF8.decode(encoded), encoded.count)
    }

    /// Controls, marks of direction and odd blanks are as good as nothing to the eye, and some steer a terminal.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            false
        default: true
        }
    }
}
