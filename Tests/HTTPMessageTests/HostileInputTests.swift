import HTTPMessage
import Testing

@Suite("Hostile input")
struct HostileInputTests {
    /// xorshift64*: the same numbers each time.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            return state &* 0x2545_F491_4F6C_DD1D
        }
    }

    static let pieces = [
        "http:", "https:", "/", "//", "\\", ".", "..", "%2e", "%", "%2F", "%00", "?", "#", "@", ":", "[", "]",
        "::",
        "ffff", "1.2.3.4", "0x", "255", "65536", "18446744073709551615", "18446744073709551616", "é", "使",
        "\u{202E}", "\u{0}", "\r\n", "\t", " ", "\"", "\\\"", "'", ";", "=", ",", "*", "-", "bytes", "bytes=",
        "W/\"",
        "filename", "filename*=UTF-8''", "attachment", "Sun", "Nov", "06", "1994", "08:49:37", "GMT", "C:",
        ".tar",
        "x", "xn--", "\u{1F1E6}", "\u{301}", "\u{FF}",
    ]

    @Test("traps nowhere, and what parses prints to the same", arguments: 1...8)
    func survives(seed: UInt64) throws {
        var generator = Generator(state: seed)
        let base = try URI(parsing: "https://u:p@h:81/a/b?q#f")
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
            for candidate in [text, "http://" + text, "http://h" + text] {
                checkURI(candidate, base: base)
            }
            checkFields(text)
        }
    }

    private func checkURI(_ text: String, base: URI) {
        for keepsDotSegments in [false, true] {
            for base in [nil, base] {
                let result = try? URI(parsing: text, relativeTo: base, keepsDotSegments: keepsDotSegments)
                guard let uri = result else { continue }
                let again = try? URI(parsing: uri.description, keepsDotSegments: keepsDotSegments)
                #expect(again == uri)
                #expect(uri.path.utf8.first == UInt8(ascii: "/"))
                #expect(uri.description.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                #expect((try? URIHost(parsing: uri.host.description)) == uri.host)
                if let name = FileName(uri) { checkName(name) }
            }
        }
    }

    private func checkFields(_ text: String) {
        if let date = HTTPDate(parsing: text, now: HTTPDate(secondsSinceEpoch: 0)) {
            #expect(HTTPDate(parsing: date.description, now: date) == date)
        }
        if let tags = EntityTagList(parsing: text) {
            #expect(EntityTagList(parsing: tags.description) == tags)
        }
        if let set = ByteRangeSet(parsing: text) { #expect(ByteRangeSet(parsing: set.description) == set) }
        if let range = ContentRange(parsing: text) {
            #expect(ContentRange(parsing: range.description) == range)
        }
        if let type = MediaType(parsing: text) { #expect(MediaType(parsing: type.description) == type) }
        for challenge in Challenge.all(in: ["WWW-Authenticate": text], of: .wwwAuthenticate) {
            #expect(!challenge.scheme.isEmpty && challenge.parameters.all.allSatisfy { !$0.name.isEmpty })
        }
        #expect(CommaList(text).members.allSatisfy { !$0.isEmpty })
        let control = CacheControl(in: ["Cache-Control": text])
        let printed = control.directives.map(\.description).joined(separator: ", ")
        let again = CacheControl(in: ["Cache-Control": printed])
        #expect(again.directives.map(\.name) == control.directives.map(\.name))
        for isLenient in [false, true] {
            let disposition = ContentDisposition(parsing: text, isLenient: isLenient)
            if let name = disposition.flatMap({ FileName($0) }) { checkName(name) }
        }
        for limit in [1, 7, 20, 240] {
            guard let name = FileName(suggested: text, maximumOctets: limit) else { continue }
            checkName(name)
            #expect(name.text.utf8.count <= limit)
            #expect(FileName(suggested: name.text) == name)
        }
    }

    private func checkName(_ name: FileName) {
        let scalars = Array(name.text.unicodeScalars)
        #expect(!scalars.isEmpty && scalars.first != "." && scalars.first != "-" && scalars.last != ".")
        #expect(scalars.allSatisfy { $0 != "/" && $0 != "\\" && $0.value >= 0x20 && $0 != "\u{202E}" })
    }

    @Test(
        "is read in linear time",
        arguments: [
            "/..", "@", "%", "a;", ",", "\"", "\\", "1.", ":", "[", ";a=\"", "a/../", "a ", "a=,", "a=\",",
            "a=\"\",",
        ])
    func isLinear(unit: String) {
        let long = String(repeating: unit, count: 10_000)
        _ = try? URI(parsing: "http://h/" + long)
        _ = try? URI(parsing: "http://" + long)
        _ = try? URIHost(parsing: long)
        _ = CommaList(long)
        for value in [long, "Basic " + long, "Basic a=b" + long] {
            _ = Challenge.all(in: ["WWW-Authenticate": value], of: .wwwAuthenticate, mostChallenges: .max)
        }
        _ = CacheControl(in: ["Cache-Control": long]).fieldNames(of: .noCache)
        _ = MediaType(parsing: "a/b" + long)
        _ = ContentDisposition(parsing: "a;" + long)?.filename
        _ = EntityTagList(parsing: long)
        _ = ByteRangeSet(parsing: "bytes=" + long)
    }
}
