/// Numbers, sizes, times and paths.
extension FixtureScanner {
    /// The most octets of anything: 1 TiB.
    static let mostOctets: UInt64 = 1 << 40

    /// Decimal digits.
    mutating func number<Number: FixedWidthInteger>(
        _ what: String, _ range: ClosedRange<Number>
    ) throws(FixtureComplaint) -> Number {
        let word = bareWord()
        return try FixtureScanner.number(word, what, range)
    }

    static func number<Number: FixedWidthInteger>(
        _ word: [UInt8], _ what: String, _ range: ClosedRange<Number>
    ) throws(FixtureComplaint) -> Number {
        guard !word.isEmpty else { throw FixtureComplaint("\(what) is missing") }
        guard word.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw FixtureComplaint("\(what) is a number, not \(FixtureComplaint.quoted(word))")
        }
        var number: Number = 0
        for digit in word {
            let (tens, isTooBig) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooBigStill) = tens.addingReportingOverflow(Number(digit - 0x30))
            guard !isTooBig, !isTooBigStill else { throw outside(range, word, what) }
            number = sum
        }
        guard range.contains(number) else { throw outside(range, word, what) }
        return number
    }

    private static func outside<Number: FixedWidthInteger>(
        _ range: ClosedRange<Number>, _ word: [UInt8], _ what: String
    ) -> FixtureComplaint {
        FixtureComplaint(
            "\(what) is from \(range.lowerBound) to \(range.upperBound), not \(FixtureComplaint.quoted(word))"
        )
    }

    /// `count = 1*DIGIT [ "K" / "M" / "G" ]`
    mutating func count(_ what: String, least: UInt64 = 0) throws(FixtureComplaint) -> UInt64 {
        var word = bareWord()
        let written = word
        var shift: UInt64 = 0
        switch word.last {
        case UInt8(ascii: "K"): shift = 10
        case UInt8(ascii: "M"): shift = 20
        case UInt8(ascii: "G"): shift = 30
        default: break
        }
        if shift > 0 { word.removeLast() }
        guard !word.isEmpty, word.allSatisfy({ (0x30...0x39).contains($0) }) else {
            guard !written.isEmpty else { throw FixtureComplaint("\(what) is missing") }
            throw FixtureComplaint(
                "\(what) is a number of octets like 5, 64K, 2M or 1G, not \(FixtureComplaint.quoted(written))"
            )
        }
        guard
            let number = try? FixtureScanner.number(word, what, 0...FixtureScanner.mostOctets >> shift),
            number << shift >= least
        else {
            throw FixtureComplaint(
                "\(what) is from \(least) to 1024G octets, not \(FixtureComplaint.quoted(written))")
        }
        return number << shift
    }

    /// `duration = 1*DIGIT [ "." 1*DIGIT ] ( "ms" / "s" )`, at most an hour, in whole nanoseconds.
    mutating func duration() throws(FixtureComplaint) -> Duration {
        let word = bareWord()
        guard !word.isEmpty else { throw FixtureComplaint("a time is missing, like 250ms or 1.5s") }
        let isMilliseconds = word.suffix(2).elementsEqual("ms".utf8)
        let number = word.dropLast(isMilliseconds ? 2 : 1)
        let parts = number.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard word.last == UInt8(ascii: "s"), let whole = parts.first, !whole.isEmpty,
            parts.last?.isEmpty == false,
            parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } })
        else {
            throw FixtureComplaint("\(FixtureComplaint.quoted(word)) is no time; one is like 250ms or 1.5s")
        }
        // The digits behind the point, of which nanoseconds leave room for 6 and 9.
        let room = isMilliseconds ? 6 : 9
        let fraction = parts.count > 1 ? Array(parts[1]) : []
        guard fraction.count <= room else {
            throw FixtureComplaint("\(FixtureComplaint.quoted(word)) is finer than a nanosecond")
        }
        let digits = Array(whole) + fraction + Array(repeating: 0x30, count: room - fraction.count)
        guard
            let nanoseconds = try? FixtureScanner.number(
                digits, "", 0...3_600_000_000_000 as ClosedRange<Int64>)
        else { throw FixtureComplaint("\(FixtureComplaint.quoted(word)) is more than an hour") }
        return .nanoseconds(nanoseconds)
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, up to the end of the line.
    mutating func date() throws(FixtureComplaint) -> Int64 {
        let written = try takeRest("a date")
        guard let seconds = FixtureDate.seconds(of: written) else {
            throw FixtureComplaint(
                "\(FixtureComplaint.quoted(written)) is no date like \"Sun, 06 Nov 1994 08:49:37 GMT\", with its day of the week"
            )
        }
        return seconds
    }

    /// The permissions of a file.
    mutating func mode() throws(FixtureComplaint) -> UInt32 {
        let word = bareWord()
        guard (1...4).contains(word.count), word.allSatisfy({ (0x30...0x37).contains($0) }) else {
            if word.isEmpty { throw FixtureComplaint("the permissions are missing") }
            throw FixtureComplaint(
                "\(FixtureComplaint.quoted(word)) are no permissions like 644, in octal digits")
        }
        return word.reduce(0) { $0 << 3 | UInt32($1 - 0x30) }
    }

    /// The path of something in the folder of the command: it does not lead out of it.
    mutating func path() throws(FixtureComplaint) -> String {
        let path = try string("a path")
        let octets = Array(path.utf8)
        let shown = FixtureComplaint.quoted(octets)
        guard octets.first != UInt8(ascii: "/") else {
            throw FixtureComplaint(
                "the path \(shown) is absolute; it must lead to something in the command's folder")
        }
        let parts = octets.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw FixtureComplaint("the path \(shown) climbs by \"..\"")
        }
        guard !parts.contains(where: { $0.isEmpty || $0.elementsEqual(".".utf8) }) else {
            throw FixtureComplaint("a part of the path \(shown) is empty or \".\"")
        }
        guard parts.count <= 32, parts.allSatisfy({ $0.count <= 255 }) else {
            throw FixtureComplaint("the path \(shown) has more than 32 parts, or one of more than 255 octets")
        }
        return path
    }

    /// `HOST` or `HOST:PORT`; the host in lower case.
    mutating func host() throws(FixtureComplaint) -> (host: String, port: UInt16?) {
        let word = bareWord()
        guard !word.isEmpty else { throw FixtureComplaint("a host is missing") }
        // An address of IPv6 stands in brackets, as in a URL (RFC 3986, section 3.2.2).
        let bracket = word.first == UInt8(ascii: "[") ? word.firstIndex(of: UInt8(ascii: "]")) : nil
        let end = bracket.map { $0 + 1 } ?? word.firstIndex(of: UInt8(ascii: ":")) ?? word.count
        let host = word[..<end].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let isAddress =
            bracket != nil && host.count > 2
            && host[1..<end - 1].allSatisfy { octet in
                (0x30...0x3A).contains(octet) || (0x61...0x66).contains(octet) || octet == UInt8(ascii: ".")
            }
        guard isAddress || !host.isEmpty && host.count <= 253 && host.allSatisfy(FixtureScanner.isNameOctet),
            end == word.count || word[end] == UInt8(ascii: ":")
        else {
            throw FixtureComplaint(
                "\(FixtureComplaint.quoted(word)) is no host: letters, digits, \"-\", \"_\" and \".\" make one"
            )
        }
        let port =
            end < word.count
            ? try FixtureScanner.number(Array(word[(end + 1)...]), "a port", 1...UInt16.max) : nil
        return (String(decoding: host, as: UTF8.self), port)
    }
}
