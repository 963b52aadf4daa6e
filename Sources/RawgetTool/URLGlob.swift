import HTTPMessage

/// The URLs that braces and brackets stand for, by curl's rules.
///
///     glob   = *( text / set / range )
///     set    = "{" element *( "," element ) "}"
///     range  = "[" from "-" to [ ":" step ] "]"      ; numbers, a leading zero keeps their width, or letters, which may
///                                                    ; be of both cases, but `to` at most 25 octets above `from`
///     escape = "\" before a brace or bracket
///
/// An address of IPv6 in brackets, and brackets with nothing in them, are text.
struct URLGlob {
    /// What is no glob.
    struct Malformed: Error {
        /// For a person.
        var reason: String
    }

    private enum Part {
        case text([UInt8])
        case choice([[UInt8]])
        case letters(from: UInt8, step: Int, count: Int)
        case numbers(from: Int, step: Int, count: Int, width: Int)

        var count: Int {
            switch self {
            case .text: 1
            case .choice(let elements): elements.count
            case .letters(_, _, let count), .numbers(_, _, let count, _): count
            }
        }

        func octets(_ index: Int) -> [UInt8] {
            switch self {
            case .text(let octets): return octets
            case .choice(let elements): return elements[index]
            case .letters(let from, let step, _): return [from + UInt8(index * step)]
            case .numbers(let from, let step, _, let width):
                let digits = Array(String(from + index * step).utf8)
                return [UInt8](repeating: 0x30, count: max(0, width - digits.count)) + digits
            }
        }
    }

    /// Most URLs that one may stand for.
    static let mostURLs = 1_000_000
    /// Most octets that the URLs and names of a group may come to.
    static let mostOctets = 256 << 20

    private var parts: [Part] = []
    /// How many URLs it stands for.
    private(set) var count = 1

    /// Whether text may be more than itself.
    static func isNeeded(for octets: ArraySlice<UInt8>) -> Bool {
        octets.contains { "{}[]".utf8.contains($0) }
    }

    /// Whether text is a glob for something else than itself.
    static func standsForOthers(_ text: String) -> Bool {
        let octets = Array(text.utf8)
        guard isNeeded(for: octets[...]), let glob = try? URLGlob(octets[...]) else { return false }
        return glob.count > 1 || glob.url(0) != octets
    }

    /// Reads a URL.
    init(_ octets: ArraySlice<UInt8>) throws(Malformed) {
        var reader = Reader(octets)
        while !reader.isAtEnd {
            let part = try reader.part()
            parts.append(part)
            let (product, overflows) = count.multipliedReportingOverflow(by: part.count)
            guard !overflows, product <= URLGlob.mostURLs else {
                throw Malformed(reason: "a URL stands for more than \(URLGlob.mostURLs) URLs")
            }
            count = product
        }
    }

    /// The URL of an index; the last part varies first.
    func url(_ index: Int) -> [UInt8] {
        zip(parts, indices(index)).flatMap { $0.octets($1) }
    }

    /// The name of a file in which `#1` stands for what the first part that varies is in the URL of an index. Throws where
    /// that has more than `limit` octets, or none.
    func name(_ template: ArraySlice<UInt8>, _ index: Int, limit: Int) throws(Malformed) -> [UInt8] {
        let values = zip(parts, indices(index)).compactMap { (part, index) -> [UInt8]? in
            if case .text = part { nil } else { part.octets(index) }
        }
        var name: [UInt8] = []
        var rest = template
        while let octet = rest.popFirst() {
            guard name.count <= limit else { throw URLGlob.tooLong }
            let digits = octet == UInt8(ascii: "#") ? rest.prefix(while: \.isDigit) : []
            guard let number = Int(String(decoding: digits, as: UTF8.self)), number > 0,
                number <= values.count
            else {
                name.append(octet)
                continue
            }
            name += values[number - 1]
            rest = rest.dropFirst(digits.count)
        }
        guard !name.isEmpty else {
            throw Malformed(
                reason: "-o \(String(decoding: template, as: UTF8.self)) has no name for the URL \(index + 1)"
            )
        }
        return name
    }

    /// The URLs and names come to more than there may be.
    static var tooLong: Malformed {
        Malformed(reason: "the URLs and names of files come to more than \(mostOctets) octets")
    }

    private func indices(_ index: Int) -> [Int] {
        var rest = index
        var indices: [Int] = []
        for part in parts.reversed() {
            indices.append(rest % part.count)
            rest /= part.count
        }
        return indices.reversed()
    }
}

extension URLGlob {
    private struct Reader {
        private let start: Int
        private var rest: ArraySlice<UInt8>

        init(_ octets: ArraySlice<UInt8>) {
            start = octets.startIndex
            rest = octets
        }

        var isAtEnd: Bool { rest.isEmpty }

        private func malformed(_ what: String, _ how: String = "") -> Malformed {
            Malformed(reason: "\(what) at octet \(rest.startIndex - start + 1) of the URL\(how)")
        }

        mutating func part() throws(Malformed) -> Part {
            if rest.first == UInt8(ascii: "{") { return try choice() }
            if rest.first == UInt8(ascii: "["), plainBrackets == 0 { return try range() }
            return try text()
        }

        /// How many octets an address of IPv6 here takes with its brackets, or brackets with nothing in them.
        private var plainBrackets: Int {
            guard rest.first == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")) else {
                return 0
            }
            let text = rest[rest.startIndex...end]
            guard text.count > 2 else { return text.count }
            return (try? URIHost(parsing: String(decoding: text, as: UTF8.self))) == nil ? 0 : text.count
        }

        private mutating func text() throws(Malformed) -> Part {
            var text: [UInt8] = []
            while let octet = rest.first, octet != UInt8(ascii: "{") {
                if octet == UInt8(ascii: "[") {
                    let count = plainBrackets
                    guard count > 0 else { break }
                    text += rest.prefix(count)
                    rest = rest.dropFirst(count)
                    continue
                }
                guard octet != UInt8(ascii: "}"), octet != UInt8(ascii: "]") else {
                    throw malformed("a brace or bracket closes what was not opened")
                }
                rest = rest.dropFirst()
                if octet == UInt8(ascii: "\\"), let next = rest.first, "{}[]".utf8.contains(next) {
                    text.append(next)
                    rest = rest.dropFirst()
                } else {
                    text.append(octet)
                }
            }
            return .text(text)
        }

        private mutating func choice() throws(Malformed) -> Part {
            rest = rest.dropFirst()
            guard rest.first != UInt8(ascii: "}") else { throw malformed("nothing stands in the braces") }
            var elements: [[UInt8]] = [[]]
            while let octet = rest.first {
                switch octet {
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    throw malformed("a brace or bracket stands in braces")
                case UInt8(ascii: "]"): throw malformed("a bracket closes what was not opened")
                case UInt8(ascii: ","): elements.append([])
                case UInt8(ascii: "}"):
                    rest = rest.dropFirst()
                    return .choice(elements)
                default:
                    if octet == UInt8(ascii: "\\"), rest.count > 1 { rest = rest.dropFirst() }
                    if let octet = rest.first { elements[elements.count - 1].append(octet) }
                }
                rest = rest.dropFirst()
            }
            throw malformed("a brace is not closed")
        }

        private mutating func range() throws(Malformed) -> Part {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else {
                throw malformed("a bracket is not closed")
            }
            let text = String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
            let part: Part
            do throws(Malformed) { part = try Self.range(text) } catch {
                throw malformed("the range", " \(error.reason)")
            }
            rest = rest[(end + 1)...]
            return part
        }

        /// Throws what is wrong with it.
        private static func range(_ text: String) throws(Malformed) -> Part {
            let halves = text.split(separator: ":", omittingEmptySubsequences: false)
            let bounds = halves[0].split(separator: "-", omittingEmptySubsequences: false)
            guard halves.count <= 2, bounds.count == 2 else {
                throw Malformed(reason: "is neither FROM-TO nor FROM-TO:STEP")
            }
            guard let step = halves.count == 1 ? 1 : Int(halves[1]), step > 0 else {
                throw Malformed(reason: "has a step that is no number above 0")
            }
            if let from = letter(bounds[0]), let to = letter(bounds[1]) {
                let count = try count(from: Int(from), to: Int(to), step)
                guard to - from <= mostSteps else {
                    throw Malformed(reason: "goes over more than \(mostSteps + 1) characters")
                }
                return .letters(from: from, step: step, count: count)
            }
            guard bounds.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }) else {
                throw Malformed(reason: "goes neither from number to number nor from letter to letter")
            }
            guard let from = Int(bounds[0]), let to = Int(bounds[1]) else {
                throw Malformed(reason: "has a number above \(Int.max)")
            }
            let count = try count(from: from, to: to, step)
            let width = bounds[0].hasPrefix("0") ? bounds[0].utf8.count : 0
            return .numbers(from: from, step: step, count: count, width: width)
        }

        /// How far apart letters may be: as `a` and `z`. `[A-z]` would have signs in it that nobody means.
        private static let mostSteps: UInt8 = 25

        private static func letter(_ text: Substring) -> UInt8? {
            guard text.utf8.count == 1, let octet = text.utf8.first, octet.isLetter else { return nil }
            return octet
        }

        private static func count(from: Int, to: Int, _ step: Int) throws(Malformed) -> Int {
            guard from <= to else { throw Malformed(reason: "runs backwards") }
            // A range of one has a step, too: that of a range without one.
            guard step <= max(1, to - from) else {
                throw Malformed(reason: "has a step that is larger than the range")
            }
            let steps = (to - from) / step
            guard steps < URLGlob.mostURLs else {
                throw Malformed(reason: "stands for more than \(URLGlob.mostURLs) URLs")
            }
            return steps + 1
        }
    }
}
