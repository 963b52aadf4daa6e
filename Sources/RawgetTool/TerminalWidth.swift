/// How many columns text takes on a terminal.
///
/// Where terminals differ (joined emoji, skin tones), the widest of them counts, since a line that is too long
/// wraps and one that is too short only looks uneven.
enum TerminalWidth {
    /// The columns of `text`, which has no control characters.
    static func columns(of text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
    }

    /// `text` cut to at most `limit` columns, with an ellipsis in place of what is lost at its end. No character
    /// is taken apart.
    static func fitting(_ text: String, into limit: Int) -> String {
        guard columns(of: text) > limit else { return text }
        guard limit > 0 else { return "" }
        var result = ""
        var used = 1  // the ellipsis
        for character in text {
            let width = columns(of: String(character))
            guard used + width <= limit else { break }
            result.append(character)
            used += width
        }
        return result + "…"
    }

    /// `text` cut in its middle, so that the end of a name, its extension, stays visible.
    static func fittingMiddle(_ text: String, into limit: Int) -> String {
        guard limit >= 12, columns(of: text) > limit else { return fitting(text, into: limit) }
        var tail = ""
        for character in text.reversed() {
            let extended = String(character) + tail
            guard columns(of: extended) <= limit / 3 else { break }
            tail = extended
        }
        return fitting(text, into: limit - columns(of: tail)) + tail
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value == 0xAD ? 0 : 1 }
        if value == 0xFE0F { return 1 }  // turns a narrow sign into an emoji of two columns
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if (0x1160...0x11FF).contains(value) { return 0 }  // vowels and finals join the Hangul initial before
        if (0x1F1E6...0x1F1FF).contains(value) { return 1 }  // two of them are one flag
        return isWide(value) || scalar.properties.isEmojiPresentation ? 2 : 1
    }

    /// Classes W and F of Unicode Standard Annex 11, emoji excepted, gaps of unassigned places closed.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E,
            0x3041...0x3247, 0x3250...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
            0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F265, 0x1F300...0x1F320, 0x1F32D...0x1F335,
            0x1F337...0x1F37C, 0x1F3A0...0x1F3CA, 0x1F3E0...0x1F3F0, 0x1F400...0x1F43E, 0x1F442...0x1F4FC,
            0x1F4FF...0x1F53D, 0x1F54B...0x1F567, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F900...0x1F9FF,
            0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
