/// Text in which `*` stands for any run of octets and `\*` for an asterisk.
public struct FixturePattern: Hashable, Sendable {
    /// The pattern as it is written.
    public let source: String

    /// The pattern that is written so.
    public init(_ source: String) { self.source = source }

    /// What stands between the asterisks, in order.
    private var pieces: [[UInt8]] {
        var pieces: [[UInt8]] = [[]]
        var isEscaped = false
        for octet in source.utf8 {
            if isEscaped {
                // A backslash before anything else is one.
                if octet != UInt8(ascii: "*") { pieces[pieces.count - 1].append(UInt8(ascii: "\\")) }
                pieces[pieces.count - 1].append(octet)
                isEscaped = false
            } else if octet == UInt8(ascii: "\\") {
                isEscaped = true
            } else if octet == UInt8(ascii: "*") {
                pieces.append([])
            } else {
                pieces[pieces.count - 1].append(octet)
            }
        }
        if isEscaped { pieces[pieces.count - 1].append(UInt8(ascii: "\\")) }
        return pieces
    }

    /// Whether all of `octets` is matched. The work is at most the product of both lengths.
    public func matches(_ octets: [UInt8]) -> Bool {
        let pieces = pieces
        guard pieces.count > 1, let first = pieces.first, let last = pieces.last else {
            return pieces.first == octets
        }
        guard octets.count >= first.count + last.count, octets.starts(with: first),
            octets.suffix(last.count).elementsEqual(last)
        else { return false }
        // The leftmost place for each piece between leaves the most room for those behind it.
        var rest = octets[first.count..<octets.count - last.count]
        for piece in pieces.dropFirst().dropLast() {
            guard let start = FixturePattern.firstIndex(of: piece, in: rest) else { return false }
            rest = rest[(start + piece.count)...]
        }
        return true
    }

    private static func firstIndex(of piece: [UInt8], in octets: ArraySlice<UInt8>) -> Int? {
        guard piece.count <= octets.count else { return nil }
        var index = octets.startIndex
        while index + piece.count <= octets.endIndex {
            if octets[index..<index + piece.count].elementsEqual(piece) { return index }
            index += 1
        }
        return nil
    }
}
