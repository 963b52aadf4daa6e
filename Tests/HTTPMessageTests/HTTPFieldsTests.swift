import HTTPMessage
import Testing

@Suite("Fields (RFC 9110, section 5)")
struct HTTPFieldsTests {
    @Test("are found in any case and joined in order")
    func joins() {
        let fields: HTTPFields = ["Vary": "a", "X": "1", "vary": "b", "VARY": "c"]
        #expect(fields["vAry"] == "a, b, c")
        #expect(fields.values(of: .vary) == ["a", "b", "c"])
        #expect(fields[.age] == nil)
        #expect(fields.contains(.vary) && !fields.contains(.age))
    }

    @Test("are replaced in the place of the first")
    func replaces() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        fields["a"] = "4"
        #expect(fields == ["a": "4", "B": "2"])
        fields["C"] = "5"
        #expect(fields == ["a": "4", "B": "2", "C": "5"])
        fields["A"] = nil
        fields.remove("b")
        #expect(fields == ["C": "5"])
    }

    @Test("keep order and spelling")
    func keepsSpelling() {
        let fields: HTTPFields = ["x-A": "1", "X-a": "2"]
        #expect(fields.map(\.name.spelling) == ["x-A", "X-a"])
        #expect(fields.count == 2 && fields[1].value == "2")
    }

    @Test("are appended behind others")
    func appends() {
        var fields: HTTPFields = ["A": "1"]
        fields.append(contentsOf: ["B": "2", "A": "3"])
        #expect(fields == ["A": "1", "B": "2", "A": "3"])
    }

    @Test("keep each octet of a value")
    func keepsOctets() {
        let all = String(String.UnicodeScalarView((UInt8(1)...255).map { Unicode.Scalar($0) }))
            .filter { $0 != "\r" && $0 != "\n" }
        var fields = HTTPFields()
        fields.append("A", all)
        #expect(fields["A"] == all)
    }

    @Test(
        "tell what in them would end a line or be none",
        arguments: ["a\r\nB: c", "a\nB: c", "a\u{0}B", "a\u{7F}"])
    func tellsFault(value: String) {
        let fields: HTTPFields = ["A": value]
        #expect(fields[0].value == value)
        let octet = Array(value.utf8)[1]
        #expect(fields.lineFault == .valueOctet(octet, 1))
    }

    @Test("take a question mark for what no octet stands for")
    func replacesOthers() {
        let fields: HTTPFields = ["A": "a\u{100}"]
        #expect(fields[0].value == "a?")
        #expect(fields.lineFault == nil)
    }

    @Test("are equal whatever the case of the names")
    func areEqual() {
        let (left, right): (HTTPFields, HTTPFields) = (["ETag": "x"], ["etag": "x"])
        #expect(left == right && left.hashValue == right.hashValue)
        #expect(left != ["ETag": "X"])
    }

    @Test(
        "have names that are tokens",
        arguments: ["", " ", "a b", "a:", "é", "a\r", "a\u{7F}", "\"a\"", "(a)", "a/b"])
    func refusesNames(name: String) {
        #expect(FieldName(name) == nil)
        #expect(HTTPMethod(name) == nil)
    }

    @Test("may have every octet of a token in a name")
    func acceptsTokens() {
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        let token = "!#$%&'*+-.^_`|~0123456789" + letters
        #expect(FieldName(token)?.description == token)
        #expect((UInt8(0)...255).count { FieldName.isTokenOctet($0) } == token.utf8.count)
    }
}

@Suite("Method, status, version, request, response (RFC 9110, sections 9, 15 and 2.5)")
struct MessageTests {
    @Test("a method is safe, idempotent or neither", arguments: Self.methods)
    func hasProperties(method: HTTPMethod, isSafe: Bool, isIdempotent: Bool, expectsContent: Bool) {
        #expect(method.isSafe == isSafe)
        #expect(method.isIdempotent == isIdempotent)
        #expect(method.expectsContent == expectsContent)
    }

    static let methods: [(HTTPMethod, Bool, Bool, Bool)] = [
        (.get, true, true, false), (.head, true, true, false), (.options, true, true, false),
        (.trace, true, true, false), (.put, false, true, true), (.delete, false, true, false),
        (.post, false, false, true), (.patch, false, false, true), (.connect, false, false, false),
    ]

    @Test("a method is told by its case")
    func keepsCase() {
        #expect(HTTPMethod("get") != .get)
        #expect(HTTPMethod("GET") == .get)
        #expect(HTTPMethod("PURGE")?.description == "PURGE")
    }

    @Test("a status has three digits", arguments: [Int.min, -1, 0, 99, 1000, Int.max])
    func refusesStatus(code: Int) {
        #expect(HTTPStatus(code) == nil)
    }

    @Test("a status is of one class", arguments: Self.statuses)
    func hasClass(code: Int, isInterim: Bool, isSuccess: Bool, isRedirection: Bool, isFailure: Bool) throws {
        let status = try #require(HTTPStatus(code))
        #expect(status.isInterim == isInterim)
        #expect(status.isSuccess == isSuccess)
        #expect(status.isRedirection == isRedirection)
        #expect(status.isFailure == isFailure)
        #expect(status.description == String(code))
    }

    static let statuses: [(Int, Bool, Bool, Bool, Bool)] = [
        (100, true, false, false, false), (199, true, false, false, false), (200, false, true, false, false),
        (299, false, true, false, false), (300, false, false, true, false), (399, false, false, true, false),
        (400, false, false, false, true), (599, false, false, false, true), (999, false, false, false, true),
    ]

    @Test("versions are ordered and printed")
    func ordersVersions() {
        #expect(HTTPVersion.http09 < .http10 && .http10 < .http11)
        #expect(HTTPVersion.http11.description == "HTTP/1.1")
        #expect(HTTPStatus.ok < .notFound)
    }

    @Test("a request asks for a URI, a response answers")
    func hasParts() throws {
        let request = HTTPRequest(.head, try URI(parsing: "http://h/"), fields: ["A": "b"])
        #expect(request.method == .head && request.content == nil && request.fields["a"] == "b")
        #expect(HTTPRequest(request.uri).method == .get)
        #expect(HTTPResponse(status: .ok).version == .http11)
    }
}
