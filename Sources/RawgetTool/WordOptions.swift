/// One option of a word such as `check`: parsing and help come from it.
struct WordOption<Settings>: Sendable {
    /// What it does.
    enum Effect: Sendable {
        /// No argument.
        case flag(@Sendable (inout Settings) -> Void)
        /// Any text.
        case text(@Sendable (inout Settings, String) -> Void)
        /// Octets, with a unit.
        case size(@Sendable (inout Settings, UInt64) -> Void)
        /// A whole number within bounds.
        case count(ClosedRange<Int>, @Sendable (inout Settings, Int) -> Void)
        /// What the command's own option of that name does to its settings, which stand at that place.
        case shared(CommandOption, any WritableKeyPath<Settings, CommandSettings> & Sendable)
    }

    /// The long name, without hyphens.
    let name: String
    /// The letter after one hyphen.
    var letter: Unicode.Scalar?
    /// The argument's name in help; `nil` when there is none.
    let argument: String?
    /// What it does, in one or two clauses.
    let help: String
    let effect: Effect

    /// A declaration.
    init(_ name: String, argument: String? = nil, _ help: String, _ effect: Effect) {
        self.name = name
        self.argument = argument
        self.help = help
        self.effect = effect
    }

    /// An option of the command that loads URLs, for whose settings the word has a place.
    init(_ option: CommandOption, at place: any WritableKeyPath<Settings, CommandSettings> & Sendable) {
        name = option.name
        letter = option.letter
        argument = option.argument
        help = option.help
        effect = .shared(option, place)
    }

    /// Both spellings, as messages and help name it.
    var spelling: String {
        guard case .shared(let option, _) = effect else { return "--\(name)" }
        return option.spelling
    }

    /// Whether help shows `--no-NAME`, which the letter means, too.
    fileprivate var isShownNegated: Bool {
        if case .shared(let option, _) = effect { option.isShownNegated } else { false }
    }

    /// Does what an option without an argument does; false for `--no-NAME` of what has no opposite.
    fileprivate func perform(isOn: Bool, _ settings: inout Settings) -> Bool {
        switch effect {
        case .flag(let set) where isOn: set(&settings)
        case .shared(let option, let place):
            switch option.effect {
            case .toggle(let set): set(&settings[keyPath: place], isOn)
            case .flag(let set) where isOn: set(&settings[keyPath: place])
            default: return false
            }
        default: return false
        }
        return true
    }

    /// Does what it does with that argument.
    fileprivate func obey(_ value: String, _ settings: inout Settings) throws(UsageError) {
        switch effect {
        case .flag: break
        case .text(let set): set(&settings, value)
        case .size(let set):
            guard let size = NumberText.size(value) else {
                throw UsageError(
                    "--\(name): \"\(value.escapedForTerminal)\" is not a size like 500, 64k or 2g")
            }
            set(&settings, size)
        case .count(let bounds, let set):
            guard let number = Int(value), bounds.contains(number) else {
                throw UsageError(
                    "--\(name): \"\(value.escapedForTerminal)\" is no number from \(bounds.lowerBound) to \(bounds.upperBound)"
                )
            }
            set(&settings, number)
        case .shared(let option, let place): try option.obey(value, &settings[keyPath: place])
        }
    }
}

/// The arguments of a word: its options, and the rest.
struct WordArguments<Settings: Sendable>: Sendable {
    /// What the options say.
    var settings: Settings
    /// What is no option, in order.
    var operands: [String] = []
    /// Whether `--help` stands there.
    var asksForHelp = false

    /// Reads what follows the word. `--` ends the options; letters may be bundled, and an argument may follow its letter
    /// at once.
    init(
        _ arguments: [String], options: [WordOption<Settings>], defaults: Settings
    ) throws(UsageError) {
        settings = defaults
        var rest = arguments[...]
        var readsOptions = true
        while let argument = rest.popFirst() {
            guard readsOptions, argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            if argument == "--" {
                readsOptions = false
            } else if argument == "--help" || argument == "-h" {
                asksForHelp = true
            } else if argument.hasPrefix("--") {
                try readName(argument, options) { rest.popFirst() }
            } else {
                try readLetters(argument, options) { rest.popFirst() }
            }
        }
    }

    private mutating func readName(
        _ argument: String, _ options: [WordOption<Settings>], next: () -> String?
    ) throws(UsageError) {
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        let positive = name.hasPrefix("no-") ? String(name.dropFirst(3)) : nil
        guard let option = options.first(where: { $0.name == name || $0.name == positive }) else {
            throw unknown(argument, options)
        }
        guard option.argument != nil else {
            guard parts.count == 1 else { throw UsageError("--\(name) takes no argument") }
            guard option.perform(isOn: option.name == name, &settings) else {
                throw UsageError("--\(option.name) has no opposite")
            }
            return
        }
        guard option.name == name else { throw UsageError("--\(option.name) has no opposite") }
        guard let text = parts.count == 2 ? String(parts[1]) : next() else { throw missing(for: option) }
        try option.obey(text, &settings)
    }

    private mutating func readLetters(
        _ argument: String, _ options: [WordOption<Settings>], next: () -> String?
    ) throws(UsageError) {
        var letters = argument.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.letter == letter }) else {
                throw unknown(argument, options)
            }
            guard option.argument != nil else {
                _ = option.perform(isOn: !option.isShownNegated, &settings)
                continue
            }
            guard let text = letters.isEmpty ? next() : String(letters) else { throw missing(for: option) }
            return try option.obey(text, &settings)
        }
    }

    private func unknown(_ argument: String, _ options: [WordOption<Settings>]) -> UsageError {
        let name = String(argument.drop(while: { $0 == "-" }).prefix(while: { $0 != "=" }))
        let nearest =
            NearestName.of(name, among: options.map(\.name)).map { "; did you mean --\($0)?" } ?? ""
        return UsageError("unknown option \(argument.escapedForTerminal)\(nearest)")
    }

    private func missing(for option: WordOption<Settings>) -> UsageError {
        UsageError("\(option.spelling) needs \(option.argument ?? "an argument") after it")
    }

    /// What `--help` shows of options.
    static func help(_ options: [WordOption<Settings>]) -> String {
        let hasLetters = options.contains { $0.letter != nil }
        let starts = options.map { option in
            // Long names stand below one another.
            let blanks = hasLetters && option.letter == nil ? "      " : "  "
            return blanks + option.spelling + (option.argument.map { " \($0)" } ?? "")
        }
        let width = min(starts.map(\.utf8.count).max() ?? 0, HelpText.indent - 2)
        return zip(starts, options).map { start, option in
            HelpText.wrapped(start, option.help, indent: width + 2)
        }.joined()
    }
}
