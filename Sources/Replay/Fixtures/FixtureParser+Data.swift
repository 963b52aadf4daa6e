extension FixtureParser {
    /// How deep data may nest, and how many parts it may have when names are replaced by what they stand for: what
    /// is done with data takes its parts one by one.
    private static let mostDepth = 8
    private static let mostParts = 1_000_000

    /// The words that begin data.
    private enum DataWord: String, CaseIterable {
        case hex, blob, generated, `repeat`, gzip, zlib, deflate
    }

    /// What is known of data without looking into it.
    struct Measure {
        /// How many operations lie upon one another.
        var depth = 0
        var parts = 1
        /// The number of octets; `nil` when it takes coding to know.
        var count: UInt64?
        /// There are at most so many octets.
        var most: UInt64

        init(count: UInt64) {
            self.count = count
            most = count
        }
    }

    /// A blob that has been read.
    struct KnownBlob {
        var line: Int
        var content: FixtureContent
        var measure: Measure
    }

    /// The data at the end of a line, together with the `+` lines behind it and, where a marker is given, with lines
    /// of the same kind. Problems are noted.
    mutating func data(_ scanner: inout FixtureScanner, more marker: Sign? = nil) -> FixtureContent {
        measuredData(&scanner, more: marker).content
    }

    mutating func measuredData(_ scanner: inout FixtureScanner, more marker: Sign? = nil) -> KnownBlob {
        let first = line
        var parts: [FixtureContent] = []
        var total = Measure(count: 0)
        total.parts = 0
        var current = scanner
        while true {
            do throws(FixtureComplaint) {
                let (content, measure) = try piece(&current, depth: 0)
                try current.finish()
                parts.append(content)
                try add(measure, to: &total)
            } catch { complain(error) }
            guard let next = continuation(marker) else { break }
            current = next
        }
        scanner = current
        scanner.skip(.max >> 1)
        return KnownBlob(line: first, content: .joining(parts), measure: total)
    }

    private func add(_ measure: Measure, to total: inout Measure) throws(FixtureComplaint) {
        total.depth = max(total.depth, measure.depth)
        total.parts += measure.parts
        total.most += measure.most
        if let count = total.count, let more = measure.count {
            total.count = count + more
        } else {
            total.count = nil
        }
        guard total.most <= FixtureScanner.mostOctets else { throw FixtureParser.tooMuch }
        guard total.parts <= FixtureParser.mostParts else {
            throw FixtureComplaint("the data has more than \(FixtureParser.mostParts) parts")
        }
    }

    private static let tooMuch = FixtureComplaint("the data has more than 1024G octets")

    private func piece(
        _ scanner: inout FixtureScanner, depth: Int
    ) throws(FixtureComplaint) -> (FixtureContent, Measure) {
        scanner.skipBlanks()
        guard depth <= FixtureParser.mostDepth else { throw FixtureParser.tooDeep }
        if scanner.next == UInt8(ascii: "\"") {
            let text = try scanner.text()
            return (.octets(text), Measure(count: UInt64(text.count)))
        }
        guard scanner.next != nil else {
            throw FixtureComplaint("data is missing, like \"text\" or hex 0D0A")
        }
        let word = scanner.bareWord()
        guard let operation = DataWord(rawValue: String(decoding: word, as: UTF8.self)) else {
            throw .unknown(
                word, what: "kind of data", known: ["\\\"text\\\""] + DataWord.allCases.map(\.rawValue))
        }
        switch operation {
        case .hex:
            let octets = try hex(&scanner)
            return (.octets(octets), Measure(count: UInt64(octets.count)))
        case .blob: return try blobPiece(&scanner)
        case .generated:
            let count = try scanner.count("the number of octets")
            try scanner.expect("seed")
            let seed = try scanner.number("a seed", 0...UInt64.max)
            return try sliced(.generated(count: count, seed: seed), Measure(count: count), &scanner)
        case .repeat:
            let times = try scanner.number("how often", 0...FixtureScanner.mostOctets)
            let (content, inner) = try piece(&scanner, depth: depth + 1)
            var measure = try deeper(inner)
            let (most, isTooMuch) = measure.most.multipliedReportingOverflow(by: times)
            guard !isTooMuch, most <= FixtureScanner.mostOctets else { throw FixtureParser.tooMuch }
            measure.most = most
            measure.count = times == 0 ? 0 : measure.count.map { $0 * times }
            return (.repeated(content, times: times), measure)
        case .gzip: return try coded(.gzip, &scanner, depth)
        case .zlib: return try coded(.zlib, &scanner, depth)
        case .deflate: return try coded(.deflate, &scanner, depth)
        }
    }

    /// Most octets that are coded: 1 GiB.
    private static let mostCoded: UInt64 = 1 << 30

    private static let tooDeep = FixtureComplaint(
        "data is nested more than \(mostDepth) deep, blobs included")

    private func deeper(_ measure: Measure) throws(FixtureComplaint) -> Measure {
        var measure = measure
        measure.depth += 1
        measure.parts += 1
        guard measure.depth <= FixtureParser.mostDepth else { throw FixtureParser.tooDeep }
        return measure
    }

    private func coded(
        _ coding: FixtureContent.Coding, _ scanner: inout FixtureScanner, _ depth: Int
    ) throws(FixtureComplaint) -> (FixtureContent, Measure) {
        let (content, inner) = try piece(&scanner, depth: depth + 1)
        var measure = try deeper(inner)
        measure.count = nil
        // Octets that cannot be compressed grow by less than a thousandth, and by a head and a checksum.
        measure.most += measure.most >> 10 + 64
        // Of coded data no part can be had without making what is before it.
        guard inner.most <= FixtureParser.mostCoded else {
            throw FixtureComplaint("data that is to be coded has at most 1G octets")
        }
        return (.coded(content, coding), measure)
    }

    private func hex(_ scanner: inout FixtureScanner) throws(FixtureComplaint) -> [UInt8] {
        var octets: [UInt8] = []
        var high: UInt8?
        scanner.skipBlanks()
        while let next = scanner.next {
            scanner.skip(1)
            if FixtureScanner.isBlank(next) {
                guard high == nil else { break }
                continue
            }
            guard let value = FixtureText.hexValue(next) else {
                throw FixtureComplaint("\(FixtureComplaint.quoted([next])) is no hexadecimal digit")
            }
            if let first = high {
                octets.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        guard high == nil else { throw FixtureComplaint("a hexadecimal digit stands alone; octets have two") }
        guard !octets.isEmpty else { throw FixtureComplaint("the octets behind \"hex\" are missing") }
        return octets
    }

    private func blobPiece(
        _ scanner: inout FixtureScanner
    ) throws(FixtureComplaint) -> (FixtureContent, Measure) {
        let name = try scanner.name("the name of a blob")
        guard let known = knownBlobs[name] else {
            let near = FixtureComplaint.nearest(to: Array(name.utf8), among: blobs.prefix(1000).map(\.name))
            throw FixtureComplaint(
                "no blob \"\(name)\" stands before this line"
                    + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
        }
        return try sliced(.blob(name, known.content), deeper(known.measure), &scanner)
    }

    /// A slice may follow.
    private func sliced(
        _ content: FixtureContent, _ measure: Measure, _ scanner: inout FixtureScanner
    ) throws(FixtureComplaint) -> (FixtureContent, Measure) {
        scanner.skipBlanks()
        guard let next = scanner.next, (0x30...0x39).contains(next) else { return (content, measure) }
        let word = scanner.bareWord()
        let digits = word.prefix { (0x30...0x39).contains($0) }
        guard word[digits.endIndex...].starts(with: "..<".utf8) else {
            throw FixtureComplaint("\(FixtureComplaint.quoted(word)) is no slice like 0..<5")
        }
        let lower = try FixtureScanner.number(
            Array(digits), "the slice's begin", 0...FixtureScanner.mostOctets)
        let upper = try FixtureScanner.number(
            Array(word[(digits.endIndex + 3)...]), "the slice's end", 0...FixtureScanner.mostOctets)
        guard lower <= upper else {
            throw FixtureComplaint("the slice \(FixtureComplaint.quoted(word)) ends before it begins")
        }
        if let count = measure.count, upper > count {
            throw FixtureComplaint(
                "the slice \(FixtureComplaint.quoted(word)) is outside the data, which has \(count) octets")
        }
        var measure = try deeper(measure)
        measure.most = min(measure.most, upper - lower)
        measure.count = measure.count == nil ? nil : upper - lower
        return (.slice(content, lower..<upper), measure)
    }
}

extension FixtureContent {
    /// One after another: without empty parts, neighbouring octets as one part, never a joined one inside another.
    static func joining(_ contents: [FixtureContent]) -> FixtureContent {
        var parts: [FixtureContent] = []
        var octets: [UInt8] = []
        func add(_ content: FixtureContent) {
            switch content {
            case .octets(let more): octets += more
            case .joined(let inner): for content in inner { add(content) }
            default:
                if !octets.isEmpty { parts.append(.octets(octets)) }
                octets = []
                parts.append(content)
            }
        }
        for content in contents { add(content) }
        if !octets.isEmpty || parts.isEmpty { parts.append(.octets(octets)) }
        return parts.count == 1 ? parts[0] : .joined(parts)
    }
}
