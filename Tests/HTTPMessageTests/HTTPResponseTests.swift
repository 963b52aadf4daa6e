import HTTPMessage
import Testing

@Suite("The head of a response")
struct HTTPResponseTests {
    @Test(
        "the expected length of the content is that of Content-Length, or -1 (D5, D6)",
        arguments: [
            (["Content-Length": "592441"], 592_441), (["Content-Length": "0"], 0), ([:], -1),
            (["Content-Length": "9223372036854775807"], .max),
            (["Content-Length": "9223372036854775808"], -1),
            (["Content-Length": "18446744073709551616"], -1), (["Content-Length": "+5"], -1),
            (["Content-Length": "-5"], -1), (["Content-Length": "5 octets"], -1),
            (["Content-Length": ""], -1),
            (["Content-Length": "5, 5"], 5), (["Content-Length": "5", "content-length": "5"], 5),
            (["Content-Length": "5", "content-length": "6"], -1), (["Content-Length": "5, x"], -1),
            (["Content-Length": "5", "Transfer-Encoding": "chunked"], -1),
            (["Content-Length": "5", "Content-Range": "bytes 10-14/100"], 5),
            (["Content-Range": "bytes 10-14/100"], -1),
        ] as [(HTTPFields, Int64)])
    func expectedContentLength(_ fields: HTTPFields, _ expected: Int64) {
        let status: HTTPStatus = fields.contains(.contentRange) ? .partialContent : .ok
        #expect(HTTPResponse(status: status, fields: fields).expectedContentLength == expected)
    }

    @Test("where it came from is known once it is noted, and is no part of what it says")
    func source() throws {
        let response = HTTPResponse(status: .ok)
        var noted = response
        #expect(response.uri == nil && response.requestedURI == nil)
        let (uri, requested) = (try URI(parsing: "http://b/2"), try URI(parsing: "http://a/1"))
        noted.noteSource(uri, requestedAs: requested)
        #expect(noted.uri == uri && noted.requestedURI == requested)
        #expect(noted == response && noted.hashValue == response.hashValue)
        var copy = noted
        copy.noteSource(requested, requestedAs: requested)
        #expect(noted.uri == uri && copy.uri == requested)
    }
}
