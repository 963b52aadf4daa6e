import Replay
import RawgetTool
import TestSupport
import Testing

/// A fixture about a page of five octets, with other outcomes and connections.
private func fixture(
    _ outcomes: String, before: String = "", command: String = "rawget -o page http://fixture.test/",
    connection: String = "> GET / HTTP/1.1\n< HTTP/1.1 200 OK\n< Content-Length: 5\n<\n<< \"hello\"\n"
) -> String {
    "# A test's own (RFC 9110, section 1).\n\(before)$ \(command)\n\(connection)\(outcomes)\n"
}

@Suite("Fixtures that are not as they say")
struct RunnerTests {
    @Test(
        "an outcome that does not hold is told with its line and both sides",
        arguments: [
            ("= exit 1\n= file page is \"hello\"", 8, "expected exit 1, got 0"),
            ("= exit 0\n= file page is \"hallo\"", 9, "the file page is not as expected"),
            ("= exit 0\n= file page is \"hello!\"", 9, "the file page is not as expected"),
            ("= exit 0\n= file page is \"hell\"", 9, "the file page is not as expected"),
            ("= exit 0\n= file page matches *x*", 9, "does not match *x*"),
            ("= exit 0\n= file other is \"hello\"\n= file page is \"hello\"", 9, "there is no other"),
            ("= exit 0\n= no file page", 9, "page is there and should not be"),
            ("= exit 0", 2, "the file page is left that no line names"),
            (
                "= exit 0\n= file page is \"hello\"\n= output is \"x\"", 10,
                "standard output is not as expected"
            ),
            (
                "= exit 0\n= file page is \"hello\"\n= error matches *warning*", 10,
                "standard error does not match"
            ),
            ("= exit 0\n= file page is \"hello\"\n= connections 2", 10, "expected 2 connections, got 1"),
            ("= exit 0\n= file page is \"hello\"\n= requests 0", 10, "expected 0 requests, got 1"),
            ("= exit 0\n= file page is \"hello\"\n= time over 10s", 10, "not over"),
            ("= exit 0\n= file page is \"hello\"\n= time under 0s", 10, "not under"),
            (
                "= exit 0\n= file page is \"hello\"\n= file page mode 7", 10,
                "expected the permissions 7 of page"
            ),
            (
                "= exit 0\n= file page is \"hello\"\n= file page time Mon, 01 Jun 2015 03:58:27 GMT", 10,
                "expected Mon, 01 Jun 2015 03:58:27 GMT as the time of page"
            ),
            ("= exit 0\n= link page -> x", 9, "page is no symbolic link"),
            ("= exit 0\n= folder page", 9, "page is no folder"),
        ])
    func outcome(outcomes: String, line: Int, message: String) async throws {
        let result = try await result(of: fixture(outcomes))
        #expect(!result.hasPassed)
        #expect(
            result.problems.contains { $0.line == line && $0.message.contains(message) }, "\(result.text)")
        #expect(result.problems.count == 1, "\(result.text)")
    }

    @Test(
        "what is made ready is there, and its loss or change is noticed",
        arguments: [
            (
                "file page = \"old\"\n", "rawget -o page http://fixture.test/",
                "page was there before and has changed"
            ),
            (
                "file a/b = \"x\"\nlink a/l -> b\nfolder c\n", "rawget -o a/b http://fixture.test/",
                "a/b was there before"
            ),
        ])
    func preparations(before: String, command: String, message: String) async throws {
        let result = try await result(of: fixture("= exit 0", before: before, command: command))
        #expect(result.problems.map(\.message).contains { $0.contains(message) }, "\(result.text)")
    }

    @Test("files, links, modes, times, variables, input and clock reach the command")
    func world() async throws {
        let text = """
            # A test's own (RFC 9110, section 1).
            blob text = "one\\ntwo\\n"
            file in/data = blob text 0..<4
            + repeat 2 "x"
            mode in/data = 0600
            time in/data = Mon, 01 Jun 2015 03:58:27 GMT
            link alias -> in/data
            folder empty
            input = "three"
            $ rawget --as-curl --data-binary @alias --data-binary @- http://fixture.test/
            > POST / HTTP/1.1
            >> "one\\nxx&three"
            < HTTP/1.1 200 OK
            < Content-Length: 0
            <
            = exit 0
            = file in/data time Mon, 01 Jun 2015 03:58:27 GMT
            = file in/data mode 600
            = link alias -> in/data
            = folder empty
            clock Wed, 02 Sep 2015 13:17:01 GMT
            env SSL_CERT_FILE = "nowhere.pem"
            $ rawget http://fixture.test/
            > GET / HTTP/1.1
            < HTTP/1.1 200 OK
            < Content-Length: 2
            <
            << "ok"
            = exit 0
            = file index.html is "ok"

            """
        let result = try await result(of: text)
        #expect(result.hasPassed, "\(result.text)")
    }

    @Test("requests that are not as expected are told with the line")
    func request() async throws {
        let connection =
            "> GET /other HTTP/1.1\n> X-One: 1\n< HTTP/1.1 200 OK\n< Content-Length: 5\n<\n<< \"hello\"\n"
        let result = try await result(
            of: fixture("= exit 0\n= file page is \"hello\"", connection: connection))
        #expect(
            result.problems.map(\.line) == [3, 4], "\(result.text)")
        #expect(result.text.contains("GET / HTTP/1.1"), "\(result.text)")
    }

    @Test(
        "field lines of a name are all that are listed, in their order, unless a pattern is for that name",
        arguments: [
            ("> X: 1\n> X: 2", nil),
            ("> X: 2\n> X: 1", "another order"),
            ("> X: 1", "more field lines of a name"),
            ("> X: 1\n> X: 2\n> X: 2", "a field line is missing"),
            ("> X: 1\n>~ X: *", nil),
            ("> X: 2\n>~ X: 1", nil),
            ("> X: 1\n>~ Y: *", "more field lines of a name"),
            ("> Y: 3", nil),
        ] as [(String, String?)])
    func fieldLines(conditions: String, problem: String?) async throws {
        let connection =
            "> GET / HTTP/1.1\n\(conditions)\n< HTTP/1.1 200 OK\n< Content-Length: 5\n<\n<< \"hello\"\n"
        let result = try await result(
            of: fixture(
                "= exit 0\n= file page is \"hello\"",
                command: "rawget -o page -H 'X: 1' -H 'X: 2' -H 'Y: 3' http://fixture.test/",
                connection: connection))
        guard let problem else { return #expect(result.hasPassed, "\(result.text)") }
        #expect(result.problems.count { $0.message.contains(problem) } == 1, "\(result.text)")
    }

    @Test("a file of a set time that is replaced by one of the same content has changed")
    func sameContent() async throws {
        let before = "file page = \"hello\"\ntime page = Mon, 01 Jun 2015 03:58:27 GMT\n"
        let replaced = try await result(of: fixture("= exit 0", before: before))
        #expect(
            replaced.problems.map(\.message).contains { $0.contains("page was there before and has changed") }
        )
        let said = try await result(of: fixture("= exit 0\n= file page is \"hello\"", before: before))
        #expect(said.hasPassed, "\(said.text)")
        let kept = try await result(
            of: fixture("= exit 0", before: before, command: "rawget --as-curl http://fixture.test/"))
        #expect(kept.hasPassed, "\(kept.text)")
    }

    @Test("one connection is no plural")
    func singular() async throws {
        let result = try await result(
            of: fixture(
                "= exit 0\n= output matches *\n= connections 1", command: "rawget --version", connection: ""))
        #expect(result.problems.map(\.message) == ["expected 1 connection, got 0"])
    }

    @Test("a connection that is never opened is told")
    func neverReached() async throws {
        let connection = """
            > GET / HTTP/1.1
            < HTTP/1.1 200 OK
            < Content-Length: 5
            <
            << "hello"
            connection
            > GET /more HTTP/1.1
            < HTTP/1.1 200 OK

            """
        let result = try await result(
            of: fixture("= exit 0\n= file page is \"hello\"", connection: connection))
        #expect(result.problems.map(\.line) == [8], "\(result.text)")
    }

    @Test("of a request that comes on an earlier connection both places are told")
    func earlierConnection() async throws {
        let connection = """
            > GET / HTTP/1.1
            < HTTP/1.1 200 OK
            < Content-Length: 5
            <
            << "hello"
            connection
            > GET / HTTP/1.1
            < HTTP/1.1 200 OK
            < Content-Length: 5
            <
            << "hello"

            """
        let url = "http://fixture.test/"
        let result = try await result(
            of: fixture("= exit 0", command: "rawget -o - \(url) \(url)", connection: connection))
        #expect(
            result.text.contains(
                ", on the connection of line 3, while the next one, of line 8, had not been opened:"),
            "\(result.text)")
    }

    @Test(
        "a client that waits for what no line sends is told so in place of the time alone",
        arguments: [
            (
                "< HTTP/1.1 200 OK\n< Content-Length: 4\n<\n<< \"abc\"\n",
                "7: 4 octets of content were declared and 3 sent, so the client waits for the rest; `! close`"
            ),
            (
                "< HTTP/1.1 200 OK\n<\n<< \"abc\"\n",
                "6: the answer's content has no length and ends with the connection"
            ),
            (
                "< HTTP/1.1 200 OK\n< Transfer-Encoding: chunked\n<\n< 3\n<< \"abc\\r\\n\"\n< 0\n",
                "9: the chunked content has no end (`< 0` and `<`)"
            ),
            ("< HTTP/1.1 200 OK\n< Content-Length: 0\n", "5: the head of the answer has no blank line"),
            ("< HTTP/1.1 103 Early Hints\n<\n", "5: no final response was sent to the last request"),
        ])
    func waits(answer: String, message: String) async throws {
        let result = try await result(
            of: fixture(
                "= exit 0", command: "rawget -o - http://fixture.test/",
                connection: "> GET / HTTP/1.1\n" + answer),
            limit: .milliseconds(300))
        #expect(result.text.contains(message), "\(result.text)")
    }

    @Test("how the command ended stands before what came of it")
    func endFirst() async throws {
        let connection = """
            > GET / HTTP/1.1
            < HTTP/1.1 200 OK
            < Transfer-Encoding: chunked
            <
            < 9
            << "hello\\r\\n"
            < 0
            <
            connection
            > GET /more HTTP/1.1
            < HTTP/1.1 204 No Content
            <

            """
        let result = try await result(
            of: fixture(
                "= output is \"hello\"\n= exit 0", command: "rawget -o - http://fixture.test/",
                connection: connection))
        #expect(result.problems.count == 3, "\(result.text)")
        #expect(result.problems.first?.message.hasPrefix("expected exit 0, got ") == true, "\(result.text)")
        #expect(result.problems.first?.message.contains("standard error: ") == true, "\(result.text)")
    }

    @Test("a command that does not end is ended")
    func timeLimit() async throws {
        let connection = "> GET / HTTP/1.1\n! stall\n"
        let result = try await result(
            of: fixture("= exit 0", connection: connection), limit: .milliseconds(300))
        #expect(result.text.contains("had not ended after 0.3"), "\(result.text)")
        // And where the servers stood.
        #expect(result.text.contains("4: all up to this line was done"), "\(result.text)")
        #expect(result.duration < .seconds(20))
    }

    @Test("a person who interrupts is part of a fixture")
    func interruption() async throws {
        let connection =
            "> GET / HTTP/1.1\n< HTTP/1.1 200 OK\n< Content-Length: 5\n<\n<< \"he\"\n! interrupt\n! stall\n"
        let result = try await result(
            of: fixture(
                "= exit 130\n= file page.part is \"he\"\n= file .page.rawget matches rawget 1*",
                connection: connection))
        #expect(result.hasPassed, "\(result.text)")
    }

    @Test(
        "a load is judged by its outcomes",
        arguments: [
            ("= status 201", 7, "expected 201 as the status, got 200"),
            ("= status 200\n= field X-One: 2", 8, "has no field line X-One: 2"),
            ("= status 200\n= no field X-One", 8, "there is a field X-One"),
            ("= status 200\n= content is \"x\"", 8, "the content is not as expected"),
            ("= status 200\n= content matches x*", 8, "the content does not match"),
            ("= status 200\n= trailer A: b", 8, "trailer section has no field line"),
            ("= status 200\n= url http://fixture.test/other", 8, "the URI"),
            ("= status 200\n= redirects 1", 8, "the number of redirects"),
            ("= status 200\n= source cache", 8, "expected cache as the source, got network"),
            ("= status 200\n= resumed at 3", 8, "expected 3 as where it went on, got 0"),
            ("= status 200\n= retries 1", 8, "expected 1 as the number of retries, got 0"),
            ("= failure timedOut", 7, "expected the failure timedOut, got the status 200"),
            ("= status 200\n= connections 2", 8, "expected 2 connections, got 1"),
        ])
    func load(outcomes: String, line: Int, message: String) async throws {
        let text = """
            # A test's own (RFC 9110, section 1).
            load GET http://fixture.test/
            > GET / HTTP/1.1
            < HTTP/1.1 200 OK
            <| X-One: 1\\r\\nContent-Length: 2\\r\\n\\r\\n
            << "ok"
            \(outcomes)

            """
        let result = try await result(of: text)
        #expect(result.problems.count == 1, "\(result.text)")
        #expect(result.problems.first?.line == line, "\(result.text)")
        #expect(result.problems.first?.message.contains(message) == true, "\(result.text)")
    }

    @Test("a load sends its fields and its content, and tells its failure with the phase")
    func loadRequest() async throws {
        let text = """
            # A test's own (RFC 9110, section 1).
            server fixture.test
            server closed.test refused
            load POST http://fixture.test/
            with field X-One: 1
            with content "data"
            > POST / HTTP/1.1
            > X-One: 1
            >> "data"
            < HTTP/1.1 200 OK
            < Content-Length: 4
            <
            << "ok"
            ! close
            = failure incompleteContent during content
            load GET http://closed.test/
            = failure couldNotConnect during connect
            load GET http://nowhere.test/
            = failure notResolved during resolve

            """
        let result = try await result(of: text)
        #expect(result.hasPassed, "\(result.text)")
    }
}
