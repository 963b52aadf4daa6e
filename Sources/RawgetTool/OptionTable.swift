import HTTPCache
import HTTPClient
import HTTPMessage

/// All options of the command that loads URLs. Names, letters and meanings are curl's where curl has the option.
enum OptionTable {
    /// In the order in which help lists them.
    static var options: [CommandOption] {
        output + resuming + request + content + redirects + limits + connection + tls + messages
            + configuration
    }

    /// Those of some categories, and those of some names, for a word that takes them, too.
    static func options(
        in categories: [CommandOption.Category], named names: [String]
    ) -> [CommandOption] {
        options.filter { categories.contains($0.category) || names.contains($0.name) }
    }

    /// The option of a letter.
    static func option(letter: Unicode.Scalar) -> CommandOption? { first { $0.letter == letter } }

    /// The option of a long name, exactly.
    static func option(named name: String) -> CommandOption? { first { $0.name == name } }

    // Goes through the lists one by one: joining them would cost every start some 10 µs.
    private static func first(where matches: (CommandOption) -> Bool) -> CommandOption? {
        let early =
            output.first(where: matches) ?? resuming.first(where: matches) ?? request.first(where: matches)
            ?? content.first(where: matches)
        if let early { return early }
        return redirects.first(where: matches) ?? limits.first(where: matches)
            ?? connection.first(where: matches) ?? tls.first(where: matches)
            ?? messages.first(where: matches) ?? configuration.first(where: matches)
    }

    private static let output: [CommandOption] = [
        CommandOption(
            "output", "o", argument: "FILE", in: .output,
            "Save to FILE; - is standard output. The n-th -o or -O belongs to the n-th URL", .output),
        CommandOption(
            "remote-name", "O", in: .output, "Name the file after the last segment of the URL", .remoteName),
        CommandOption(
            "remote-name-all", in: .output, "Do -O for every URL without an output of its own",
            .toggle {
                $0.transfer.usesRemoteNames = $1
            }),
        CommandOption(
            "remote-header-name", "J", in: .output, "Let the server choose the name",
            .toggle {
                $0.transfer.usesServerName = $1
            }),
        CommandOption(
            "output-dir", argument: "DIR", in: .output, "Save files in DIR",
            .text {
                $0.transfer.outputFolder = $1
            }),
        CommandOption(
            "create-dirs", in: .output, "Make the folders a file needs",
            .toggle {
                $0.transfer.createsFolders = $1
            }),
        CommandOption(
            "remote-time", "R", in: .output, "Give the file the time the server names",
            .toggle {
                $0.transfer.setsRemoteTime = $1
            }),
        CommandOption(
            "include", "i", in: .output, "Put the response's head before the content",
            .toggle {
                $0.transfer.includesHead = $1
            }),
        CommandOption(
            "dump-header", "D", argument: "FILE", in: .output, "Write the response's head to FILE",
            .text { $0.transfer.headFile = FileArgument($1) }),
        CommandOption(
            "buffer", "N", in: .output, "Write content as soon as it comes", isShownNegated: true,
            .toggle { $0.transfer.isUnbuffered = !$1 }),
    ]

    private static let request: [CommandOption] = [
        CommandOption("url", argument: "URL", in: .request, "Load URL, as if it stood alone", .url),
        CommandOption(
            "proto", argument: "PROTOCOLS", in: .request,
            "Schemes URLs and redirects may have: =https, or -http; a comma goes between several",
            .checked { settings, text in
                guard let schemes = SchemeList(text, isCurl: settings.run.isCurl) else { return false }
                settings.transfer.schemes = schemes.allowed
                return true
            }),
        CommandOption(
            "proto-default", argument: "PROTOCOL", in: .request, "The scheme of URLs without one (http)",
            .text { $0.transfer.defaultScheme = $1.lowercased() }),
        CommandOption(
            "head", "I", in: .request, "Ask for the head alone and show it",
            .toggle {
                $0.transfer.isHead = $1
                $0.transfer.includesHead = $1
            }),
        CommandOption(
            "range", "r", argument: "RANGE", in: .request,
            "Ask for octets: 0-99, 500- (from there on), -500 (the last)",
            .checked { settings, text in
                // Without blanks, which a field value may have and curl's option has not.
                guard text.utf8.allSatisfy({ $0 != 0x20 && $0 != 0x09 }),
                    ByteRangeSet(parsing: "bytes=\(text)") != nil || ReversedRange(text) != nil
                else { return false }
                settings.transfer.range = text
                return true
            }),
        CommandOption(
            "header", "H", argument: "FIELD", in: .request,
            "Send `Name: value`; `Name:` sends none, `Name;` an empty one, @FILE the lines of FILE",
            .checked { settings, text in
                guard let field = FieldOption(text) else {
                    return settings.run.isCurl && FieldOption.isIdle(text)
                }
                settings.transfer.fields.append(field)
                return true
            }),
        CommandOption(
            "request", "X", argument: "METHOD", in: .request, "Use METHOD instead of GET",
            .text { $0.transfer.method = $1 }),
        CommandOption(
            "user-agent", "A", argument: "NAME", in: .request, "Send NAME as User-Agent; empty sends none",
            .text { $0.transfer.userAgent = $1 }),
        CommandOption(
            "referer", "e", argument: "URL", in: .request,
            "Send URL as Referer; with ;auto redirects send where they come from",
            .text { settings, text in
                let isAutomatic = text.hasSuffix(";auto")
                settings.transfer.setsRefererOnRedirect = isAutomatic
                let url = isAutomatic ? String(text.dropLast(5)) : text
                settings.transfer.referer = url.isEmpty ? nil : url
            }),
        CommandOption(
            "compressed", in: .request, "Offer gzip and deflate, and save the content decoded",
            .toggle { $0.transfer.offersCodings = $1 }),
        CommandOption(
            "raw", in: .request, "Save the body as it comes, transfer coding and all; nothing is decoded",
            .toggle { $0.transfer.isRaw = $1 }),
        CommandOption(
            "time-cond", "z", argument: "DATE|FILE", in: .request,
            "Load only what is newer than DATE, or than FILE; -DATE what is older",
            .text { $0.transfer.timeCondition = $1 }),
        CommandOption(
            "path-as-is", in: .request, "Leave /./ and /../ in the URL's path alone",
            .toggle { $0.transfer.keepsDotSegments = $1 }),
        CommandOption(
            "request-target", argument: "TARGET", in: .request,
            "Ask for TARGET in place of the URL's path and query: \"*\" with -X OPTIONS is the server as a whole",
            .text { $0.transfer.requestTarget = $1 }),
        CommandOption(
            "http1.0", "0", in: .request, "Speak HTTP/1.0",
            .flag { $0.transfer.isHTTP10 = true }),
        CommandOption(
            "http1.1", in: .request, "Speak HTTP/1.1, which is the default",
            .flag { $0.transfer.isHTTP10 = false }),
        CommandOption(
            "http0.9", in: .request, "Take an answer without a head, as HTTP/0.9 has none",
            .toggle { $0.transfer.allowsHTTP09 = $1 }),
        CommandOption(
            "ignore-content-length", in: .request, "Read until the server closes, whatever length it names",
            .toggle { $0.transfer.ignoresContentLength = $1 }),
        CommandOption(
            "cache-policy", argument: "NAME", in: .request,
            "Keep answers in memory while rawget runs, and use them as NAME says (--help cache-policy)",
            moreHelp: { CachePolicy.help },
            .checked { settings, text in
                guard let policy = CachePolicy(name: text) else { return false }
                settings.transfer.cachePolicy = policy
                return true
            }),
        CommandOption(
            "globoff", "g", in: .request,
            "Take braces and brackets of a URL as they are (the default without --as-curl). --no-globoff: {a,b}, [1-9], [a-z], [0-9:3] stand for several URLs, \\ keeps one as it is; #1 in -o is what the first stands for",
            .toggle { $0.transfer.isGlobOff = $1 }),
    ]

    private static let limits: [CommandOption] = [
        CommandOption(
            "fail", "f", in: .limits,
            "Save nothing when the status is an error (400 and above); exit 22. Without -f that is so only where none of -o, -O, -I and --as-curl is given, and the beginning of its text is shown",
            .toggle {
                $0.transfer.choose(.fail, $1)
            }),
        CommandOption(
            "fail-with-body", in: .limits, "Save the content even then, but exit 22",
            .toggle { $0.transfer.choose(.failWithBody, $1) }),
        CommandOption(
            "max-time", "m", argument: "SECONDS", in: .limits, "Give a transfer up after SECONDS",
            .seconds { $0.transfer.maximumTime = $1 == .zero ? nil : $1 }),
        CommandOption(
            "connect-timeout", argument: "SECONDS", in: .limits, "Give connecting up after SECONDS",
            .seconds { $0.transfer.connectTimeout = $1 == .zero ? nil : $1 }),
        CommandOption(
            "speed-limit", "Y", argument: "SPEED", in: .limits,
            "Give up what is slower than SPEED octets a second for the time of -y (30 seconds), which then is the longest silence, too",
            .size { $0.transfer.minimumSpeed = $1 }),
        CommandOption(
            "speed-time", "y", argument: "SECONDS", in: .limits,
            "Give up what is slower than --speed-limit (1) for so many SECONDS, in place of 60 s of silence; 0: never",
            .seconds { $0.transfer.speedTime = $1 }),
        CommandOption(
            "limit-rate", argument: "SPEED", in: .limits,
            "Take, and send, no more than SPEED octets a second (units k, m, g)",
            .size { $0.transfer.rateLimit = $1 == 0 ? nil : $1 }),
        CommandOption(
            "max-filesize", argument: "SIZE", in: .limits,
            "Refuse content larger than SIZE (units k, m, g, t)",
            .size { $0.transfer.maximumSize = $1 == 0 ? nil : $1 }),
    ]
}

extension GroupOptions {
    /// What becomes of an answer that is an error; the opposite of another choice than the present one changes nothing.
    fileprivate mutating func choose(_ answer: ErrorAnswer, _ isOn: Bool) {
        if isOn {
            if errorAnswer != .asUsual, errorAnswer != answer { hasTwoErrorAnswers = true }
            errorAnswer = answer
        } else if errorAnswer == answer {
            errorAnswer = .asUsual
        }
    }
}
