// The classes of octets that the grammars name (RFC 9110, section 5.6; RFC 5234, appendix B.1). They stand
// here and not in HTTPMessage because they are asked once an octet: a call into another module would cost
// more than the answer.
extension UInt8 {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let colon: UInt8 = 0x3A

    /// SP or HTAB, what OWS and BWS are made of.
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    var isDigit: Bool { self &- 0x30 < 10 }

    /// Any octet of CTL: below SP, or DEL.
    var isControl: Bool { self < 0x20 || self == 0x7F }

    /// What may stand in a token (`tchar`): one bit for each of the 128 octets of ASCII.
    var isTokenOctet: Bool {
        if self < 64 { return 0x03FF_6CFA_0000_0000 as UInt64 >> UInt64(self) & 1 == 1 }
        return self < 128 && 0x57FF_FFFF_C7FF_FFFE as UInt64 >> UInt64(self & 63) & 1 == 1
    }

    /// What the digit counts, of HEXDIG in either case.
    var hexDigitValue: UInt64? {
        switch self {
        case 0x30...0x39: UInt64(self - 0x30)
        case 0x41...0x46: UInt64(self - 0x41 + 10)
        case 0x61...0x66: UInt64(self - 0x61 + 10)
        default: nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether these octets are `text`, which is in lower case, in any case of letters.
    func equalsIgnoringCase(_ text: String) -> Bool {
        let wanted = text.utf8
        guard count == wanted.count else { return false }
        var index = startIndex
        for octet in wanted {
            let own = self[index]
            guard (own &- 0x41 < 26 ? own | 0x20 : own) == octet else { return false }
            index += 1
        }
        return true
    }
}

/// The members of a list-based field's value without the blanks around them, empty ones left out; a comma
/// inside a quoted string separates nothing (RFC 9110, section 5.6.1).
func listMembers(of value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var members: [ArraySlice<UInt8>] = []
    var start = value.startIndex
    var isQuoted = false
    var isEscaped = false
    func member(until end: Int) -> ArraySlice<UInt8>? {
        let trimmed = value[start..<end].drop(while: \.isBlank)
        guard let last = trimmed.lastIndex(where: { !$0.isBlank }) else { return nil }
        return trimmed[...last]
    }
    for (index, octet) in zip(value.indices, value) {
        if isEscaped {
            isEscaped = false
        } else if isQuoted && octet == 0x5C {
            isEscaped = true
        } else if octet == 0x22 {
            isQuoted.toggle()
        } else if octet == 0x2C && !isQuoted {
            if let member = member(until: index) { members.append(member) }
            start = index + 1
        }
    }
    if let member = member(until: value.endIndex) { members.append(member) }
    return members
}
