import Download
import HTTPClient
import HTTPMessage
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("What a person can do next")
struct AdviceTests {
    private let folder = TemporaryFolder()

    private func run(_ steps: [Script.Step], _ arguments: [String] = []) async throws -> ToolRun {
        let server = try serve(steps)
        return await rawget(arguments + ["http://\(server.authority)/file"], in: folder)
    }

    @Test(
        "a limit of time names the option that sets it",
        arguments: [
            (["-m", "0.2"], "Allow more with -m, --max-time."),
            (["-Y", "1000", "-y", "0.2"], "Allow a lower speed with -Y, --speed-limit, or more time"),
        ])
    func times(_ arguments: [String], _ words: String) async throws {
        let run = try await run([.stall], arguments)
        #expect(run.exit == 28 && run.errors.contains(words), "\(run.errors)")
        #expect(!run.errors.contains("--connect-timeout"))
    }

    @Test(
        "-y and --speed-limit say how long a silence may be, in place of the 60 seconds",
        arguments: [
            ([], false), (["-y", "300"], true), (["-y", "0"], true), (["-Y", "10"], true),
        ] as [([String], Bool)])
    func silence(_ arguments: [String], _ isReplaced: Bool) throws {
        let command = try CommandParser.parse(["rawget"] + arguments + ["http://host.test/"]) {
            _ throws(UsageError) in throw UsageError("no files here")
        }
        let input = NamelessFile()
        let invocation = Invocation(
            arguments: [], directory: folder.descriptor, standardInput: input.descriptor,
            standardOutput: input.descriptor, standardError: input.descriptor)
        let options = try #require(command.groups.first).options
        let plan = try TransferPlan(options, command.run, Console(invocation))
        let request = HTTPRequest(try URI(parsing: "http://host.test/"))
        let made = try plan.plan(for: request, number: 0, to: .unspecified, takenNames: TakenNames())
        #expect(made.options.idleTimeout.map { $0 > .seconds(1 << 40) } ?? false == isReplaced)
    }

    @Test(
        "braces of a URL that was not found are what --no-globoff is for, unless -g says that they are meant",
        arguments: [([], true), (["-g"], false), (["--no-globoff"], false)] as [([String], Bool)])
    func globs(_ arguments: [String], _ isTold: Bool) async throws {
        let server = try serve([.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), .close])
        let run = await rawget(arguments + ["http://\(server.authority)/{a}"], in: folder)
        #expect(run.exit == 22)
        #expect(run.errors.contains("With --no-globoff the braces") == isTold, "\(run.errors)")
    }

    @Test(
        "what becomes of a part that is kept",
        arguments: [
            ([], "ETag: \"a\"", "The same command goes on from there, if the server can send ranges."),
            ([], "Server: x", "A new try begins anew, since the server named no strong validator."),
            (
                [], "ETag: \"a\"\r\nAccept-Ranges: none",
                "A new try begins anew, since the server takes no ranges."
            ),
            (
                ["--no-resume"], "ETag: \"a\"",
                "A new try begins anew: it never uses file.part, which may be removed."
            ),
        ] as [([String], String, String)])
    func part(_ arguments: [String], _ field: String, _ advice: String) async throws {
        let server = try serve([
            .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\(field)\r\n\r\nabc"), .close,
        ])
        let run = await rawget(
            arguments + ["--retry", "0", "-o", "file", "http://\(server.authority)/"], in: folder)
        #expect(run.exit == 18)
        #expect(run.errors.hasSuffix("Try again. \(advice)\n"), "\(run.errors)")
    }

    @Test("http to a port of TLS: its alert says that https is meant", arguments: [true, false])
    func alert(_ isClosed: Bool) async throws {
        let alert: [UInt8] = [0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]
        let run = try await run([.send(alert), isClosed ? .close : .send("\r\n\r\n")])
        #expect(run.exit == 8)
        #expect(
            run.errors.hasSuffix("answered with an alert of TLS: use https:// in place of http://\n"),
            "\(run.errors)")
    }

    @Test("nginx's answer to http on a port of TLS")
    func plainRequest() async throws {
        let text = "<center>The plain HTTP request was sent to HTTPS port</center>"
        let run = try await run(answer("400 Bad Request", ["Content-Type: text/html"], text))
        #expect(run.exit == 22 && run.errors.contains("Bad Request. Use https:// in place of http://."))
    }

    @Test(
        "a redirect that is not followed by an option's word",
        arguments: [
            (["--proto-redir", "=https"], 1, "is not allowed for redirects. Allow it with --proto-redir"),
            (["--max-redirs", "0"], 47, "/next, and the limit is 0. Allow some with --max-redirs"),
        ] as [([String], Int32, String)])
    func redirects(_ arguments: [String], _ exit: Int32, _ words: String) async throws {
        let run = try await run(answer("302 Found", ["Location: /next"]), arguments)
        #expect(run.exit == exit && run.errors.contains(words), "\(run.errors)")
        #expect(!run.errors.contains("loop") && !run.errors.contains("Use an http://"))
    }

    @Test("a redirect to a scheme that nobody follows is not the address's fault")
    func otherScheme() async throws {
        let run = try await run(answer("302 Found", ["Location: ftp://host.test/"]))
        #expect(run.exit == 1 && run.errors.hasSuffix("only http and https are followed\n"))
    }

    @Test(
        "401: how to say who one is, or that it was not believed",
        arguments: [
            ([], "-u NAME:PASSWORD gives a name and password, --oauth2-bearer a token."),
            (["-u", "me:secret"], "The server did not take the name and password."),
            (["--oauth2-bearer", "secret"], "The server did not take the token."),
        ] as [([String], String)])
    func unauthorized(_ arguments: [String], _ words: String) async throws {
        let run = try await run(answer("401 Unauthorized"), arguments)
        #expect(
            run.exit == 22
                && run.errors.hasSuffix(
                    "(22) http://\(host(in: run))/file: the server answered 401 Unauthorized. \(words)\n"),
            "\(run.errors)")
        #expect(!run.errors.contains("secret"))
    }

    private func host(in run: ToolRun) -> String {
        let rest = run.errors.split(separator: "http://").dropFirst().first ?? ""
        return String(rest.prefix { $0 != "/" })
    }

    @Test("401 from another server than the name and password were meant for")
    func unauthorizedElsewhere() async throws {
        let other = try serve(answer("401 Unauthorized"))
        let run = try await run(
            answer("302 Found", ["Location: http://\(other.authority)/"]), ["-u", "me:secret"])
        #expect(run.exit == 22 && run.errors.contains("for the first server alone"), "\(run.errors)")
    }
}
