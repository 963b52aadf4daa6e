/// Looks for what makes content binary, piece by piece.
struct BinaryScan {
    private let check: DownloadPlan.BinaryCheck
    /// Octets to come of a character of UTF-8.
    private var continuations = 0
    /// The character is U+0080 to U+00BF.
    private var beginsWithC2 = false

    init(_ check: DownloadPlan.BinaryCheck) { self.check = check }

    /// Whether there is some in the next piece.
    mutating func finds(in content: Span<UInt8>) -> Bool {
        switch check {
        case .none: return false
        case .nul: return content.indices.contains { content[$0] == 0 }
        case .controls: break
        }
        for index in content.indices where isControl(content[index]) { return true }
        return false
    }

    /// Whether a character is a control that ends with `octet`, of those with codes from 0x80 on, too: as a character of
    /// UTF-8, and as an octet that belongs to none.
    private mutating func isControl(_ octet: UInt8) -> Bool {
        guard 0x80...0xBF ~= octet else {
            continuations = octet >= 0xF0 ? 3 : octet >= 0xE0 ? 2 : octet >= 0xC2 ? 1 : 0
            beginsWithC2 = octet == 0xC2
            return octet < 0x20 && !(0x08...0x0A ~= octet || 0x0C...0x0D ~= octet) || octet == 0x7F
        }
        let isHigh = (continuations == 0 || beginsWithC2) && octet < 0xA0
        continuations = max(0, continuations - 1)
        beginsWithC2 = false
        return isHigh
    }
}
