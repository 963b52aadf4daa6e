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
            "[a-1]", "[1-b]", "[-]", "[:]", "[1-2:]", "[a-bc]", "[é-z]", "[", "{", "{a,", "]", "a{b]",
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

    @Test("a million is the most")
    func most() throws { #expect(try glob("[1-1000][1-1000]").count == 1_000_000) }
}
