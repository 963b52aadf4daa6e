import HTTPMessage
import Testing

@testable import Download

@Suite("The record of a part, as text")
struct ResumeRecordTests {
    private static func record(
        uri: String = "http://example.org/archive.zip?version=2", part: String = "archive.zip.part",
        name: String = "archive.zip", adjust: (inout PartialRepresentation) -> Void = { _ in }
    ) throws -> ResumeRecord {
        var representation = PartialRepresentation()
        representation.length = 4096
        representation.validator = "\"abc\""
        representation.completeLength = 10_000
        representation.source = try URI(parsing: "http://mirror.example.org/archive.zip")
        adjust(&representation)
        return ResumeRecord(
            uri: try URI(parsing: uri), representation: representation, part: part, name: name,
            mayReplace: true, file: FileIdentity(device: 2049, inode: 131_077), boot: "5f0d0f4c-1")
    }

    /// What it looks like.
    private static let text = """
        rawget 1
        url http://example.org/archive.zip?version=2
        source http://mirror.example.org/archive.zip
        validator "abc"
        length 10000
        part archive.zip.part
        name archive.zip
        replaces yes
        file 2049 131077
        boot 5f0d0f4c-1
        extent 0 4096
        end

        """

    private static func read(_ text: String) -> ResumeRecord? { ResumeRecord(Array(text.utf8)) }

    /// The text with one line in place of another; with none for `nil`.
    private static func changed(_ word: String, to line: String?) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let place = lines.firstIndex { $0.hasPrefix("\(word) ") || $0 == word } ?? 0
        var changed = lines.map(String.init)
        changed.replaceSubrange(place...place, with: line.map { [$0] } ?? [])
        return changed.joined(separator: "\n")
    }

    @Test("is written as it says")
    func written() throws {
        #expect(String(decoding: try Self.record().octets, as: UTF8.self) == Self.text)
    }

    @Test("is read back")
    func readBack() throws {
        #expect(Self.read(Self.text) == (try Self.record()))
    }

    @Test(
        "every name is read back, and stays on its line",
        arguments: [
            " ", " a", "a ", " a ", "  ", "%", "%41", "100%", "%%", "a\nb", "\n", "end\n", "\r\n", "\t",
            "\u{7F}",
            "\u{1B}[31m", "\u{301}x", "e\u{301}", "é", "日本", "👩‍👩‍👧", "-", "...", "..a", "a b", "\"", "\\",
            "name x", String(repeating: "x", count: 255), "\u{2028}", "\u{85}", "a\u{FEFF}",
        ])
    func names(_ name: String) throws {
        let record = try Self.record(part: name + ".part", name: name) { $0.coding = name }
        let octets = record.octets
        let back = try #require(ResumeRecord(octets))
        // Swift takes names for the same that differ in their octets.
        #expect(Array(back.name.utf8) == Array(name.utf8))
        #expect(Array(back.part.utf8) == Array("\(name).part".utf8))
        #expect(back.representation.coding.map { Array($0.utf8) } == Array(name.utf8))
        #expect(back.file == record.file && back.uri == record.uri)
        #expect(octets.count { $0 == 0x0A } == 13)
        #expect(octets.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A })
    }

    @Test(
        "every address is read back",
        arguments: [
            "http://a.test/%2541?x=%20%0A", "http://a.test/a%2Fb", "http://[::1]:8080/", "https://a.test/?",
            "http://a.test/%FF%00", "http://a.test/e%CC%81",
        ])
    func addresses(_ uri: String) throws {
        let record = try Self.record(uri: uri)
        #expect(ResumeRecord(record.octets) == record)
    }

    @Test("every version is read back")
    func versions() throws {
        for validator in [
            "\"\"", "\"a%b\"", "\"\u{E9}\u{FF}\"", "\"\\\"", "Mon, 01 Jun 2015 03:58:27 GMT", nil,
        ] {
            for length in [nil, 0, UInt64.max] {
                let record = try Self.record {
                    $0.validator = validator
                    $0.completeLength = length
                    $0.length = length ?? 1
                    $0.allowsRanges = length == nil
                    $0.source = nil
                }
                #expect(ResumeRecord(record.octets) == record)
            }
        }
    }

    @Test("cut off anywhere it is none")
    func cutOff() throws {
        let octets = Array(Self.text.utf8)
        for count in 0..<octets.count { #expect(ResumeRecord(Array(octets.prefix(count))) == nil) }
        #expect(ResumeRecord(octets) != nil)
    }

    @Test("with anything behind its end it is none", arguments: ["x", "\n", "end\n", "\0"])
    func continued(_ more: String) {
        #expect(Self.read(Self.text + more) == nil)
    }

    @Test(
        "lines it needs may not be missing",
        arguments: ["rawget", "url", "part", "name", "replaces", "file", "boot", "extent", "end"])
    func missing(_ word: String) {
        #expect(Self.read(Self.changed(word, to: nil)) == nil)
    }

    @Test("the others may", arguments: ["source", "validator", "length"])
    func optional(_ word: String) {
        #expect(Self.read(Self.changed(word, to: nil)) != nil)
    }

    @Test("no line may stand twice")
    func doubled() {
        for line in Self.text.split(separator: "\n").dropFirst().dropLast() {
            let word = String(line.prefix { $0 != " " })
            #expect(Self.read(Self.changed(word, to: "\(line)\n\(line)")) == nil, "\(line)")
        }
    }

    @Test("a line that nobody knows is passed over; one without a word is none")
    func unknown() {
        #expect(Self.read(Self.changed("boot", to: "boot 5f0d0f4c-1\nsegments 4")) == Self.read(Self.text))
        #expect(Self.read(Self.changed("boot", to: "boot 5f0d0f4c-1\nsegments")) == nil)
        #expect(Self.read(Self.changed("boot", to: "boot 5f0d0f4c-1\n")) == nil)
    }

    @Test(
        "another version of the format is none",
        arguments: ["rawget 2", "rawget 10", "rawget", "Rawget 1", "rawget 1 "])
    func otherFormat(_ line: String) {
        #expect(Self.read(Self.changed("rawget", to: line)) == nil)
    }

    @Test(
        "what leads out of the folder is no name",
        arguments: [
            "", ".", "..", "/", "a/b", "../x", "/etc/passwd", "%2E%2E", "%2F", "a%2Fb", "..%2fx", "a%00b",
            "%00",
            "a\0b",
        ])
    func noName(_ name: String) {
        #expect(Self.read(Self.changed("part", to: "part \(name)")) == nil)
        #expect(Self.read(Self.changed("name", to: "name \(name)")) == nil)
    }

    @Test(
        "what is no number is none",
        arguments: [
            "length", "length ", "length -1", "length 1 2", "length 18446744073709551616", "length 0x10",
            "length ١",
            "extent 0", "extent 1 4096", "extent 0 -1", "extent 0 18446744073709551616", "extent 0 1 2",
            "extent a b",
            "file 2049", "file 2049 131077 1", "file -1 1", "file 2049 18446744073709551616", "file ",
        ])
    func noNumber(_ line: String) {
        let word = String(line.prefix { $0 != " " })
        #expect(Self.read(Self.changed(word, to: line)) == nil)
    }

    @Test(
        "what is no address is none",
        arguments: [
            "url ", "url x", "url http://", "url http://a.test:x/", "url /a", "source x",
        ])
    func noAddress(_ line: String) {
        let word = String(line.prefix { $0 != " " })
        #expect(Self.read(Self.changed(word, to: line)) == nil)
    }

    @Test(
        "what could not stand in If-Range is no validator",
        arguments: [
            "", "abc", "W/\"abc\"", "\"abc", "abc\"", "\"a\"b\"", "\"a\"%0D%0AX: y", "\"a%0Ab\"", "\"a%00\"",
            "\"a b\"", "\"\u{100}\"", "Mon, 01 Jun 2015%0D%0AX: y", "yesterday", "*",
        ])
    func noValidator(_ value: String) {
        #expect(Self.read(Self.changed("validator", to: "validator \(value)")) == nil)
    }

    @Test("octets that are no text are none")
    func noText() {
        for octet in [0x00, 0x80, 0xC3, 0xFF] as [UInt8] {
            var octets = Array(Self.text.utf8)
            octets[12] = octet
            #expect(ResumeRecord(octets) == nil, "\(octet)")
        }
        #expect(ResumeRecord([]) == nil && ResumeRecord([0x0A]) == nil)
        #expect(ResumeRecord(Array(repeating: 0x0A, count: 100)) == nil)
    }

    @Test("a record past 64 KiB is none")
    func tooLong() {
        let room = (64 << 10) - Self.text.utf8.count - "filler \n".utf8.count
        for (more, isRead) in [(0, true), (1, false)] {
            let line = "filler \(String(repeating: "x", count: room + more))"
            let record = Self.read(Self.changed("boot", to: "boot 5f0d0f4c-1\n\(line)"))
            #expect((record != nil) == isRead)
        }
    }

    @Test("where every octet of it is changed, nothing leads out of the folder")
    func changedOctets() {
        let octets = Array(Self.text.utf8)
        for place in octets.indices {
            for octet in [0x00, 0x0A, 0x20, 0x25, 0x2E, 0x2F, 0x39, 0xFF] as [UInt8] {
                var changed = octets
                changed[place] = octet
                guard let record = ResumeRecord(changed) else { continue }
                for name in [record.part, record.name] {
                    #expect(!name.utf8.contains(0x2F) && name != ".." && name != "." && !name.isEmpty)
                }
            }
        }
    }
}
