@testable import Replay
import Testing

@Suite("Fixtures as text (Fixtures/README.md)")
struct FixturePrinterTests {
    private func text(of fixture: Fixture) -> String {
        String(decoding: FixturePrinter.text(of: fixture), as: UTF8.self)
    }

    private func fixture(_ steps: Fixture.Step...) -> Fixture {
        Fixture(
            reason: ["r"],
            runs: [
                Fixture.Run(
                    .command(["rawget", "x"]), connections: [Fixture.Connection(steps.map { .init($0) })],
                    outcomes: [.init(.exit(0))])
            ])
    }

    /// The lines between the command and its outcome.
    private func lines(for steps: Fixture.Step...) -> [String] {
        let fixture = Fixture(
            reason: ["r"],
            runs: [
                Fixture.Run(
                    .command(["rawget"]), connections: [Fixture.Connection(steps.map { .init($0) })],
                    outcomes: [.init(.exit(0))])
            ])
        return text(of: fixture).split(separator: "\n").dropFirst(2).dropLast().map(String.init)
    }

    @Test(
        "what is printed reads back as the same, and is printed the same again",
        arguments: 0..<300 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = RandomFixture(seed: seed)
        let fixture = random.fixture()
        let printed = FixturePrinter.text(of: fixture)
        do throws(FixtureSyntaxError) {
            let again = try FixtureParser.parse(printed)
            if again.withoutLines != fixture.withoutLines {
                Issue.record("another is read:\n\(String(decoding: printed, as: UTF8.self))")
            }
            #expect(FixturePrinter.text(of: again) == printed)
        } catch { Issue.record("\(error.problems)\n\(String(decoding: printed, as: UTF8.self))") }
    }

    @Test(
        "standard input is a pipe or a file",
        arguments: [(false, "input = \"x\""), (true, "input file = \"x\"")])
    func input(isFile: Bool, line: String) throws {
        var fixture = fixture()
        fixture.runs[0].preparations = [.init(.input(.octets([0x78]), isFile: isFile))]
        let printed = text(of: fixture)
        #expect(printed.split(separator: "\n").contains { $0 == line }, "\(printed)")
        #expect(try FixtureParser.parse(Array(printed.utf8)).withoutLines == fixture.withoutLines)
    }

    @Test("an example of Fixtures/README.md is printed as it stands there, but for its comments")
    func example() throws {
        let text = """
            # Why it exists (RFC 9110).
            blob whole = "hello, world"
            server fixture.test tls good
            server b.test:81
            $ rawget -r 0-4 -o 'a half' http://fixture.test/whole
            > GET /whole HTTP/1.1
            > Range: bytes=0-4
            >~ User-Agent: *
            < HTTP/1.1 206 Partial Content
            <
            << blob whole 0..<5
            ! close
            connection to b.test:81
            >= GET / HTTP/1.1
            >=
            <| HTTP/1.1 200 OK\\r\\nA: \\x80\\r\\n
            = exit 0
            = file "a half" is blob whole 0..<5

            $ rawget --version
            = exit 0

            """
        #expect(self.text(of: try FixtureParser.parse(Array(text.utf8))) == text)
    }

    @Test("text is cut behind its line ends and where it is long, other octets are digits")
    func data() {
        #expect(lines(for: .send(.text("a\r\n\tb\"\\"))) == [#"<< "a\r\n""#, #"+ "\tb\"\\""#])
        #expect(lines(for: .send(.octets([]))) == [#"<< """#])
        #expect(
            lines(for: .send(.octets([UInt8](0...33)))) == [
                "<< hex 00010203 04050607 08090A0B 0C0D0E0F 10111213 14151617 18191A1B 1C1D1E1F",
                "+ hex 2021",
            ])
        let long = lines(for: .send(.text(String(repeating: "é\"", count: 200))))
        #expect(long.count > 5)
        #expect(long.allSatisfy { $0.count <= 100 })
        #expect(lines(for: .send(.generated(count: 3 << 20, seed: 7))) == ["<< generated 3M seed 7"])
    }

    @Test("lines that a line cannot hold get escapes")
    func escapes() {
        #expect(lines(for: .sendLine(Array("a ".utf8))) == [#"<| a \r\n"#])
        #expect(lines(for: .sendLine([0x61, 0])) == [#"<| a\0\r\n"#])
        #expect(lines(for: .sendText([0x61, 0x20])) == [#"<| a\x20"#])
        #expect(
            lines(for: .request(.exactly([.init(Array("GET /".utf8) + [0xFF, 13, 10]), .init([13, 10])])))
                == [#">| GET /\xFF\r\n"#, ">="])
        #expect(
            lines(for: .request(.matching([.init(.line(Array("GET /\u{1B} * HTTP/1.1 ".utf8)))])))
                == [#">~ GET /\e \* HTTP/1.1\x20"#])
    }

    @Test("words of a command are quoted as a shell needs them")
    func command() {
        var fixture = fixture()
        let words = ["rawget", "", "a b", "it's", "it's $x", "a\n'", "é", "{ca}", "-o", "*", "\t"]
        fixture.runs[0].action = .command(words)
        let command = text(of: fixture).split(separator: "\n")[1]
        #expect(
            command == #"$ rawget '' 'a b' "it's" "it's \$x" $'a\n\'' 'é' {ca} -o '*' $'\t'"#)
    }

    @Test("what the grammar cannot say gets a name, and is the same octets")
    func names() throws {
        let joined = FixtureContent.joined([.text("a"), .generated(count: 3, seed: 1)])
        var fixture = fixture(
            .send(.repeated(joined, times: 2)), .close)
        fixture.runs[0].outcomes.append(.init(.file("f", .equals(.slice(.coded(joined, .gzip), 1..<5)))))
        fixture.runs[0].outcomes.append(.init(.file("g", .equals(.blob("data-1", .text("b"))))))
        fixture.runs[0].outcomes.append(.init(.file("h", .equals(.blob("no name", joined)))))
        #expect(
            text(of: fixture) == """
                # r
                blob data-1 = "a"
                + generated 3 seed 1
                blob data-2 = gzip blob data-1
                blob data-3 = "b"
                $ rawget x
                << repeat 2 blob data-1
                ! close
                = exit 0
                = file f is blob data-2 1..<5
                = file g is blob data-3
                = file h is blob data-1

                """)
        let again = try FixtureParser.parse(FixturePrinter.text(of: fixture))
        for (outcome, expected) in zip(again.runs[0].outcomes, fixture.runs[0].outcomes).dropFirst() {
            guard case .file(_, .equals(let content)) = outcome.value,
                case .file(_, .equals(let wanted)) = expected.value
            else { continue }
            #expect(content.octets(atMost: 100) == wanted.octets(atMost: 100))
        }
    }
}
