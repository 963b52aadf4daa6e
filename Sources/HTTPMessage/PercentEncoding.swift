/// Octets written as "%" and two hexadecimal digits (RFC 3986, section 2.1).
public enum PercentEncoding {
    /// The octets that `text` stands for. A "%" without two hexadecimal digits behind it stands for itself,
    /// as in the WHATWG URL standard; the result need not be UTF-8.
    public static func decode(_ text: String) -> [UInt8] { decode(Array(text.utf8).span) }

    ///     pct-encoded = "%" HEXDIG HEXDIG
    static func decode(_ encoded: Span<UInt8>) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(encoded.count)
        var index = 0
        while index < encoded.count {
            if let octet = escapedOctet(in: encoded, at: index) {
                octets.append(octet)
                index += 3
            } else {
                octets.append(encoded[index])
                index += 1
            }
        }
        return octets
    }

    /// The octet that the escape at `index` stands for; `nil` when there is no whole escape.
    static func escapedOctet(in encoded: Span<UInt8>, at index: Int) -> UInt8? {
        guard encoded.count - index >= 3, encoded[index] == UInt8(ascii: "%"),
            let high = encoded[index + 1].hexadecimalDigit, let low = encoded[index + 2].hexadecimalDigit
        else { return nil }
        return high << 4 | low
    }

    /// Appends `text` to `output`, with the octets of `set` as escapes. Escapes that are there already stay.
    static func append(_ text: Span<UInt8>, encoding set: PercentEncodeSet, to output: inout [UInt8]) {
        output.reserveCapacity(output.count + text.count)
        for index in text.indices {
            let octet = text[index]
            if set.contains(octet) {
                output.append(UInt8(ascii: "%"))
                output.append(UInt8.upperCaseDigit(octet >> 4))
                output.append(UInt8.upperCaseDigit(octet & 15))
            } else {
                output.append(octet)
            }
        }
    }
}

/// Octets that may not stand for themselves in one part of a URI (WHATWG URL, section 1.3).
struct PercentEncodeSet: Sendable {
    // One bit for each octet of ASCII; all others are in every set.
    private var low: UInt64 = 0xFFFF_FFFF  // C0 controls
    private var high: UInt64 = 1 << 63  // DEL

    private init(_ base: PercentEncodeSet?, _ characters: StaticString) {
        if let base { self = base }
        for octet in characters.description.utf8 {
            if octet < 64 { low |= 1 << UInt64(octet) } else { high |= 1 << UInt64(octet & 63) }
        }
    }

    func contains(_ octet: UInt8) -> Bool {
        if octet < 64 { return low >> UInt64(octet) & 1 == 1 }
        return octet >= 128 || high >> UInt64(octet & 63) & 1 == 1
    }

    static let fragment = PercentEncodeSet(nil, " \"<>`")
    private static let query = PercentEncodeSet(nil, " \"#<>")
    /// The query of a URI whose scheme is http or https.
    static let specialQuery = PercentEncodeSet(query, "'")
    static let path = PercentEncodeSet(query, "?^`{}")
    static let userinfo = PercentEncodeSet(path, "/:;=@[\\]|")
}

extension UInt8 {
    /// The value of a hexadecimal digit.
    package var hexadecimalDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }

    /// Whether this is a digit of ASCII.
    package var isDigit: Bool { self &- 0x30 < 10 }

    /// Whether this is a letter of ASCII.
    package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// The hexadecimal digit for a value below 16.
    static func upperCaseDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x37 &+ value }
}
