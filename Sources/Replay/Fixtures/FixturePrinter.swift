/// Writes fixtures as text: what `FixtureParser` reads back as the same value, but for the numbers of lines.
///
/// What the grammar cannot say is written as what comes nearest to it: parts of data get names, octets that may not
/// stand in a line get escapes. Its files: data (`+Data`), connections (`+Connections`), outcomes (`+Outcomes`).
public struct FixturePrinter {
    let fixture: Fixture
    /// What has been written, but for what stands before all runs.
    var text: [UInt8] = []
    /// Blobs in order, with their names: those of the fixture and those that data needs.
    private(set) var blobs: [(name: String, content: FixtureContent)] = []
    private var contentsByName: [String: FixtureContent] = [:]

    private init(_ fixture: Fixture) { self.fixture = fixture }

    /// The text of a fixture.
    public static func text(of fixture: Fixture) -> [UInt8] {
        var printer = FixturePrinter(fixture)
        for blob in fixture.blobs where printer.contentsByName[blob.name] == nil {
            printer.declare(blob.name, blob.content)
        }
        for (index, run) in fixture.runs.enumerated() {
            if index > 0 { printer.text.append(0x0A) }
            printer.write(run)
        }
        let runs = printer.text
        printer.text = []
        printer.writeReason()
        // Data inside of blobs may need further names, which then stand before them.
        var index = 0
        var blobLines: [UInt8] = []
        while index < printer.blobs.count {
            let (name, content) = printer.blobs[index]
            let head = printer.text
            printer.text = []
            printer.writeData("blob \(name) =", content)
            blobLines += printer.text
            printer.text = head
            index += 1
        }
        printer.text += blobLines
        if fixture.servers.map(\.withoutLine) != [Fixture.Server()] {
            for server in fixture.servers { printer.write(server) }
        }
        return printer.text + runs
    }

    // MARK: Names of data

    /// The name by which data can be referred to.
    mutating func name(for content: FixtureContent, wanted: String?) -> String {
        if let wanted, FixturePrinter.isName(wanted) {
            guard let known = contentsByName[wanted] else {
                declare(wanted, content)
                return wanted
            }
            if known == content { return wanted }
        }
        var number = 1
        while let known = contentsByName["data-\(number)"] {
            if known == content { return "data-\(number)" }
            number += 1
        }
        declare("data-\(number)", content)
        return "data-\(number)"
    }

    /// Notes a blob behind those that it needs.
    private mutating func declare(_ name: String, _ content: FixtureContent) {
        contentsByName[name] = content
        nameParts(of: content)
        blobs.append((name, content))
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(FixtureScanner.isNameOctet)
    }

    // MARK: Lines

    /// A line of these octets.
    mutating func line(_ octets: [UInt8]) {
        text += octets
        text.append(0x0A)
    }

    /// A line of these words.
    mutating func line(_ words: String) { line(Array(words.utf8)) }

    /// A word, as a text where it needs to be one.
    static func word(_ word: String) -> String {
        let octets = Array(word.utf8)
        if !octets.isEmpty, FixtureText.isPlain(octets), octets.first != UInt8(ascii: "\""),
            !octets.contains(where: FixtureScanner.isBlank)
        {
            return word
        }
        let quote = UInt8(ascii: "\"")
        return "\"\(String(decoding: FixtureText.escaped(octets, quote: quote), as: UTF8.self))\""
    }

    /// What can be the rest of a line, as near to `string` as can be.
    static func plain(_ string: String) -> String {
        let octets = Array(string.utf8)
        if FixtureText.isPlain(octets) { return string }
        return String(decoding: FixtureText.escaped(octets), as: UTF8.self)
    }

    private mutating func writeReason() {
        for reason in fixture.reason {
            for part in reason.split(separator: "\n", omittingEmptySubsequences: false) {
                line(part.isEmpty ? "#" : "# \(FixturePrinter.plain(String(part)))")
            }
        }
    }

    private mutating func write(_ server: Fixture.Server) {
        var words = "server \(server.name)"
        if let tls = server.tls { words += " tls \(FixturePrinter.words(for: tls))" }
        switch server.reception {
        case .accepted: break
        case .refused: words += " refused"
        case .silent: words += " silent"
        }
        if server.usesIPv6 { words += " ipv6" }
        switch server.earlierAddress {
        case .refused: words += " behind refused"
        case .silent: words += " behind silent"
        case .accepted, nil: break
        }
        if server.takesAnyOrder { words += " any-order" }
        if server.takesAnyConnection { words += " any-connection" }
        line(words)
    }

    /// `KIND [version V] [client …] [handshake …]`
    static func words(for tls: Fixture.TLS) -> String {
        var words = tls.certificate.rawValue
        if let known = FixtureParser.versions.first(where: { $0.version == tls.version }) {
            words += " version \(known.name)"
        }
        if let client = tls.client { words += " client \(client.rawValue)" }
        switch tls.fault {
        case .close: words += " handshake close"
        case .reset: words += " handshake reset"
        case .stall: words += " handshake stall"
        case .http: words += " handshake http"
        case .alert(let number): words += " handshake alert \(number)"
        case nil: break
        }
        return words
    }

    /// The name of a server.
    func name(ofServer index: Int) -> String {
        fixture.servers.indices.contains(index) ? fixture.servers[index].name : Fixture.Server().name
    }

    // MARK: Runs

    private mutating func write(_ run: Fixture.Run) {
        for preparation in run.preparations { write(preparation.value) }
        switch run.action {
        case .command(let words): line(Array("$ ".utf8) + FixtureCommandLine.text(of: words))
        case .load(let load):
            line("load \(FixturePrinter.word(load.method)) \(FixturePrinter.word(load.uri))")
            for field in load.fields { line("with field \(FixturePrinter.plain(field))") }
            if let content = load.content { writeData("with content", content) }
            if let policy = load.cachePolicy { line("with policy \(policy)") }
        }
        for (index, connection) in run.connections.enumerated() { write(connection, isFirst: index == 0) }
        for outcome in run.outcomes { write(outcome.value) }
    }

    private mutating func write(_ preparation: Fixture.Preparation) {
        switch preparation {
        case .file(let path, let content): writeData("file \(FixturePrinter.word(path)) =", content)
        case .folder(let path): line("folder \(FixturePrinter.word(path))")
        case .link(let path, let target):
            line("link \(FixturePrinter.word(path)) -> \(FixturePrinter.word(target))")
        case .mode(let path, let mode):
            line("mode \(FixturePrinter.word(path)) = \(FixturePrinter.octal(mode))")
        case .time(let path, let time):
            line("time \(FixturePrinter.word(path)) = \(FixtureDate.text(of: time))")
        case .environment(let name, let content): writeData("env \(name) =", content)
        case .input(let content, let isFile): writeData(isFile ? "input file =" : "input =", content)
        case .clock(let time): line("clock \(FixtureDate.text(of: time))")
        case .clockAdvance(let seconds): line("clock +\(max(0, seconds))")
        }
    }

    /// Permissions, in at least three digits.
    static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
    }

    /// `1.5s`, `250ms`.
    static func words(for duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = attoseconds / 1_000_000_000
        if nanoseconds == 0 { return "\(seconds)s" }
        let milliseconds = seconds * 1000 + nanoseconds / 1_000_000
        let rest = nanoseconds % 1_000_000
        if rest == 0 { return "\(milliseconds)ms" }
        var digits = String(rest)
        digits = String(repeating: "0", count: 6 - digits.utf8.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(milliseconds).\(digits)ms"
    }
}

extension Fixture.Server {
    fileprivate var withoutLine: Fixture.Server {
        var server = self
        server.line = 0
        return server
    }
}
