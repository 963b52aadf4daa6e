import TestSupport
import Testing

@testable import RawgetTool

@Suite("Braces and brackets in URLs")
struct URLGlobTests {
    private func glob(_ text: String) throws -> URLGlob { try URLGlob(Array(text.utf8)[...]) }

    @Test("stand for as many URLs as their parts have combinations, the last varying first")
    func combinations() throws {
        let glob = try glob("h/{a,b}[8-10]")
        let urls = (0..<glob.count).map { String(decoding: glob.url($0), as: UTF8.self) }
        #expect(urls == ["h/a8", "h/a9", "h/a10", "h/b8", "h/b9", "h/b10"])
    }

    @Test(
        "have a limit, and numbers that are none are refused without a trap",
        arguments: [
            "[1-1000001]", "[1-2000][1-2000]", "[0-9][0-9][0-9][0-9][0-9][0-9][0-9]",
            "[0-9223372036854775807]",
            "[1-99999999999999999999]", "[1-2:99999999999999999999]", "[1-2:0]", "[1-2:-1]", "[--1]",
            "[1-2-3]",
            "[A-z]", "[A-z:9]", "[a-1]", "[1-b]", "[-]", "[:]", "[1-2:]", "[a-bc]", "[é-z]", "[", "{", "{a,",
            "]", "a{b]",
        ])
    func refused(text: String) {
        #expect(throws: URLGlob.Malformed.self) { try glob(text) }
    }

    @Test("are text where they hold an address of IPv6, or nothing")
    func plain() throws {
        let glob = try glob("http://[::1]:80/[][1-1]")
        #expect(glob.count == 1)
        #expect(glob.url(0) == Array("http://[::1]:80/[]1".utf8))
    }

    @Test("a name has a length that is known before it is made, and is never empty")
    func names() throws {
        let glob = try glob("h/{\(String(repeating: "x", count: 100)),}")
        func name(_ template: String, _ index: Int, limit: Int) throws -> Int {
            try glob.name(Array(template.utf8)[...], index, limit: limit).count
        }
        #expect(try name("#1#1", 0, limit: 200) == 200)
        let long = String(repeating: "#1", count: 100_000)
        #expect(throws: URLGlob.Malformed.self) { try name(long, 0, limit: 1000) }
        #expect(throws: URLGlob.Malformed.self) { try name("#1", 1, limit: 1000) }
        #expect(throws: URLGlob.Malformed.self) { try name("x", 1, limit: -1) }
    }

    @Test("all URLs and names together have a limit, reached before the memory is taken")
    func limit() async {
        let text = String(repeating: "x", count: 10_000)
        let run = await rawget(
            ["--no-globoff", "http://127.0.0.1:1/\(text)[1-100000]"], in: TemporaryFolder())
        #expect(run.exit == 3 && run.errors.contains("more than 268435456 octets"), "\(run.errors)")
    }

    @Test("a million is the most")
    func most() throws { #expect(try glob("[1-1000][1-1000]").count == 1_000_000) }

    @Test(
        "say what is wrong with a range, and where",
        arguments: [
            ("h/[2-1]", "the range at octet 3 of the URL runs backwards"),
            ("h/[b-a]", "the range at octet 3 of the URL runs backwards"),
            ("{a}[1-2:5]", "the range at octet 4 of the URL has a step that is larger than the range"),
            ("[1-1:2]", "the range at octet 1 of the URL has a step that is larger than the range"),
            ("[1-2:0]", "the range at octet 1 of the URL has a step that is no number above 0"),
            ("[1-1000001]", "the range at octet 1 of the URL stands for more than 1000000 URLs"),
            ("[0-9][1-1000000]", "a URL stands for more than 1000000 URLs"),
            ("[A-z]", "the range at octet 1 of the URL goes over more than 26 characters"),
            (
                "[a-1]",
                "the range at octet 1 of the URL goes neither from number to number nor from letter to letter"
            ),
            ("[x]", "the range at octet 1 of the URL is neither FROM-TO nor FROM-TO:STEP"),
            (
                "[1-99999999999999999999]",
                "the range at octet 1 of the URL has a number above 9223372036854775807"
            ),
            ("h/{a", "a brace is not closed at octet 5 of the URL"),
        ])
    func reasons(text: String, reason: String) {
        let error = #expect(throws: URLGlob.Malformed.self) { try glob(text) }
        #expect(error?.reason == reason)
    }

    @Test(
        "letters may be as far apart as a and z", arguments: [("[a-z]", 26), ("[Z-a]", 8), ("[A-Z:25]", 2)])
    func letters(text: String, count: Int) throws { #expect(try glob(text).count == count) }

    @Test(
        "are there where a URL stands for others",
        arguments: [
            ("http://h/{a,b}", true), ("http://h/[1-2]", true), ("http://h/{a}", true),
            ("http://[::1]/", false),
            ("http://h/a", false), ("http://h/[]", false), ("http://h/{", false),
        ])
    func others(text: String, isGlob: Bool) { #expect(URLGlob.standsForOthers(text) == isGlob) }
}
