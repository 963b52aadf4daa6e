import HTTPMessage
import Testing

@testable import Download

@Suite(
    "What becomes of an answer to the request for the rest (RFC 9110, sections 13.1.5, 14.4, 15.3.7 and 15.5.17)"
)
struct ResumeDecisionTests {
    // MARK: The table

    /// What may be here when the rest is asked for.
    enum Here: CaseIterable, Sendable {
        /// 100 of 1000 octets, of a version that a strong entity tag names.
        case tagged
        /// The same, and a Last-Modified that is strong.
        case dated
        /// 100 octets of which nothing else is known.
        case unknown
        /// Nothing: the request is for the first piece.
        case nothing

        var part: PartialRepresentation {
            var part = PartialRepresentation()
            if self != .nothing { part.length = 100 }
            guard self == .tagged || self == .dated else { return part }
            part.validator = self == .tagged ? "\"v1\"" : "Mon, 01 Jun 2015 03:58:27 GMT"
            part.completeLength = 1000
            part.source = home
            return part
        }

        var first: UInt64 { self == .nothing ? 0 : 100 }
    }

    /// The four ends that the rule knows, and the request for the whole that leads to one of them.
    enum End: Character, Sendable {
        case goesOn = "+"
        case startsOver = "0"
        case asksForWhole = "?"
        case isComplete = "="
        case fails = "!"
        /// Cannot occur: without anything here every rest is the whole.
        case never = "-"

        init(_ decision: ResumeDecision) {
            self =
                switch decision {
                case .goOn: .goesOn
                case .startOver: .startsOver
                case .askForWhole: .asksForWhole
                case .complete: .isComplete
                case .fail: .fails
                }
        }
    }

    /// An answer, and for each thing that may be here the ends in the manners `automatic`, `asked` and `asCurl`.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var answer: HTTPResponse
        var isFromElsewhere = false
        /// All 100 octets that there were are here.
        var isWhole = false
        var tagged: String
        var dated: String
        var unknown: String
        var nothing: String

        init(
            _ name: String, _ status: Int, _ lines: [String] = [], elsewhere: Bool = false,
            whole: Bool = false, _ tagged: String, _ dated: String, _ unknown: String, _ nothing: String
        ) {
            self.name = name
            answer = response(status, lines)
            isFromElsewhere = elsewhere
            isWhole = whole
            (self.tagged, self.dated, self.unknown, self.nothing) = (tagged, dated, unknown, nothing)
        }

        var testDescription: String { name }

        func ends(_ here: Here) -> [End?] {
            let text =
                switch here {
                case .tagged: tagged
                case .dated: dated
                case .unknown: unknown
                case .nothing: nothing
                }
            return text.map { End(rawValue: $0) }
        }
    }

    private static let home = uri("http://a.test/file")

    private static func uri(_ text: String) -> URI {
        do { return try URI(parsing: text) } catch { preconditionFailure("\(text): \(error)") }
    }

    private static func response(_ status: Int, _ lines: [String]) -> HTTPResponse {
        var response = HTTPResponse(status: HTTPStatus(status) ?? .ok)
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard let name = FieldName(String(parts[0])) else { preconditionFailure(line) }
            response.fields.append(name, String(parts[1].drop { $0 == " " }))
        }
        return response
    }

    private static let version = ["ETag: \"v1\"", "Last-Modified: Mon, 01 Jun 2015 03:58:27 GMT"]
    private static let changed = ["ETag: \"v2\"", "Last-Modified: Tue, 02 Jun 2015 03:58:27 GMT"]
    private static let rest = "Content-Range: bytes 100-999/1000"
    private static let start = "Content-Range: bytes 0-99/1000"

    /// The columns: here are octets of a strong tag, of a strong date, of an unknown version; nothing is here. Every
    /// first character is for the command by itself, which puts together only what is proved; every second for `-C`,
    /// with which a person vouches for what no server tells; every third for curl's `-C`, which fails where the others
    /// load the whole.
    private static let rows: [Row] = [
        // The rest.
        Row("206, the rest", 206, version + [rest], "+++", "+++", "?++", "---"),
        Row(
            "206, a piece of the rest", 206, version + ["Content-Range: bytes 100-199/1000"], "+++", "+++",
            "?++", "---"),
        Row("206, the first piece", 206, version + [start], "??!", "??!", "??!", "+++"),
        Row(
            "206, the rest, length untold", 206, version + ["Content-Range: bytes 100-999/*"], "+++", "+++",
            "?++", "---"),
        Row(
            "206, the first piece, length untold", 206, ["Content-Range: bytes 0-99/*"], "??!", "??!", "??!",
            "+++"),
        Row(
            "206, the rest, no ranges from now on", 206, version + [rest, "Accept-Ranges: none"], "+++",
            "+++", "?++", "---"),
        // Another range than was asked for (section 14.4).
        Row(
            "206, before the rest", 206, version + ["Content-Range: bytes 99-999/1000"], "??!", "??!", "??!",
            "??!"),
        Row(
            "206, behind its start", 206, version + ["Content-Range: bytes 101-999/1000"], "??!", "??!",
            "??!", "??!"),
        Row(
            "206, the last octets", 206, version + ["Content-Range: bytes 900-999/1000"], "??!", "??!", "??!",
            "??!"),
        Row("206, the whole", 206, version + ["Content-Range: bytes 0-999/1000"], "00!", "00!", "00!", "+++"),
        Row(
            "206, the whole, changed", 206, changed + ["Content-Range: bytes 0-1999/2000"], "00!", "00!",
            "00!", "+++"),
        Row(
            "206, perhaps the whole", 206, version + ["Content-Range: bytes 0-999/*"], "??!", "??!", "??!",
            "+++"),
        Row(
            "206, all but the last octet", 206, version + ["Content-Range: bytes 0-998/1000"], "??!", "??!",
            "??!", "+++"),
        Row(
            "206, shorter than what is here", 206, version + ["Content-Range: bytes 0-49/50"], "00!", "00!",
            "00!", "+++"),
        // Another version (sections 13.1.5 and 15.3.7.3).
        Row(
            "206, longer now", 206, version + ["Content-Range: bytes 100-1999/2000"], "??!", "??!", "?++",
            "---"),
        Row(
            "206, shorter now", 206, version + ["Content-Range: bytes 100-499/500"], "??!", "??!", "?++",
            "---"),
        Row("206, changed", 206, changed + [rest], "??!", "??!", "?++", "---"),
        Row("206, changed, first piece", 206, changed + [start], "??!", "??!", "??!", "+++"),
        Row("206, of no version", 206, [rest], "??!", "??!", "?++", "---"),
        Row("206, of a weak tag", 206, ["ETag: W/\"v1\"", rest], "??!", "??!", "?++", "---"),
        Row("206, of a weak tag, first piece", 206, ["ETag: W/\"v1\"", start], "??!", "??!", "??!", "+++"),
        Row("206, of the tag in other letters", 206, ["ETag: \"V1\"", rest], "??!", "??!", "?++", "---"),
        Row("206, of the tag without quotation marks", 206, ["ETag: v1", rest], "??!", "??!", "?++", "---"),
        Row("206, of two tags", 206, ["ETag: \"v1\"", "ETag: \"v2\"", rest], "??!", "??!", "?++", "---"),
        Row("206, of the tag alone", 206, ["ETag: \"v1\"", rest], "+++", "??!", "?++", "---"),
        Row(
            "206, of the date alone", 206, ["Last-Modified: Mon, 01 Jun 2015 03:58:27 GMT", rest], "??!",
            "+++", "?++", "---"),
        Row(
            "206, in another coding", 206, version + [rest, "Content-Encoding: gzip"], "??!", "??!", "?++",
            "---"),
        Row("206, of another resource", 206, version + [rest], elsewhere: true, "??!", "??!", "?++", "---"),
        // No single range (sections 14.6 and 15.3.7).
        Row(
            "206, several parts", 206, version + ["Content-Type: multipart/byteranges; boundary=x"], "??!",
            "??!", "??!", "??!"),
        Row(
            "206, several parts and a range", 206,
            version + [rest, "Content-Type: Multipart/ByteRanges;boundary=x"], "??!", "??!", "??!", "??!"),
        Row("206, which part nobody knows", 206, version, "??!", "??!", "??!", "??!"),
        Row("206, two ranges", 206, version + [rest, rest], "??!", "??!", "??!", "??!"),
        Row(
            "206, an invalid range", 206, version + ["Content-Range: bytes 100-1000/1000"], "??!", "??!",
            "??!", "??!"),
        Row(
            "206, a range in reverse", 206, version + ["Content-Range: bytes 100-99/1000"], "??!", "??!",
            "??!", "??!"),
        Row(
            "206, a range of pages", 206, version + ["Content-Range: pages 100-999/1000"], "??!", "??!",
            "??!", "??!"),
        Row(
            "206, an unsatisfied range", 206, version + ["Content-Range: bytes */1000"], "??!", "??!", "??!",
            "??!"),
        // Everything (section 15.3.1).
        Row("200", 200, version + ["Content-Length: 1000"], "00!", "00!", "00!", "000"),
        Row("200, changed", 200, changed + ["Content-Length: 2000"], "00!", "00!", "00!", "000"),
        Row(
            "200, as long as what is here", 200, version + ["Content-Length: 100"], "00=", "00=", "00=", "000"
        ),
        Row("200 with a range", 200, version + [rest], "00!", "00!", "00!", "000"),
        Row("200 in another coding", 200, version + ["Content-Encoding: gzip"], "00!", "00!", "00!", "000"),
        Row("200 of another resource", 200, version, elsewhere: true, "00!", "00!", "00!", "000"),
        // Nothing behind what is here (section 15.5.17).
        Row("416, all is here", 416, ["Content-Range: bytes */100"], whole: true, "===", "===", "?==", "???"),
        Row(
            "416, all is here, and the version", 416, version + ["Content-Range: bytes */100"], whole: true,
            "===", "===", "?==", "???"),
        Row(
            "416, all is here, but of another", 416, changed + ["Content-Range: bytes */100"], whole: true,
            "??=", "??=", "?==", "???"),
        Row(
            "416, all is here, of another resource", 416, ["Content-Range: bytes */100"], elsewhere: true,
            whole: true, "??=", "??=", "?==", "???"),
        Row("416, though there was more", 416, ["Content-Range: bytes */100"], "??=", "??=", "?==", "???"),
        Row("416, though there is more", 416, ["Content-Range: bytes */1000"], "??=", "??=", "??=", "???"),
        Row("416, shorter now", 416, ["Content-Range: bytes */50"], "??=", "??=", "?!=", "???"),
        Row("416, empty now", 416, ["Content-Range: bytes */0"], "??=", "??=", "?!=", "???"),
        Row("416, length untold", 416, [], "??=", "??=", "??=", "???"),
        Row("416, length untold, all is here", 416, [], whole: true, "??=", "??=", "??=", "???"),
        Row(
            "416 with a range", 416, ["Content-Range: bytes 0-99/100"], whole: true, "??=", "??=", "??=",
            "???"),
        Row(
            "416 of two lengths", 416, ["Content-Range: bytes */100", "Content-Range: bytes */100"],
            whole: true, "??=", "??=", "??=", "???"),
        // What says nothing of the content that is here.
        Row("204", 204, version, "!!!", "!!!", "!!!", "000"),
        Row("304", 304, version, "!!!", "!!!", "!!!", "000"),
        Row("302", 302, ["Location: /other", rest], "!!!", "!!!", "!!!", "000"),
        Row("300", 300, [], "!!!", "!!!", "!!!", "000"),
        Row("401", 401, [], "!!!", "!!!", "!!!", "000"),
        Row("404", 404, ["Content-Length: 9"], "!!!", "!!!", "!!!", "000"),
        Row("412", 412, version, "!!!", "!!!", "!!!", "000"),
        Row("404 with a range", 404, version + [rest], "!!!", "!!!", "!!!", "000"),
        Row("500", 500, [], "!!!", "!!!", "!!!", "000"),
        Row("503", 503, ["Retry-After: 1"], "!!!", "!!!", "!!!", "000"),
        Row("an unknown success", 299, version + [rest], "!!!", "!!!", "!!!", "000"),
    ]

    @Test("each cell of the table", arguments: rows)
    func cell(_ row: Row) {
        for here in Here.allCases {
            var part = here.part
            if row.isWhole, part.validator != nil { part.completeLength = 100 }
            let source = row.isFromElsewhere ? Self.uri("http://b.test/file") : Self.home
            for (manner, end) in zip([ResumeDecision.Manner.automatic, .asked, .asCurl], row.ends(here)) {
                if end == .never { continue }
                let decision = ResumeDecision(
                    on: row.answer, from: source, toRequestFrom: here.first, having: part, manner)
                #expect(End(decision) == end, "\(here), \(manner): \(decision)")
            }
        }
    }

    // MARK: What the table leaves out

    @Test("a rest has as many octets as its range says, not as Content-Length")
    func count() {
        let answer = Self.response(
            206, Self.version + ["Content-Range: bytes 100-149/1000", "Content-Length: 900"])
        #expect(Self.decide(answer) == .goOn(count: 50))
    }

    @Test("octets that are asked for once more are part of the rest")
    func overlap() {
        let answer = Self.response(206, Self.version + ["Content-Range: bytes 90-999/1000"])
        #expect(Self.decide(answer, first: 90) == .goOn(count: 910))
        #expect(Self.decide(answer, first: 91) != .goOn(count: 910))
    }

    @Test("fragment and signature make no other resource; scheme, port, path and all else of the query do")
    func resource() {
        let answer = Self.response(206, Self.version + [Self.rest])
        #expect(Self.decide(answer, from: "http://a.test/file?token=2#x") == .goOn(count: 900))
        for other in [
            "https://a.test/file", "http://a.test:81/file", "http://a.test/file2", "http://a.test/file?id=2",
            "http://b.test/file",
        ] {
            #expect(Self.decide(answer, from: other) == .askForWhole(.otherResource), "\(other)")
        }
    }

    @Test("a coding that was there from the beginning is the same")
    func coding() {
        var part = Here.tagged.part
        part.coding = "gzip"
        let answer = Self.response(206, Self.version + [Self.rest, "Content-Encoding: gzip"])
        #expect(Self.decide(answer, having: part) == .goOn(count: 900))
        #expect(
            Self.decide(Self.response(206, Self.version + [Self.rest]), having: part)
                == .askForWhole(.otherCoding))
    }

    @Test("a length that was not known before is no other length")
    func lengthLearned() {
        var part = Here.tagged.part
        part.completeLength = nil
        let answer = Self.response(206, Self.version + [Self.rest])
        #expect(Self.decide(answer, having: part) == .goOn(count: 900))
        let unsatisfied = Self.response(416, ["Content-Range: bytes */100"])
        #expect(Self.decide(unsatisfied, having: part) == .complete)
    }

    @Test(
        "why the whole is asked for is told",
        arguments: [
            (206, ["Content-Range: bytes 5-9/10"], "the server sent bytes 5-9/10 in place of the rest"),
            (206, [], "the server sent a part without saying which"),
            (206, version + ["Content-Range: bytes 100-199/200"], "it has 200 octets now, not 1000"),
            (206, changed + [rest], "it has changed"),
            (206, [rest], "the server sent a part without saying of which version"),
            (206, version + [rest, "Content-Encoding: br"], "its content coding has changed"),
            (416, ["Content-Range: bytes */50"], "the server says that it has 50 octets"),
            (416, [], "the server says that there is no such range"),
        ])
    func reasons(status: Int, lines: [String], reason: String) {
        guard case .askForWhole(let mismatch) = Self.decide(Self.response(status, lines)) else {
            Issue.record("the whole is not asked for")
            return
        }
        #expect("\(mismatch)" == reason)
    }

    private static func decide(
        _ answer: HTTPResponse, from source: String = "http://a.test/file", first: UInt64 = 100,
        having part: PartialRepresentation = Here.tagged.part
    ) -> ResumeDecision {
        ResumeDecision(on: answer, from: uri(source), toRequestFrom: first, having: part, .automatic)
    }
}
