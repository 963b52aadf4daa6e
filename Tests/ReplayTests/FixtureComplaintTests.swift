import Glibc
import Replay
import TestSupport
import Testing

@Suite("What is told of texts that are no fixtures (Fixtures/README.md)")
struct FixtureComplaintTests {
    private func check(_ faulty: Faulty) { #expect(complaints(about: faulty.text) == faulty.complaints) }

    private static let words =
        #""blob", "server", "file", "folder", "link", "mode", "time", "env", "input", "clock", "load", "with" or "connection""#

    @Test(
        "lines",
        arguments: [
            Faulty(
                "", "0: nothing is run: there is no line `$ rawget …` or `load METHOD URI`",
                "1: the comment at the beginning is missing that says why the fixture exists"),
            Faulty(
                "$ rawget x\n= exit 0\n",
                "1: the comment at the beginning is missing that says why the fixture exists"),
            Faulty(
                "#\n$ rawget x\n# r\n= exit 0\n",
                "1: the comment at the beginning is missing that says why the fixture exists"),
            .before("#r", "2: a blank is missing behind `#`"),
            .before("fiel a = \"\"", "2: unknown beginning of a line \"fiel\"; did you mean \"file\"?"),
            .before("Server a", "2: unknown beginning of a line \"Server\"; did you mean \"server\"?"),
            .before(
                "xyz", "2: unknown beginning of a line \"xyz\"; lines begin with # + $ > < ! = or \(words)"),
            .before(
                " file a = \"\"", "2: a blank stands before \"file\" at the beginning of the line"),
            .during(
                "! close ", "3: the line ends with a blank, which nobody would see; in texts \\x20 is one"),
            .during(
                "! close\t", "3: the line ends with a blank, which nobody would see; in texts \\x20 is one"),
            .during("< a\r\n< b\r", "3: the line ends with CR LF; LF alone ends lines (told once)"),
            .during("< a\u{0}b", #"3: octet 4 of the line is a control character, "\0"; texts have escapes"#),
            .during("< a\rb", #"3: octet 4 of the line is a control character, "\r"; texts have escapes"#),
            .during(
                "<< \"\u{1B}\"", #"3: octet 5 of the line is a control character, "\e"; texts have escapes"#),
            .during(
                "< \u{85}", #"3: octet 3 of the line is a control character, "\xC2\x85"; texts have escapes"#),
            .during("< a\tb"),
            .during("+ \"a\"", "3: `+` goes on with data, but the line before has none"),
            .during("! close\n+ \"a\"", "4: `+` goes on with data, but the line before has none"),
            .during(
                "<< \"a\n+ \"b\"\n+ hex 0", "3: the text \"\\\"a\" has no end",
                "5: a hexadecimal digit stands alone; octets have two"),
            .during("! clos\n+ \"b\"", "3: unknown word \"clos\"; did you mean \"close\"?"),
            .during("<a", "3: a blank is missing behind `<`"),
            .during(">>>>", "3: unknown sign \">>>>\"; a blank stands behind signs"),
            .during(">< a", "3: unknown sign \"><\"; a blank stands behind signs"),
            .during("=exit 0", "3: a blank is missing behind `=`"),
        ])
    func lines(faulty: Faulty) { check(faulty) }

    @Test(
        "what stands before a run",
        arguments: [
            .before("blob a = \"\"\nblob a = \"\"", "3: the blob \"a\" has been named in line 2"),
            .before(
                "blob = \"\"",
                "2: the name of the blob \"=\" is none: letters, digits, \"-\", \"_\" and \".\" make one"),
            .before("blob a \"\"", "2: \"\\\"\\\"\" stands where \"=\" should stand"),
            .before("blob a", "2: the line ends where \"=\" should stand"),
            .before("blob a =", "2: data is missing, like \"text\" or hex 0D0A"),
            .before("server", "2: a host is missing"),
            .before("server a/b", "2: \"a/b\" is no host: letters, digits, \"-\", \"_\" and \".\" make one"),
            .before("server a:0", "2: a port is from 1 to 65535, not \"0\""),
            .before("server a:65536", "2: a port is from 1 to 65535, not \"65536\""),
            .before("server a:", "2: a port is missing"),
            .before("server a\nserver A", "3: a has been named in line 2"),
            .before("server a:1\nserver a\nserver a:1", "4: a:1 has been named in line 2"),
            .before("server a slient", "2: unknown word \"slient\"; did you mean \"silent\"?"),
            .before(
                "server a tls",
                "2: a word is missing; there could stand \"good\", \"expired\", \"not-yet-valid\", \"wrong-name\", \"self-signed\", \"unknown-ca\", \"chain\", \"broken-chain\", \"wildcard\", \"deep-wildcard\", \"common-name\" or \"address-as-name\""
            ),
            .before(
                "server a tls bad",
                "2: unknown kind of certificate \"bad\"; there could stand \"good\", \"expired\", \"not-yet-valid\", \"wrong-name\", \"self-signed\", \"unknown-ca\", \"chain\", \"broken-chain\", \"wildcard\", \"deep-wildcard\", \"common-name\" or \"address-as-name\""
            ),
            .before("server a tls good tls good", "2: the word \"tls\" stands twice"),
            .before(
                "server a version 1.3", "2: \"version\" is about TLS, and \"tls KIND\" does not stand here"),
            .before(
                "server a tls good version 1.4", "2: unknown version of TLS \"1.4\"; did you mean \"1.0\"?"),
            .before(
                "server a tls good client none",
                "2: unknown word \"none\"; there could stand \"optional\" or \"required\""),
            .before("server a tls good handshake alert 256", "2: an alert is from 0 to 255, not \"256\""),
            .before(
                "server a refused silent",
                "2: connections cannot be both \"refused\" and not answered (\"silent\")"),
            .before("server a refused any-order", "2: \"any-order\" is for servers that accept connections"),
            .before(
                "file /a = \"\"",
                "2: the path \"/a\" is absolute; it must lead to something in the command's folder"),
            .before("file a/../b = \"\"", "2: the path \"a/../b\" climbs by \"..\""),
            .before("file a//b = \"\"", "2: a part of the path \"a//b\" is empty or \".\""),
            .before("file ./b = \"\"", "2: a part of the path \"./b\" is empty or \".\""),
            .before(#"file "" = """#, "2: a path is missing"),
            .before(#"file "a\0b" = """#, #"2: a path "a\0b" holds a NUL"#),
            .before(#"file "\xFF" = """#, #"2: a path "\xFF" is not UTF-8"#),
            .before("file a = \"\"\nfile a = \"\"", "3: \"a\" is made in line 2 already"),
            .before("file a = \"\"\nfolder a", "3: \"a\" is made in line 2 already"),
            .before("file a = \"\"\nfile a/b = \"\"", "3: \"a\" is a file, so nothing can be in it"),
            .before("file a/b = \"\"\nfile a = \"\"", "3: \"a\" is a folder already"),
            .before("folder a b", "2: \"b\" stands where the line should end"),
            .before("link a b", "2: \"b\" stands where \"->\" should stand"),
            .before("link a ->", "2: the target of the link is missing"),
            .before("mode a = 644", "2: nothing before this line makes \"a\""),
            .before("file a = \"\"\nmode a = 648", "3: \"648\" are no permissions like 644, in octal digits"),
            .before(
                "file a = \"\"\nmode a = 10000", "3: \"10000\" are no permissions like 644, in octal digits"),
            .before("file a/b = \"\"\nmode a = 755"),
            .before("time a = Sun, 06 Nov 1994 08:49:37 GMT", "2: nothing before this line makes \"a\""),
            .before(
                "clock Mon, 06 Nov 1994 08:49:37 GMT",
                "2: \"Mon, 06 Nov 1994 08:49:37 GMT\" is no date like \"Sun, 06 Nov 1994 08:49:37 GMT\", with its day of the week"
            ),
            .before("clock", "2: a date is missing"),
            .before("clock +1.5", "2: the seconds is a number, not \"1.5\""),
            .before(
                "env A=B = \"\"",
                "2: the name of the variable \"A=B\" is none: letters, digits, \"-\", \"_\" and \".\" make one"
            ),
            .before(#"env A = "\0""#, "2: a variable of the environment holds no NUL"),
            .before("env A = repeat 65537 \"a\"", "2: a variable of the environment has at most 64K octets"),
            .before("input", "2: the line ends where \"=\" should stand"),
            .before("input pipe = \"\"", "2: \"pipe\" stands where \"=\" should stand"),
            .before("input file x", "2: \"x\" stands where \"=\" should stand"),
            .before(
                "input file = \"\"\ninput = \"\"", "3: line 2 has the standard input of this command already"),
            .before("input = \"\"\ninput = \"\"", "3: line 2 has the standard input of this command already"),
            .before("with field A: b", "2: `with` belongs to a `load`, and none stands before it"),
            .before("= output is \"a\"\n+ \"b\"", "2: no `$` or `load` stands before this"),
            .before("= exit 0", "2: no `$` or `load` stands before this"),
            .before("> GET / HTTP/1.1\n! close", "2: no `$` or `load` stands before this"),
            Faulty(
                "# r\n$ rawget x\n= exit 0\nfile a = \"\"\n",
                "4: no `$` or `load` follows that this would be made ready for"),
            Faulty(
                "# r\n$ rawget x\nblob a = \"\"\n! close\n< a\n= exit 0\n$ rawget x\n= exit 0\n",
                "4: this stands behind line 3, which is for the next `$` or `load`",
                "5: nothing can happen behind `! close` in line 4, which ends the connection"),
            Faulty(
                "# r\n$ rawget x\n= exit 0\nserver a\n", "4: servers stand before the first `$` or `load`"),
        ] as [Faulty])
    func before(faulty: Faulty) { check(faulty) }

    @Test(
        "what is run",
        arguments: [
            Faulty("# r\n$ curl x\n= exit 0", "2: a command begins with rawget, not \"curl\""),
            Faulty("# r\n$\n= exit 0", "2: the command is missing: `$ rawget …`"),
            Faulty("# r\n$rawget\n= exit 0", "2: a blank is missing behind `$`"),
            Faulty("# r\n$ rawget 'a\n= exit 0", "2: a quote ' has no end"),
            Faulty(
                "# r\nblob a = gzip generated 2G seed 1\n$ rawget x\n= exit 0",
                "2: data that is to be coded has at most 1G octets"),
            Faulty(
                "# r\n$ rawget http://x/#a # get it\n= exit 0",
                "2: only a shell knows what # means here; between quotes ('#…') it is an argument"),
            Faulty(
                "# r\n$ rawget http://x/?a&b >out\n= exit 0",
                "2: only a shell knows what > means here; between quotes ('>…') it is an argument"),
            Faulty(
                "# r\n$ rawget x\n= exit 0\n= error matches \"*404*\"",
                "4: a pattern goes without quotation marks around it; \\\" stands for one at its beginning"),
            Faulty("# r\n$ rawget \"a\\\"\n= exit 0", "2: a quote \" has no end"),
            Faulty("# r\n$ rawget $'a\\'\n= exit 0", "2: a quote $' has no end"),
            Faulty("# r\n$ rawget a\\\n= exit 0", "2: nothing follows the last backslash"),
            Faulty("# r\n$ rawget $'\\0'\n= exit 0", #"2: the argument "\0" holds a NUL"#),
            Faulty("# r\n$ rawget x\n", "2: `= exit NUMBER` is missing for this command"),
            Faulty("# r\n$ rawget x\n$ rawget y\n= exit 0", "2: `= exit NUMBER` is missing for this command"),
            Faulty(
                "# r\nload GET http://a/\n= url x",
                "2: `= status NUMBER` or `= failure CODE` is missing for this `load`"),
            Faulty("# r\nload GET\n= status 200", "2: a URI is missing"),
            Faulty("# r\nload GET a b\n= status 200", "2: \"b\" stands where the line should end"),
            .load("with field A: b", "4: `with` stands right behind its `load`, before what happens to it"),
            Faulty(
                "# r\nload GET a\nwith field a\nwith fild a\n= status 200",
                "3: \"a\" is no field line like \"Name: value\"",
                "4: unknown word \"fild\"; did you mean \"field\"?"),
            Faulty(
                "# r\nload GET a\nwith content \"\"\nwith content \"\"\n= status 200",
                "4: the request has its content already"),
            Faulty(
                "# r\nload GET a\nwith policy useProtocolCachePolicy\nwith policy reloadIgnoringCacheData\n= status 200",
                "4: the request has its policy already"),
            Faulty(
                "# r\nload GET a\nwith policy ReturnCacheDataElseload\n= status 200",
                "3: unknown cache policy \"ReturnCacheDataElseload\"; did you mean \"returnCacheDataElseLoad\"?"
            ),
            Faulty(
                "# r\nload GET a\nwith policy reloadIgnoringLocalAndRemoteCache\n= status 200",
                "3: unknown cache policy \"reloadIgnoringLocalAndRemoteCache\"; did you mean \"reloadIgnoringLocalAndRemoteCacheData\"?"
            ),
            Faulty(
                "# r\nload GET a\nwith policy x\n= status 200",
                "3: unknown cache policy \"x\"; there could stand \"useProtocolCachePolicy\", \"reloadIgnoringLocalCacheData\", \"reloadIgnoringCacheData\", \"returnCacheDataElseLoad\", \"returnCacheDataDontLoad\", \"reloadRevalidatingCacheData\" or \"reloadIgnoringLocalAndRemoteCacheData\""
            ),
            Faulty("# r\nload GET a\nwith policy\n= status 200", "3: the name of a cache policy is missing"),
        ])
    func run(faulty: Faulty) { check(faulty) }

    @Test(
        "data",
        arguments: [
            .during("<< \"a\" b", "3: \"b\" stands where the line should end"),
            .during("<< \"\\q\"", "3: unknown escape \\q; there are \\r \\n \\t \\0 \\e \\\\ \\\" \\xHH"),
            .during("<< \"\\x4g\"", "3: unknown escape \\x4g; there are \\r \\n \\t \\0 \\e \\\\ \\\" \\xHH"),
            .during("<| a\\", "3: unknown escape \\; there are \\r \\n \\t \\0 \\e \\\\ \\\" \\xHH"),
            .during("<|", "3: what is sent is missing"),
            .during("<< gizp \"\"", "3: unknown kind of data \"gizp\"; did you mean \"gzip\"?"),
            .during(
                "<< a",
                "3: unknown kind of data \"a\"; there could stand \"\\\"text\\\"\", \"hex\", \"blob\", \"generated\", \"repeat\", \"gzip\", \"zlib\" or \"deflate\""
            ),
            .during("<< hex", "3: the octets behind \"hex\" are missing"),
            .during("<< hex 0g", "3: \"g\" is no hexadecimal digit"),
            .during("<< hex 0 0", "3: a hexadecimal digit stands alone; octets have two"),
            .during("<< blob a", "3: no blob \"a\" stands before this line"),
            Faulty(
                "# r\nblob whole = \"\"\n$ rawget x\n<< blob hole\n= exit 0",
                "4: no blob \"hole\" stands before this line; did you mean \"whole\"?"),
            Faulty(
                "# r\nblob a = \"12345\"\n$ rawget x\n<< blob a 0..<6\n= exit 0",
                "4: the slice \"0..<6\" is outside the data, which has 5 octets"),
            Faulty("# r\nblob a = gzip \"12345\"\n$ rawget x\n<< blob a 0..<600\n= exit 0"),
            .during("<< generated 5 seed 1 3..<2", "3: the slice \"3..<2\" ends before it begins"),
            .during("<< generated 5 seed 1 3..2", "3: \"3..2\" is no slice like 0..<5"),
            .during("<< generated 5", "3: the line ends where \"seed\" should stand"),
            .during(
                "<< generated 5 seed 18446744073709551616",
                "3: a seed is from 0 to 18446744073709551615, not \"18446744073709551616\""),
            .during(
                "<< generated 1025G seed 1",
                "3: the number of octets is from 0 to 1024G octets, not \"1025G\""),
            .during(
                "<< generated 1T seed 1",
                "3: the number of octets is a number of octets like 5, 64K, 2M or 1G, not \"1T\""),
            .during("<< repeat 1025 generated 1G seed 1", "3: the data has more than 1024G octets"),
            .during("<< generated 1024G seed 1\n+ \"a\"", "4: the data has more than 1024G octets"),
            .during("<< gzip generated 1024G seed 1", "3: data that is to be coded has at most 1G octets"),
            .during("<< repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 \"\""),
            .during(
                "<< repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 gzip \"\"",
                "3: data is nested more than 8 deep, blobs included"),
            Faulty(
                "# r\nblob a = gzip gzip gzip gzip \"\"\nblob b = gzip blob a\n$ rawget x\n<< gzip gzip blob b\n= exit 0",
                "5: data is nested more than 8 deep, blobs included"),
        ] as [Faulty])
    func data(faulty: Faulty) { check(faulty) }

    @Test("data that would be taken apart without end by names upon names")
    func doubling() {
        var text = "# r\nblob a = repeat 1 \"\"\n"
        text += String(repeating: "+ repeat 1 \"\"\n", count: 200)
        for (name, inner) in [("b", "a"), ("c", "b"), ("d", "c")] {
            text += "blob \(name) = blob \(inner)\n"
            text += String(repeating: "+ blob \(inner)\n", count: 200)
        }
        text += "$ rawget x\n= exit 0"
        #expect(complaints(about: text).allSatisfy { $0.hasSuffix(": the data has more than 1000000 parts") })
        #expect(complaints(about: text).first?.hasPrefix("4") == true)
    }

    @Test("octets that are no UTF-8, each at its place")
    func notUTF8() {
        let text = "# r\n$ rawget x\n< a\u{FFFF}"
        for octets in [
            [0x80], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3],
        ]
            as [[UInt8]]
        {
            let shown = octets.map { "\\x" + String($0, radix: 16, uppercase: true) }.joined()
            #expect(
                complaints(about: Array(text.utf8).dropLast(3) + octets + Array("\n= exit 0\n".utf8)) == [
                    "3: octet 4 of the line begins what is no UTF-8: \"\(shown)\""
                ])
        }
        #expect(
            complaints(about: [0xEF, 0xBB, 0xBF] + Array("# r\n$ rawget x\n= exit 0\n".utf8)) == [
                "1: the file begins with a byte order mark, which may not be there"
            ])
    }

    @Test("at most 50 problems are told, in the order of their lines")
    func many() {
        let found = complaints(about: String(repeating: "! stal\n", count: 200))
        #expect(found.count == 50)
        #expect(found[1] == "2: unknown word \"stal\"; did you mean \"stall\"?")
    }

    @Test("a file of more than 16 MiB and more than 1,000 servers are refused")
    func limits() {
        #expect(
            complaints(about: [UInt8](repeating: 0x0A, count: 16 << 20 | 1)) == [
                "0: the file has 16777217 octets; at most 16777216 are allowed"
            ])
        let servers = (1...1001).map { "server a\($0)" }.joined(separator: "\n")
        #expect(
            complaints(about: "# r\n\(servers)\n$ rawget x\n= exit 0") == [
                "1002: there are more than 1000 servers"
            ])
    }

    @Test(
        "long files take time that grows with their length",
        arguments: [
            "! meet a\n", "<< \"\"\n", "#\n", "> A: b\n", ">= a\n", "with field A: b\n", "+ blob a\n",
            "= output matches a\n",
            "connection\n", "input = \"\"\n", "file a = \"\"\n", "= no file a/a/a/a/a/a\n", "<< \"\"\n#\n",
            "< a\n", "> a/a/a/ HTTP/\n",
        ])
    func linear(line: String) {
        func time(_ count: Int) -> Int {
            let text = Array(("# r\nload GET a\n" + String(repeating: line, count: count)).utf8)
            return (0..<5).map { _ in
                let begin = timeOfThread()
                _ = complaints(about: text)
                return timeOfThread() - begin
            }.sorted()[2]
        }
        let short = time(500)
        // Eight times the length: 64 times the time, if it grew with the square.
        #expect(time(4000) < short * 24 + 10_000_000)
    }

    /// Nanoseconds of the processor that this thread has had: others may be busy, too.
    private func timeOfThread() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
