import Testing

@testable import RawgetTool

private func parse(
    _ arguments: [String] = ["-K", "list"], files: [String: String]
) throws -> ParsedCommand {
    try CommandParser.parse(["rawget"] + arguments) { file throws(UsageError) in
        let name = if case .path(let path) = file { path } else { "-" }
        guard let text = files[name] else { throw UsageError("no file \(name)") }
        return Array(text.utf8)
    }
}

private func message(_ text: String) -> String? {
    do {
        _ = try parse(files: ["list": text])
        return nil
    } catch {
        return (error as? UsageError)?.message
    }
}

@Suite("Files of options (-K)")
struct ConfigFileTests {
    @Test(
        "every form of a line",
        arguments: [
            "url = http://a/", "url http://a/", "url: http://a/", "url=http://a/", "--url http://a/",
            "  url = http://a/  ",
            "url = \"http://a/\"", "url = http://a/\r\n", "# note\n\n\turl = http://a/ # note",
            "\u{FEFF}url = http://a/",
            "/ note\n* note\nurl=\"http://a/\" rest", "url = \"http:\\//a/", "\n\n\nurl=http://a/\n\n",
        ])
    func forms(text: String) throws {
        let command = try parse(files: ["list": text])
        #expect(command.groups[0].count == 1)
        #expect(command.url(0, inGroup: 0) == "http://a/")
        #expect(command.warnings.isEmpty)
    }

    @Test("letters with their value behind a blank, at once, bundled") func letters() throws {
        let command = try parse(files: ["list": "-o one\n-otwo\n-so three\n-I\nurl a\nurl b\nurl c"])
        #expect(
            (0..<3).map { command.output($0, inGroup: 0) } == [.file("one"), .file("two"), .file("three")])
        #expect(command.run.isSilent)
        #expect(command.groups[0].options.isHead)
    }

    @Test("after a hyphen = belongs to the value") func hyphenKeepsSigns() throws {
        #expect(try parse(files: ["list": "-o =f\nurl a"]).output(0, inGroup: 0) == .file("=f"))
        #expect(try parse(files: ["list": "--output=f\nurl a"]).output(0, inGroup: 0) == .file("f"))
    }

    @Test("escapes in quoted values") func escapes() throws {
        let command = try parse(files: ["list": #"output = "a\"b\\c\td\ne\rf\vg\q #=" \#nurl = u"#])
        #expect(command.output(0, inGroup: 0) == .file("a\"b\\c\td\ne\rf\u{0B}gq #="))
    }

    @Test("options, groups and the arguments after the file follow in order") func inOrder() throws {
        let command = try parse(
            ["-s", "a", "-K", "-", "d"],
            files: ["-": "fail\nheader = \"X: y z\"\nurl = b\nnext\nno-include\nmax-time 2\nurl = c"])
        #expect(command.groups.map(\.count) == [2, 2])
        #expect(command.groups[0].options.fields == [.set(name: "X", value: "y z")])
        #expect(command.groups[0].options.errorAnswer == .fail)
        #expect(command.groups[1].options.maximumTime == .seconds(2))
        #expect(command.url(1, inGroup: 1) == "d")
    }

    @Test("a file name is never repaired: what is no UTF-8 is refused") func repairsNothing() throws {
        let list = Array("url = a\noutput = \"x".utf8) + [0xFF, 0xE9] + Array("\"\n".utf8)
        #expect(throws: UsageError("f, line 2: the value of output is not valid UTF-8")) {
            try CommandParser.parse(["rawget", "-K", "f"]) { _ throws(UsageError) in list }
        }
    }

    @Test(
        "errors name file and line",
        arguments: [
            ("url = a\n\nnonsens = 1", "list, line 3: unknown option --nonsens"),
            ("output", "list, line 1: -o, --output needs FILE after it"),
            ("-o", "list, line 1: -o, --output needs FILE after it"),
            ("silent = 1\nurl = a", "list, line 1: -s, --silent takes no argument"),
            ("-s 1\nurl = a", "list, line 1: -s takes no argument"),
            ("# x\nmax-time = abc", "list, line 2: -m, --max-time: \"abc\" is not a number of seconds"),
            ("as-curl", "list, line 1: --as-curl must be the first argument"),
        ])
    func errors(text: String, expected: String) {
        #expect(message(text) == expected)
    }

    @Test("text after an unquoted value is warned of") func unquotedBlanks() throws {
        let command = try parse(files: ["list": "user-agent = my agent\nurl = a"])
        #expect(command.groups[0].options.userAgent == "my")
        #expect(command.warnings.count == 1)
    }

    @Test("files may name files, but not without end") func nesting() throws {
        #expect(try parse(files: ["list": "config = other", "other": "url = a"]).url(0, inGroup: 0) == "a")
        #expect(message("config = list")?.hasSuffix("more than 8 files name each other") == true)
        #expect(message("config = none") == "list, line 1: no file none")
    }

    @Test("ten thousand pairs") func manyPairs() throws {
        var text = ""
        for number in 0..<10_000 { text += "url = http://127.0.0.1/f\(number)\noutput = out/f\(number)\n" }
        let list = Array(text.utf8)
        let command = try CommandParser.parse(["rawget", "-K", "f"]) { _ throws(UsageError) in list }
        #expect(command.groups[0].count == 10_000)
        #expect(command.url(9_999, inGroup: 0) == "http://127.0.0.1/f9999")
        #expect(command.output(9_999, inGroup: 0) == .file("out/f9999"))
        #expect(MemoryLayout<CommandText.Piece>.stride <= 16)
    }
}
