import Download
import Glibc
import HTTPClient
import HTTPMessage
import Replay
import System
import Transport

/// `rawget demo`: a server of its own on the loopback and real downloads from it, each checked octet by octet.
@NetworkActor
final class Demo {
    private var invocation: Invocation
    private let console: Console
    private var failures = 0

    init(_ invocation: Invocation) {
        self.invocation = invocation
        console = Console(invocation)
    }

    /// Runs the tour. Returns 0 only when everything held.
    func run(_ arguments: [String]) async -> Int32 {
        guard arguments.isEmpty else {
            console.report("demo takes no arguments", exit: 2, advice: nil)
            return 2
        }
        // From here on there is a folder to remove.
        let interruptions = invocation.interruptions()
        invocation.interruptions = { interruptions }
        do {
            let folder = try ScratchFolder(invocation, for: "demo")
            defer { folder.remove() }
            let server = try ReplayServer { DemoServer.answer($0) }
            try server.start()
            defer { server.stop() }
            try await tour(server, folder)
        } catch is Interrupted {
            return invocation.interruptionStatus()
        } catch let error as SystemError where error.errno == EPIPE {
            // Whoever reads has enough.
            return 23
        } catch {
            console.report("the demo could not run: \(error)", exit: 1, advice: nil)
            return 1
        }
        try? console.print(
            failures == 0 ? "\nEverything held.\n" : "\n\(failures) of the checks above failed.\n")
        return failures == 0 ? 0 : 1
    }

    private func tour(_ server: ReplayServer, _ folder: ScratchFolder) async throws {
        let base = "http://\(server.authority)"
        try say("A server of this program's own listens on \(server.authority); its files live in memory.\n")
        try await download(base, folder)
        try await explainFields(base)
        try await range(base)
        try await cut(server, folder)
        try await redirect(base, folder)
        try await secured(folder)
        try await caching(server)
    }

    // MARK: The stations

    private func download(_ base: String, _ folder: ScratchFolder) async throws {
        let url = "\(base)/\(DemoServer.name)"
        try say(
            "1. A download. The address has characters past ASCII: they are sent as UTF-8, percent-encoded.")
        let exit = try await command([url], in: folder)
        try check("the command ended with exit 0", exit == 0)
        try check(
            "\(DemoServer.name) holds \(DemoServer.length) octets, each as the server made it",
            isArchive(folder.contents(of: DemoServer.name)))
    }

    private func explainFields(_ base: String) async throws {
        try say(
            "\n2. What the server said of it, asked with HEAD, as `rawget -I` asks: the fields come, the content does not."
        )
        let request = HTTPRequest(.head, try URI(parsing: "\(base)/\(DemoServer.name)"))
        let (response, content) = try await Client().content(for: request)
        try say("   \(response.version) \(response.statusText)".escapedForTerminal)
        let meaning = FieldMeaning(
            response: response, request: request,
            received: HTTPDate(secondsSinceEpoch: invocation.clock.secondsSinceEpoch))
        for (index, field) in response.fields.enumerated() {
            let line = "   \(field.name): \(field.value)".escapedForTerminal
            try say(line)
            for clause in meaning.clauses(at: index) { try say("        \(clause)") }
        }
        let length = response.fields[.contentLength].flatMap { UInt64($0) }
        try check(
            "the size is known (\(length ?? 0) octets) and no content came",
            length == DemoServer.length && content.isEmpty)
    }

    private func range(_ base: String) async throws {
        try say(
            "\n3. A part of it, as `rawget -r 1000-1999` asks: Range: bytes=1000-1999, both ends included.")
        var request = HTTPRequest(.get, try URI(parsing: "\(base)/\(DemoServer.name)"))
        request.fields.append(.range, "bytes=1000-1999")
        let (response, content) = try await Client().content(for: request)
        try say(
            "   \(response.statusText), Content-Range: \(response.fields[.contentRange] ?? "none")"
                .escapedForTerminal)
        try check(
            "206 with the 1000 octets from offset 1000 on",
            response.status == .partialContent && content.count == 1000
                && DemoServer.content.matches(content, at: 1000))
    }

    private func cut(_ server: ReplayServer, _ folder: ScratchFolder) async throws {
        let base = "http://\(server.authority)"
        try say(
            "\n4. A connection that is cut: the server promises \(DemoServer.length) octets and closes after \(DemoServer.cutAt).\n   The command is meant to fail:"
        )
        let exit = try await command(["--retry", "0", "-o", "cut.zip", "\(base)/cut"], in: folder)
        try check("the command ended with exit 18", exit == 18)
        try check(
            "there is no cut.zip: a name is given to whole files only", folder.contents(of: "cut.zip") == nil)
        let kept = folder.contents(of: "cut.zip.part")
        try check(
            "cut.zip.part keeps the \(DemoServer.cutAt) octets that came",
            kept.map { $0.count == Int(DemoServer.cutAt) && DemoServer.content.matches($0) } ?? false)
        try say(
            "   The same once more goes on from there, if the server's entity tag still holds (If-Range). Without --retry 0\n   the command would have done so by itself:"
        )
        let again = try await command(["-o", "cut.zip", "\(base)/cut"], in: folder)
        try check("the command ended with exit 0", again == 0)
        let request = server.requests.last
        try say("   Range: \(request?.value(of: "Range") ?? "none")")
        try check(
            "only the octets from \(DemoServer.cutAt) on were asked for, and cut.zip is the archive",
            request?.value(of: "Range") == "bytes=\(DemoServer.cutAt)-"
                && isArchive(folder.contents(of: "cut.zip")) && folder.contents(of: "cut.zip.part") == nil)
    }

    private func redirect(_ base: String, _ folder: ScratchFolder) async throws {
        try say(
            "\n5. A redirect: the server answers 302 with a Location, and the command goes there. The file is named after\n   what was asked for, not after where that led."
        )
        let exit = try await command(["\(base)/latest.zip"], in: folder)
        try check("the command ended with exit 0", exit == 0)
        try check("latest.zip is the archive", isArchive(folder.contents(of: "latest.zip")))
        let refused = try await command(
            ["--no-location", "-o", "moved.zip", "\(base)/latest.zip"], in: folder)
        try check(
            "with --no-location the answer itself is delivered, which is empty",
            refused == 0 && folder.contents(of: "moved.zip") == [])
    }

    private func secured(_ folder: ScratchFolder) async throws {
        try say(
            "\n6. The same over TLS. An authority that exists for this demo alone has issued the server's certificate;\n   --cacert says that it is trusted."
        )
        let authority = try TestAuthority(named: "rawget demo, good for this run only")
        let identity = try authority.issue(TestCertificate(addresses: ["127.0.0.1"]))
        let server = try ReplayServer(tls: TLSService(identity)) { DemoServer.answer($0) }
        try server.start()
        defer { server.stop() }
        try folder.write(authority.certificatePEM, to: "ca.pem")
        let url = "https://\(server.authority)/\(DemoServer.name)"
        let exit = try await command(["--cacert", "ca.pem", "-o", "secured.zip", url], in: folder)
        try check("the command ended with exit 0", exit == 0)
        try check("secured.zip is the archive", isArchive(folder.contents(of: "secured.zip")))
        let handshake = server.handshakes.first
        try check("the server saw \(handshake?.version ?? "no TLS")", handshake?.version == "TLSv1.3")
        try say("   Nobody else trusts that authority. Without --cacert the command is meant to fail:")
        let refused = try await command(["-o", "refused.zip", url], in: folder)
        // 77 where the system has no authorities at all, as a small container may.
        try check("the command ended with exit \(refused)", refused == 60 || refused == 77)
        try check(
            "no request was sent, and there is no refused.zip",
            server.requests.count == 1 && folder.contents(of: "refused.zip") == nil)
    }

    private func isArchive(_ octets: [UInt8]?) -> Bool {
        octets.map { $0.count == Int(DemoServer.length) && DemoServer.content.matches($0) } ?? false
    }

    // MARK: Saying and checking

    /// Runs the command as a person would, in the demo's folder.
    private func command(_ arguments: [String], in folder: ScratchFolder) async throws -> Int32 {
        try say("   $ rawget \(arguments.joined(separator: " "))")
        var inner = invocation
        inner.arguments = ["rawget"] + arguments
        inner.directory = folder.descriptor.rawValue
        inner.addressMap = AddressMap()
        let exit = await Command(inner).run()
        guard exit < 128 else { throw Interrupted() }
        return exit
    }

    func check(_ what: String, _ holds: Bool) throws {
        if !holds { failures += 1 }
        try say("   [\(holds ? "ok" : "FAILED")] \(what)")
    }

    func say(_ line: String) throws { try console.print(line + "\n") }
}

/// A person has had enough of the tour.
private struct Interrupted: Error {}

/// What the demo's server offers: the documents' example (D20), content made from a seed.
enum DemoServer {
    static let name = "metro_demo使用Highcharts实现图表展示.zip"
    static let length: UInt64 = 592_441
    static let cutAt: UInt64 = 200_000
    /// The date of its answers: Wed, 02 Sep 2015 13:17:01 GMT.
    static let date: Int64 = 1_441_199_821
    static let content = GeneratedContent(seed: 20150902)

    private static let fields = """
        Cache-Control: max-age=7776000\r
        Content-Type: application/x-zip-compressed\r
        Last-Modified: Mon, 01 Jun 2015 03:58:27 GMT\r
        Accept-Ranges: bytes\r
        Etag: "d8f617371f9cd01:0"\r
        Server: Microsoft-IIS/7.5\r
        X-Powered-By: ASP.NET\r
        Date: Wed, 02 Sep 2015 13:17:01 GMT\r

        """

    /// What the server does for one request.
    static func answer(_ request: RecordedRequest) -> [Script.Step] {
        if request.target == "/cut", request.value(of: "Range") == nil {
            return [.send(head("200 OK", length: length)), send(0..<cutAt), .close]
        }
        if request.target == "/latest.zip" {
            return [.send("HTTP/1.1 302 Found\r\nLocation: /\(name)\r\nContent-Length: 0\r\n\r\n")]
        }
        if request.method == "HEAD" { return [.send(head("200 OK", length: length))] }
        if let range = request.range(of: length) {
            let count = range.upperBound - range.lowerBound
            let contentRange =
                "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)\r\n"
            return [.send(head("206 Partial Content", length: count, contentRange)), send(range)]
        }
        // In pieces with short rests, so that there is something to watch: a second in all.
        var steps: [Script.Step] = [.send(head("200 OK", length: length))]
        let piece = length / 20 + 1
        var start: UInt64 = 0
        while start < length {
            steps += [send(start..<min(start + piece, length)), .pause(.milliseconds(50))]
            start += piece
        }
        return steps
    }

    private static func send(_ range: Range<UInt64>) -> Script.Step {
        .sendGenerated(seed: content.seed, range: range)
    }

    private static func head(_ status: String, length: UInt64, _ more: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(length)\r\n\(more)\(fields)\r\n"
    }
}
