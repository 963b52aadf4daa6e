import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("What the options put into a request")
struct RequestOptionsTests {
    private let folder = TemporaryFolder()

    /// The request that the arguments make the command send; `URL` among them stands for the server's.
    private func request(_ arguments: [String], input: String = "") async throws -> RecordedRequest {
        let server = try serve(answer())
        let run = await rawget(
            (arguments.isEmpty ? ["URL"] : arguments).map {
                $0.hasPrefix("URL") ? "http://\(server.authority)\($0.dropFirst(3))" : $0
            }, in: folder, input: input)
        #expect(run.exit == 0, "\(run.errors)")
        return try #require(server.requests.first)
    }

    @Test("without options it is a GET with Host, User-Agent and Accept")
    func plain() async throws {
        let request = try await request(["URL/a?b"])
        #expect(request.headText.hasPrefix("GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:"))
        #expect(request.fields.map(\.name) == ["Host", "User-Agent", "Accept"])
        // Product and version, and nothing more (RFC 9110, section 10.1.5).
        #expect(request.value(of: "User-Agent") == "rawget/\(Command.version)")
    }

    @Test(
        "a field of -H is sent, replaced or left out",
        arguments: [
            ("X-A: b", "X-A", ["b"]), ("X-A:b", "X-A", ["b"]), ("X-A;", "X-A", [""]),
            ("Accept: text/html", "Accept", ["text/html"]),
            ("User-Agent:", "User-Agent", []), ("Accept:", "Accept", []), ("X-A: grüße", "X-A", ["grüße"]),
            ("Host: other.test", "Host", ["other.test"]),
        ] as [(String, String, [String])])
    func header(_ argument: String, _ name: String, _ values: [String]) async throws {
        #expect(try await request(["-H", argument, "URL/"]).values(of: name) == values)
    }

    @Test("-e sends neither userinfo nor fragment (RFC 9110, section 10.1.3)")
    func referer() async throws {
        let values = try await request(["-e", "http://u:secret@h.test/x?y#f", "URL/"]).values(of: "Referer")
        #expect(values == ["http://h.test/x?y"])
        #expect(try await request(["-e", "no address", "URL/"]).values(of: "Referer") == ["no address"])
    }

    @Test("a field or cookie that is none is not shown: it may be a secret")
    func secret() async throws {
        folder.write("Authorization TOPSECRET\n", to: "fields")
        for arguments in [["-H", "Authorization TOPSECRET"], ["-H", "@fields"], ["-b", "TOPSECRET"]] {
            let run = await rawget(arguments + ["http://127.0.0.1:9/"], in: folder)
            #expect(run.exit == 2 && !run.errors.isEmpty && !run.errors.contains("TOPSECRET"))
        }
    }

    @Test("the same field twice is sent twice")
    func headerTwice() async throws {
        #expect(try await request(["-H", "X-A: 1", "-H", "X-A: 2", "URL/"]).values(of: "X-A") == ["1", "2"])
    }

    @Test("-H @FILE takes the lines of a file, - those of standard input")
    func headerFile() async throws {
        folder.write("X-A: 1\r\nX-B: 2\n\n", to: "fields")
        let request = try await request(["-H", "@fields", "-H", "@-", "URL/"], input: "X-C: 3\n")
        #expect(["X-A", "X-B", "X-C"].map { request.value(of: $0) } == ["1", "2", "3"])
    }

    @Test(
        "options that set one field",
        arguments: [
            (["-A", "me/1"], "User-Agent", "me/1"), (["-A", ""], "User-Agent", nil),
            (["-e", "http://from.test/"], "Referer", "http://from.test/"),
            (["-r", "0-99"], "Range", "bytes=0-99"),
            (["-r", "500-"], "Range", "bytes=500-"), (["--range", "-5"], "Range", "bytes=-5"),
        ] as [([String], String, String?)])
    func field(_ arguments: [String], _ name: String, _ value: String?) async throws {
        #expect(try await request(arguments + ["URL/"]).value(of: name) == value)
    }

    @Test(
        "-X and -I choose the method",
        arguments: [(["-X", "OPTIONS"], "OPTIONS"), (["-I"], "HEAD"), (["-X", "PURGE"], "PURGE")])
    func method(_ arguments: [String], _ method: String) async throws {
        #expect(try await request(arguments + ["URL/"]).method == method)
    }

    @Test(
        "targets are sent as the documents ask (D21)",
        arguments: [
            ("URL/使用.zip", "/%E4%BD%BF%E7%94%A8.zip"), ("URL/a b", "/a%20b"), ("URL/%41%2f", "/%41%2f"),
            ("URL/a/../b#part", "/b"), ("URL", "/"), ("URL?q={a}[1]", "/?q={a}[1]"),
        ])
    func target(_ url: String, _ target: String) async throws {
        #expect(try await request(["-g", "-o", "file", url]).target == target)
    }

    @Test("userinfo of a URL is not sent and not shown")
    func userinfo() async throws {
        let server = try serve(answer("404 Not Found"))
        let run = await rawget(["http://me:secret@\(server.authority)/"], in: folder)
        #expect(run.exit == 22)
        #expect(!run.errors.contains("secret"))
        #expect(server.requests.first?.headText.contains("secret") == false)
    }

    @Test("--url, a URL without a scheme, and several URLs over one connection")
    func urls() async throws {
        let server = try serve { answer("200 OK", [], $0.target) }
        let run = await rawget(
            ["--url", "\(server.authority)/1", "\(server.authority)/2", "-O", "-O"], in: folder)
        #expect(run.exit == 0)
        #expect(server.requests.map(\.target) == ["/1", "/2"])
        #expect(server.connectionCount == 1)
        #expect(folder.names == ["1", "2"])
    }

    @Test("--next begins with options of its own")
    func next() async throws {
        let server = try serve { request in
            // Content behind the head of an answer to HEAD would be the next answer.
            request.method == "HEAD" ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")] : answer()
        }
        let base = "http://\(server.authority)"
        let run = await rawget(
            ["-H", "X-A: 1", "\(base)/1", "--next", "-I", "\(base)/2", "-:", "\(base)/3"], in: folder)
        #expect(run.exit == 0)
        #expect(server.requests.map(\.method) == ["GET", "HEAD", "GET"])
        #expect(server.requests.map { $0.value(of: "X-A") } == ["1", nil, nil])
    }

    @Test("-K reads options; 1,000 URLs with their outputs go over one connection")
    func config() async throws {
        let server = try serve { answer("200 OK", [], $0.target) }
        let lines = (0..<1000).map { "url = \"http://\(server.authority)/\($0)\"\noutput = \"f\($0)\"" }
        folder.write("# a list\n-s\nuser-agent = \"me\"\n" + lines.joined(separator: "\n"), to: "list")
        let run = await rawget(["-K", "list"], in: folder)
        #expect(run.exit == 0)
        #expect(run.errors.isEmpty)
        #expect(server.connectionCount == 1)
        #expect(server.requests.count == 1000)
        #expect(server.requests.allSatisfy { $0.value(of: "User-Agent") == "me" })
        #expect((0..<1000).allSatisfy { folder.text(of: "f\($0)") == "/\($0)" })
    }

    @Test("-Z has several under way, never more than --parallel-max", arguments: [2, 5])
    func parallel(_ most: Int) async throws {
        let server = try serve { [.pause(.milliseconds(20))] + answer("200 OK", [], $0.target) }
        let urls = (0..<20).map { "http://\(server.authority)/\($0)" }
        let run = await rawget(["-Z", "--parallel-max", "\(most)"] + urls, in: folder)
        #expect(run.exit == 0)
        #expect(server.connectionCount == most)
        #expect((0..<20).allSatisfy { folder.text(of: "\($0)") == "/\($0)" })
    }

    @Test(
        "--proto limits the schemes of URLs, exit 1",
        arguments: [("=https", 1), ("-all", 1), ("=ftp", 1), ("-http", 1), ("=http", 0), ("-all,+http", 0)])
    func schemes(list: String, exit: Int32) async throws {
        let server = try serve(answer())
        let run = await rawget(["--proto", list, "-o", "f", "http://\(server.authority)/"], in: folder)
        #expect(run.exit == exit && server.requests.isEmpty == (exit == 1))
        if exit == 1 { #expect(run.errors.contains("--proto does not allow http")) }
    }

    @Test("--proto limits those of redirects, too")
    func schemesOfRedirects() async throws {
        let plain = try serve(answer())
        let secure = try serveTLS { [authority = plain.authority] _ in
            answer("302 Found", ["Location: http://\(authority)/"])
        }
        let url = "https://127.0.0.1:\(secure.server.port)/"
        let run = await rawget(["-k", "--proto", "=https", "-o", "f", url], in: folder)
        #expect(run.exit == 1 && plain.requests.isEmpty && folder.names.isEmpty)
    }

    @Test("--proto-default is the scheme of a URL without one")
    func defaultScheme() async throws {
        let secure = try serveTLS { _ in answer() }
        let run = await rawget(
            ["-k", "--proto-default", "https", "-o", "f", "127.0.0.1:\(secure.server.port)/"], in: folder)
        #expect(run.exit == 0 && secure.server.requests.count == 1, "\(run.errors)")
        #expect(await rawget(["--proto-default", "junk", "h"], in: folder).exit == 2)
    }

    @Test(
        "a name that curl has is no abbreviation of a longer one",
        arguments: ["ssl", "append", "form", "proxy-cert", "quote", "rate"])
    func noAbbreviation(name: String) async throws {
        let run = await rawget(["--\(name)", "http://127.0.0.1:1/"], in: folder)
        #expect(
            run.exit == 2 && run.errors.contains("--\(name) is not part of this version"), "\(run.errors)")
    }

    @Test(
        "options that change nothing here are taken",
        arguments: [
            ["--tlsv1"], ["-1"], ["--tlsv1.0"], ["--tlsv1.1"], ["--ssl-reqd"], ["-x", ""],
            ["--noproxy", "*"],
        ])
    func accepted(arguments: [String]) async throws {
        let server = try serve(answer())
        let run = await rawget(arguments + ["-o", "f", "http://\(server.authority)/"], in: folder)
        #expect(run.exit == 0 && run.errors.isEmpty)
    }
}
