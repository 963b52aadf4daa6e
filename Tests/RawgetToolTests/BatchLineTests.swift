import HTTPCache
import HTTPClient
import HTTPMessage
import Testing

@testable import RawgetTool

@Suite("A line of rawget batch")
struct BatchLineTests {
    private func read(_ text: String) throws -> BatchLine? { try BatchLine(Array(text.utf8)) }

    private func request(_ text: String) throws -> BatchRequest {
        guard case .request(let request) = try read(text) else { throw NoRequest() }
        return request
    }

    private struct NoRequest: Error {}

    private func fault(_ text: String) -> BatchFault? {
        do throws(BatchFault) { _ = try BatchLine(Array(text.utf8)) } catch { return error }
        return nil
    }

    @Test("a URL alone is a GET by the protocol's policy, which follows redirects")
    func alone() throws {
        let request = try request(#"{"url":"http://h.test/a?b"}"#)
        #expect(request.request == HTTPRequest(try URI(parsing: "http://h.test/a?b")))
        #expect(request.id == .null && request.output == nil && request.timeout == nil)
        #expect(request.followsRedirects && request.cachePolicy == .useProtocolCachePolicy)
    }

    @Test("each member is obeyed, in whatever order")
    func members() throws {
        let line = """
            {"output":"a/b","redirect":"manual","timeout":1.5,"cachePolicy":"returnCacheDataElseLoad",
            "body":"é","headers":[["A","1"],["b","2"],["A","3"]],"url":"http://h.test/","method":"PuT","id":[1.0]}
            """
        let request = try request(line.replacing("\n", with: ""))
        #expect(request.request.method.name == "PuT")
        #expect(request.request.fields.map { "\($0.name)=\($0.value)" } == ["A=1", "b=2", "A=3"])
        #expect(request.request.content == [0xC3, 0xA9])
        #expect(request.cachePolicy == .returnCacheDataElseLoad)
        #expect(request.timeout == .seconds(1.5) && !request.followsRedirects && request.output == "a/b")
        #expect(request.id == .array([.number("1.0")]))
    }

    @Test("what is null counts as not given; an id that is null is null")
    func nulls() throws {
        let names = BatchMembers.names.filter { $0 != "url" }
        let nulls = names.map { #","\#($0)":null"# }.joined()
        #expect(try request(#"{"url":"http://h.test/"\#(nulls)}"#) == request(#"{"url":"http://h.test/"}"#))
        #expect(fault(#"{"url":null}"#) != nil)
    }

    @Test("content as base64 is any octets; an empty one is content, too")
    func content() throws {
        #expect(
            try request(#"{"url":"http://h/","bodyBase64":"AP+A"}"#).request.content == [0, 0xFF, 0x80])
        #expect(try request(#"{"url":"http://h/","bodyBase64":""}"#).request.content == [])
        #expect(try request(#"{"url":"http://h/","body":""}"#).request.content == [])
    }

    @Test(
        "a value is octets, one for each character, without the blanks around it",
        arguments: [
            (#"\t a \t b \t"#, "a \t b"), (#"\u00e9\u0080\u00ff"#, "\u{E9}\u{80}\u{FF}"), ("", ""),
            (#" \t"#, ""),
        ])
    func values(text: String, value: String) throws {
        let request = try request(#"{"url":"http://h/","headers":[["A","\#(text)"]]}"#)
        #expect(request.request.fields.map(\.value) == [value])
    }

    @Test("each of the documents' policies is known by its name (D17)")
    func policies() throws {
        for policy in CachePolicy.allCases {
            #expect(
                try request(#"{"url":"http://h/","cachePolicy":"\#(policy.rawValue)"}"#).cachePolicy == policy
            )
        }
        #expect(
            try request(#"{"url":"http://h/","cachePolicy":"reloadIgnoringCacheData"}"#).cachePolicy
                == .reloadIgnoringLocalCacheData)
    }

    @Test(
        "a line without an answer",
        arguments: [
            (#"{"pause":1.5}"#, BatchLine.pause(.seconds(1.5))), (#"{"pause":0}"#, .pause(.zero)),
            (#"{"advance":3600}"#, .advance(.seconds(3600))), (#"{"advance":-1e1}"#, .advance(.seconds(-10))),
            (" {\"clearCache\" : true}\r", .clearCache), (#"{"advance":1e12}"#, .advance(.seconds(1e12))),
        ])
    func commands(text: String, line: BatchLine) throws {
        #expect(try read(text) == line)
    }

    @Test("a line of blanks is none", arguments: ["", " ", "\t \r", "\r"])
    func blank(text: String) throws {
        #expect(try read(text) == nil)
    }

    @Test(
        "a line that cannot be obeyed says what is wrong, without what may be a secret",
        arguments: [
            ("x", "an object should stand at octet 0"), ("[1]", "an object should stand at octet 0"),
            ("{}", "url is missing"), (#"{"id":1}"#, "url is missing"),
            (#"{"url":"http://h/"}{}"#, "the end of the text should stand at octet 19"),
            (#"{"url":"http://h/","url":"http://h/"}"#, "url stands there twice"),
            (#"{"url":"http://h/","Url":"SECRET"}"#, "no member is called \"Url\"; did you mean url?"),
            (#"{"url":"http://h/","header":[]}"#, "did you mean headers?"),
            (#"{"url":5}"#, "url: a string should stand there, not a number"),
            (#"{"url":["SECRET"]}"#, "url: a string should stand there, not an array"),
            (#"{"url":"http://h/","method":1}"#, "method: a string should stand there, not a number"),
            (#"{"url":"http://h/","method":""}"#, "method: a token should stand there"),
            (#"{"url":"http://h/","method":"SECRET X"}"#, "method: a token should stand there"),
            (#"{"url":"http://h/","method":"G\u00c9T"}"#, "method: a token should stand there"),
            (#"{"url":"http://h/","method":"GET\r\nA: SECRET"}"#, "method: a token should stand there"),
            (#"{"url":"http://h/","headers":{}}"#, "headers: an array should stand there, not an object"),
            (#"{"url":"http://h/","headers":["SECRET"]}"#, "headers[0]: an array of two strings"),
            (#"{"url":"http://h/","headers":[["A","1"],["A"]]}"#, "headers[1]: an array of two strings"),
            (#"{"url":"http://h/","headers":[["A","SECRET","3"]]}"#, "headers[0]: an array of two strings"),
            (#"{"url":"http://h/","headers":[["A",1]]}"#, "headers[0]: an array of two strings"),
            (#"{"url":"http://h/","headers":[[null,"1"]]}"#, "headers[0]: an array of two strings"),
            (#"{"url":"http://h/","headers":[["","SECRET"]]}"#, "headers[0]: the name is no token"),
            (#"{"url":"http://h/","headers":[["A:","SECRET"]]}"#, "headers[0]: the name is no token"),
            (#"{"url":"http://h/","headers":[["A b","SECRET"]]}"#, "headers[0]: the name is no token"),
            (#"{"url":"http://h/","headers":[["A","SECRET\u0100"]]}"#, "past U+00FF"),
            (
                #"{"url":"http://h/","headers":[["A","SECRET\r\nB: c"]]}"#,
                "headers[0]: the value has a control"
            ),
            (#"{"url":"http://h/","headers":[["A","\u0000"]]}"#, "headers[0]: the value has a control"),
            (#"{"url":"http://h/","headers":[["A","a\u007f"]]}"#, "headers[0]: the value has a control"),
            (#"{"url":"http://h/","headers":[["A","\n"]]}"#, "headers[0]: the value has a control"),
            (#"{"url":"http://h/","body":{}}"#, "body: a string should stand there, not an object"),
            (#"{"url":"http://h/","body":"SECRET","bodyBase64":""}"#, "body and bodyBase64: only one"),
            (#"{"url":"http://h/","bodyBase64":"SECRET*="}"#, "bodyBase64: padded base64 should stand there"),
            (#"{"url":"http://h/","bodyBase64":"AA"}"#, "bodyBase64: padded base64 should stand there"),
            (
                #"{"url":"http://h/","cachePolicy":"USEPROTOCOLCACHEPOLICY"}"#,
                "cachePolicy: one of useProtocol"
            ),
            (
                #"{"url":"http://h/","cachePolicy":0}"#,
                "cachePolicy: a string should stand there, not a number"
            ),
            (
                #"{"url":"http://h/","timeout":"60"}"#,
                "timeout: a number of seconds should stand there, not a"
            ),
            (#"{"url":"http://h/","timeout":-1}"#, "timeout: a number of seconds from 0.001 to 1000000000"),
            (#"{"url":"http://h/","timeout":0}"#, "timeout: a number of seconds from 0.001 to 1000000000"),
            (#"{"url":"http://h/","timeout":1e-999}"#, "timeout: a number of seconds from 0.001"),
            (#"{"url":"http://h/","timeout":1e999}"#, "timeout: a number of seconds from 0.001"),
            (#"{"url":"http://h/","timeout":1000000001}"#, "timeout: a number of seconds from 0.001"),
            (#"{"url":"http://h/","timeout":NaN}"#, "a value should stand at octet 29"),
            (
                #"{"url":"http://h/","timeout":true}"#,
                "timeout: a number of seconds should stand there, not true"
            ),
            (#"{"url":"http://h/","redirect":"error"}"#, "redirect: follow or manual should stand there"),
            (#"{"url":"http://h/","redirect":true}"#, "redirect: a string should stand there, not true"),
            (#"{"url":"http://h/","output":""}"#, "output: the name of a file should stand there"),
            (#"{"url":"http://h/","output":"a\u0000b"}"#, "output: the name of a file should stand there"),
            (#"{"url":"http://h/","output":"-"}"#, "output: a file of its own should be named"),
            (#"{"url":"http://h/","output":"/dev/stdout"}"#, "output: a file of its own should be named"),
            (#"{"url":"http://h/","output":"/dev/fd/7"}"#, "output: a file of its own should be named"),
            (#"{"url":"http://h/","output":1}"#, "output: a string should stand there, not a number"),
            (#"{"pause":1,"url":"http://h/"}"#, "pause stands in a line of its own"),
            (#"{"id":1,"pause":1}"#, "pause stands in a line of its own"),
            (#"{"pause":1,"advance":1}"#, "pause stands in a line of its own"),
            (#"{"clearCache":true,"id":null}"#, "clearCache stands in a line of its own"),
            (#"{"pause":-1}"#, "pause: a number of seconds from 0 to 1000000000"),
            (#"{"pause":1e10}"#, "pause: a number of seconds from 0 to 1000000000"),
            (#"{"pause":"1"}"#, "pause: a number of seconds should stand there, not a string"),
            (#"{"advance":1e13}"#, "advance: a number of seconds from -1000000000000 to 1000000000000"),
            (#"{"advance":[]}"#, "advance: a number of seconds should stand there, not an array"),
            (#"{"clearCache":false}"#, "clearCache: true should stand there"),
            (#"{"clearCache":1}"#, "clearCache: true should stand there"),
            (#"{"advance":null}"#, "url is missing"),
        ])
    func faults(text: String, words: String) throws {
        let error = try #require(fault(text)).error
        #expect(error.code == .badRequest && error.detail.contains(words), "\(error.detail)")
        #expect(!error.detail.contains("SECRET"))
    }

    @Test(
        "a URL that cannot be used is a failure of its own",
        arguments: [
            ("", "badURI"), ("h.test/", "badURI"), ("/a", "badURI"), ("http://", "badURI"),
            ("http://h:x/", "badURI"),
            ("http://h:65536/", "badURI"), ("http://a%00b/", "badURI"), ("ftp://h/", "unsupportedScheme"),
            ("file:///etc/passwd", "unsupportedScheme"), ("http://u:SECRET@h:SECRET/", "badURI"),
        ])
    func urls(url: String, code: String) throws {
        let error = try #require(fault(#"{"id":1,"url":"\#(url)"}"#)).error
        #expect(error.code.name == code, "\(error.detail)")
        #expect(!error.detail.contains("SECRET"))
    }

    @Test(
        "the id is known even where the line is of no use, if it stands before the fault, and once",
        arguments: [
            (#"{"id":1e0,"url":"#, "1e0"), (#"{"url":5,"id":"a"}"#, "\"a\""),
            (#"{"id":[{"b":null}],"c":1}"#, "[{\"b\":null}]"),
            (#"{"id":true,"url":"http://h/","url":""}"#, "true"),
            (#"{"id":1,"id":2,"url":"http://h/"}"#, "null"),
            (#"{"url":x,"id":1}"#, "null"), (#"{"id":1"#, "1"), (#"{"id":"\u00e9\n"}"#, "\"é\\n\""),
            (#"{"id":-0.0,"url":"http://h/","timeout":-1}"#, "-0.0"),
        ])
    func ids(text: String, id: String) throws {
        #expect(JSONPrinter.text(of: try #require(fault(text)).id) == id)
    }

    @Test("a name of any length is shown in part, and quickly")
    func longName() throws {
        let name = String(repeating: "é", count: 1 << 20)
        let error = try #require(fault(#"{"\#(name)":1}"#)).error
        #expect(error.detail == "no member is called \"\(String(repeating: "é", count: 32))…\"")
    }

    @Test("a number of a hundred digits and more is no time")
    func longNumber() throws {
        let digits = String(repeating: "1", count: 100_000)
        #expect(fault(#"{"pause":0.\#(digits)}"#) != nil)
        #expect(try read(#"{"pause":0.\#(digits.prefix(90))}"#) != nil)
    }
}
