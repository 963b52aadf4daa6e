import Glibc
import Replay
import System
import TestSupport
import Testing
import Transport

@testable import RawgetTool

@Suite("A command line taken apart")
struct CommandWordTests {
    private func again(_ arguments: [String]) -> [String] {
        CommandWord.words(of: ["rawget"] + arguments).flatMap(\.arguments)
    }

    @Test("and put together again says the same")
    func arguments() {
        #expect(
            again(["-sSo", "x", "-ofile", "--output=y", "--no-location", "u"]) == [
                "-s", "-S", "-o", "x", "-o", "file", "-o", "y", "--no-location", "u",
            ])
        #expect(again(["--", "-u", "x"]) == ["--url", "-u", "x"])
        #expect(
            again(["--max-t", "3", "-N", "--no-buffer", "--buffer", "-A", ""]) == [
                "-m", "3", "-N", "-N", "--buffer", "-A", "",
            ])
        #expect(again(["--as-curl", "-:", "x"]) == ["-:", "x"])
    }

    @Test("is written into a file of options that reads the same")
    func config() throws {
        let odd = "a \"b\" \\ \t\n\r\u{0B}é#'"
        let words = CommandWord.words(of: ["rawget", "-H", odd, "-sS", "--no-keepalive", "http://x/ y"])
        let text = words.map(\.configLine).joined()
        let read = CommandWord.words(ofConfig: Array(text.utf8))
        #expect(
            read.flatMap(\.arguments) == ["-H", odd, "-s", "-S", "--no-keepalive", "--url", "http://x/ y"])
        #expect(text.hasPrefix("header = \"a \\\"b\\\" \\\\ \\t\\n\\r\\v"))
    }
}

@Suite("Names of files in a fixture")
struct LocalNamesTests {
    @Test("stay where they lie inside, and move in where they do not")
    func names() {
        var names = LocalNames()
        let cases = [
            ("a", "a"), ("./a", "a"), ("b//c/./d", "b/c/d"), ("/etc/x", "x"), ("../x", "2/x"),
            ("/etc/x", "x"),
            ("../..", "file"), ("./-", "2/file"), ("/", "3/file"), ("sub/../y", "y"),
        ]
        for (path, expected) in cases { #expect(names.name(of: path) == expected, "\(path)") }
        #expect(
            names.name(of: "n", in: "/tmp/out") == "out/n"
                && names.name(ofFound: "/tmp/out/n", in: "/tmp/out/") == "out/n")
        #expect(names.name(of: "n", in: "") == "n" && names.name(ofFound: "dir/n", in: "dir") == "dir/n")
    }
}

@Suite("A body of chunks as it was recorded (RFC 9112, section 7.1)")
struct ChunkedBodyTests {
    @Test("is found wherever it is cut", arguments: [1, 2, 3, 7, 1000])
    func cut(size: Int) {
        let octets = Array("5;x=y\r\nhello\r\n3\nabc\n0\r\nT: u\r\n\r\nrest".utf8)
        var body = ChunkedBody()
        for start in stride(from: 0, to: octets.count, by: size) {
            body.append(octets[start..<min(octets.count, start + size)])
        }
        #expect(body.contentOctets == Array("helloabc".utf8) && body.content == [7..<12, 16..<19])
        #expect(body.isComplete && Array(body.rest) == Array("rest".utf8) && body.trailer == 23)
    }

    @Test(
        "has no end before its end, and none where it is none",
        arguments: ["5\r\nhel", "0\r\n", "0\r\nT: u\r\n", ""])
    func unfinished(text: String) {
        var body = ChunkedBody()
        body.append(Array(text.utf8)[...])
        #expect(!body.isComplete && !body.isBroken && body.rest.isEmpty)
    }

    @Test(
        "that makes no sense has no more content",
        arguments: ["x\r\n", "2\r\nabc\r\n", "FFFFFFFFFFFFFFFFF\r\n", "-1\r\n"])
    func broken(text: String) {
        var body = ChunkedBody()
        body.append(Array(text.utf8)[...])
        #expect(body.isBroken && !body.isComplete)
    }
}

@Suite("The script of a recorded connection")
struct ConnectionScriptTests {
    private func steps(_ events: [RecordedConnection.Event], twice: Bool = false) -> [Fixture.Step] {
        var blobs = BlobTable()
        return ConnectionScript(events, givenFields: [], blobs: &blobs).steps
    }

    private func sent(_ text: String) -> RecordedConnection.Event { .sent(Array(text.utf8)) }
    private func got(_ text: String) -> RecordedConnection.Event { .received(Array(text.utf8)) }
    private func line(_ text: String) -> Fixture.Step { .sendLine(Array(text.utf8)) }
    private func request(_ lines: String...) -> Fixture.Step {
        .request(.matching(lines.map { .init(.line(Array($0.utf8))) }))
    }

    @Test("keeps the go-ahead between head and content")
    func goAhead() {
        let head = "PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        let lines = ["PUT / HTTP/1.1", "Expect: 100-continue", "Content-Length: 3"]
        let first = Fixture.Step.request(.matching(lines.map { .init(.line(Array($0.utf8))) }))
        let goAhead = [line("HTTP/1.1 100 Continue"), line("")]
        let answer = [line("HTTP/1.1 204 No Content"), line("")]
        let answered = "HTTP/1.1 204 No Content\r\n\r\n"
        #expect(
            steps([sent(head), got("HTTP/1.1 100 Continue\r\n\r\n"), sent("abc"), got(answered), .closed])
                == [first] + goAhead + [.requestContent(.text("abc"))] + answer)
        // It came late: the content was not waited for.
        #expect(
            steps([sent(head + "abc"), got("HTTP/1.1 100 Continue\r\n\r\n" + answered), .closed])
                == [first, .requestContent(.text("abc"))] + goAhead + answer)
        // It never came.
        #expect(
            steps([sent(head), got("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n"), .closed]) == [
                first, line("HTTP/1.1 417 No"), line("Content-Length: 0"), line(""),
            ])
    }

    @Test("looks at no content that was given up")
    func unwanted() {
        let found = steps([
            sent("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab"), got("HTTP/1.1 413 No\r\n\r\n"), .ended,
            .closed,
        ])
        #expect(
            found == [
                request("POST / HTTP/1.1", "Content-Length: 5"), .unread, line("HTTP/1.1 413 No"), line(""),
                .close,
            ])
    }

    @Test("takes transfer coding off content that was sent, however it was cut")
    func chunked() {
        let all = Array(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\nGET /2 HTTP/1.1\r\n\r\n"
                .utf8)
        let expected: [Fixture.Step] = [
            request("POST / HTTP/1.1", "Transfer-Encoding: chunked"), .requestContent(.text("abc")),
            request("GET /2 HTTP/1.1"), .stall,
        ]
        for cut in 0...all.count {
            let events = [
                RecordedConnection.Event.sent(Array(all[..<cut])), .sent(Array(all[cut...])), .closed,
            ]
            #expect(steps(events) == expected, "\(cut)")
        }
    }

    @Test("says how it ended")
    func endings() {
        let head = sent("GET / HTTP/1.1\r\n\r\n")
        let get = request("GET / HTTP/1.1")
        #expect(steps([.closed]) == [.stall])
        #expect(steps([.ended, .closed]) == [.close])
        #expect(steps([head, .broke(.cutShort), .closed]) == [get, .cut])
        #expect(
            steps([head, .broke(.receiveFailed(.init(call: "recv", errno: ECONNRESET))), .closed]) == [
                get, .reset,
            ])
        #expect(steps([head, got("HTTP/1.1 200"), .closed]) == [get, .send(.text("HTTP/1.1 200")), .stall])
        #expect(
            steps([head, got("HTTP/1.1 200 OK\r\n\r\n"), .closed]).last == .stall, "content until the end")
        #expect(steps([head, got("HTTP/1.1 304 Not Modified\r\n\r\n"), .closed]).last == line(""))
        #expect(steps([sent("GET / HT"), .ended, .closed]) == [.unread, .close])
    }

    @Test("keeps what is no head, and what came unasked")
    func odd() {
        let get = request("GET / HTTP/1.1")
        let head = sent("GET / HTTP/1.1\r\n\r\n")
        #expect(
            steps([head, got("\u{1}nonsense\n\n"), .ended]) == [
                get, .send(.text("\u{1}nonsense\n\n")), .close,
            ])
        #expect(steps([got("first"), head, .ended]) == [.send(.text("first")), get, .close])
        #expect(
            steps([
                head, got("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 Evil\r\n\r\n"), .closed,
            ]).suffix(2)
                == [.send(.text("ok")), .send(.text("HTTP/1.1 200 Evil\r\n\r\n"))])
        #expect(
            steps([
                head,
                got("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nSet-Cookie: a=s3cret\r\n\r\n"),
            ]).last
                == .send(.text("0\r\nSet-Cookie: a=blanked\r\n\r\n")))
    }

    @Test("waits for fields by a pattern where their values are a secret, or odd")
    func patterns() {
        let found = steps([
            sent(
                "GET /* HTTP/1.1\r\nAuthorization: x\r\nUser-Agent: rawget/9\r\nX: a\u{1}*b \r\nReferer: http://u:p@h/\r\n\r\n"
            ), .ended,
        ])
        let expected: [Fixture.Condition] = [
            .line(Array("GET /* HTTP/1.1".utf8)), .pattern(FixturePattern("Authorization: *")),
            .pattern(FixturePattern("User-Agent: rawget/*")), .pattern(FixturePattern("X: a*\\*b*")),
            .pattern(FixturePattern("Referer: *")),
        ]
        #expect(found == [.request(.matching(expected.map { .init($0) })), .close])
        #expect(FixturePattern("X: a*\\*b*").matches(Array("X: a\u{1}*b ".utf8)))
    }
}
