/// One option of a word such as `check`: parsing and help come from it.
struct WordOption<Settings>: Sendable {
    /// What it does.
    enum Effect: Sendable {
        /// No argument.
        case flag(@Sendable (inout Settings) -> Void)
        /// Any text.
        case text(@Sendable (inout Settings, String) -> Void)
        /// A whole number within bounds.
        case count(ClosedRange<Int>, @Sendable (inout Settings, Int) -> Void)
    }

    /// The long name, without hyphens.
    let name: String
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
}

/// The arguments of a word: its options, and the rest.
struct WordArguments<Settings: Sendable>: Sendable {
    /// What the options say.
    var settings: Settings
    /// What is no option, in order.
    var operands: [String] = []
    /// Whether `--help` stands there.
    var asksForHelp = false

    /// Reads what follows the word. `--` ends the options.
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
            } else {
                try read(argument, options) { rest.popFirst() }
            }
        }
    }

    private mutating func read(
        _ argument: String, _ options: [WordOption<Settings>], next: () -> String?
    ) throws(UsageError) {
        let parts = argument.drop(while: { $0 == "-" }).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard argument.hasPrefix("--"), let option = options.first(where: { $0.name == name }) else {
            let nearest =
                NearestName.of(name, among: options.map(\.name)).map { "; did you mean --\($0)?" } ?? ""
            throw UsageError("unknown option \(argument.escapedForTerminal)\(nearest)")
        }
        guard option.argument != nil else {
            guard parts.count == 1 else { throw UsageError("--\(name) takes no argument") }
            if case .flag(let apply) = option.effect { apply(&settings) }
            return
        }
        guard let text = parts.count == 2 ? String(parts[1]) : next() else {
            throw UsageError("--\(name) needs \(option.argument ?? "an argument") after it")
        }
        switch option.effect {
        case .flag: break
        case .text(let apply): apply(&settings, text)
        case .count(let range, let apply):
            guard let number = Int(text), range.contains(number) else {
                throw UsageError(
                    "--\(name): \"\(text.escapedForTerminal)\" is no number from \(range.lowerBound) to \(range.upperBound)"
                )
            }
            apply(&settings, number)
        }
    }

    /// What `--help` shows of options.
    static func help(_ options: [WordOption<Settings>]) -> String {
        let starts = options.map { "  --\($0.name)" + ($0.argument.map { " \($0)" } ?? "") }
        let width = starts.map(\.utf8.count).max() ?? 0
        return zip(starts, options).map { start, option in
            HelpText.wrapped(start, option.help, indent: width + 2)
        }.joined()
    }
}
