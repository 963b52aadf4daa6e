import HTTPCache

extension CommandParser {
    /// Does what an option asks for. `argument` is there when the option takes one.
    mutating func perform(_ found: Found, _ argument: Argument?) throws(UsageError) {
        switch found.option.effect {
        case .toggle(let set):
            set(&settings, found.isOn)
            return
        case .flag(let set):
            set(&settings)
            return
        case .url:
            if let argument { appendURL(piece(argument)) }
            return
        case .output:
            if let argument { try appendOutput(argument) }
            return
        case .remoteName:
            command.appendOutput(found.isOn ? .absent : .refused)
            return
        case .next:
            try endGroup(isLast: false)
            return
        case .asCurl: throw UsageError("--as-curl must be the first argument")
        case .help:
            command.purpose = .help(topic: argument.map(text))
            return
        case .version:
            command.purpose = .version
            return
        case .text, .checked, .explained, .seconds, .size, .count, .configFile: break
        }
        let value = argument.map(text) ?? ""
        if case .configFile = found.option.effect { return try readConfig(FileArgument(value)) }
        try found.option.obey(value, &settings)
    }

    /// Ends the present group; the next one begins with no option set.
    mutating func endGroup(isLast: Bool) throws(UsageError) {
        let index = command.groups.count - 1
        let group = command.groups[index]
        guard group.count > 0 else {
            if !isLast {
                // With curl that --next is none.
                if settings.run.isCurl { return }
                throw UsageError("there is no URL before --next")
            }
            throw UsageError(index > 0 ? "there is no URL after the last --next" : "no URL is given")
        }
        if group.outputs.count > group.count {
            command.warnings.append(
                "there are \(group.outputs.count) outputs for \(group.count) URL\(group.count == 1 ? "" : "s")"
            )
        }
        if settings.transfer.isGlobOff.map({ !$0 }) ?? settings.run.isCurl {
            do throws(URLGlob.Malformed) {
                try command.expandURLs(&settings.transfer.uploads)
            } catch {
                throw UsageError("\(error.reason); -g takes braces and brackets as they are", exit: 3)
            }
        }
        command.groups[index].options = settings.transfer
        guard !isLast else { return }
        settings.transfer = GroupOptions()
        command.groups.append(ParsedCommand.Group())
    }

    /// Adds a URL, for which `--remote-name-all` holds where it stands before it.
    mutating func appendURL(_ piece: CommandText.Piece) {
        command.appendURL(piece, isNamed: settings.transfer.usesRemoteNames)
    }

    private mutating func appendOutput(_ argument: Argument) throws(UsageError) {
        if case .text(let name) = argument, name.hasPrefix("-"), name != "-" {
            command.warnings.append("the file name \"\(name.escapedForTerminal)\" looks like an option")
        }
        try appendOutput(piece(argument))
    }

    private mutating func appendOutput(_ piece: CommandText.Piece) throws(UsageError) {
        guard !command.text.octets(piece).isEmpty else {
            throw UsageError("-o, --output: the name of a file is empty")
        }
        command.appendOutput(piece)
    }

    private mutating func piece(_ argument: Argument) -> CommandText.Piece {
        switch argument {
        case .piece(let piece): piece
        case .text(let text): command.withText { $0.add(text) }
        }
    }

    private func text(_ argument: Argument) -> String {
        switch argument {
        case .piece(let piece): command.text.string(piece)
        case .text(let text): text
        }
    }
}

extension CommandOption {
    /// Changes `settings` as the option says with that argument; only for effects that take one as text and note it.
    func obey(_ value: String, _ settings: inout CommandSettings) throws(UsageError) {
        switch effect {
        case .text(let set): set(&settings, value)
        case .checked(let set):
            guard set(&settings, value) else { throw malformed(value) }
        case .explained(let set): try set(&settings, value)
        case .seconds(let set):
            guard let seconds = NumberText.seconds(value) else { throw malformed(value) }
            set(&settings, seconds)
        case .size(let set):
            guard let size = NumberText.size(value) else { throw malformed(value) }
            set(&settings, size)
        case .count(let bounds, let set):
            guard let count = Int(value), bounds.contains(count) else {
                throw UsageError(
                    "\(spelling): \"\(value.escapedForTerminal)\" is no number from "
                        + "\(bounds.lowerBound) to \(bounds.upperBound)")
            }
            set(&settings, count)
        case .toggle, .flag, .url, .output, .remoteName, .next, .configFile, .asCurl, .help, .version: break
        }
    }

    private func malformed(_ value: String) -> UsageError {
        let form: String =
            switch effect {
            case .seconds: "a number of seconds"
            case .size: "a size like 500, 64k or 2g"
            default:
                // Names that nobody guesses.
                name == "cache-policy"
                    ? "one of \(CachePolicy.allCases.map(\.rawValue).joined(separator: ", "))"
                    : argument ?? "of that form"
            }
        // A secret, its colon forgotten, is not to be shown.
        guard name != "header" else { return UsageError("\(spelling): what follows is not \(form)") }
        return UsageError("\(spelling): \"\(value.escapedForTerminal)\" is not \(form)")
    }
}

// MARK: Files of options

extension CommandParser {
    /// Reads the options of a file at this place of the command line.
    mutating func readConfig(_ file: FileArgument) throws(UsageError) {
        guard depth < Self.maximumDepth else {
            throw UsageError("-K, --config: more than \(Self.maximumDepth) files name each other")
        }
        let octets = try read(file)
        command.configFiles.append(file)
        guard octets.count <= CommandText.maximumSize - command.text.size else {
            throw UsageError(
                "-K, --config: more than \(CommandText.maximumSize) octets of options are too many")
        }
        depth += 1
        defer { depth -= 1 }
        let source = command.withText { $0.addSource(octets) }
        var config = ConfigFile()
        while let entry = config.nextEntry(in: octets.span) {
            do throws(UsageError) {
                try perform(entry, in: octets, source: source)
            } catch {
                let name =
                    if case .path(let path) = file { path.escapedForTerminal } else { "standard input" }
                throw UsageError("\(name), line \(entry.line): \(error.message)")
            }
            guard command.purpose == .transfer else { return }
        }
    }

    private mutating func perform(
        _ entry: ConfigFile.Entry, in octets: [UInt8], source: Int
    ) throws(UsageError) {
        var argument: Argument?
        if let range = entry.value {
            argument = command.withText { text in
                entry.hasEscapes
                    ? .piece(text.add(ConfigFile.unescaped(octets[range])))
                    : .piece(text.piece(in: source, at: range))
            }
        }
        let name = String(decoding: octets[entry.option], as: UTF8.self)
        if case .piece(let piece) = argument { try check(command.text.octets(piece), of: name) }
        if entry.hasUnusedText {
            command.warnings.append(
                "text after the value of \(name.escapedForTerminal) in line \(entry.line) of the options is ignored; "
                    + "a value with blanks needs quotes")
        }
        // Lists of thousands of URLs consist of these two.
        if name == "url" || name == "output", let argument {
            if name == "url" {
                appendURL(piece(argument))
            } else {
                try appendOutput(piece(argument))
            }
            return
        }
        if name.hasPrefix("-") {
            try performHyphened(name, argument)
            return
        }
        let found = try Self.find(name)
        guard !found.option.takesArgument || argument != nil else {
            throw UsageError(
                "\(found.option.spelling) needs \(found.option.argument ?? "an argument") after it")
        }
        try refuseUnused(argument, after: found.option)
        try perform(found, argument)
    }

    /// A value that would be repaired as text, or cut at a NUL as a path, would mean something else.
    private func check(_ octets: ArraySlice<UInt8>, of name: String) throws(UsageError) {
        let isPlain = octets.allSatisfy { $0 > 0 && $0 < 0x80 }
        guard !isPlain else { return }
        guard String(validating: octets, as: UTF8.self) != nil else {
            throw UsageError("the value of \(name.escapedForTerminal) is not valid UTF-8")
        }
        guard !octets.contains(0) else {
            throw UsageError("the value of \(name.escapedForTerminal) has a NUL in it")
        }
    }

    /// An option with its hyphens, or bundled letters: the last of them may take the line's value.
    private mutating func performHyphened(_ name: String, _ argument: Argument?) throws(UsageError) {
        var isUsed = false
        let value = argument.map(text)
        try parseOption(name) {
            isUsed = true
            return value
        }
        guard isUsed || argument == nil else {
            throw UsageError("\(name.escapedForTerminal) takes no argument")
        }
    }

    private func refuseUnused(_ argument: Argument?, after option: CommandOption) throws(UsageError) {
        guard argument != nil, !option.takesArgument else { return }
        if case .help = option.effect { return }
        throw UsageError("\(option.spelling) takes no argument")
    }
}
