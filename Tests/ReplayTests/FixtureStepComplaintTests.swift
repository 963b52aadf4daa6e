import Replay
import Testing

@Suite("What is told of steps and outcomes that cannot be (Fixtures/README.md)")
struct FixtureStepComplaintTests {
    private func check(_ faulty: Faulty) { #expect(complaints(about: faulty.text) == faulty.complaints) }

    @Test(
        "connections",
        arguments: [
            .during(
                "connection to a.test", "3: no server \"a.test\" has been named; there is \"fixture.test\""),
            .during(
                "connection to fixtrue.test",
                "3: no server \"fixtrue.test\" has been named; did you mean \"fixture.test\"?"),
            .during("connection at a", "3: unknown word \"at\"; there could stand \"to\""),
            Faulty(
                "# r\nserver a refused\nserver b silent\n$ rawget x\nconnection to a\nconnection to b\n= exit 0",
                "5: a is \"refused\" and accepts no connection",
                "6: b is \"silent\" and accepts no connection"),
            .during("! stal", "3: unknown word \"stal\"; did you mean \"stall\"?"),
            .during(
                "! explode",
                "3: unknown word \"explode\"; there could stand \"pause\", \"quiet\", \"pieces\", \"whole\", \"close\", \"reset\", \"stall\", \"cut\", \"await\", \"unread\", \"meet\", \"tls\", \"unprotected\", \"interrupt\", \"half-close\" or \"update-keys\""
            ),
            .during("! close now", "3: \"now\" stands where the line should end"),
            .during(
                "! close\n< a\n< b",
                "4: nothing can happen behind `! close` in line 3, which ends the connection"),
            .during(
                "! reset\n! pause 1s",
                "4: nothing can happen behind `! reset` in line 3, which ends the connection"),
            .during(
                "! stall\n> GET / HTTP/1.1",
                "4: nothing can happen behind `! stall` in line 3, which ends the connection"),
            .during(
                "! await close\n<< \"\"",
                "4: nothing can happen behind `! await close` in line 3, which ends the connection"),
            Faulty(
                "# r\nserver a tls good\n$ rawget x\n! cut\n! close\n= exit 0",
                "5: nothing can happen behind `! cut` in line 4, which ends the connection"),
            .during("! close\nconnection\n! close"),
            .during("! half-close\n< a", "4: nothing can be sent behind `! half-close` in line 3"),
            .during("! half-close\n> GET / HTTP/1.1\n! half-close", "5: sending has ended in line 3 already"),
            .during("! unread\n> GET / HTTP/1.1", "4: nothing is read behind `! unread` in line 3"),
            .during("! cut", "3: `! cut` is about TLS, which this connection does not speak"),
            .during(
                "! unprotected \"\"", "3: `! unprotected` is about TLS, which this connection does not speak"),
            .during("! update-keys", "3: `! update-keys` is about TLS, which this connection does not speak"),
            .during("! tls good\n! update-keys\n! cut"),
            .during("! tls good version 1.2\n! update-keys", "4: only TLS 1.3 has a KeyUpdate"),
            .during(
                "! tls good handshake close\n< a", "4: the handshake of TLS ends before anything can be sent"),
            .during("! tls good client optional client optional", "3: the word \"client\" stands twice"),
            .during("! meet a", "3: only this connection meets others at \"a\""),
            .during(
                "! meet a\n! meet a\nconnection\n! meet a",
                "4: the connection meets the others at \"a\" twice"),
            Faulty(
                "# r\n$ rawget x\n! meet a\n= exit 0\n$ rawget x\n! meet a\n= exit 0",
                "3: only this connection meets others at \"a\"",
                "6: only this connection meets others at \"a\""),
            .during("! pieces of 0", "3: a piece is from 1 to 1024G octets, not \"0\""),
            .during("! pieces 5", "3: \"5\" stands where \"of\" should stand"),
            .during("! pause", "3: a time is missing, like 250ms or 1.5s"),
            .during("! quiet", "3: a time is missing, like 250ms or 1.5s"),
            .during("! unread\n! quiet 1s", "4: nothing is read behind `! unread` in line 3"),
            .during("! pause 5", "3: \"5\" is no time; one is like 250ms or 1.5s"),
            .during("! pause 1.s", "3: \"1.s\" is no time; one is like 250ms or 1.5s"),
            .during("! pause 3600.1s", "3: \"3600.1s\" is more than an hour"),
            .during("! pause 99999999999999999999s", "3: \"99999999999999999999s\" is more than an hour"),
            .during("! pause 1.0000001ms", "3: \"1.0000001ms\" is finer than a nanosecond"),
            .load("! interrupt", "4: only a command can be interrupted, not a `load`"),
        ] as [Faulty])
    func connections(faulty: Faulty) { check(faulty) }

    @Test(
        "requests",
        arguments: [
            .during(">", "3: a request line or field line is missing; the blank line is not written"),
            .during("> Host: a", "3: a request line must stand before \"Host: a\""),
            .during(">! Host", "3: a request line must stand before \"Host\""),
            .during("> GET / HTTP/1.1\n> Range 1", "4: \"Range 1\" is no field line like \"Name: value\""),
            .during(
                "> GET / HTTP/1.1\n! pause 1s\n> Range: 1", "5: a request line must stand before \"Range: 1\""
            ),
            .during("> GET / HTTP/1.1\n>! A: b", "4: \"A: b\" is no name of a field"),
            .during(">~", "3: a pattern is missing, in which * stands for anything"),
            .during(">~ GET \\q", "3: unknown escape \\q; there are \\r \\n \\t \\0 \\e \\\\ \\\" \\xHH"),
            .during(">~ GET \\*\\x2A*"),
            .during(
                ">= GET / HTTP/1.1",
                "3: the exact head that begins here has no blank line at its end (`>=` alone)"),
            .during(
                ">| GET / HTTP/1.1\\r\\n",
                "3: the exact head that begins here has no blank line at its end (`>=` alone)"),
            .during(">=", "3: the exact head that begins here has no blank line at its end (`>=` alone)"),
            .during(">=\n>= GET / HTTP/1.1\n>=\n>| GET /\\n\\n"),
            .during(
                ">| GET /\\n\\nx",
                "3: octets stand behind the blank line of the head; they are for `>>` or `>>>`"),
            .during(
                ">= GET / HTTP/1.1\n> A: b\n< a",
                "3: the exact head that begins here has no blank line at its end (`>=` alone)",
                "4: the exact head has no blank line yet (`>=`), and conditions cannot stand in it"),
            .during(
                "> GET / HTTP/1.1\n>= A: b\n>=",
                "4: an exact head cannot begin among conditions; an answer stands between requests"),
            .during(">> \"\"", "3: no request stands before this that could have content"),
            .during("connection\n>>> \"\"", "4: no request stands before this that octets could follow"),
            .during(
                "> GET / HTTP/1.1\nconnection\n>> \"\"",
                "5: no request stands before this that could have content"),
            .during(
                "> GET / HTTP/1.1\n>> \"\"\n< a\n>> \"\"",
                "6: the content of the request stands before this, and `>>` is all of it"),
            .during(
                "> GET / HTTP/1.1\n>>> \"\"\n>> \"\"",
                "5: `>>` is all of the content, but `>>>` or `! tls` stands before it"),
            .during(
                "> CONNECT a:1 HTTP/1.1\n! tls good\n>> \"\"",
                "5: `>>` is all of the content, but `>>>` or `! tls` stands before it"),
        ] as [Faulty])
    func requests(faulty: Faulty) { check(faulty) }

    @Test(
        "outcomes",
        arguments: [
            .during("= exit 0", "4: `= exit` stands in line 3 already"),
            .during("= exit x", "2: `= exit NUMBER` is missing for this command"),
            .during("= output is \"\"\n= output is \"\"", "4: `= output is` stands in line 3 already"),
            .during("= output is \"\"\n= output matches a\n= output matches b"),
            .during("= output matches", "3: a pattern is missing, in which * stands for anything"),
            .during("= output are", "3: unknown word \"are\"; there could stand \"is\" or \"matches\""),
            .during("= outptu is \"\"", "3: unknown word \"outptu\"; did you mean \"output\"?"),
            .during("= status 200", "3: `= status` is about a `load`, and this belongs to a command"),
            .during("= no field A", "3: `= no` is about a `load`, and this belongs to a command"),
            .during("= source cache", "3: `= source` is about a `load`, and this belongs to a command"),
            .load("= exit 0", "4: `= exit` is about a command, and this belongs to a `load`"),
            .load("= error is \"\"", "4: `= error` is about a command, and this belongs to a `load`"),
            .load("= no file a\n= connections 1"),
            .load("= status 200", "4: `= status` stands in line 3 already"),
            .load("= field A: b\n= no field a", "5: in line 4 the field \"a\" is there"),
            .load("= no field a\n= field A: b", "5: in line 4 the field \"A\" is not there"),
            .load("= source caches", "4: unknown word \"caches\"; did you mean \"cache\"?"),
            .load("= failure", "4: the code of the error is missing"),
            .load("= failure a in b", "4: \"in\" stands where \"during\" should stand"),
            .load("= resumed 5", "4: \"5\" stands where \"at\" should stand"),
            .load("= redirects -1", "4: how many is a number, not \"-1\""),
            .during("= file a is \"\"\n= no file a", "4: \"a\" cannot be nothing: in line 3 it is a file"),
            .during(
                "= no file a\n= file a mode 644", "4: \"a\" cannot be something: in line 3 it is nothing"),
            .during(
                "= folder a\n= file a mode 755\n= file a is \"\"",
                "5: \"a\" cannot be a file: in line 3 it is a folder"),
            .during("= link a -> b\n= file a is \"\"", "4: \"a\" cannot be a file: in line 3 it is a link"),
            .during("= file a is \"\"\n= file a is \"\"", "4: `= file a is` stands in line 3 already"),
            .during("= file a mode 644\n= file a mode 644", "4: `= file a mode` stands in line 3 already"),
            .during("= file ../a is \"\"", "3: the path \"../a\" climbs by \"..\""),
            .during(
                "= time under 1s\n= time over 1s", "4: no time is over 1.0 seconds and under 1.0 seconds"),
            .during("= time under 1s\n= time under 1s", "4: `= time under` stands in line 3 already"),
            .during(
                "= connections 1\n= connections 1 to fixture.test\n= connections 1",
                "5: `= connections` stands in line 3 already"),
            .during("= requests 1 to a", "3: no server \"a\" has been named; there is \"fixture.test\""),
            .during("= connections 1000001", "3: how many is from 0 to 1000000, not \"1000001\""),
        ] as [Faulty])
    func outcomes(faulty: Faulty) {
        var faulty = faulty
        if faulty.text.contains("exit x") {
            faulty.complaints = ["3: the exit code is a number, not \"x\""]
        }
        check(faulty)
    }
}
