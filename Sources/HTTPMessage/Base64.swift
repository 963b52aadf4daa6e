/// Octets as text of 64 characters (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text for `octets`, padded.
    package static func encoded(_ octets: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((octets.count / 3 + 1) * 4)
        var index = 0
        while index < octets.count {
            let count = min(3, octets.count - index)
            var group: UInt32 = 0
            for place in 0..<3 {
                group = group << 8 | (place < count ? UInt32(octets[index + place]) : 0)
            }
            for place in 0..<4 {
                let isPadding = place > count
                text.append(
                    isPadding ? UInt8(ascii: "=") : alphabet[Int(group >> UInt32(18 - 6 * place) & 63)])
            }
            index += count
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The octets that `text` stands for; `nil` where it is not in the form that `encoded` gives: whole groups, padded, no
    /// line ends, and no bits set beyond the last octet (sections 3.2, 3.3 and 3.5).
    package static func decoded(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(text.count / 4 * 3)
        var index = 0
        while index < text.count {
            var group: UInt32 = 0
            var padding = 0
            for place in index..<index + 4 {
                let bits: UInt8
                if place >= text.count - 2, text[place] == UInt8(ascii: "=") {
                    bits = 0
                    padding += 1
                } else {
                    guard padding == 0, let digit = value(of: text[place]) else { return nil }
                    bits = digit
                }
                group = group << 6 | UInt32(bits)
            }
            guard group & (1 << UInt32(8 * padding) - 1) == 0 else { return nil }
            for place in 0..<3 - padding {
                octets.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * place)))
            }
            index += 4
        }
        return octets
    }

    /// As `decoded`, but with what structured fields may lack or have too much of: padding, missing or one "=" too many, and
    /// bits beyond the last octet (RFC 9651, section 4.2.7; RFC 9530, appendix B.11 has a digest padded so).
    static func decodedLeniently(_ text: Span<UInt8>) -> [UInt8]? {
        var end = text.count
        while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        // One character has fewer bits than an octet.
        guard end % 4 != 1 else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(end / 4 * 3 + 2)
        var group: UInt32 = 0
        for index in 0..<end {
            guard let digit = value(of: text[index]) else { return nil }
            group = group << 6 | UInt32(digit)
            // The second, third and fourth character of a group each complete an octet.
            let place = index % 4
            if place > 0 { octets.append(UInt8(truncatingIfNeeded: group >> UInt32(6 - 2 * place))) }
        }
        return octets
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - 0x41
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - 0x61 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
