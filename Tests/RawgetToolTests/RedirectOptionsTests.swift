import Glibc
import HTTPClient
import HTTPMessage
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("Options for redirects, credentials and cookies")
struct RedirectOptionsTests {
    private let folder = TemporaryFolder()

    private static func redirect(_ location: String, _ status: String = "302 Found") -> [Script.Step] {
        answer(status, ["Location: \(location)"], "gone")
    }

    /// A server where `/n` leads to `/n-1`, down to `/0`.
    private func countdown() throws -> ReplayServer {
        try serve { request in
            let number = Int(request.target.dropFirst()) ?? 0
            return number > 0 ? Self.redirect("/\(number - 1)") : answer("200 OK", ["X-Last: yes"], "here")
        }
    }

    @Test("redirects are followed, with --as-curl by -L alone, and the last one counts")
    func isFollowed() async throws {
        let server = try countdown()
        let url = "http://\(server.authority)/2"
        #expect(await rawget(["-o", "-", url], in: folder).text == "here")
        #expect(await rawget(["-o", "-", "-L", url], in: folder).text == "here")
        #expect(await rawget(["-o", "-", "--no-location", "-s", url], in: folder).text == "gone")
        #expect(await rawget(["--as-curl", url], in: folder).text == "gone")
        #expect(await rawget(["--as-curl", "-L", url], in: folder).text == "here")
        #expect(await rawget(["--as-curl", "--location-trusted", url], in: folder).text == "here")
    }

    @Test(
        "--max-redirs; 20 without it, with --as-curl 50; -1 is no limit",
        arguments: [
            ([], 20, true), ([], 21, false), (["--max-redirs", "3"], 3, true),
            (["--max-redirs", "3"], 4, false),
            (["--max-redirs", "0"], 1, false), (["--max-redirs", "-1"], 70, true),
        ])
    func maximum(arguments: [String], hops: Int, isFollowed: Bool) async throws {
        let server = try countdown()
        let run = await rawget(arguments + ["-o", "-", "http://\(server.authority)/\(hops)"], in: folder)
        #expect(run.exit == (isFollowed ? 0 : 47) && run.text == (isFollowed ? "here" : ""))
    }

    @Test func curlsLimitIsFifty() async throws {
        let server = try countdown()
        let base = "http://\(server.authority)"
        #expect(await rawget(["--as-curl", "-L", "\(base)/50"], in: folder).exit == 0)
        let run = await rawget(["--as-curl", "-L", "\(base)/51"], in: folder)
        #expect(run.exit == 47 && run.errors.contains("50 were followed: \(base)/51 -> "))
    }

    @Test("the file is named after the requested URL")
    func name() async throws {
        let server = try serve { $0.target == "/a.txt" ? Self.redirect("/.bashrc") : answer() }
        let run = await rawget(["http://\(server.authority)/a.txt"], in: folder)
        #expect(run.exit == 0 && folder.names == ["a.txt"])
    }

    @Test("-i and -D write the heads of all hops")
    func heads() async throws {
        let server = try countdown()
        let run = await rawget(["-i", "-o", "-", "-D", "h", "http://\(server.authority)/1"], in: folder)
        let heads =
            "HTTP/1.1 302 Found\r\nContent-Length: 4\r\nLocation: /0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Last: yes\r\n\r\n"
        #expect(run.text == heads + "here" && folder.text(of: "h") == heads)
    }

    @Test(
        "what -i and -I show of redirects is what curl shows",
        arguments: [["-i"], ["-I"], ["-i", "-d", "a"], ["-D", "-"]])
    func shownHeads(arguments: [String]) async throws {
        let server = try serve { request in
            let last = answer("200 OK", ["X-Last: yes"], request.method == "HEAD" ? "" : "here")
            return request.target == "/0" ? last : answer("302 Found", ["Location: /0"], "")
        }
        let all = arguments + ["-s", "-L", "http://\(server.authority)/1"]
        let mine = await rawget(["--as-curl"] + all, in: folder)
        let theirs = await curl(all)
        #expect(mine.text == theirs && mine.text.contains("302 Found"))
    }

    @Test("-w tells of redirects what curl tells", arguments: [["-L"], []])
    func writeOut(arguments: [String]) async throws {
        let server = try countdown()
        let format =
            #"%{num_redirects} %{url_effective} %{redirect_url} %{size_header} %{size_download} %{size_upload} %{num_connects} %{method} %{http_code}"#
        let all =
            arguments + [
                "-s", "-o", "/dev/null", "-d", "abc", "-w", format, "http://\(server.authority)/2",
            ]
        let mine = await rawget(["--as-curl"] + all, in: folder)
        let theirs = await curl(all)
        #expect(mine.text == theirs)
        #expect(mine.text.isEmpty == false)
    }

    @Test func timesOfRedirectsAreNotThoseOfTheLastRequest() async throws {
        let server = try serve {
            $0.target == "/1" ? [.pause(.milliseconds(60))] + Self.redirect("/0") : answer()
        }
        let run = await rawget(
            ["-o", "f", "-w", "%{time_redirect} %{time_starttransfer}", "http://\(server.authority)/1"],
            in: folder)
        let times = run.text.split(separator: " ").compactMap { Double($0) }
        #expect(times.count == 2 && times[0] >= 0.06 && times[1] >= times[0])
        let none = await rawget(
            ["-o", "f", "-w", "%{time_redirect}", "http://\(server.authority)/"], in: folder)
        #expect(none.text == "0.000000")
    }

    /// Options and the status: what is sent is what curl sends.
    static let ways: [[String]] = [
        [], ["-d", "abc"], ["-d", "abc", "--post301"], ["-d", "abc", "--post302"],
        ["-d", "abc", "--post303"],
        ["-X", "POST", "-d", "abc"], ["-X", "DELETE"], ["-X", "PUT", "-d", "abc"], ["-I"],
        ["-T", "upload", "-H", "Expect:"], ["-X", "POST", "-T", "upload", "-H", "Expect:"],
    ]

    @Test("methods change as curl's", arguments: ways, [301, 302, 303, 307, 308])
    func methods(arguments: [String], status: Int) async throws {
        folder.write("content", to: "upload")
        let all = arguments + ["-L", "-s", "-o", "/dev/null"]
        var seen: [[String]] = []
        for isCurl in [true, false] {
            let server = try serve {
                // Without content, which HEAD must not have.
                $0.target == "/1" ? answer("\(status) Moved", ["Location: /0"], "") : answer("200 OK", [], "")
            }
            let url = "http://\(server.authority)/1"
            if isCurl {
                _ = await curl(all + [url])
            } else {
                #expect(await rawget(["--as-curl"] + all + [url], in: folder).exit == 0)
            }
            seen.append(
                server.requests.map {
                    "\($0.method) \($0.target) \(String(decoding: $0.content, as: UTF8.self)) \($0.value(of: "Content-Type") ?? "")"
                })
        }
        #expect(seen[0] == seen[1] && seen[0].count == 2)
    }

    @Test("-e ';auto' tells where a redirect comes from")
    func referer() async throws {
        let server = try countdown()
        _ = await rawget(
            ["-o", "f", "-e", "http://x/;auto", "http://u:p@\(server.authority)/2#f"], in: folder)
        let base = "http://\(server.authority)"
        #expect(server.requests.map { $0.value(of: "Referer") } == ["http://x/", "\(base)/2", "\(base)/1"])
    }

    @Test(
        "--proto-redir",
        arguments: [
            ("=https", false), ("-http", false), ("-all,http", true), ("http,https", true),
            ("=ftp,http", true), ("=gopher", false),
        ])
    func schemes(list: String, isFollowed: Bool) async throws {
        let server = try countdown()
        let run = await rawget(
            ["--proto-redir", list, "-o", "f", "http://\(server.authority)/1"], in: folder)
        #expect(run.exit == (isFollowed ? 0 : 1))
    }

    @Test("a list of schemes must be one", arguments: ["", "http,", "=", "=-http", "junk", "=https,htp"])
    func badSchemes(list: String) { #expect(SchemeList(list) == nil) }

    @Test("with --as-curl an unknown name allows nothing, as with curl")
    func unknownScheme() {
        #expect(SchemeList("=junk", isCurl: true)?.allowed == [])
        #expect(SchemeList("junk", isCurl: true)?.allowed == [.http, .https])
    }

    @Test(
        "a Location that cannot be followed",
        arguments: [
            ("file:///etc/passwd", 1), ("http://h:x/", 3), ("gopher://h/", 1), ("http://h:99999/", 3),
        ])
    func failures(location: String, exit: Int32) async throws {
        let server = try serve(Self.redirect(location))
        let run = await rawget(["-o", "f", "http://\(server.authority)/"], in: folder)
        #expect(run.exit == exit && run.errors.contains("redirects to \"\(location)\""), "\(run.errors)")
        #expect(folder.names.isEmpty)
    }

    // MARK: Credentials and cookies

    /// The fields of the first request to a server and of one to another, where the first leads.
    private func fields(
        _ name: String, _ arguments: [String], userinfo: String = "", input: String = ""
    ) async throws -> (own: String?, other: String?, run: ToolRun) {
        let other = try serve(answer())
        let server = try serve { [authority = other.authority] _ in Self.redirect("http://\(authority)/") }
        let run = await rawget(
            arguments + ["-o", "f", "http://\(userinfo)\(server.authority)/"], in: folder, input: input)
        #expect(run.exit == 0, "\(run.errors)")
        return (server.requests.first?.value(of: name), other.requests.first?.value(of: name), run)
    }

    @Test(
        "credentials go to the URL's server alone",
        arguments: [
            (["-u", "Aladdin:open sesame"], "", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            (["--basic", "--user", "a:b:c"], "", "Basic YTpiOmM="), (["-u", ":"], "", "Basic Og=="),
            (["-u", "test:123\u{A3}"], "", "Basic dGVzdDoxMjPCow=="),
            ([], "Aladdin:open%20sesame@", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            (["-u", "Aladdin:open sesame"], "a:b@", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            (["--oauth2-bearer", "t0p"], "a:b@", "Bearer t0p"),
            (["-u", "a:b", "--oauth2-bearer", "t0p"], "", "Bearer t0p"),
            (["-u", "a:b", "-H", "Authorization: mine"], "", "mine"),
        ])
    func credentials(arguments: [String], userinfo: String, value: String) async throws {
        let fields = try await fields("Authorization", arguments, userinfo: userinfo)
        #expect(fields.own == value && fields.other == nil)
        #expect(!fields.run.errors.contains("sesame"))
    }

    @Test func whoTrustsAllServersSendsThemOn() async throws {
        let fields = try await fields("Authorization", ["-u", "a:b", "--location-trusted"])
        #expect(fields.own == "Basic YTpi" && fields.other == fields.own)
    }

    @Test func withoutATerminalAMissingPasswordIsEmpty() async throws {
        let fields = try await fields("Authorization", ["-u", "user"])
        #expect(
            fields.own == "Basic dXNlcjo="
                && fields.run.errors.contains("no terminal to ask for a password at"))
    }

    @Test("at a terminal the password is asked for, and not shown")
    func prompt() async throws {
        let terminal = try #require(PseudoTerminal())
        let person = terminal.typeSecretly("open sesame\n")
        let server = try serve(answer())
        let run = await rawget(["-u", "Aladdin", "-o", "f", "http://\(server.authority)/"], in: folder) {
            $0.standardInput = terminal.descriptor
            $0.isTerminal = { $0 == terminal.descriptor }
        }
        #expect(await person.value)
        #expect(run.exit == 0 && run.errors.contains("password for Aladdin: \n"), "\(run.errors)")
        #expect(server.requests.first?.value(of: "Authorization") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(terminal.echoes && !terminal.hasShown)
    }

    @Test("from https to http with --location-trusted: that credentials are sent in clear is said")
    func trustedDowngrade() async throws {
        let plain = try serve(answer())
        let secure = try serveTLS { [authority = plain.authority] _ in Self.redirect("http://\(authority)/") }
        let url = "https://127.0.0.1:\(secure.server.port)/"
        let run = await rawget(["-k", "--location-trusted", "-u", "a:b", "-o", "f", url], in: folder)
        #expect(plain.requests.first?.value(of: "Authorization") == "Basic YTpi")
        #expect(run.errors.contains("is asked in clear, and credentials are sent so"), "\(run.errors)")
    }

    @Test("from https to http: followed, warned of, without credentials and Referer")
    func downgrade() async throws {
        let plain = try serve(answer())
        let secure = try serveTLS { [authority = plain.authority] _ in Self.redirect("http://\(authority)/") }
        let url = "https://127.0.0.1:\(secure.server.port)/"
        let arguments = ["-k", "-L", "-u", "a:b", "-b", "c=d", "-e", ";auto", "-o", "f", url]
        let run = await rawget(arguments, in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(
            run.errors.contains(
                "warning: the server redirects from https to http: \(plain.authority) is asked"))
        #expect(secure.server.requests.first?.value(of: "Authorization") == "Basic YTpi")
        let names = plain.requests.first?.fields.map(\.name)
        #expect(names == ["Host", "User-Agent", "Accept"])
        #expect(
            await rawget(["--as-curl"] + arguments, in: folder).errors.contains("warning: the server")
                == false)
    }

    @Test func cookiesGoToTheURLsServerAlone() async throws {
        let fields = try await fields("Cookie", ["-b", "a=1", "-b", "b=2; c=3"])
        #expect(fields.own == "a=1;b=2; c=3" && fields.other == nil)  // as curl joins them
        #expect(try await self.fields("Cookie", ["-b", "a=1", "-H", "Cookie: d=4"]).own == "d=4")
    }

    @Test func aFileOfCookiesIsRefused() async throws {
        let run = await rawget(["-b", "cookies.txt", "http://127.0.0.1/"], in: folder)
        #expect(run.exit == 2 && run.errors.contains("what is given is no NAME=VALUE"))
    }

    @Test func theCallersHostIsForTheURLsServerAlone() async throws {
        let fields = try await fields("Host", ["-H", "Host: mine"])
        #expect(fields.own == "mine" && fields.other?.hasPrefix("127.0.0.1:") == true)
    }

    /// Runs curl; what went to standard output.
    private func curl(_ arguments: [String]) async -> String {
        let output = NamelessFile()
        let child = ChildProcess("curl", arguments, in: folder.path, output: output.descriptor)
        _ = await child.ending()
        return output.text
    }
}
