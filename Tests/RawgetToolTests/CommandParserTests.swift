import Testing

@testable import RawgetTool

/// Parses a command line without the command's name; no file can be read.
private func parse(_ arguments: String..., called name: String = "rawget") throws -> ParsedCommand {
    try parse(arguments, called: name)
}

private func parse(_ arguments: [String], called name: String = "rawget") throws -> ParsedCommand {
    try CommandParser.parse([name] + arguments) { _ throws(UsageError) in throw UsageError("no files here") }
}

private func message(_ arguments: String...) -> String? {
    do {
        _ = try parse(arguments)
        return nil
    } catch {
        return (error as? UsageError)?.message
    }
}

@Suite("The command line")
struct CommandParserTests {
    @Test func takesAURL() throws {
        let command = try parse("http://a/")
        #expect(command.purpose == .transfer)
        #expect(command.groups.count == 1)
        #expect(command.url(0, inGroup: 0) == "http://a/")
        #expect(command.output(0, inGroup: 0) == .unspecified)
        #expect(command.groups[0].options == GroupOptions())
        #expect(command.run == RunOptions())
    }

    @Test(
        "one option, several spellings",
        arguments: [
            ["-o", "f", "u"], ["-of", "u"], ["--output", "f", "u"], ["--output=f", "u"], ["u", "-o", "f"],
            ["-sSfo", "f", "u"], ["-sSfof", "u"], ["-of", "--", "u"],
            ["-of", "--url", "u"],
        ])
    func spellings(arguments: [String]) throws {
        let command = try parse(arguments)
        #expect(command.url(0, inGroup: 0) == "u")
        #expect(command.output(0, inGroup: 0) == .file("f"))
        #expect(command.groups[0].count == 1)
    }

    @Test("bundled letters each have their effect") func bundles() throws {
        let command = try parse("-sSfIv4Zm2.5", "u")
        #expect(
            command.run.isSilent && command.run.showsErrors && command.run.isVerbose && command.run.isParallel
        )
        #expect(command.groups[0].options.errorAnswer == .fail)
        #expect(command.groups[0].options.isHead)
        #expect(command.groups[0].options.addressFamily == .ipv4)
        #expect(command.groups[0].options.maximumTime == .milliseconds(2500))
    }

    @Test("the n-th output belongs to the n-th URL") func outputsMatch() throws {
        let command = try parse("-o", "1", "a", "b", "-O", "c", "-o", "3", "d")
        #expect((0..<4).map { command.url($0, inGroup: 0) } == ["a", "b", "c", "d"])
        #expect(
            (0..<4).map { command.output($0, inGroup: 0) } == [
                .file("1"), .remoteName, .file("3"), .unspecified,
            ])
        let all = try parse("--remote-name-all", "-o", "1", "a", "b")
        #expect((0..<2).map { all.output($0, inGroup: 0) } == [.file("1"), .remoteName])
        #expect(try parse("-o1", "-o2", "a").warnings == ["there are 2 outputs for 1 URL"])
    }

    @Test("--next begins with fresh options, those of the run stay") func groups() throws {
        let command = try parse("-I", "-s", "a", "--next", "-o", "f", "b", "-:", "c")
        #expect(command.groups.map(\.count) == [1, 1, 1])
        #expect(command.groups.map(\.options.isHead) == [true, false, false])
        #expect(command.run.isSilent)
        #expect(command.output(0, inGroup: 0) == .unspecified)
        #expect(command.output(0, inGroup: 1) == .file("f"))
        #expect(command.url(0, inGroup: 2) == "c")
    }

    @Test("no- turns off, the last one counts") func negation() throws {
        #expect(try !parse("-i", "--no-include", "u").groups[0].options.includesHead)
        #expect(try parse("--no-include", "-i", "u").groups[0].options.includesHead)
        #expect(try parse("--no-buffer", "u").groups[0].options.isUnbuffered)
        #expect(try parse("-N", "u").groups[0].options.isUnbuffered)
        #expect(try !parse("-N", "--buffer", "u").groups[0].options.isUnbuffered)
        #expect(try parse("--no-progress-meter", "u").run.progress == .none)
        #expect(try parse("-#", "u").run.progress == .bar)
        #expect(try parse("-f", "--fail-with-body", "u").groups[0].options.errorAnswer == .failWithBody)
    }

    @Test("--as-curl counts only as the first argument, the name curl always") func asCurl() throws {
        #expect(try parse("--as-curl", "u").run.isCurl)
        #expect(try parse("u", called: "/usr/bin/curl").run.isCurl)
        #expect(try parse("u", called: "curl").run.isCurl)
        #expect(try !parse("u", called: "mycurl").run.isCurl)
        #expect(message("u", "--as-curl") == "--as-curl must be the first argument")
        #expect(try parse("--as-curl", "-q", "u").groups[0].count == 1)
    }

    @Test("help and version end the reading") func helpAndVersion() throws {
        #expect(try parse("-h").purpose == .help(topic: nil))
        #expect(try parse("--help", "output").purpose == .help(topic: "output"))
        #expect(try parse("-sh", "all").purpose == .help(topic: "all"))
        #expect(try parse("--version", "--nonsense").purpose == .version)
        #expect(try parse("-sV").purpose == .version)
    }

    @Test(
        "what is wrong is said in a sentence",
        arguments: [
            (["--ouput", "f"], "unknown option --ouput; did you mean --output?"),
            (["--no-ipv4"], "--ipv4 has no opposite"),
            (["--no-http1.1"], "--http1.1 has no opposite"),
            (["--no-output"], "--output has no opposite"),
            (["--no-inclde"], "unknown option --no-inclde; did you mean --no-include?"),
            (["--xyzzyxyzzy"], "unknown option --xyzzyxyzzy"), (["-sj"], "unknown option -j in \"-sj\""),
            (["-\u{1B}"], "unknown option -\\x1B"), (["--re", "x"], nil),
            (["-o"], "-o, --output needs FILE after it"),
            (["u", "-fm"], "-m, --max-time needs SECONDS after it"),
            (["--silent=1", "u"], "-s, --silent takes no argument"), ([], "no URL is given"),
            (["-o", "f"], "no URL is given"), (["--next", "u"], "there is no URL before --next"),
            (["u", "--next"], "there is no URL after the last --next"),
            (["-", "u"], "a lone - is no URL; standard output is -o -, standard input -K -"),
            (["-m", "1s", "u"], "-m, --max-time: \"1s\" is not a number of seconds"),
            (["--max-filesize", "1x", "u"], "--max-filesize: \"1x\" is not a size like 500, 64k or 2g"),
            (["--parallel-max", "301", "u"], "--parallel-max: \"301\" is no number from 1 to 300"),
            (["-r", "abc", "u"], "-r, --range: \"abc\" is not RANGE"),
            (["-H", "a b: c", "u"], "-H, --header: what follows is not FIELD"),
            (["--resolve", "a:b", "u"], "--resolve: \"a:b\" is not [+]HOST:PORT:ADDR[,ADDR]..."),
        ] as [([String], String?)])
    func complains(arguments: [String], expected: String?) {
        do {
            _ = try parse(arguments)
            Issue.record("nothing was wrong")
        } catch {
            guard let expected else { return }
            #expect((error as? UsageError)?.message == expected)
        }
    }

    @Test("a name that could be several is refused with all of them") func ambiguous() {
        #expect(
            message("--remote", "u")
                == "--remote could be any of --remote-name, --remote-name-all, --remote-header-name, --remote-time"
        )
        #expect(message("--head", "u") == nil)
        #expect(message("--user-a", "x", "--inc", "--no-inc", "u") == nil)
    }

    @Test("letters and names are unique") func unique() {
        let names = OptionTable.options.map(\.name)
        #expect(Set(names).count == names.count)
        let letters = OptionTable.options.compactMap(\.letter)
        #expect(Set(letters).count == letters.count)
    }

    @Test(
        "every option that takes an argument names it, and no other does",
        arguments: OptionTable.options.map(\.name))
    func argumentsAreNamed(name: String) throws {
        let option = try #require(OptionTable.option(named: name))
        #expect((option.argument != nil) == option.takesArgument)
        #expect(!option.help.hasSuffix("."))
    }
}

@Suite("Values of options")
struct OptionValueTests {
    @Test func keepsSimpleValues() throws {
        let options = try parse(
            "-X", "PUT", "-A", "me", "-e", "http://r/;auto", "-r", "0-99,-5", "-D", "-", "--output-dir", "d",
            "--create-dirs", "-R", "-J", "--unix-socket", "/s", "-w", "@fmt", "--connect-timeout", ".5",
            "--max-filesize", "3K", "-6", "u"
        ).groups[0].options
        var expected = GroupOptions()
        expected.method = "PUT"
        expected.userAgent = "me"
        expected.referer = "http://r/"
        expected.setsRefererOnRedirect = true
        expected.range = "0-99,-5"
        expected.headFile = .standard
        expected.outputFolder = "d"
        expected.createsFolders = true
        expected.setsRemoteTime = true
        expected.usesServerName = true
        expected.unixSocket = "/s"
        expected.writeOut = .file(.path("fmt"))
        expected.connectTimeout = .milliseconds(500)
        expected.maximumSize = 3072
        expected.addressFamily = .ipv6
        #expect(options == expected)
    }

    @Test("only ;auto is no Referer of its own") func autoReferer() throws {
        let options = try parse("-e", ";auto", "u").groups[0].options
        #expect(options.referer == nil && options.setsRefererOnRedirect)
    }

    @Test(
        "fields",
        arguments: [
            ("A: b", .set(name: "A", value: "b")), ("A:b", .set(name: "A", value: "b")),
            ("A:\t b c ", .set(name: "A", value: "b c ")), ("A:", .remove(name: "A")),
            ("A: ", .remove(name: "A")),
            ("A;", .empty(name: "A")), ("A: b;c", .set(name: "A", value: "b;c")), ("@f", .file(.path("f"))),
            ("@-", .file(.standard)), ("A", nil), (": b", nil), ("A;b", nil), ("A: b\r\nC: d", nil),
            ("A b: c", nil),
        ] as [(String, FieldOption?)])
    func fields(text: String, expected: FieldOption?) {
        #expect(FieldOption(text) == expected)
    }

    @Test(
        "--resolve",
        arguments: [
            ("Host:80:1.2.3.4", "host", 80, ["1.2.3.4"], false), ("+h:1:a", "h", 1, ["a"], true),
            ("*:443:[::1],1.1.1.1", "*", 443, ["::1", "1.1.1.1"], false), ("-h:80", "h", 80, [], false),
            ("[::2]:80:::1", "::2", 80, ["::1"], false),
        ])
    func resolves(text: String, host: String, port: UInt16, addresses: [String], expires: Bool) throws {
        let rule = try #require(ResolveRule(text))
        #expect(
            rule.host == host && rule.port == port && rule.addresses == addresses && rule.expires == expires)
    }

    @Test(arguments: [
        "", "h", "h:80", "h:80:", "h:x:1", "h:70000:1", ":80:1", "-h:80:1", "h:80:1,", "[::1:80:1",
    ])
    func refusesResolve(text: String) {
        #expect(ResolveRule(text) == nil)
    }

    @Test("--connect-to, every part may be empty") func connectsTo() throws {
        let full = try #require(ConnectRule("A:1:b:2"))
        #expect(full.fromHost == "a" && full.fromPort == 1 && full.toHost == "b" && full.toPort == 2)
        let addresses = try #require(ConnectRule("[::1]:1:[::2]:2"))
        #expect(addresses.fromHost == "::1" && addresses.toHost == "::2")
        let empty = try #require(ConnectRule("::b:"))
        #expect(empty.fromHost == nil && empty.fromPort == nil && empty.toHost == "b" && empty.toPort == nil)
        for text in ["", "a", "a:1", "a:1:b", "a:x:b:1", "a:1:b:x", "a:1:b:70000"] {
            #expect(ConnectRule(text) == nil)
        }
    }

    @Test(
        "seconds",
        arguments: [
            ("0", 0), ("1", 1000), ("1.5", 1500), (".25", 250), ("2.", 2000), ("0.001", 1), ("", nil),
            (".", nil),
            ("-1", nil), ("1e3", nil), ("1.2.3", nil), ("99999999999", nil), (" 1", nil),
        ] as [(String, Int?)])
    func seconds(text: String, milliseconds: Int?) {
        #expect(NumberText.seconds(text) == milliseconds.map { .milliseconds($0) })
    }

    @Test(
        "sizes",
        arguments: [
            ("0", 0), ("5", 5), ("5b", 5), ("1k", 1024), ("1K", 1024), ("2M", 2_097_152), ("1g", 1 << 30),
            ("1t", 1 << 40), ("1p", 1 << 50), ("", nil), ("k", nil), ("1.5k", nil), ("-1", nil), ("1kb", nil),
            ("99999999999999p", nil), ("18446744073709551615", .max),
        ] as [(String, UInt64?)])
    func sizes(text: String, expected: UInt64?) {
        #expect(NumberText.size(text) == expected)
    }
}

@Suite("Help")
struct HelpTextTests {
    @Test("fits 79 columns and lists every option once") func fits() throws {
        let text = try #require(HelpText.text())
        for line in text.split(separator: "\n") { #expect(line.utf8.count <= 79) }
        for option in OptionTable.options { #expect(text.contains(option.spelling)) }
        #expect(text.hasPrefix("Usage: rawget [options] URL...\n"))
    }

    @Test("shows a topic, an option, or nothing it does not know") func topics() throws {
        for topic in HelpText.topics { #expect(HelpText.text(topic: topic) != nil) }
        #expect(HelpText.text(topic: "limits")?.contains("--output") == false)
        #expect(HelpText.text(topic: "--output")?.hasPrefix("  -o, --output FILE") == true)
        #expect(HelpText.text(topic: "no-buffer")?.hasPrefix("  -N, --no-buffer") == true)
        #expect(HelpText.text(topic: "nonsense") == nil)
    }

    @Test("lists the variables of -w where it is about that alone", arguments: ["-w", "write-out"])
    func variables(topic: String) throws {
        let words = try #require(HelpText.text(topic: topic)).split { $0 == " " || $0 == "," || $0 == "\n" }
        for name in WriteOutVariable.names.dropLast() + ["urlnum;", "header{NAME}", "onerror:"] {
            #expect(words.contains(Substring(name)), "\(name)")
        }
        #expect(HelpText.text(topic: "messages")?.contains("time_namelookup") == false)
    }
}
