/// Reads a file of options as curl's `-K` does: one option a line, with or without its hyphens.
///
///     line   = *BLANK [ comment / option [ *( BLANK / "=" / ":" ) value ] ]     ; no "=" or ":" after a hyphen
///     comment = ( "#" / "/" / "*" ) *OCTET
///     value  = DQUOTE *( octet / "\" octet ) DQUOTE / 1*( octet but BLANK )
///     escape = "\t" / "\n" / "\r" / "\v" ; any other escaped octet stands for itself
struct ConfigFile {
    /// One line's option and value as ranges of the file.
    struct Entry: Hashable, Sendable {
        /// The number of the line, from 1.
        var line: Int
        /// The option as written, hyphens included.
        var option: Range<Int>
        /// The value without its quotes; `nil` when there is none.
        var value: Range<Int>?
        /// The value has escapes that `unescaped(_:)` must resolve.
        var hasEscapes = false
        /// Text follows an unquoted value; curl ignores it with a warning.
        var hasUnusedText = false
    }

    private var offset = 0
    private var line = 0

    /// A file from its beginning.
    init() {}

    /// The next entry of `octets`, always the same file; `nil` at its end.
    mutating func nextEntry(in octets: Span<UInt8>) -> Entry? {
        if offset == 0, octets.count >= 3, octets[0] == 0xEF, octets[1] == 0xBB, octets[2] == 0xBF {
            offset = 3  // a byte order mark
        }
        while offset < octets.count {
            line += 1
            let end = Self.endOfLine(in: octets, from: offset)
            let start = Self.skipBlanks(in: octets, from: offset, to: end)
            offset = end + 1
            guard start < end else { continue }
            switch octets[start] {
            case UInt8(ascii: "#"), UInt8(ascii: "/"), UInt8(ascii: "*"), 0: continue
            default: return entry(in: octets, at: start..<end)
            }
        }
        return nil
    }

    /// The value of an entry that has escapes.
    static func unescaped(_ octets: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(octets.count)
        var isEscaped = false
        for octet in octets {
            guard isEscaped else {
                if octet == UInt8(ascii: "\\") { isEscaped = true } else { result.append(octet) }
                continue
            }
            isEscaped = false
            switch octet {
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "v"): result.append(0x0B)
            case UInt8(ascii: "r"): result.append(0x0D)
            default: result.append(octet)
            }
        }
        return result
    }

    private func entry(in octets: Span<UInt8>, at range: Range<Int>) -> Entry {
        let hasHyphen = octets[range.lowerBound] == UInt8(ascii: "-")
        func separates(_ octet: UInt8) -> Bool {
            Self.isBlank(octet) || !hasHyphen && (octet == UInt8(ascii: "=") || octet == UInt8(ascii: ":"))
        }
        var index = range.lowerBound
        while index < range.upperBound, !separates(octets[index]) { index += 1 }
        var entry = Entry(line: line, option: range.lowerBound..<index, value: nil)
        while index < range.upperBound, separates(octets[index]) { index += 1 }
        guard index < range.upperBound else { return entry }
        if octets[index] == UInt8(ascii: "\"") {
            let start = index + 1
            index = start
            while index < range.upperBound, octets[index] != UInt8(ascii: "\"") {
                if octets[index] == UInt8(ascii: "\\") {
                    entry.hasEscapes = true
                    index += 1
                }
                index += 1
            }
            entry.value = start..<min(index, range.upperBound)
            return entry
        }
        let start = index
        while index < range.upperBound, !Self.isBlank(octets[index]) { index += 1 }
        entry.value = start..<index
        index = Self.skipBlanks(in: octets, from: index, to: range.upperBound)
        entry.hasUnusedText = index < range.upperBound && octets[index] != UInt8(ascii: "#")
        return entry
    }

    private static func endOfLine(in octets: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < octets.count, octets[index] != 0x0A { index += 1 }
        return index
    }

    private static func skipBlanks(in octets: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, isBlank(octets[index]) { index += 1 }
        return index
    }

    private static func isBlank(_ octet: UInt8) -> Bool {
        octet == 0x20 || (0x09...0x0D).contains(octet)
    }
}
