import HTTPMessage
import Testing

@testable import HTTPClient

@Suite("Where a response leads (RFC 9110, section 15.4)")
struct RedirectDecisionTests {
    private static let uri = "http://a.test/from"

    /// What a redirect with `status` to `location` makes of `request`.
    private func step(
        _ request: HTTPRequest, _ status: Int = 302, _ locations: [String] = ["/to"],
        first: HTTPRequest? = nil,
        hasStream: Bool = false, _ change: (inout RedirectPolicy) -> Void = { _ in }
    ) throws -> Redirects.Step? {
        var policy = RedirectPolicy()
        change(&policy)
        var response = HTTPResponse(status: try #require(HTTPStatus(status)))
        for location in locations { response.fields.append(.location, location) }
        return try Redirects(policy: policy, first: first ?? request)
            .step(after: response, to: request, hasStream: hasStream)
    }

    private func request(
        _ method: HTTPMethod = .get, _ uri: String = uri, fields: HTTPFields = HTTPFields(),
        content: [UInt8]? = nil
    ) throws -> HTTPRequest {
        HTTPRequest(method, try URI(parsing: uri), fields: fields, content: content)
    }

    // MARK: Method

    enum Way: CaseIterable, Sendable { case browser, keepsPOST, curlX }

    /// Method, status, way, method then, whether content stays. Fetch, section 4.4, step 12 ("HTTP-redirect fetch") for
    /// browsers; curl's `Curl_follow` for the others.
    static let methods: [(HTTPMethod, Int, Way, HTTPMethod, Bool)] = [
        (.get, 301, .browser, .get, true), (.head, 301, .browser, .head, true),
        (.post, 301, .browser, .get, false), (.put, 301, .browser, .put, true),
        (.delete, 301, .browser, .delete, true), (.patch, 301, .browser, .patch, true),
        (.post, 302, .browser, .get, false), (.put, 302, .browser, .put, true),
        (.head, 302, .browser, .head, true), (.options, 302, .browser, .options, true),
        (.get, 303, .browser, .get, false), (.head, 303, .browser, .head, true),
        (.post, 303, .browser, .get, false), (.put, 303, .browser, .get, false),
        (.delete, 303, .browser, .get, false), (.patch, 303, .browser, .get, false),
        (.post, 307, .browser, .post, true), (.put, 307, .browser, .put, true),
        (.post, 308, .browser, .post, true), (.head, 308, .browser, .head, true),
        (.post, 300, .browser, .post, true), (.post, 306, .browser, .post, true),
        (.put, 399, .browser, .put, true), (.get, 309, .browser, .get, true),
        (.post, 301, .keepsPOST, .post, true), (.post, 302, .keepsPOST, .post, true),
        (.post, 303, .keepsPOST, .post, true), (.put, 303, .keepsPOST, .get, false),
        (.post, 301, .curlX, .post, false), (.put, 302, .curlX, .put, false),
        (.delete, 303, .curlX, .delete, false), (.post, 307, .curlX, .post, true),
    ]

    @Test("the method and the content", arguments: methods)
    func method(method: HTTPMethod, status: Int, way: Way, then: HTTPMethod, keepsContent: Bool) throws {
        let request = try request(
            method, fields: ["Content-Type": "a/b", "Content-Encoding": "x", "Expect": "y", "X-Mine": "z"],
            content: [1])
        let step = try #require(
            try step(request, status) {
                if way == .keepsPOST { $0.keepsPOST = [.movedPermanently, .found, .seeOther] }
                $0.keepsMethod = way == .curlX
            })
        #expect(step.request.method == then && step.keepsContent == keepsContent)
        #expect(step.request.content == (keepsContent ? [1] : nil))
        let names = step.request.fields.map(\.name.spelling)
        #expect(
            names == (keepsContent ? ["Content-Type", "Content-Encoding", "Expect", "X-Mine"] : ["X-Mine"]))
    }

    @Test(
        "an upload under curl's -X loses its content with 303 alone",
        arguments: [(301, true), (302, true), (303, false)])
    func upload(status: Int, keepsContent: Bool) throws {
        let step = try step(try request(.post), status, hasStream: true) { $0.keepsMethod = true }
        #expect(step?.keepsContent == keepsContent && step?.request.method == .post)
    }

    @Test("other statuses are final, Location or not", arguments: [200, 201, 204, 304, 305, 404])
    func otherStatus(status: Int) throws { #expect(try step(request(), status) == nil) }

    // MARK: Location

    @Test(
        "without a Location, or with an empty one, the response is final", arguments: [[], [""], ["", ""]])
    func noLocation(locations: [String]) throws { #expect(try step(request(), 301, locations) == nil) }

    @Test func equalLocationsAreOne() throws {
        #expect(try step(request(), 301, ["/x", "/x"])?.request.uri.path == "/x")
    }

    @Test(
        "Locations that lead nowhere",
        arguments: [
            (["/x", "/y"], TransferError.Code.badResponse, "2 places"),
            (["http://h:port/"], .badURI, "redirects to \"http://h:port/\": port is not a number"),
            (["http://caf\u{C3}\u{A9}/"], .badURI, "http://café/"),
            (
                ["file:///etc/passwd"], .unsupportedScheme,
                "redirects to \"file:///etc/passwd\": only http and https"
            ),
            (["ftp://me:secret@h/x?secret#secret"], .unsupportedScheme, "\"ftp://h/x\""),
            (["mailto:me"], .unsupportedScheme, "\"mailto:me\""),
            (["//secret:secret@h:x/a@b"], .badURI, "\"//b\""),
            (["http:\\\\secret:s@ecret@h:x/"], .badURI, "\"http:\\\\h:x/\""),
            (["HTTPS:secret@h:x/"], .badURI, "\"HTTPS:h:x/\""),
            ([String(repeating: "/x", count: 40_000)], .badURI, "has 80000 octets, more than the 65536"),
        ])
    func badLocation(locations: [String], code: TransferError.Code, words: String) throws {
        let error = #expect(throws: TransferError.self) { try step(request(), 301, locations) }
        #expect(error?.code == code)
        #expect(error?.detail.contains(words) == true, "\(error?.detail ?? "")")
        #expect(error?.detail.contains("secret") == false && (error?.detail.count ?? 0) < 500)
    }

    @Test func aSchemeThatIsNotAllowedIsRefused() throws {
        let error = #expect(throws: TransferError.self) {
            try step(request(), 301, ["http://b.test/"]) { $0.schemes = [.https] }
        }
        #expect(error?.code == .unsupportedScheme)
    }

    @Test(
        "the fragment goes along unless there is a new one",
        arguments: [("/b", "f"), ("/b#g", "g"), ("/b#", "")])
    func fragment(location: String, fragment: String) throws {
        let step = try step(request(.get, "http://a.test/#f"), 301, [location])
        #expect(step?.request.uri.fragment == fragment)
    }

    // MARK: Credentials

    private static let secrets: HTTPFields = [
        "Host": "me", "Authorization": "Basic x", "Cookie": "a=b", "X-Mine": "y",
    ]

    @Test(
        "credentials stay with their origin",
        arguments: [
            ("http://a.test/from", "/to", true), ("http://a.test/from", "http://A.test:80/to", true),
            ("http://a.test/from", "http://b.test/to", false),
            ("http://a.test/from", "http://sub.a.test/to", false),
            ("http://a.test/from", "http://a.test:81/to", false),
            ("http://a.test/from", "https://a.test/to", false),
            ("https://a.test/from", "http://a.test/to", false),
            ("http://a.test/from", "https://a.test:80/to", false),
        ])
    func credentials(from: String, to: String, areKept: Bool) throws {
        let step = try #require(try step(request(.get, from, fields: Self.secrets), 302, [to]))
        let names = step.request.fields.map(\.name.spelling)
        #expect(names == (areKept ? ["Host", "Authorization", "Cookie", "X-Mine"] : ["X-Mine"]))
    }

    @Test func backAtTheFirstOriginTheyAreSentAgain() throws {
        let first = try request(.get, fields: Self.secrets)
        let away = try #require(try step(first, 302, ["http://b.test/"]))
        let further = try #require(try step(away.request, 302, ["http://b.test/2"], first: first))
        #expect(further.request.fields.map(\.name.spelling) == ["X-Mine"])
        let back = try #require(try step(further.request, 302, ["http://a.test/2"], first: first))
        #expect(back.request.fields["Authorization"] == "Basic x" && back.request.fields["Cookie"] == "a=b")
        #expect(back.request.fields.values(of: "Host") == ["me"])
    }

    @Test func whoTrustsAllOriginsSendsThemButNotHost() throws {
        let step = try step(request(.get, fields: Self.secrets), 302, ["http://b.test/"]) {
            $0.trustsAllOrigins = true
        }
        #expect(step?.request.fields.map(\.name.spelling) == ["Authorization", "Cookie", "X-Mine"])
    }

    @Test func userinfoGoesNowhere() throws {
        let first = try request(.get, "http://me:secret@a.test/from")
        for location in ["/to", "http://a.test/to", "http://b.test/", "http://x:y@b.test/"] {
            let uri = try step(first, 302, [location]) { $0.dropsUserinfo = true }?.request.uri
            #expect(uri?.user == nil && uri?.password == nil)
        }
    }

    // MARK: Referer

    @Test(
        "Referer tells where a redirect comes from, without secrets, and nothing of https to another origin",
        arguments: [
            ("http://u:p@a.test/x?q#f", "/to", "http://a.test/x?q"),
            ("https://a.test/x", "/to", "https://a.test/x"),
            ("http://a.test/x", "https://b.test/", "http://a.test/x"),
            ("https://a.test/x", "http://a.test/", nil),
            ("https://a.test/x", "https://a.test:444/", nil),
            ("https://a.test/x", "https://b.test/", nil),
        ] as [(String, String, String?)])
    func referer(from: String, to: String, value: String?) throws {
        let request = try request(.get, from, fields: ["Referer": "http://old/"])
        #expect(try step(request, 302, [to]) { $0.setsReferer = true }?.request.fields[.referer] == value)
        let kept = try step(request, 302, [to])?.request.fields[.referer]
        // What the caller says of himself goes to another origin, too, but not into the clear.
        #expect(kept == (from.hasPrefix("https:") && to.hasPrefix("http:") ? nil : "http://old/"))
    }
}
