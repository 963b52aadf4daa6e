import Download
import Glibc
import HTTPClient
import HTTPMessage
import System
import Transport

extension TransferPlan {
    /// Refuses options that ask for two methods at once, as curl does.
    static func checkMethods(_ options: GroupOptions) throws(UsageError) {
        let posts = !options.data.isEmpty && !options.putsDataInQuery
        let ways = [("-I", options.isHead), ("-d", posts), ("-T", !options.uploads.isEmpty)].filter(\.1)
        guard ways.count <= 1 else {
            throw UsageError("\(ways[0].0) and \(ways[1].0) are two requests: only one of them can be made")
        }
    }

    /// Refuses what is known of curl and not done here, or could not be meant. Returns a warning where curl obeys.
    static func checkValues(_ options: GroupOptions, _ run: RunOptions) throws(UsageError) -> String? {
        guard !run.isCurl || !options.hasTwoErrorAnswers else {
            throw UsageError("-f and --fail-with-body: only one of them can be obeyed")
        }
        guard !run.isCurl || options.data.isEmpty || !options.putsDataInQuery || options.uploads.isEmpty
        else {
            throw UsageError("-G and -T are two requests: only one of them can be made")
        }
        guard !run.isCurl || !options.includesHead || !options.usesServerName else {
            throw UsageError("-i and -J cannot be combined: the name of the file would come with its content")
        }
        guard options.proxy.isEmpty else {
            throw UsageError("-x, --proxy is not part of this version; only an empty one is taken")
        }
        // Not shown: it may be a secret whose name was forgotten.
        guard options.cookies.allSatisfy({ $0.utf8.contains(UInt8(ascii: "=")) }) else {
            throw UsageError(
                "-b, --cookie: files of cookies are not part of this version, and what is given is no NAME=VALUE"
            )
        }
        guard SchemeList.isKnown(options.defaultScheme) else {
            throw UsageError(
                "--proto-default: \"\(options.defaultScheme.escapedForTerminal)\" is no protocol",
                exit: run.isCurl ? 1 : 2)
        }
        let warning = try checkResuming(options, run)
        guard let range = options.range.flatMap({ ReversedRange($0) }) else { return warning }
        guard run.isCurl else { throw UsageError(range.complaint) }
        return range.complaint
    }

    /// The method that content means.
    func method(forURL number: Int) -> HTTPMethod {
        if options.isHead { return .head }
        if upload(number) != nil { return .put }
        return data != nil && !options.putsDataInQuery ? .post : .get
    }

    /// The URI with what options add to it.
    func uri(_ uri: URI, number: Int) -> URI {
        var uri = uri
        for query in queries { uri = uri.appendingQuery(query) }
        if options.putsDataInQuery, let data { uri = uri.appendingQuery(data) }
        if let file = upload(number), case .path(let path) = FileArgument(file), uri.lastPathSegment == nil,
            let name = path.utf8.split(separator: UInt8(ascii: "/")).last
        {
            uri = uri.appendingSegment(Array(name))
        }
        return uri
    }

    /// Content and the fields that describe it.
    func addContent(to request: inout HTTPRequest) {
        guard let data else { return }
        if !options.putsDataInQuery {
            if !asksForChunks { request.content = data }
        } else if !options.isJSON {
            return
        }
        let type = options.isJSON ? "application/json" : "application/x-www-form-urlencoded"
        request.fields.append(.contentType, type)
        if options.isJSON { request.fields[.accept] = "application/json" }
    }

    /// What `-r` says. Of content it says, as by curl, which part of a representation that is.
    func addRange(to request: inout HTTPRequest, number: Int) {
        guard let range = options.range else { return }
        guard run.isCurl, let length = contentLength(number) else {
            request.fields.append(.range, "bytes=\(range)")
            return
        }
        request.fields.append(.contentRange, "bytes \(range)/\(length)")
    }

    /// How many octets of content a URL's request has; `nil` where it has none, or nobody knows.
    private func contentLength(_ number: Int) -> UInt64? {
        guard let file = upload(number) else {
            return options.putsDataInQuery ? nil : data.map { UInt64($0.count) }
        }
        guard case .path(let path) = FileArgument(file == "." ? "-" : file) else { return nil }
        let status = try? File.status(of: path, in: console.invocation.directory, followsLinks: true)
        return status.flatMap { $0.kind == .regular ? $0.size : nil }
    }

    /// Whether `-H` asks for chunks, which with curl any content may be sent in.
    var asksForChunks: Bool { run.isCurl && fields.contains(where: \.asksForChunks) }

    /// Credentials and cookies. The client sends them to the URI's own origin alone.
    func addCredentials(to request: inout HTTPRequest) {
        if let token = options.bearerToken {
            request.fields.append(.authorization, "Bearer \(token.asFieldValue)")
        } else if let credentials {
            request.fields.append(.authorization, credentials.fieldValue)
        }
        guard !options.cookies.isEmpty else { return }
        request.fields.append(.cookie, options.cookies.joined(separator: ";").asFieldValue)
    }

    /// What `-u` says. Without a colon the password is asked for where somebody can answer, and is empty elsewhere.
    static func credentials(_ text: String?, _ console: Console) throws(UsageError) -> BasicCredentials? {
        guard let text else { return nil }
        if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let password = text[text.utf8.index(after: colon)...]
            return BasicCredentials(user: String(text[..<colon]), password: String(password))
        }
        let invocation = console.invocation
        guard invocation.isTerminal(invocation.standardInput) else {
            console.warn("-u, --user: there is no terminal to ask for a password at, it is left empty")
            return BasicCredentials(user: text, password: "")
        }
        let password = try console.askPassword(for: text)
        return BasicCredentials(user: Array(text.utf8), password: password)
    }

    /// The file to send for a URL; `nil` where there is none.
    func upload(_ number: Int) -> String? {
        options.upload(number)
    }

    /// The condition that `-z` names. Throws where that is neither a date nor a file.
    static func condition(_ text: String, _ console: Console) throws(UsageError) -> TimeCondition {
        let isOlder = text.hasPrefix("-")
        let what = isOlder ? String(text.dropFirst()) : text
        let now = HTTPDate(secondsSinceEpoch: console.invocation.clock.secondsSinceEpoch)
        var date = DateArgument.date(what, now: now)
        if date == nil {
            let status = try? File.status(of: what, in: console.invocation.directory, followsLinks: true)
            date = status.map { HTTPDate(secondsSinceEpoch: $0.modified) }
            if let status, let log = console.log {
                log.noteTime(status.modified, of: what)
                // Now, since the answer may replace it.
                _ = try? console.contents(of: .path(what), limit: Recorder.mostOctets)
            }
        }
        guard let date else {
            throw UsageError(
                "-z, --time-cond: \"\(what.escapedForTerminal)\" is neither a date nor a file that is there")
        }
        return isOlder ? .older(than: date) : .newer(than: date)
    }

    /// The files that a URL's request reads its content from.
    func sources(forURL number: Int) -> [FileIdentity] {
        var files = options.data.compactMap(\.source)
        if let file = upload(number) { files.append(FileArgument(file == "." ? "-" : file)) }
        let invocation = console.invocation
        return files.compactMap { file in
            let status: File.Status? =
                switch file {
                case .standard: try? File.status(of: invocation.standardInput)
                case .path(let path): try? File.status(of: path, in: invocation.directory, followsLinks: true)
                }
            return status.flatMap { $0.kind == .regular ? FileIdentity($0) : nil }
        }
    }

    /// Refuses to write heads over a file that the content comes from.
    func checkHeadFile(_ sources: [FileIdentity]) throws(UsageError) {
        guard !sources.isEmpty, case .path(let path) = options.headFile,
            OpenDescriptor.number(of: path) == nil,
            let status = try? File.status(of: path, in: console.invocation.directory, followsLinks: true),
            sources.contains(FileIdentity(status))
        else { return }
        throw UsageError(
            "-D, --dump-header: \(path.escapedForTerminal) holds content of the request: heads would replace it"
        )
    }

    /// The content of a URL's `-T`. Throws `readFailed`.
    @NetworkActor
    func content(forURL number: Int) throws(TransferError) -> (any RequestContent)? {
        guard let file = upload(number) else {
            guard asksForChunks, !options.putsDataInQuery else { return nil }
            return data.map { DataContent($0) }
        }
        let invocation = console.invocation
        switch FileArgument(file == "." ? "-" : file) {
        case .standard:
            // curl takes it for a stream even where it is a file.
            return try DescriptorContent(
                lending: invocation.standardInput, named: "standard input", declaresLength: !run.isCurl)
        case .path(let path):
            let descriptor: FileDescriptor
            do throws(SystemError) {
                descriptor = try File.open(path, in: invocation.directory, flags: O_NOCTTY | O_NONBLOCK)
            } catch {
                throw TransferError(
                    .readFailed, during: .prepare, "could not read \(path): \(error.explanation)",
                    errno: error.errno)
            }
            return try DescriptorContent(owning: descriptor, named: path, declaresLength: !asksForChunks)
        }
    }

    /// Which redirects are followed; `nil` where none.
    var redirects: RedirectPolicy? {
        guard options.followsRedirects ?? !run.isCurl else { return nil }
        var policy = RedirectPolicy()
        let limit = options.maximumRedirects ?? (run.isCurl ? 50 : 20)
        policy.maximum = limit < 0 ? nil : limit
        policy.keepsPOST = options.keepsPOST
        policy.keepsMethod = run.isCurl && options.method != nil
        policy.trustsAllOrigins = options.trustsAllOrigins
        policy.dropsUserinfo = run.isCurl
        policy.setsReferer = options.setsRefererOnRedirect
        policy.schemes = options.redirectSchemes.intersection(options.schemes)
        return policy
    }
}

extension GroupOptions {
    /// The file to send for the URL `number` of the group; `nil` where there is none.
    func upload(_ number: Int) -> String? {
        guard number < uploads.count, !uploads[number].isEmpty else { return nil }
        return uploads[number]
    }

    /// Whether the answer of the URL `number` goes to standard output where no option says where. The name of an
    /// upload's URL is that of the file sent, which its answer must not replace; and what is sent to be answered is
    /// answered to a person.
    func printsByDefault(_ number: Int, isCurl: Bool) -> Bool {
        let sends = upload(number) != nil || !data.isEmpty && !putsDataInQuery
        return isCurl || isHead || sends && !usesServerName
    }
}
