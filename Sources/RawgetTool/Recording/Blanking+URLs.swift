extension Blanking {
    /// Text in which each URL has its user and password blanked: what stands between the slashes and the last `@` before
    /// the authority ends (RFC 3986, section 3.2).
    static func url(_ octets: ArraySlice<UInt8>) -> [UInt8] {
        var text = URLText(octets)
        text.blankURLs(from: 0)
        return text.octets
    }

    /// The same of what somebody typed where a URL was wanted, however it is misspelled: rather too much is blanked than
    /// too little.
    static func url(_ text: String) -> String {
        var text = URLText(Array(text.utf8)[...])
        text.blankURLs(from: text.blankTyped())
        return String(decoding: text.octets, as: UTF8.self)
    }
}

/// Text with URLs in it, percent-encoded octets (RFC 3986, section 2.1) beside what they stand for.
private struct URLText {
    /// An octet, as it is written.
    private struct Unit {
        var value: UInt8
        var written: ArraySlice<UInt8>
        var isEncoded: Bool { written.count > 1 }
    }

    private var units: [Unit] = []

    /// The text.
    var octets: [UInt8] { units.flatMap(\.written) }

    init(_ octets: ArraySlice<UInt8>) {
        var rest = octets
        while let first = rest.first {
            let digits = rest.dropFirst().prefix(2)
            let isEncoded = first == UInt8(ascii: "%") && digits.count == 2 && digits.allSatisfy(\.isHexDigit)
            let value = isEncoded ? UInt8(String(decoding: digits, as: UTF8.self), radix: 16) : nil
            units.append(Unit(value: value ?? first, written: rest.prefix(isEncoded ? 3 : 1)))
            rest = rest.dropFirst(isEncoded ? 3 : 1)
        }
    }

    private static let schemes = ["http", "https", "ftp", "ftps", "ws", "wss", "file"]

    private func `is`(_ index: Int, _ characters: String) -> Bool {
        index < units.count && characters.utf8.contains(units[index].value)
    }

    private func isBlank(_ index: Int) -> Bool { index < units.count && units[index].value <= 0x20 }

    private func skipping(_ start: Int, where isSkipped: (Int) -> Bool) -> Int {
        var index = start
        while index < units.count, isSkipped(index) { index += 1 }
        return index
    }

    // MARK: What was typed

    /// Blanks the user of a text that is to be a URL. Returns where its authority ends.
    mutating func blankTyped() -> Int {
        var start = 0
        var isFirst = true
        while let end = schemeEnd(from: start, takesAny: isFirst) {
            start = end
            isFirst = false
        }
        start = skipping(start) { self.is($0, "/\\:") || isBlank($0) }
        let end = skipping(start) { !self.is($0, "/\\?#") || units[$0].isEncoded }
        return blankUser(from: start, authorityEnd: end, limit: units.count)
    }

    /// Where what looks like a scheme ends, its slashes included. One that nobody knows must have slashes behind its
    /// colon, a known one may have a colon or slashes.
    private func schemeEnd(from start: Int, takesAny: Bool) -> Int? {
        let end = skipping(start) { !self.is($0, ":/\\?#@") }
        let name = units[start..<end].filter { $0.value > 0x20 }.map(\.value)
        let isKnown = URLText.schemes.contains(String(decoding: name, as: UTF8.self).lowercased())
        guard self.is(end, ":/\\") else { return nil }
        let next = skipping(end + 1, where: isBlank)
        guard isKnown || takesAny && self.is(end, ":") && self.is(next, "/\\") else { return nil }
        return skipping(next) { self.is($0, "/\\") || isBlank($0) }
    }

    // MARK: What stands anywhere

    /// Blanks the users of all URLs behind `start`.
    mutating func blankURLs(from start: Int) {
        var index = start
        while index < units.count {
            guard let authority = authorityStart(at: index) else {
                index += 1
                continue
            }
            let isEncoded = units[authority - 1].isEncoded
            let limit = skipping(authority) { !self.is($0, "<>\" \t,") && !(isEncoded && self.is($0, "&")) }
            let end = skipping(authority) {
                $0 < limit && (!self.is($0, "/\\?#") || units[$0].isEncoded && !isEncoded)
            }
            index = max(index + 1, blankUser(from: authority, authorityEnd: end, limit: limit))
        }
    }

    /// Where an authority begins, if a known scheme with its colon, or two slashes, begin at `index`.
    private func authorityStart(at index: Int) -> Int? {
        let isSlash = { self.is($0, "/\\") }
        if isSlash(index), isSlash(index + 1) { return skipping(index, where: isSlash) }
        for scheme in URLText.schemes {
            let end = index + scheme.utf8.count
            guard self.is(end, ":"),
                units[index..<end].elementsEqual(scheme.utf8, by: { $0.value | 0x20 == $1 })
            else { continue }
            return skipping(end + 1, where: isSlash)
        }
        return nil
    }

    // MARK: Users

    /// Blanks what stands before the `@` of an authority. Returns where the authority ends by then.
    private mutating func blankUser(from start: Int, authorityEnd end: Int, limit: Int) -> Int {
        guard let at = userEnd(from: start, authorityEnd: end, limit: limit), at > start else { return end }
        let hasPassword = units[start..<at].contains { $0.value == UInt8(ascii: ":") }
        let mark = Array((hasPassword ? "\(Blanking.mark):\(Blanking.mark)" : Blanking.mark).utf8)
        units.replaceSubrange(start..<at, with: mark.map { Unit(value: $0, written: [$0]) })
        let next = start + mark.count + 1
        return skipping(next) { !self.is($0, "/\\?# \t,") || units[$0].isEncoded }
    }

    /// Where the `@` behind a user stands. A password with a slash in it ends the authority early, which leaves no
    /// port where one should be: then the last `@` of all counts.
    private func userEnd(from start: Int, authorityEnd end: Int, limit: Int) -> Int? {
        let at = UInt8(ascii: "@")
        if let last = units[start..<end].lastIndex(where: { $0.value == at }) { return last }
        guard !self.is(start, "["),
            let colon = units[start..<end].lastIndex(where: { $0.value == UInt8(ascii: ":") })
        else { return nil }
        let port = units[(colon + 1)..<end]
        guard port.isEmpty || !port.allSatisfy({ (0x30...0x39).contains($0.value) }) else { return nil }
        return units[start..<limit].lastIndex { $0.value == at }
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
    }
}
