import Download
import Examples
import HTTPClient
import HTTPMessage
import Replay
import System

// The command at work: what no example shows.
extension Demo {
    /// Runs the stations. Throws as `command` does.
    func showCommand(_ server: ReplayServer, _ folder: ScratchFolder) async throws {
        try await explainFields(server)
        try await cut(server, folder)
        try await redirect(server, folder)
        try await secured(folder)
    }

    private func explainFields(_ server: ReplayServer) async throws {
        try report.say(
            "\nWhat the documents' answer says (D20), as `rawget -I URL | rawget explain -` has it:")
        let uri = try URI(parsing: "http://\(server.authority)/\(DemoServer.name)")
        let request = HTTPRequest(.head, uri)
        let (response, content) = try await Client().content(for: request)
        try report.say("   \(response.version) \(response.statusText)".escapedForTerminal)
        let meaning = FieldMeaning(
            response: response, request: request,
            received: HTTPDate(secondsSinceEpoch: invocation.clock.secondsSinceEpoch))
        for (index, field) in response.fields.enumerated() {
            try report.say("   \(field.name): \(field.value)".escapedForTerminal)
            for clause in meaning.clauses(at: index) { try report.say("        \(clause)") }
        }
        try report.check(
            "the size is known (\(response.expectedContentLength) octets) and no content came",
            response.expectedContentLength == Int64(DemoServer.length) && content.isEmpty)
    }

    private func cut(_ server: ReplayServer, _ folder: ScratchFolder) async throws {
        try report.say(
            "\nA connection that is cut: the server promises \(DemoServer.length) octets and closes after \(DemoServer.cutAt). The command is\nmeant to fail:"
        )
        let url = "http://\(server.authority)/cut.zip"
        let exit = try await command(["--retry", "0", url], in: folder)
        let kept = folder.contents(of: "cut.zip.part")
        try report.check(
            "exit 18; there is no cut.zip, which is a name for a whole file; cut.zip.part keeps what came",
            exit == 18 && folder.contents(of: "cut.zip") == nil && kept.map(DemoServer.isCut) ?? false)
        try report.say(
            "   The same once more goes on from there. Without --retry 0 it would have done so by itself:")
        let again = try await command([url], in: folder)
        let range = server.requests.last?.value(of: "Range")
        try report.check(
            "exit 0, and cut.zip is the archive; asked for were \(range ?? "all octets"), if its entity tag still holds",
            again == 0 && range == "bytes=\(DemoServer.cutAt)-" && isArchive(folder.contents(of: "cut.zip"))
                && folder.contents(of: "cut.zip.part") == nil)
    }

    private func redirect(_ server: ReplayServer, _ folder: ScratchFolder) async throws {
        try report.say("\nA redirect. The file is named after what was asked for, not after where that led:")
        let url = "http://\(server.authority)/latest.zip"
        let exit = try await command([url], in: folder)
        try report.check(
            "exit 0, and latest.zip is the archive", exit == 0 && isArchive(folder.contents(of: "latest.zip"))
        )
        let refused = try await command(["--no-location", "-o", "moved.zip", url], in: folder)
        try report.check(
            "exit 0, and what was saved is the answer itself, which is empty",
            refused == 0 && folder.contents(of: "moved.zip") == [])
    }

    private func secured(_ folder: ScratchFolder) async throws {
        try report.say(
            "\nThe same over TLS. An authority that exists for this demo alone has issued the server's certificate:"
        )
        let authority = try TestAuthority(named: "rawget demo, good for this run only")
        let identity = try authority.issue(TestCertificate(addresses: ["127.0.0.1"]))
        let server = try ReplayServer(tls: TLSService(identity)) { DemoServer.answer($0) }
        try server.start()
        defer { server.stop() }
        try folder.write(authority.certificatePEM, to: "ca.pem")
        let url = "https://\(server.authority)/\(DemoServer.name)"
        let exit = try await command(["--cacert", "ca.pem", "-o", "secured.zip", url], in: folder)
        let version = server.handshakes.first?.version
        try report.check(
            "exit 0, and secured.zip is the archive, by \(version ?? "no TLS")",
            exit == 0 && version == "TLSv1.3" && isArchive(folder.contents(of: "secured.zip")))
        try report.say("   Nobody else trusts that authority. Without --cacert the command is meant to fail:")
        let refused = try await command(["-o", "refused.zip", url], in: folder)
        // 77 where the system has no authorities at all, as a small container may.
        try report.check(
            "exit \(refused); no request was sent, and there is no refused.zip",
            (refused == 60 || refused == 77) && server.requests.count == 1
                && folder.contents(of: "refused.zip") == nil)
    }

    private func isArchive(_ octets: [UInt8]?) -> Bool {
        octets.map { DemoServer.isWhole(.archive, $0) } ?? false
    }
}
