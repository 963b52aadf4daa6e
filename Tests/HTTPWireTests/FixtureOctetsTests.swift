import Glibc
import HTTPMessage
import HTTPWire
import Replay
import Testing

/// The responses of a fixture's connections, given straight to the parser: TCP merges what a server sends apart, so only
/// here every cut is really seen.
@Suite("Octets of fixtures, whole and split at every octet (RFC 9112, section 2.2)")
struct FixtureOctetsTests {
    /// One request of a fixture and all that is sent until the next one.
    struct Answered {
        var method: HTTPMethod
        var octets: [UInt8] = []
        /// The connection ended in order behind the octets.
        var isEnded = false
    }

    /// Octets of one response that are cut everywhere.
    private static let most = 1 << 16

    private static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        .joined(separator: "/") + "/Fixtures"

    static let names: [String] = {
        var names: [String] = []
        for area in entries(folder) where !area.contains(".") {
            names += entries("\(folder)/\(area)").filter { $0.hasSuffix(".wire") }.map { "\(area)/\($0)" }
        }
        return names
    }()

    @Test("every way to cut them says the same, and as the fixture's outcome says", arguments: names)
    func splits(name: String) throws {
        let fixture = try FixtureParser.parse(contents("\(Self.folder)/\(name)"))
        // Without a connection there are no octets of a server's: `explain` reads heads from its input.
        for run in fixture.runs where !run.connections.isEmpty {
            var content: [UInt8] = []
            var errors = 0
            let connections = run.connections.map { Self.answered(on: $0) }
            // What is large or without end would take all day; `ExchangeTests` and the others cut that.
            guard !connections.joined().contains(where: { $0.octets.count > Self.most }) else { continue }
            for connection in connections {
                for answered in connection {
                    let outcome = outcome(of: answered, run)
                    let isKept = outcome.response.map { Self.isKept($0, run) }
                    // What nobody needs may be cut.
                    if outcome.error != nil, isKept ?? true { errors += 1 }
                    if isKept ?? false { content += outcome.content }
                }
            }
            // What the fixture says comes from nothing that this parser has read.
            if let expected = Self.expectedContent(of: run) { #expect(content == expected, "\(name)") }
            if Self.expectsWireError(run), !Self.redirects(run) { #expect(errors > 0, "\(name)") }
            if Self.exit(of: run) == 0, !Self.triesAgain(run) {
                // A batch ends well however its requests went, and tells of each.
                let tellsOfError = Self.arguments(of: run).contains("batch") && Self.tellsOfWireError(run)
                #expect((errors > 0) == tellsOfError, "\(name)")
            }
        }
    }

    // MARK: What a fixture says

    private static func answered(on connection: Fixture.Connection) -> [Answered] {
        var all: [Answered] = []
        for step in connection.steps {
            switch step.value {
            case .request(let request):
                guard let method = method(of: request) else { return all }
                all.append(Answered(method: method))
            case .sendLine(let line) where !all.isEmpty: all[all.count - 1].octets += line + [0x0D, 0x0A]
            case .sendText(let text) where !all.isEmpty: all[all.count - 1].octets += text
            case .send(let content) where !all.isEmpty:
                // Of too much only that is of interest.
                all[all.count - 1].octets +=
                    content.octets(atMost: most) ?? [UInt8](repeating: 0, count: most + 1)
            case .close, .halfClose: if !all.isEmpty { all[all.count - 1].isEnded = true }
            case .unprotected: return all
            default: break
            }
        }
        return all.filter { !$0.octets.isEmpty }
    }

    private static func method(of request: Fixture.Request) -> HTTPMethod? {
        let line: [UInt8]
        switch request {
        case .exactly(let parts): line = parts.first?.value ?? []
        case .matching(let conditions):
            switch conditions.first?.value {
            case .line(let octets): line = octets
            case .pattern(let pattern): line = Array(pattern.source.utf8)
            default: return nil
            }
        }
        return HTTPMethod(String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self))
    }

    private func outcome(of answered: Answered, _ run: Fixture.Run) -> Outcome {
        let arguments = Self.arguments(of: run)
        var leniency = Leniency()
        leniency.allowsHTTP09 = arguments.contains("--http0.9")
        let exchange = Exchange(
            method: answered.method, leniency: leniency, deliversBody: arguments.contains("--raw"))
        return HTTPWireTests.outcome(of: answered.octets, in: exchange)
    }

    private static func arguments(of run: Fixture.Run) -> [String] {
        if case .command(let arguments) = run.action { arguments } else { [] }
    }

    private static func exit(of run: Fixture.Run) -> Int32? {
        for case .exit(let code) in run.outcomes.map(\.value) { return code }
        return nil
    }

    /// Whether the content of the response becomes output: a redirect's that is followed does not.
    private static func isKept(_ response: HTTPResponse, _ run: Fixture.Run) -> Bool {
        let arguments = arguments(of: run)
        let follows = !arguments.contains("--as-curl") || arguments.contains("-L")
        let leads = response.status.isRedirection && ![304, 305].contains(response.status.code)
        return !(follows && leads && !(response.fields[.location] ?? "").isEmpty)
            && response.status.code != 417 && !(goesOn(run) && response.status.code == 416)
    }

    /// The octets that come out of a command whose content is neither decoded, mixed with heads, nor out of order.
    private static func expectedContent(of run: Fixture.Run) -> [UInt8]? {
        let arguments = arguments(of: run)
        let changing = [
            "-i", "--include", "-I", "--head", "-w", "--write-out", "--compressed", "-Z", "-f", "-D",
            "--dump-header", "--raw", "-z", "--ignore-content-length",
        ]
        guard exit(of: run) == 0, !arguments.contains(where: changing.contains), !triesAgain(run),
            !goesOn(run)
        else { return nil }
        for outcome in run.outcomes.map(\.value) {
            guard case .output(.equals(let content)) = outcome else { continue }
            // Beside a file it is a part of what came.
            let isAll = !run.outcomes.contains { if case .file = $0.value { true } else { false } }
            return isAll ? content.octets(atMost: 1 << 16) : nil
        }
        let files = run.outcomes.compactMap { outcome -> FixtureContent? in
            guard case .file(_, .equals(let content)) = outcome.value else { return nil }
            return content
        }
        guard files.count == 1, run.connections.count == 1, run.preparations.isEmpty else { return nil }
        return files[0].octets(atMost: 1 << 16)
    }

    /// Whether answers that fail, or are of no use, are followed by others.
    private static func triesAgain(_ run: Fixture.Run) -> Bool { arguments(of: run).contains("--retry") }

    /// Whether content goes behind what is there, or is put together: the command asks for ranges by itself.
    private static func goesOn(_ run: Fixture.Run) -> Bool {
        !arguments(of: run).contains("-r")
            && run.connections.contains { connection in
                connection.steps.contains { step in
                    guard case .request(.matching(let conditions)) = step.value else { return false }
                    return conditions.contains {
                        if case .line(let line) = $0.value { line.starts(with: "Range:".utf8) } else { false }
                    }
                }
            }
    }

    /// Where a redirect leads is no affair of the parser's.
    private static func redirects(_ run: Fixture.Run) -> Bool {
        run.connections.contains { connection in
            connection.steps.contains {
                guard case .sendLine(let line) = $0.value else { return false }
                return line.starts(with: "Location:".utf8)
            }
        }
    }

    /// Whether answers in the output are failures of a parser's.
    private static func tellsOfWireError(_ run: Fixture.Run) -> Bool {
        run.outcomes.contains { outcome in
            guard case .output(.matches(let pattern)) = outcome.value else { return false }
            return ["\"exit\":8,", "\"exit\":18,"].contains { pattern.source.contains($0) }
        }
    }

    private static func expectsWireError(_ run: Fixture.Run) -> Bool {
        // Resets and TLS are not seen here, nor that nobody asked for a 304, nor what Content-Range tells.
        let isCut = run.connections.contains { connection in
            connection.steps.contains {
                switch $0.value {
                case .reset, .cut, .unprotected, .stall: true
                case .sendLine(let line):
                    ["HTTP/1.1 304", "Content-Range:"].contains { line.starts(with: $0.utf8) }
                default: false
                }
            }
        }
        return [8, 18].contains(exit(of: run) ?? 0) && !isCut
    }
}

private func entries(_ folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        names.append(
            withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            })
    }
    return names.filter { !$0.hasPrefix(".") }.sorted()
}

private func contents(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var octets: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { octets += chunk[0..<count] }
    return octets
}
