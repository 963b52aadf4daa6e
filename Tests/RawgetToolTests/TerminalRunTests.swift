import Glibc
import RawgetTool
import Replay
import TestSupport
import Testing

@Suite("What a terminal shows")
struct TerminalRunTests {
    private let folder = TemporaryFolder()
    private let slowly: [Script.Step] = [
        .send(
            "HTTP/1.1 200 OK\r\nContent-Length: 400000\r\nContent-Disposition: attachment; filename=\"a\u{9B}b\"\r\n\r\n"
        ),
        .sendRepeated([7], times: 200_000), .pause(.seconds(1)), .sendRepeated([7], times: 200_000),
    ]

    @Test("a meter, and a line that stays")
    func meter() async throws {
        let server = try serve(slowly)
        let run = await rawget(
            ["-o", "使用.zip", "http://\(server.authority)/"], in: folder, terminals: [.errors])
        #expect(run.exit == 0)
        #expect(run.errors.contains("使用.zip"))
        #expect(run.errors.contains("%  ") && run.errors.contains("390.6 KiB in "))
        #expect(run.errors.contains("\u{1B}[K"))
        #expect(run.errors.hasSuffix("\n"))
        #expect(run.output.isEmpty)
    }

    @Test(
        "a meter for what is sent, and as curl, when the answer goes to a file",
        arguments: [
            ["-T", "sent"], ["--data-binary", "@sent"], ["--as-curl"], ["--as-curl", "-#"], ["-i"],
        ])
    func meterOfFile(_ arguments: [String]) async throws {
        folder.write("sent", to: "sent")
        let server = try serve(slowly)
        let run = await rawget(
            arguments + ["-o", "f", "http://\(server.authority)/"], in: folder,
            terminals: [.errors, .output])
        #expect(run.exit == 0 && run.errors.contains("\u{1B}[K"), "\(run.errors)")
        #expect(arguments.contains("-#") || run.errors.contains("%  "), "\(run.errors)")
        #expect(run.errors.contains("f  39"), "\(run.errors)")
    }

    @Test(
        "a meter that names the file as it is saved from the beginning on",
        arguments: [(["--as-curl", "-O"], "a%20b", "a b"), (["-O"], "a b", "a%20b")])
    func meterName(_ arguments: [String], _ name: String, _ other: String) async throws {
        let server = try serve(slowly)
        let run = await rawget(
            arguments + ["http://\(server.authority)/a%20b"], in: folder, terminals: [.errors])
        #expect(run.exit == 0 && run.errors.contains("\u{1B}[K"), "\(run.errors)")
        #expect(run.errors.contains(name) && !run.errors.contains(other), "\(run.errors)")
    }

    @Test(
        "no content that is binary where nobody asked for it to be printed",
        arguments: [["-d", "x"], ["--json", "{}"], ["-T", "sent"]],
        ["a\u{0}b", "a\u{1B}]0;b", "a\u{7}", "a\u{7F}"])
    func binary(_ arguments: [String], content: String) async throws {
        folder.write("sent", to: "sent")
        let server = try serve { _ in answer("200 OK", [], Array(content.utf8)) }
        let url = "http://\(server.authority)/f"
        let refused = await rawget(arguments + [url], in: folder, terminals: [.output])
        #expect(refused.exit == 23 && refused.output.isEmpty && refused.errors.contains("binary"))
        let asked = await rawget(arguments + ["-o", "-", url], in: folder, terminals: [.output])
        #expect(asked.exit == 0 && asked.output == Array(content.utf8))
        let piped = await rawget(arguments + [url], in: folder)
        #expect(piped.exit == 0 && piped.output == Array(content.utf8))
    }

    @Test("text is printed with all the controls that text has")
    func text() async throws {
        let text = "a\tb\u{8}\u{C}\r\nü\n"
        let server = try serve { _ in answer("200 OK", [], Array(text.utf8)) }
        let run = await rawget(
            ["-d", "x", "http://\(server.authority)/f"], in: folder, terminals: [.output])
        #expect(run.exit == 0 && run.text == text)
    }

    @Test("no meter where the answer goes to the terminal", arguments: [["-T", "sent"], ["--as-curl"]])
    func noMeterOfAnswer(_ arguments: [String]) async throws {
        folder.write("sent", to: "sent")
        let server = try serve(slowly)
        let run = await rawget(
            arguments + ["http://\(server.authority)/f"], in: folder, terminals: [.errors, .output])
        #expect(!run.errors.contains("\u{1B}[K"))
    }

    @Test(
        "no meter without a terminal, with -s, --no-progress-meter, or when content goes to it",
        arguments: [
            ([], []), (["-s"], [.errors]), (["--no-progress-meter"], [.errors]),
            (["-o", "-"], [.errors, .output]),
        ] as [([String], Terminals)])
    func noMeter(_ arguments: [String], _ terminals: Terminals) async throws {
        let server = try serve(slowly)
        let run = await rawget(arguments + ["http://\(server.authority)/f"], in: folder, terminals: terminals)
        #expect(run.exit == 0)
        #expect(run.errors.isEmpty)
    }

    @Test("the bar of -# is narrower than the terminal", arguments: [20, 80])
    func bar(_ columns: Int) async throws {
        let server = try serve(slowly)
        let run = await rawget(
            ["-#", "-o", "f", "http://\(server.authority)/"], in: folder, terminals: [.errors]
        ) {
            $0.columns = { columns }
        }
        #expect(run.exit == 0)
        for line in run.errors.split(whereSeparator: { $0 == "\r" || $0.isNewline }) {
            let shown = line.replacing("\u{1B}[K", with: "")
            #expect(shown.count <= columns)
        }
    }

    @Test("no control octet of a server gets into the meter", arguments: [["-Z"], [], ["-#"]])
    func noControls(_ arguments: [String]) async throws {
        let server = try serve(slowly)
        let base = "http://\(server.authority)"
        let run = await rawget(
            arguments + ["\(base)/%1B%5B2J", "\(base)/%C2%9B2J"], in: folder, terminals: [.errors])
        #expect(run.exit == 0)
        let own = run.errors.replacing("\u{1B}[K", with: "").replacing("\r", with: "").replacing(
            "\n", with: "")
        for scalar in own.unicodeScalars where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
            Issue.record("scalar \(scalar.value) in \(own.debugDescription)")
        }
    }

    @Test("a person who interrupts keeps the part, and is told; exit 130")
    func interruption() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        defer {
            close(reader)
            close(writer)
        }
        let server = try serve([
            .send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nbeginning"),
            .check { _ in
                usleep(50_000)
                return write(writer, "x", 1) == 1 ? nil : "no interruption"
            }, .stall,
        ])
        let base = "http://\(server.authority)"
        let run = await rawget(["\(base)/f", "\(base)/g"], in: folder) { $0.interruptions = { reader } }
        #expect(run.exit == 130)
        #expect(run.errors.contains("interrupted"))
        #expect(
            run.errors.contains(
                "f.part. A new try begins anew, since the server named no strong validator."))
        #expect(folder.names.count == 2 && folder.names[0].hasPrefix(".rawget-"))
        #expect(folder.text(of: "f.part") == "beginning")
        #expect(server.requests.count == 1)
    }
}
