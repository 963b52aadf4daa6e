import Download
import HTTPClient
import HTTPMessage
import RawgetTool
import TestSupport
import Testing
import Transport

@Suite("Downloads from nginx")
struct NginxTests {
    private let nginx: Nginx
    private let folder = TemporaryFolder()

    init() throws { nginx = try #require(Nginx.shared, "nginx is needed: .ci/setup installs it") }

    private func plan(_ url: String, to destination: Destination) throws -> DownloadPlan {
        DownloadPlan(
            HTTPRequest(.get, try URI(parsing: url)), to: destination, in: folder.descriptor,
            now: HTTPDate(secondsSinceEpoch: 1_800_000_000))
    }

    @Test("a file of 1 GiB comes octet for octet")
    func large() async throws {
        let result = try await Downloader(Client()).download(plan(nginx.url("large"), to: .path("large")))
        #expect(result.path == "large")
        #expect(result.report.contentOctets == UInt64(Nginx.large))
        #expect(holdTheSame(folder.path(of: "large"), nginx.path(of: "large")))
        #expect(folder.names == ["large"])
    }

    @Test("1,000 files come over one connection")
    func many() async throws {
        let list = (0..<1000).map { "url=\(nginx.url("many/\($0)?one"))\noutput=\($0)" }
        let run = await rawget(["-K", "-"], in: folder, input: list.joined(separator: "\n"))
        #expect(run.exit == 0, "\(run.errors)")
        for number in 0..<1000 where folder.text(of: "\(number)") != "file \(number)\n" {
            Issue.record("file \(number) holds \(folder.text(of: "\(number)") ?? "nothing")")
        }
        let lines = nginx.log.filter { $0.contains("?one ") }
        #expect(lines.count == 1000)
        #expect(Set(lines.map { $0.prefix { $0 != " " } }).count == 1)
    }

    @Test("HEAD brings the head alone")
    func head() async throws {
        let run = await rawget(["-I", nginx.url("large")], in: folder)
        #expect(run.exit == 0)
        #expect(run.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(run.text.contains("Content-Length: \(Nginx.large)\r\n"))
        #expect(run.text.hasSuffix("\r\n\r\n"))
        #expect(folder.names.isEmpty)
    }

    @Test(
        "a range brings its octets and no other",
        arguments: [("2-6", "small"), ("8-", "file.\n"), ("-3", "e.\n")])
    func range(_ range: String, _ expected: String) async throws {
        let run = await rawget(
            ["-r", range, "-w", "%{http_code}", "-o", "part", nginx.url("small.txt")], in: folder)
        #expect(run.exit == 0)
        #expect(run.text == "206")
        #expect(folder.text(of: "part") == expected)
    }

    @Test("a range past the end is an error answer, of which nothing is saved")
    func rangePastEnd() async throws {
        let run = await rawget(["-r", "100-200", nginx.url("small.txt")], in: folder)
        #expect(run.exit == 22)
        #expect(run.errors.contains("416"))
        #expect(folder.names.isEmpty)
    }

    @Test("-f makes 404 an error and leaves no file")
    func notFound() async throws {
        let run = await rawget(["-f", "-o", "none", nginx.url("none")], in: folder)
        #expect(run.exit == 22)
        #expect(run.errors.contains("404 Not Found"))
        #expect(folder.names.isEmpty)
    }

    @Test("chunked content is put together")
    func chunked() async throws {
        let run = await rawget(["-i", "-o", "page", nginx.url("included/page.html")], in: folder)
        #expect(run.exit == 0)
        let text = try #require(folder.text(of: "page"))
        #expect(text.contains("Transfer-Encoding: chunked\r\n"))
        #expect(text.hasSuffix("\r\n\r\n<p>GET</p>\n"))
    }

    @Test("an empty file is a file")
    func empty() async throws {
        let run = await rawget([nginx.url("empty")], in: folder)
        #expect(run.exit == 0)
        #expect(folder.octets(of: "empty") == [])
    }

    @Test("the server may name the file")
    func named() async throws {
        let run = await rawget([nginx.url("named")], in: folder)
        #expect(run.exit == 0)
        #expect(folder.names == ["€ rates.txt"])
        #expect(folder.text(of: "€ rates.txt") == "A small file.\n")
    }

    @Test("a redirect is followed; the file keeps the name of what was asked for")
    func moved() async throws {
        let run = await rawget([nginx.url("moved")], in: folder)
        #expect(run.exit == 0 && run.errors.isEmpty)
        #expect(folder.names == ["moved"])
        #expect(folder.text(of: "moved") == "A small file.\n")
    }

    @Test("a redirect that is not followed is delivered, with a warning that says where it points")
    func notFollowed() async throws {
        let run = await rawget(["--no-location", nginx.url("moved")], in: folder)
        #expect(run.exit == 0)
        #expect(run.errors.contains("/small.txt, which was not followed"))
        #expect(folder.names == ["moved"])
        #expect(folder.text(of: "moved")?.contains("302 Found") == true)
    }

    @Test("what nginx compresses is saved as it was, and little went over the wire")
    func coded() async throws {
        let run = await rawget(
            ["--compressed", "-w", "%{size_download}", nginx.url("coded/middle")], in: folder)
        #expect(run.exit == 0, "\(run.errors)")
        #expect(holdTheSame(folder.path(of: "middle"), nginx.path(of: "middle")))
        #expect(Int(run.text) ?? .max < Nginx.middle / 100)
    }

    @Test("what expands a thousandfold is refused beyond 64 MiB, unless a size is allowed")
    func bomb() async throws {
        let refused = await rawget(["--compressed", nginx.url("coded/large")], in: folder)
        #expect(refused.exit == 61 && refused.errors.contains("expands beyond 200 times"))
        let size = "\(Nginx.large)"
        let run = await rawget(
            [
                "--compressed", "--max-filesize", size, "-o", "/dev/null", "-w", "%{exitcode}",
                nginx.url("coded/large"),
            ],
            in: folder)
        #expect(run.exit == 0 && run.text == "0", "\(run.errors)")
    }

    @Test("IPv6 does as IPv4 does", .enabled(if: Nginx.shared?.hasIPv6 ?? true))
    func overIPv6() async throws {
        let run = await rawget(
            ["-w", "%{remote_ip} %{http_code}", nginx.urlIPv6("middle"), nginx.urlIPv6("small.txt")],
            in: folder)
        #expect(run.exit == 0)
        #expect(run.text == "::1 200::1 200")
        #expect(holdTheSame(folder.path(of: "middle"), nginx.path(of: "middle")))
        #expect(folder.text(of: "small.txt") == "A small file.\n")
    }

    @Test("16 at once bring every file whole")
    func parallel() async throws {
        let list = (0..<1000).map { "url=\(nginx.url("many/\($0)?sixteen"))\noutput=\($0)" }
        let run = await rawget(
            ["-Z", "--parallel-max", "16", "-K", "-"], in: folder, input: list.joined(separator: "\n"))
        #expect(run.exit == 0, "\(run.errors)")
        #expect((0..<1000).allSatisfy { folder.text(of: "\($0)") == "file \($0)\n" })
        let lines = nginx.log.filter { $0.contains("?sixteen ") }
        #expect(Set(lines.map { $0.prefix { $0 != " " } }).count <= 16)
    }
}
