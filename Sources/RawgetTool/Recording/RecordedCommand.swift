import HTTPMessage
import System
import Transport

/// The command line of a run as a fixture has it: without what leads to other servers, without secrets, with files
/// that lie in the fixture's folder.
@NetworkActor
struct RecordedCommand {
    /// What options say that only the connections tell how to replay.
    nonisolated struct Circumstances: Hashable, Sendable {
        /// A server spoke TLS.
        var usesTLS = false
        /// The certificate of the client stands in, by group.
        var hasClientCertificate: [Bool] = []
        /// A pin that fitted stands in, by group.
        var hasPin: [Bool] = []
        /// Options that made the run fail by themselves, which is to happen again.
        var kept: Set<String> = []
    }

    /// The command, its name first.
    private(set) var arguments = ["rawget"]
    /// Files that the command reads, and their content, in order.
    var files: [(name: String, octets: [UInt8])] = []
    /// Times of such files that matter.
    private(set) var times: [(name: String, seconds: Int64)] = []
    /// Folders that must be there.
    var folders: [String] = []
    /// What is read from standard input.
    var input: [UInt8]?
    /// What came through a pipe with a name comes through standard input.
    private(set) var inputIsPipe = false
    /// What came through a pipe with a name is in a file.
    private(set) var hasPipeAsFile = false
    /// Links that outputs lead through, in order.
    var links: [LinkChain.Link] = []
    /// Whether what is asked for depends on the time.
    private(set) var usesClock = false
    var names = LocalNames()

    let command: ParsedCommand
    let console: Console
    let log: RunLog
    let circumstances: Circumstances
    private var group = 0
    /// URLs and uploads of the group so far.
    private var urlCount = 0
    private var uploadCount = 0
    /// The upload, by group and number, that comes through standard input.
    private var pipedUpload: (group: Int, number: Int)?
    /// Files of options read so far.
    var configs = 0

    /// Options that have no meaning where the fixture's own servers answer, or cannot keep it.
    private nonisolated static let dropped: Set<String> = [
        "record", "resume", "resolve", "connect-to", "unix-socket", "interface", "ipv4", "ipv6", "cacert",
        "capath",
        "insecure", "ciphers", "tls13-ciphers", "cert", "cert-type", "key", "key-type", "pass",
        "pinnedpubkey", "stderr",
    ]

    init(
        _ command: ParsedCommand, _ console: Console, _ log: RunLog, _ circumstances: Circumstances
    ) {
        self.command = command
        self.console = console
        self.log = log
        self.circumstances = circumstances
        if command.run.isCurl { arguments.append("--as-curl") }
        input = log.reading(of: .standard)
        choosePipe()
        arguments += additions
        for word in CommandWord.words(of: console.invocation.arguments) {
            for copy in copies(of: word) { arguments += copy.arguments }
        }
    }

    /// What takes the place of the options that say whom to trust and who the client is.
    private var additions: [String] {
        var additions: [String] = []
        let rank = rankOfClient
        // As it is by default, but for some milliseconds that tell one client from the other.
        if rank > 0 { additions += ["--happy-eyeballs-timeout-ms", "\(250 + rank)"] }
        // So it ran: a record is of no use where its part does not lie.
        let group = command.groups[groupIndex]
        if !command.run.isCurl, group.options.resuming.continuation == nil { additions.append("--no-resume") }
        guard circumstances.usesTLS else { return additions }
        let options = group.options.tls
        if circumstances.kept.isDisjoint(with: ["cacert", "capath"]) {
            additions += ["--cacert", "{ca}"]
        } else if options.authorityFile == nil, options.authorityFolder == nil {
            // The environment named some that could not be read.
            additions += ["--cacert", "authorities.pem"]
        }
        if self.group < circumstances.hasClientCertificate.count,
            circumstances.hasClientCertificate[self.group]
        {
            additions += ["-E", "{client-certificate}", "--key", "{client-key}"]
        }
        if self.group < circumstances.hasPin.count, circumstances.hasPin[self.group] {
            additions += ["--pinnedpubkey", "{pin}"]
        }
        return additions
    }

    /// Groups that differ in what is dropped had connections of their own: how many such went before this one.
    private var rankOfClient: Int {
        let present = command.groups[groupIndex].options
        var earlier: [GroupOptions.Network] = []
        for group in command.groups[..<groupIndex] {
            let network = group.options.network
            if network == present.network {
                // They have had one together.
                return earlier.firstIndex(of: network) ?? earlier.count
            }
            if network.replayed == present.network.replayed, !earlier.contains(network) {
                earlier.append(network)
            }
        }
        return earlier.count
    }

    // MARK: Words

    mutating func copies(of word: CommandWord) -> [CommandWord] {
        guard case .option(let option, let isOn, let argument) = word else {
            if case .url(let url) = word { return [.url(copy(ofURL: url))] }
            return []
        }
        switch option.effect {
        case .next:
            group += 1
            (urlCount, uploadCount) = (0, 0)
            let words = CommandWord.words(of: [""] + additions)
            return [word] + words
        case .configFile: return copyConfig(option, argument ?? "")
        case .url: return [.option(option, isOn: isOn, argument: argument.map { copy(ofURL: $0) })]
        default: break
        }
        if RecordedCommand.dropped.contains(option.name), !circumstances.kept.contains(option.name) {
            return []
        }
        guard let argument else { return [word] }
        return [.option(option, isOn: isOn, argument: copy(of: argument, option.name))]
    }

    /// An argument without its secret, files renamed.
    private mutating func copy(of text: String, _ option: String) -> String {
        switch option {
        case "user", "proxy-user": return "\(Blanking.mark):\(Blanking.mark)"
        case "oauth2-bearer": return text.isEmpty ? text : Blanking.mark
        case "cookie": return Blanking.cookies(text)
        case "referer", "proxy": return Blanking.url(text)
        case "header":
            guard text.hasPrefix("@") else { return Blanking.field(text) }
            return "@"
                + reading(of: String(text.dropFirst())) { octets in
                    let lines = octets.split(separator: 0x0A, omittingEmptySubsequences: false)
                    return Array(
                        lines.map { Array(Blanking.field(String(decoding: $0, as: UTF8.self)).utf8) }
                            .joined(separator: [0x0A]))
                }
        case "data", "data-ascii", "data-binary", "json", "write-out":
            guard text.hasPrefix("@") else { return text }
            return "@" + reading(of: String(text.dropFirst()))
        case "data-urlencode", "url-query":
            let data = option == "url-query" ? DataOption(query: text) : DataOption(encoding: text)
            guard case .encodedFile(let name, .path(let path)) = data else { return text }
            return "\(name ?? "")@\(reading(of: path))"
        case "upload-file":
            return copy(ofUpload: text)
        case "time-cond": return copyCondition(text)
        case "output":
            return text == "-" ? text : output(text, in: command.groups[groupIndex].options.outputFolder)
        case "dump-header": return text == "-" ? text : output(text, in: nil)
        case "output-dir":
            guard !text.isEmpty else { return text }
            let name = names.name(of: text)
            if name != ".", !command.groups[groupIndex].options.createsFolders { addFolder(name) }
            return name
        case "cacert", "capath", "key": return names.name(of: text)
        case "cert":
            // Neither the password behind the colon nor the file, which may hold a key.
            let path = CertificateOption(text).path
            let name = names.name(of: path).utf8.flatMap {
                ":\\".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0]
            }
            return String(decoding: name, as: UTF8.self)
        case "pinnedpubkey": return text.hasPrefix("sha256//") ? text : reading(of: text)
        default: return text
        }
    }

    // MARK: Pipes

    /// A fixture has no pipe but standard input: the first that content came through is that.
    private mutating func choosePipe() {
        guard input == nil, !command.configFiles.contains(.standard) else { return }
        for (group, entry) in command.groups.enumerated() {
            for (number, path) in entry.options.uploads.enumerated() where isPipe(path) {
                pipedUpload = (group, number)
                input = log.reading(of: .path(path)) ?? []
                inputIsPipe = true
                return
            }
        }
    }

    private func isPipe(_ path: String) -> Bool {
        LocalNames.plain(path) != RecordedCommand.nullDevice && log.isStream(.path(path))
    }

    private mutating func copy(ofUpload path: String) -> String {
        defer { uploadCount += 1 }
        if path.isEmpty || path == "-" || path == "." { return path }
        // It is the same everywhere.
        if LocalNames.plain(path) == RecordedCommand.nullDevice { return path }
        if let pipedUpload, pipedUpload == (group, uploadCount) { return "-" }
        if isPipe(path) { hasPipeAsFile = true }
        return reading(of: path)
    }

    /// A URL without its secret; with the name of the pipe that is uploaded to it, where it needs one.
    private mutating func copy(ofURL text: String) -> String {
        defer { urlCount += 1 }
        let blanked = Blanking.url(text)
        guard let pipedUpload, pipedUpload == (group, urlCount) else { return blanked }
        let options = command.groups[groupIndex].options
        let whole = TransferPlan.namesScheme(blanked) ? blanked : "\(options.defaultScheme)://\(blanked)"
        let name = options.uploads[urlCount].utf8.split(separator: UInt8(ascii: "/")).last
        guard let name, let uri = try? URI(parsing: whole, keepsDotSegments: options.keepsDotSegments),
            uri.lastPathSegment == nil
        else { return blanked }
        return uri.appendingSegment(Array(name)).description
    }

    private nonisolated static let nullDevice = "/dev/null"

    var groupIndex: Int { min(group, command.groups.count - 1) }

    private mutating func copyCondition(_ text: String) -> String {
        usesClock = true
        let isOlder = text.hasPrefix("-")
        let what = isOlder ? String(text.dropFirst()) : text
        let now = HTTPDate(secondsSinceEpoch: console.invocation.clock.secondsSinceEpoch)
        guard DateArgument.date(what, now: now) == nil,
            let time = log.time(of: what)
        else { return text }
        let name = reading(of: what)
        if !times.contains(where: { $0.name == name }) { times.append((name, time)) }
        return (isOlder ? "-" : "") + name
    }
}

extension GroupOptions.Network {
    /// What a fixture keeps of it.
    fileprivate var replayed: GroupOptions.Network {
        var network = self
        network.addresses = []
        network.connectRules = []
        network.addressFamily = .any
        network.unixSocket = nil
        network.sockets.interface = nil
        let tls = network.tls
        network.tls = TLSOptions()
        network.tls.minimumVersion = tls.minimumVersion
        network.tls.maximumVersion = tls.maximumVersion
        return network
    }
}
