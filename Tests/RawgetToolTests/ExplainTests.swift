import HTTPMessage
import Replay
import System
import TestSupport
import Testing

@testable import RawgetTool

@Suite("What explain says of a response head")
struct ExplainTests {
    private let folder = TemporaryFolder()
    /// Sunday, 6 November 1994, 08:49:37.
    private static let dateLine: String = "Date: Sun, 06 Nov 1994 08:49:37 GMT\n"

    private func explain(_ input: String, _ arguments: [String] = []) async -> ToolRun {
        await rawget(["explain"] + arguments + ["-"], in: folder, input: input)
    }

    /// The text in one line, with single blanks.
    private func words(_ input: String, _ arguments: [String] = []) async throws -> String {
        let run = await explain(input, arguments)
        try #require(run.exit == 0, "\(run.errors)")
        return run.text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }

    // MARK: Fields

    @Test("each field has its meaning", arguments: Self.meanings)
    func explainsFields(lines: String, meaning: String) async throws {
        let text = try await words("HTTP/1.1 200 OK\n\(Self.dateLine)\(lines)\n")
        #expect(text.contains(" \(lines.replacing(": ", with: " ").replacing("\n", with: " ")) \(meaning)"))
    }

    static let meanings: [(String, String)] = [
        ("Accept-Ranges: bytes", "parts can be asked for"),
        ("Accept-Ranges: none", "no parts can be asked for"),
        ("Accept-Ranges: lines", "says nothing of octets"),
        ("Content-Length: 5", "so many octets will come:"),
        ("Content-Type: text/plain", "what the content is,"), ("Content-Type: x", "cannot be read;"),
        ("Content-Type: multipart/byteranges", "several parts,"),
        ("Content-Encoding: gzip", "the content is coded"),
        ("Content-Disposition: attachment; filename=../a", "suggests the name a:"),
        ("Content-Disposition: attachment", "suggests no name"),
        ("Content-Range: bytes 1-2/3", "octets 1 to 2, both included, of 3"),
        ("Content-Range: bytes 1-2/*", "octets 1 to 2, both included, of nobody knows how many"),
        ("Content-Range: bytes */3", "there is no such part: the whole has 3 octets"),
        ("Content-Range: bytes 3", "cannot be read"),
        ("ETag: \"a\"", "strong:"), ("ETag: W/\"a\"", "weak:"), ("ETag: a", "no entity tag"),
        ("Last-Modified: Sun, 06 Nov 1994 08:49:36 GMT", "when it was last changed;"),
        ("Last-Modified: yesterday", "no date: it is no use"),
        ("Location: b", "names b, where nobody goes with status 200"),
        ("Retry-After: 180", "not before 180 s (3 minutes) from then on"),
        ("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT", "not before then"),
        ("Retry-After: soon", "says no time"),
        ("Set-Cookie: a=b", "a cookie, a;"), ("Set-Cookie: =b", "a cookie, without a name;"),
        ("Transfer-Encoding: chunked", "how the content is wrapped"),
        ("Keep-Alive: timeout=5", "about this connection alone;"),
        ("Content-Digest: sha-256=:x:", "a digest of the content as it comes"),
        ("Repr-Digest: sha-256=:x:", "a digest of the whole representation"),
        ("Strict-Transport-Security: max-age=1", "asks for https"),
        ("Server: x", "what answers;"), ("X-Unheard-Of: x", "kept as it is; it has no meaning here"),
        ("Age: 7, 8", "it was 7 s old already"), ("Age: -1", "no number of seconds"),
        ("Expires: 0", "no date: it is stale already"),
        ("Expires: Sun, 06 Nov 1994 08:49:37 GMT", "no later than it was made"),
        ("Expires: Sun, 06 Nov 1994 08:49:38 GMT", "fresh until then"),
        ("Vary: Accept , a", "answers only requests that are alike in: Accept, a (RFC 9111, 4.1)"),
        ("Vary: a, *", "chosen by more than the request says"),
        ("Pragma: no-cache", "of a response it means nothing"),
        ("Warning: 110 - x", "obsolete:"),
        ("Content-Location: /b", "the address of this very representation"),
        ("CDN-Cache-Control: max-age=1", "for caches of the server's side;"),
    ]

    @Test("each directive of Cache-Control has its meaning", arguments: Self.directives)
    func explainsDirectives(value: String, meaning: String) async throws {
        let text = try await words("HTTP/1.1 200 OK\n\(Self.dateLine)Cache-Control: \(value)\n")
        #expect(text.contains("Cache-Control \(value) \(meaning)"), "\(text)")
    }

    static let directives: [(String, String)] = [
        ("max-age=7200", "max-age: fresh for 7200 s (2 hours)"),
        ("Max-Age=x", "max-age: no number of seconds: it is stale"),
        ("max-age=1, max-age=2", "max-age: fresh for 1 s from when it was made max-age: does not count"),
        ("no-cache", "no-cache: stored, but validated before each use"),
        ("no-cache=\"a, b\"", "no-cache: not kept: a, b"), ("no-store", "no-store: not stored"),
        ("private", "private: for one person's cache"),
        ("private=\"a\"", "private: shared caches leave out: a"),
        ("public", "public: may be stored"), ("s-maxage=1", "s-maxage: for shared caches alone"),
        ("must-revalidate", "must-revalidate: once stale"),
        ("must-understand", "must-understand: stored only"),
        ("no-transform", "no-transform: for those"), ("immutable", "immutable: while it is fresh"),
        ("stale-while-revalidate=60", "stale-while-revalidate: 60 s longer"),
        ("stale-if-error", "stale-if-error: no number of seconds, so it does not count"),
        ("max-stale=1", "max-stale: of a response it means nothing"), ("foo=1", "foo: not known"),
        (";", "says nothing"),
    ]

    @Test func countsTheFirstMaxAgeOfAllLines() async throws {
        let text = try await words("HTTP/1.1 200 OK\nCache-Control: max-age=5\nCache-Control: max-age=9\n")
        #expect(text.contains("max-age=9 max-age: does not count: the first does"))
        #expect(text.contains("fresh for 5 s, from max-age"))
    }

    @Test func looksAtOtherFields() async throws {
        let named = try await words("HTTP/1.1 200 OK\nETag: \"a\"\nConnection: etag\n")
        #expect(named.contains("ETag \"a\" named in Connection:"))
        let expires = try await words("HTTP/1.1 200 OK\nExpires: 0\nCache-Control: max-age=9\n")
        #expect(expires.contains("Expires 0 does not count beside max-age"))
        let twice = try await words("HTTP/1.1 200 OK\nExpires: 0\nExpires: 0\n")
        #expect(twice.contains("Expires 0 several lines: it is stale already"))
        let head = try await words("HEAD / HTTP/1.1\nHost: h\n\nHTTP/1.1 200 OK\nContent-Length: 5\n")
        #expect(head.contains("Content-Length 5 so many octets would come with a GET"))
        #expect(head.contains("content there is none"))
        let both = try await words("HTTP/1.1 200 OK\nContent-Length: 5\nTransfer-Encoding: chunked\n")
        #expect(both.contains("Content-Length 5 does not count beside Transfer-Encoding"))
    }

    @Test("a redirect goes on where its Location leads from the request", arguments: Self.places)
    func redirects(request: String, location: String, meaning: String) async throws {
        let text = try await words("\(request)HTTP/1.1 302 Found\nLocation: \(location)\n")
        #expect(text.contains("Location \(location) \(meaning)"), "\(text)")
    }

    static let places = [
        ("", "b", "goes on at b;"), ("GET /a/ HTTP/1.1\nHost: h:81\n\n", "b", "goes on at http://h:81/a/b;"),
        ("GET https://h/ HTTP/1.1\n\n", "//i/#f", "goes on at https://i/;"),
        ("GET /a HTTP/1.1\nHost: h\n\n", "http://", "no address that could be gone to"),
    ]

    @Test("of the heads that -I shows along a chain of redirects the last one is explained")
    func chains() async throws {
        let words = try await words(
            "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 5\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 3\r\n\r\n")
        #expect(words.contains("response HTTP/1.1 302 Found") && words.contains("response HTTP/1.1 200 OK"))
        #expect(
            words.contains("ETag") && words.contains("3 octets, as declared")
                && !words.contains("Location /b"))
    }

    @Test func tellsSecondsAsPeopleDo() {
        let pairs: [(Int64, String)] = [
            (0, "0 s"), (119, "119 s"), (120, "120 s (2 minutes)"), (3600, "3600 s (60 minutes)"),
            (9000, "9000 s (2.5 hours)"), (7_776_000, "7776000 s (90 days)"),
            (-172_800, "-172800 s (-2 days)"),
            (.min, "-9223372036854775808 s (-106751991167300.6 days)"),
        ]
        for (seconds, words) in pairs { #expect(Seconds.words(seconds) == words) }
    }

    // MARK: The cache

    @Test("tells why a response is not stored", arguments: Self.refusals)
    func tellsWhyNot(request: String, head: String, reason: String) async throws {
        let text = try await words("\(request)HTTP/1.1 \(head)\n")
        #expect(text.contains("stored no: \(reason)"), "\(text)")
    }

    static let refusals = [
        ("PUT / HTTP/1.1\nHost: h\n\n", "200 OK", "answers to PUT answer no later GET"),
        ("", "200 OK\nCache-Control: no-store", "it says no-store"),
        (
            "GET / HTTP/1.1\nHost: h\nCache-Control: no-store\n\n", "200 OK\nCache-Control: max-age=5",
            "the request says no-store"
        ),
        ("", "299 X\nCache-Control: must-understand, max-age=5", "it says must-understand, and status 299"),
        ("", "412 X", "status 412 answers a condition"), ("", "403 X", "nothing allows it: status 403"),
        ("", "101 X", "an interim response"),
        ("", "200 OK\nVary: *", "its Vary lets no request match"),
        ("", "206 X\nContent-Range: bytes 0-1/2", "it is a part, and nobody knows which"),
        (
            "GET / HTTP/1.1\nHost: h\nIf-None-Match: \"a\"\n\n", "304 X\nETag: \"a\"",
            "it answers the request's own"
        ),
    ]

    @Test func tellsWhatItDoesNotTry() async throws {
        let request = "GET / HTTP/1.1\nHost: h\nRange: bytes=0-\n\n"
        let long = "206 X\nContent-Range: bytes 0-99999999999/100000000000\nCache-Control: max-age=5"
        let part = try await words("\(request)HTTP/1.1 \(long)\n")
        #expect(part.contains("stored not tried: its content is longer than 16777216 octets"))
        let whole = try await words("HTTP/1.1 200 OK\nContent-Length: 9223372036854770000\n")
        #expect(whole.contains("stored yes"))
    }

    @Test("asks the cache what a request comes to", arguments: Self.moments)
    func asks(head: String, at: String, sentence: String) async throws {
        let text = try await words("HTTP/1.1 200 OK\n\(Self.dateLine)\(head)\n", ["--at", at])
        #expect(text.contains(" s \(sentence)"), "\(text)")
    }

    static let moments = [
        (
            "Cache-Control: max-age=60", "+59",
            "fresh for 1 s more: answered from what is stored, Age: 59; the origin is not"
        ),
        (
            "Cache-Control: max-age=60", "+60",
            "stale: the origin is asked anew Cache-Status: rawget; fwd=stale"
        ),
        ("Cache-Control: max-age=60\nAge: 30", "+30", "stale:"),
        (
            "Cache-Control: max-age=60, no-cache\nETag: \"a\"", "+1",
            "fresh for 59 s more, and all the same the origin is asked with If-None-Match: \"a\""
        ),
        ("Expires: Sun, 06 Nov 1994 08:49:47 GMT", "Sun, 06 Nov 1994 08:49:46 GMT", "fresh for 1 s more:"),
        ("Expires: Sun, 06 Nov 1994 08:49:47 GMT", "1994-11-06 08:49:47", "stale:"),
        ("Cache-Control: max-age=99999999999999999999", "+9223372036854775807", "stale:"),
    ]

    @Test func tellsOfTheFirstAndTheStaleMomentUnasked() async throws {
        let text = try await words("HTTP/1.1 200 OK\n\(Self.dateLine)Age: 4\nCache-Control: max-age=10\n")
        #expect(text.contains("at +0 s fresh for 6 s more:"))
        #expect(text.contains("at +6 s stale:"))
    }

    @Test func storesThePOSTThatAnswersAGET() async throws {
        let request = "POST /a HTTP/1.1\nHost: h\nContent-Length: 3\n\n"
        let text = try await words(
            request + "HTTP/1.1 200 OK\n\(Self.dateLine)Cache-Control: max-age=10\nContent-Location: /a\n")
        #expect(text.contains("stored yes removed what was stored for the target"))
        #expect(text.contains("at +0 s fresh for 10 s more: answered from what is stored"))
        let failed = try await words(request + "HTTP/1.1 500 X\n")
        #expect(!failed.contains("removed"))
    }

    @Test func answersByTheCacheAloneWhereTheRequestAsksForThat() async throws {
        let request = "GET / HTTP/1.1\nHost: h\nCache-Control: only-if-cached\n\n"
        let text = try await words(
            request + "HTTP/1.1 200 OK\n\(Self.dateLine)Cache-Control: max-age=10, must-revalidate\n")
        #expect(text.contains("at +0 s fresh for 10 s more: answered from what is stored"))
        #expect(text.contains("at +10 s stale: answered 504 by the cache, which may not ask the origin"))
    }

    @Test("takes the response's own date, another one, or now", arguments: Self.dates)
    func takesDate(head: String, arguments: [String], received: String) async throws {
        let run = await rawget(
            ["explain", "--as-json"] + arguments + ["-"], in: folder, input: "HTTP/1.1 200 OK\n\(head)\n"
        ) { $0.clock = .init { 784_111_778 } }
        #expect(run.text.contains("\"received\":\"Sun, 06 Nov 1994 08:49:\(received) GMT\""), "\(run.text)")
    }

    static let dates: [(String, [String], String)] = [
        (dateLine, [], "37"), ("Date: x", [], "38"), ("", [], "38"),
        (dateLine, ["--date", "Sun, 06 Nov 1994 08:49:39 GMT"], "39"),
    ]

    // MARK: Input

    @Test("cannot be obeyed", arguments: Self.mistakes)
    func refusesArguments(arguments: [String], exit: Int32, message: String) async {
        let run = await rawget(
            ["explain"] + arguments, in: folder, input: "HTTP/1.1 200 OK\n\(Self.dateLine)")
        #expect(run.exit == exit)
        #expect(run.output.isEmpty && run.errors.contains("(\(exit)) \(message)"), "\(run.errors)")
    }

    static let mistakes: [([String], Int32, String)] = [
        ([], 2, "explain needs one file"), (["-", "-"], 2, "explain needs one file"),
        (["--at", "-"], 2, "explain needs one file"),
        (["-", "--at"], 2, "--at needs +SECONDS|DATE after it"),
        (["--at", "3600", "-"], 2, "--at: \"3600\" is neither"),
        (["--at", "+", "-"], 2, "--at: \"+\" is no number"),
        (["--at", "+9223372036854775808", "-"], 2, "--at: \"+9223372036854775808\" is no number"),
        (
            ["--at", "Sun, 06 Nov 1994 08:49:36 GMT", "-"], 2,
            "--at: \"Sun, 06 Nov 1994 08:49:36 GMT\" is before"
        ),
        (["--date", "\u{1B}", "-"], 2, "--date: \"\\x1B\" is no date"),
        (["--a", "-"], 2, "unknown option --a"),
        (["none"], 26, "could not read none"),
    ]

    @Test func isReadFromAFileAsItCame() async {
        folder.write("HTTP/1.1 204 No Content\r\n\r\n", to: "head")
        let run = await rawget(["explain", "head"], in: folder)
        #expect(run.exit == 0 && run.text.contains("response  HTTP/1.1 204 No Content\n"))
    }

    @Test func isAtMostAMebibyte() async {
        let head = "HTTP/1.1 200 OK\n\n"
        let fits = head + String(repeating: "a", count: (1 << 20) - head.utf8.count)
        #expect(await explain(fits).exit == 0)
        let run = await explain(fits + "a")
        #expect(run.exit == 26)
        #expect(run.errors.contains("the input has 1048577 octets, and at most 1048576 are read"))
    }

    @Test("is not read where no client would read it", arguments: Self.faults)
    func refusesInput(input: String, message: String) async {
        let run = await explain(input)
        #expect(run.exit == 8 && run.output.isEmpty)
        #expect(run.errors.contains("(8) \(message)"), "\(run.errors)")
    }

    static let faults = [
        ("", "there is nothing to explain"),
        ("GET / HTTP/1.1\nHost: h\n", "the request ends before its empty line"),
        ("GET / HTTP/1.1\nHost: h\n\n", "there is no head of a response in it"),
        ("GET / HTTP/1.1\n\nHTTP/1.1 200 OK\n", "the request for / has no Host"),
        (
            "GET a HTTP/1.1\nHost: h\n\nHTTP/1.1 200 OK\n",
            "the request is for a, which is no address: URI has no scheme"
        ),
        ("GE(T / HTTP/1.1\n\n", "the request cannot be read: octet 0x28 in a request line"),
        ("HTTP/1.1 103 X\n\n", "the response cannot be read: connection ended before the final"),
        ("HTTP/1.1 2xx\n", "the response cannot be read: octet 0x78 in a status line"),
        ("HTTP/1.1 200 OK\nContent-Length: x\n", "the response cannot be read: octet 0x78 in Content-Length"),
    ]

    @Test func takesItsTimeFromTheInputAlone() async {
        let names = (0..<900).map { "Cache-Control: a\($0)\n" }.joined()
        let list = "Cache-Control: \(String(repeating: "no-cache,", count: 7_000))\n"
        for fields in [names, list, "Vary: \(String(repeating: "a,", count: 30_000))\n"] {
            let start = ContinuousClock.now
            #expect(await explain("HTTP/1.1 200 OK\n" + fields).exit == 0)
            #expect(ContinuousClock.now - start < .seconds(2))
        }
        #expect(await explain("HTTP/1.1 200 OK\n" + list).text.contains("and 6936 more"))
    }

    // MARK: Results

    @Test func isOneObjectOnALineForPrograms() async {
        let input = "GET / HTTP/1.1\nHost: h\n\nHTTP/1.1 103 X\n\nHTTP/1.1 206 \"\u{1B}é\n\(Self.dateLine)"
        let run = await explain(input, ["--as-json"])
        #expect(
            run.text == """
                {"request":{"method":"GET","url":"http://h/"},"status":206,"reason":"\\"\\u001bé",\
                "version":"HTTP/1.1","interim":[103],"headers":[{"name":"Date",\
                "value":"Sun, 06 Nov 1994 08:49:37 GMT",\
                "means":["when the answer was made: ages are counted from here"]}],\
                "content":{"framing":"close"},"cache":{"received":"Sun, 06 Nov 1994 08:49:37 GMT",\
                "stored":false,"refusal":"range","invalidates":false,"at":[{"seconds":0,\
                "date":"Sun, 06 Nov 1994 08:49:37 GMT","decision":"forward","adds":[],\
                "cacheStatus":"rawget; fwd=uri-miss"}]}}

                """)
    }

    @Test func hasHelp() async {
        let run = await rawget(["explain", "--help"], in: folder)
        #expect(run.exit == 0 && run.errors.isEmpty)
        for option in ["--at +SECONDS|DATE", "--date DATE", "--as-json"] {
            #expect(run.text.contains(option))
        }
    }
}
