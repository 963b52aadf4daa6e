/// Reads a command line by curl's rules: letters may be bundled, an argument may follow its letter at once, long
/// options may be cut as long as they stay unique, `--` ends the options.
struct CommandParser {
    /// Reads a file an option names, here only for `-K`.
    typealias FileReader = (FileArgument) throws(UsageError) -> [UInt8]

    /// An argument: text of the command line, or a part of a file.
    enum Argument {
        case text(String)
        case piece(CommandText.Piece)
    }

    /// An option as it was found.
    struct Found {
        var option: CommandOption
        /// False for `--no-NAME`.
        var isOn = true
    }

    // Files that name files that name files end here; it is no limit for anybody's real use.
    static let maximumDepth = 8

    var command = ParsedCommand()
    var settings = CommandSettings()
    var depth = 0
    let read: FileReader

    private init(reading read: @escaping FileReader) {
        self.read = read
        command.groups = [ParsedCommand.Group()]
    }

    /// Reads `arguments`, of which the first is the name the command was called by.
    static func parse(
        _ arguments: [String], reading read: @escaping FileReader
    ) throws(UsageError) -> ParsedCommand {
        var parser = CommandParser(reading: read)
        try parser.parse(arguments)
        return parser.command
    }

    private mutating func parse(_ arguments: [String]) throws(UsageError) {
        var rest = arguments.dropFirst()
        if let name = arguments.first, name == "curl" || name.hasSuffix("/curl") {
            settings.run.isCurl = true
        }
        if rest.first == "--as-curl" {
            settings.run.isCurl = true
            rest.removeFirst()
        }
        var readsOptions = true
        while let argument = rest.popFirst() {
            if readsOptions, argument.utf8.first == UInt8(ascii: "-") {
                if argument == "--" {
                    readsOptions = false
                } else {
                    try parseOption(argument) { rest.popFirst() }
                }
            } else {
                appendURL(command.withText { $0.add(argument) })
            }
            guard command.purpose == .transfer else { return }
        }
        try endGroup(isLast: true)
        command.run = settings.run
    }

    /// Reads one argument that begins with a hyphen. `next` gives the argument after it.
    mutating func parseOption(_ argument: String, next: () -> String?) throws(UsageError) {
        guard argument.hasPrefix("--") else {
            try parseLetters(argument, next: next)
            return
        }
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let found = try Self.find(String(parts.first ?? ""))
        if parts.count == 2 {
            guard found.option.takesArgument else {
                throw UsageError("\(found.option.spelling) takes no argument")
            }
            try perform(found, .text(String(parts[1])))
        } else if found.option.takesArgument {
            try perform(found, .text(try required(next(), for: found.option)))
        } else if case .help = found.option.effect {
            try perform(found, next().map { .text($0) })
        } else {
            try perform(found, nil)
        }
    }

    private mutating func parseLetters(_ argument: String, next: () -> String?) throws(UsageError) {
        var letters = argument.unicodeScalars.dropFirst()
        guard !letters.isEmpty else {
            throw UsageError("a lone - is no URL; standard output is -o -, standard input -K -")
        }
        while let letter = letters.popFirst() {
            guard let option = OptionTable.option(letter: letter) else {
                guard !LaterOptions.contains(letter: letter) else {
                    throw UsageError("-\(letter) is not part of this version")
                }
                throw UsageError(
                    "unknown option -\(String(letter).escapedForTerminal)\(Self.inBundle(argument))")
            }
            let found = Found(option: option, isOn: !option.isShownNegated)
            if option.takesArgument {
                let attached = letters.isEmpty ? nil : String(letters)
                try perform(found, .text(try required(attached ?? next(), for: option)))
                return
            }
            if case .help = option.effect {
                try perform(found, letters.isEmpty ? next().map { .text($0) } : nil)
                return
            }
            try perform(found, nil)
        }
    }

    private static func inBundle(_ argument: String) -> String {
        argument.count > 2 ? " in \"\(argument.escapedForTerminal)\"" : ""
    }

    private func required(_ argument: String?, for option: CommandOption) throws(UsageError) -> String {
        guard let argument else {
            throw UsageError("\(option.spelling) needs \(option.argument ?? "an argument") after it")
        }
        return argument
    }

    /// The option of a long name without its hyphens: exact, negated, or cut.
    static func find(_ name: String) throws(UsageError) -> Found {
        if let option = OptionTable.option(named: name) { return Found(option: option) }
        let positive = name.hasPrefix("no-") ? String(name.dropFirst(3)) : nil
        if let positive, let option = OptionTable.option(named: positive), option.isToggle {
            return Found(option: option, isOn: false)
        }
        if let positive, OptionTable.option(named: positive) != nil {
            throw UsageError("--\(positive) has no opposite")
        }
        guard !LaterOptions.contains(name: name), !CurlOptions.contains(name) else {
            throw UsageError("--\(name) is not part of this version")
        }
        let spelled = "--\(name)".escapedForTerminal
        let options = OptionTable.options
        var matches: [(name: String, found: Found)] = []
        if !name.isEmpty {
            for option in options where option.name.hasPrefix(name) {
                matches.append((option.name, Found(option: option)))
            }
            for option in options where option.isToggle && "no-\(option.name)".hasPrefix(name) {
                // `--n` means `--next`: only those that help shows negated compete with whole names.
                guard option.isShownNegated || name.hasPrefix("no-") else { continue }
                matches.append(("no-\(option.name)", Found(option: option, isOn: false)))
            }
        }
        if matches.count == 1 { return matches[0].found }
        if matches.count > 1 {
            let names = matches.map { "--\($0.name)" }.joined(separator: ", ")
            throw UsageError("\(spelled) could be any of \(names)")
        }
        let names = options.flatMap { $0.isToggle ? [$0.name, "no-\($0.name)"] : [$0.name] }
        let nearest = NearestName.of(name, among: names).map { "; did you mean --\($0)?" } ?? ""
        throw UsageError("unknown option \(spelled)\(nearest)")
    }
}
