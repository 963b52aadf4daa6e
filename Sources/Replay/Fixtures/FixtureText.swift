/// What octets may stand in a fixture as they are, and the escapes for the rest.
enum FixtureText {
    /// The length of the character at `index`: 1 to 4 octets; 0 where the octets are no UTF-8 (Unicode, table 3-7).
    static func characterLength(in octets: [UInt8], at index: Int, end: Int) -> Int {
        let first = octets[index]
        if first < 0x80 { return 1 }
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if first == 0xE0 { second = 0xA0...0xBF }
            if first == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            length = 4
            if first == 0xF0 { second = 0x90...0xBF }
            if first == 0xF4 { second = 0x80...0x8F }
        default: return 0
        }
        guard index + length <= end, second.contains(octets[index + 1]) else { return 0 }
        for offset in 2..<max(length, 2) where octets[index + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// Whether a character of that length is a control character. A tab is none: it may stand inside a line.
    static func isControl(in octets: [UInt8], at index: Int, length: Int) -> Bool {
        switch length {
        case 1: octets[index] < 0x20 && octets[index] != 0x09 || octets[index] == 0x7F
        case 2: octets[index] == 0xC2 && octets[index + 1] < 0xA0
        default: false
        }
    }

    /// Whether octets can be the rest of a line as they are.
    static func isPlain(_ octets: [UInt8]) -> Bool {
        var index = 0
        while index < octets.count {
            let length = characterLength(in: octets, at: index, end: octets.count)
            if length == 0 || isControl(in: octets, at: index, length: length) { return false }
            index += length
        }
        return octets.last != 0x20 && octets.last != 0x09
    }

    /// Whether people would call octets a text: UTF-8, with no control characters but those of lines and colours.
    static func isText(_ octets: [UInt8]) -> Bool {
        var index = 0
        while index < octets.count {
            let length = characterLength(in: octets, at: index, end: octets.count)
            if length == 0 { return false }
            let isLayout = octets[index] == 0x0A || octets[index] == 0x0D || octets[index] == 0x1B
            if isControl(in: octets, at: index, length: length), !isLayout { return false }
            index += length
        }
        return true
    }

    /// Octets with escapes for what may not stand in a line, for backslashes and for `quote`. A blank at the end is
    /// escaped, too, where there is no quote behind it.
    static func escaped(_ octets: [UInt8], quote: UInt8? = nil) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(octets.count + 2)
        var index = 0
        while index < octets.count {
            let octet = octets[index]
            let length = characterLength(in: octets, at: index, end: octets.count)
            if octet == UInt8(ascii: "\\") || octet == quote {
                result += [UInt8(ascii: "\\"), octet]
                index += 1
            } else if length == 0 || isControl(in: octets, at: index, length: length) || octet == 0x09 {
                for offset in 0..<max(length, 1) { appendEscape(of: octets[index + offset], to: &result) }
                index += max(length, 1)
            } else if octet == 0x20, index == octets.count - 1, quote == nil {
                appendEscape(of: octet, to: &result)
                index += 1
            } else {
                result += octets[index..<index + length]
                index += length
            }
        }
        return result
    }

    private static func appendEscape(of octet: UInt8, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "\\"))
        switch octet {
        case 0x0D: result.append(UInt8(ascii: "r"))
        case 0x0A: result.append(UInt8(ascii: "n"))
        case 0x09: result.append(UInt8(ascii: "t"))
        case 0x00: result.append(UInt8(ascii: "0"))
        case 0x1B: result.append(UInt8(ascii: "e"))
        default:
            result.append(UInt8(ascii: "x"))
            result += [hexDigit(octet >> 4), hexDigit(octet & 15)]
        }
    }

    /// The octet that an escape stands for; `octets[index]` is behind its backslash and is moved behind the escape.
    /// `nil` where there is no such escape; then `index` stays.
    static func unescape(_ octets: [UInt8], at index: inout Int, end: Int) -> UInt8? {
        guard index < end else { return nil }
        var octet: UInt8
        switch octets[index] {
        case UInt8(ascii: "r"): octet = 0x0D
        case UInt8(ascii: "n"): octet = 0x0A
        case UInt8(ascii: "t"): octet = 0x09
        case UInt8(ascii: "0"): octet = 0x00
        case UInt8(ascii: "e"): octet = 0x1B
        case UInt8(ascii: "\\"), UInt8(ascii: "\""): octet = octets[index]
        case UInt8(ascii: "x"):
            guard index + 2 < end, let high = hexValue(octets[index + 1]),
                let low = hexValue(octets[index + 2])
            else { return nil }
            octet = high << 4 | low
            index += 2
        default: return nil
        }
        index += 1
        return octet
    }

    /// The digit, in capitals, for 0 to 15.
    static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }

    /// What a hexadecimal digit is worth.
    static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
