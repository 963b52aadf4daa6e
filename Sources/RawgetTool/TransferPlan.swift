import Download
import HTTPClient
import HTTPMessage
import HTTPWire
import System
import Transport

/// Turns what the command line says of one URL into a request and what becomes of its answer.
final class TransferPlan: Sendable {
    let options: GroupOptions
    let run: RunOptions
    let console: Console
    /// The lines of `-H @file`, read once.
    let fields: [FieldOption]
    /// What `-d` and its kin say, files read once.
    let data: [UInt8]?
    /// What `--url-query` adds, files read once.
    let queries: [[UInt8]]
    /// What `-u` says.
    let credentials: BasicCredentials?
    /// What `-z` says.
    let condition: TimeCondition?
    /// What `--etag-compare` says.
    let knownTag: String?

    /// A planner for one group of URLs. Throws when the group's options cannot be obeyed.
    init(_ options: GroupOptions, _ run: RunOptions, _ console: Console) throws(UsageError) {
        self.options = options
        self.run = run
        self.console = console
        var fields: [FieldOption] = []
        for field in options.fields {
            guard case .file(let file) = field else {
                fields.append(field)
                continue
            }
            let text = try console.text(of: file, for: "-H, --header")
            for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
                let text = String(Substring(line))
                // Not shown: a secret, its colon forgotten, may stand there.
                guard let field = FieldOption(text) else {
                    if run.isCurl, FieldOption.isIdle(text) { continue }
                    throw UsageError("-H, --header: a line of its file is no field line")
                }
                fields.append(field)
            }
        }
        self.fields = fields
        try TransferPlan.checkMethods(options)
        if let warning = try TransferPlan.checkValues(options, run) { console.warn(warning) }
        var queries: [[UInt8]] = []
        for query in options.queries {
            if let octets = try DataOption.content(of: [query], console) { queries.append(octets) }
        }
        self.queries = queries
        data = try DataOption.content(of: options.data, console)
        credentials = try TransferPlan.credentials(options.user, console)
        knownTag = try options.resuming.knownTagFile.flatMap { (file) throws(UsageError) in
            try TransferPlan.knownTag(file, run, console)
        }
        condition = try options.timeCondition.map { (text) throws(UsageError) in
            try TransferPlan.condition(text, console)
        }
    }

    /// The request for `uri`, the URL `number` of its group from 0. Throws when a part of it cannot be sent.
    func request(for uri: URI, number: Int) throws(UsageError) -> HTTPRequest {
        var method = method(forURL: number)
        if let name = options.method {
            guard let given = HTTPMethod(name) else {
                throw UsageError("-X, --request: \"\(name.escapedForTerminal)\" is no method")
            }
            method = given
        }
        var request = HTTPRequest(method, self.uri(uri, number: number))
        // Octets of the command line are sent as they are: each stands for one scalar of a field value.
        let agent = options.userAgent ?? (run.isCurl ? "curl/8" : "rawget/\(Command.version)")
        if !agent.isEmpty { request.fields.append(.userAgent, agent.asFieldValue) }
        request.fields.append(.accept, "*/*")
        // The client offers codings for what it decodes; raw, they are only offered.
        if options.isRaw, options.offersCodings {
            request.fields.append(.acceptEncoding, ContentForm.offeredCodings)
        }
        if let referer = options.referer.flatMap({ self.referer($0, for: request.uri) }) {
            request.fields.append(.referer, referer.asFieldValue)
        }
        addRange(to: &request, number: number)
        if let knownTag { request.fields.append(.ifNoneMatch, knownTag) }
        switch condition {
        case .newer(let date): request.fields.append(.ifModifiedSince, date.description)
        case .older(let date): request.fields.append(.ifUnmodifiedSince, date.description)
        case nil: break
        }
        addCredentials(to: &request)
        addContent(to: &request)
        for field in fields {
            switch field {
            case .set where field.asksForChunks && asksForChunks: break  // the client says so itself
            case .set(let name, let value): replace(name, by: value.asFieldValue, in: &request)
            case .empty(let name): replace(name, by: "", in: &request)
            case .remove(let name):
                if let name = FieldName(name) { request.fields.remove(name) }
            case .file: break  // replaced by its lines
            }
        }
        return request
    }

    /// Neither userinfo nor fragment, and nothing of https in the clear (RFC 9110, section 10.1.3), where it can be read
    /// and curl's way is not asked for.
    private func referer(_ text: String, for target: URI) -> String? {
        guard !run.isCurl, let uri = try? URI(parsing: text) else { return text }
        if uri.scheme == .https, target.scheme == .http {
            console.warn("-e, --referer: an address of https is not told by http; -H sends it all the same")
            return nil
        }
        guard uri.user != nil || uri.fragment != nil else { return text }
        return uri.withoutUserinfoAndFragment.description
    }

    /// A field of `-H` takes the place of the command's own; of two with one name both are sent.
    private func replace(_ name: String, by value: String, in request: inout HTTPRequest) {
        guard let name = FieldName(name) else { return }
        let own: [FieldName] = [
            .userAgent, .accept, .referer, .range, .ifModifiedSince, .ifUnmodifiedSince, .authorization,
            .cookie, .contentType, .acceptEncoding,
        ]
        let isOwn = own.contains(name)
        if isOwn, request.fields.values(of: name).count == 1 { request.fields.remove(name) }
        request.fields.append(name, value)
    }

    /// What becomes of the answer to `request`, the URL `number` of its group. `output` is the one that belongs to its
    /// URL. Throws `writeFailed` when that is a descriptor that is not open.
    func plan(
        for request: HTTPRequest, number: Int, to output: ParsedCommand.OutputName, takenNames: TakenNames
    ) throws(TransferError) -> DownloadPlan {
        let destination = try destination(of: request, number: number, to: output)
        let now = HTTPDate(secondsSinceEpoch: console.invocation.clock.secondsSinceEpoch)
        var plan = DownloadPlan(
            request, to: destination, in: console.invocation.directory, now: now, takenNames: takenNames)
        plan.sources = sources(forURL: number)
        plan.timeCondition = condition
        plan.checksParts = !run.isCurl
        plan.savesErrorAnswers = savesErrorAnswers(output)
        plan.readsExcerpt = options.errorAnswer == .asUsual
        plan.setsModified = options.setsRemoteTime
        nameFile(of: &plan)
        if case .file(let path) = output, path != "-" { plan.descriptorName = path }
        plan.dropsContent = options.isHead && request.method != .head
        // Nobody said that it is to be printed, and a terminal obeys what it is sent.
        if output == .unspecified, !options.isHead, case .descriptor(let descriptor) = destination,
            console.invocation.isTerminal(descriptor)
        {
            plan.binaryCheck = run.isCurl ? .nul : .controls
        }
        includeHeads(in: &plan)
        apply(to: &plan.options)
        setResumption(of: &plan)
        return plan
    }

    private func destination(
        of request: HTTPRequest, number: Int, to output: ParsedCommand.OutputName
    ) throws(TransferError) -> Destination {
        switch output {
        case .file("-"): return .descriptor(console.invocation.standardOutput)
        case .file(let path):
            let isWhole = options.outputFolder?.isEmpty ?? true
            let descriptor = isWhole ? try console.invocation.openDescriptor(named: path) : nil
            return descriptor.map { .descriptor($0) } ?? .path(path)
        case .remoteName:
            // So as curl 7.88: a name is there before the request is, or there is no request.
            guard !run.isCurl || request.uri.hasFileName else {
                throw TransferError(
                    .writeFailed, during: .prepare, "-O: the path of the URL ends without a name for a file")
            }
            return options.usesServerName ? .suggestedName : .requestedName
        case .unspecified:
            if options.printsByDefault(number, isCurl: run.isCurl) {
                return .descriptor(console.invocation.standardOutput)
            }
            // The file that is to be gone on with has a name already, which no server chooses.
            return options.resuming.continuation == nil ? .suggestedName : .requestedName
        }
    }

    private func nameFile(of plan: inout DownloadPlan) {
        plan.outputFolder = options.outputFolder
        plan.createsFolders = options.createsFolders
        plan.refusesExisting = run.isCurl && options.usesServerName
        plan.keepsNamesApart = !run.isCurl || options.usesServerName
        if run.isCurl { plan.nameFromURI = plan.request.uri.lastPathSegment }
    }

    private func includeHeads(in plan: inout DownloadPlan) {
        plan.includesHeads = options.includesHead
        plan.options.keepsHeads = plan.includesHeads || options.headFile != nil || run.isVerbose
        let console = console
        if case .descriptor(let descriptor) = plan.destination {
            plan.headText = { console.shown(head: $0.headOctets, on: descriptor) }
            if plan.includesHeads || mixesHeadsWithContent(plan) {
                plan.trailerText = { console.shown(head: $0.trailerOctets, on: descriptor) }
            }
        } else if plan.includesHeads {
            plan.trailerText = { $0.trailerOctets }
        }
    }

    /// Sets limits, and how the exchange goes.
    func apply(to options: inout TransferOptions) {
        options.totalTimeout = self.options.maximumTime
        options.connectTimeout = self.options.connectTimeout
        options.maximumContentLength = self.options.maximumSize
        options.contentForm = self.options.contentForm
        options.cachePolicy = self.options.cachePolicy
        options.requestTarget = self.options.requestTarget
        options.speedLimit = speedLimit
        options.rateLimit = self.options.rateLimit
        // Who says how slow is too slow says how long a silence may be, too.
        if self.options.minimumSpeed != nil || self.options.speedTime != nil {
            options.idleTimeout = TransferPlan.never
        }
        if self.options.isHTTP10 { options.version = .http10 }
        options.redirects = redirects
        if let time = self.options.continueTimeout { options.continueTimeout = time }
        // `-H Expect:`: the content goes out unasked.
        let isUnasked = fields.contains {
            if case .remove(let name) = $0 { FieldName(name) == .expect } else { false }
        }
        if isUnasked { options.expectsContinueAbove = nil }
    }

    /// Whether the heads of `-D` and the content go to standard output both: then only the writer knows where the content
    /// ends, and the trailer section begins.
    func mixesHeadsWithContent(_ plan: DownloadPlan) -> Bool {
        options.headFile == .standard
            && plan.destination == .descriptor(console.invocation.standardOutput)
    }

    /// A time-out that never comes.
    private static let never = Duration.seconds(Int64.max / 4)

    /// Either option alone brings the other's default, as with curl; zero of either is no limit.
    private var speedLimit: SpeedLimit? {
        guard options.minimumSpeed != nil || options.speedTime != nil else { return nil }
        let limit = SpeedLimit()
        let speed = options.minimumSpeed ?? limit.octetsPerSecond
        let time = options.speedTime ?? limit.duration
        return speed == 0 || time == .zero ? nil : SpeedLimit(octetsPerSecond: speed, for: time)
    }

    private func savesErrorAnswers(_ output: ParsedCommand.OutputName) -> Bool {
        switch options.errorAnswer {
        case .fail: false
        case .failWithBody: true
        case .asUsual: run.isCurl || options.isHead || output != .unspecified
        }
    }

    /// The client's settings for the group.
    func configuration() throws(UsageError) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        switch options.addressFamily {
        case .any: configuration.addressFamily = .any
        case .ipv4: configuration.addressFamily = .ipv4
        case .ipv6: configuration.addressFamily = .ipv6
        }
        if run.isCurl {
            // curl waits as long as it takes, and five minutes for a connection.
            configuration.idleTimeout = TransferPlan.never
            configuration.resolveTimeout = .seconds(300)
            configuration.connectTimeout = .seconds(300)
        }
        configuration.leniency.allowsHTTP09 = options.allowsHTTP09
        configuration.leniency.ignoresContentLength = options.ignoresContentLength
        options.sockets.apply(to: &configuration)
        var map = AddressMap()
        for rule in options.addresses {
            let host = rule.host == "*" ? nil : rule.host
            map.entries.removeAll { $0.host == host && $0.port == rule.port }
            guard !rule.addresses.isEmpty else { continue }
            var addresses: [SocketAddress] = []
            for text in rule.addresses {
                guard let address = SocketAddress(literal: text, port: rule.port) else {
                    throw UsageError("--resolve: \"\(text.escapedForTerminal)\" is no IP address")
                }
                addresses.append(address)
            }
            map.entries.append(.init(host: host, port: rule.port, addresses: addresses))
        }
        map.detours = options.connectRules.map {
            .init(fromHost: $0.fromHost, fromPort: $0.fromPort, toHost: $0.toHost, toPort: $0.toPort)
        }
        if let path = options.unixSocket {
            guard let socket = SocketAddress(unixSocket: path) else {
                throw UsageError(
                    "--unix-socket: the path is longer than the 107 octets a socket's name may have")
            }
            map.socket = socket
        }
        map.entries += console.invocation.addressMap.entries
        map.detours += console.invocation.addressMap.detours
        configuration.addressMap = map
        configuration.tls = try options.tls.configuration(console, isCurl: run.isCurl)
        return configuration
    }

    /// The URI that a person typed: without a scheme it is http, or what `--proto-default` says.
    func uri(_ text: String) throws(URIError) -> URI {
        try URI(
            parsing: TransferPlan.namesScheme(text) ? text : "\(options.defaultScheme)://\(text)",
            keepsDotSegments: options.keepsDotSegments)
    }

    /// Whether the first colon is followed by two slashes, or behind a scheme that has an authority by one: that is no
    /// host of the name `http`. Over octets: `contains` would bring in the machinery of regular expressions, at every
    /// start.
    static func namesScheme(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let slashes = text.utf8[colon...].dropFirst().prefix { $0 == UInt8(ascii: "/") }.count
        guard slashes == 1 else { return slashes > 1 }
        let scheme = text[..<colon].lowercased()
        return scheme == "http" || scheme == "https"
    }
}

extension URI {
    /// Whether a file can have the name of the last segment.
    fileprivate var hasFileName: Bool {
        guard let name = lastPathSegment else { return false }
        return !name.isEmpty && name != "." && name != ".."
    }
}

extension String {
    /// The text's octets, each as one scalar: what a field value is made of.
    var asFieldValue: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : String(latin1: Array(utf8))
    }
}
